"""The button "plan to the target": search in a job, then show the path that was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.ik.plan_types import PlanResult
from workbench.live.inputs import tick_inputs
from workbench.live.jobs import Job, JobControl, Jobs
from workbench.live.session import Session

JOB_KEY = "plan"

_REPORT_EVERY = 10


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan, and how it is shown.

    Attributes:
        result: How the search went.
        step_s: Time from one point of its path to the next, s.
    """

    result: PlanResult
    step_s: float

    @property
    def text(self) -> str:
        """How it went, in a sentence."""
        result = self.result
        steps = max(len(result.path) - 1, 0)
        error = (
            f"{1e3 * result.position_error_m:.2f} mm and "
            f"{1e3 * result.orientation_error_rad:.1f} mrad away"
        )
        if result.succeeded:
            which = "from the present pose"
            if result.attempt > 1:
                which = f"by retry {result.attempt - 1} from a random posture"
            return f"Planned in {steps} steps {which}, {error} ({steps * self.step_s:.2f} s)."
        if result.status == "CANCELLED":
            return "Planning was cancelled."
        return f"No plan after {result.attempts} attempts: {result.message} First attempt: {error}."


def plan_to_targets(
    session: Session,
    jobs: Jobs,
    done: Callable[[Plan], None],
    failed: Callable[[Exception], None] | None = None,
) -> Job[Plan]:
    """Start the job; the robot is shown the path and stays at its end, as one undo step.

    Args:
        session: Whose robot, settings and present pose.
        jobs: Runs it.
        done: Receives the plan.
        failed: Receives what went wrong.
    """
    state = session.state
    inputs = tick_inputs(state.settings)
    planning, config = state.settings.planning, state.settings.kinematics
    start = session.present_pose()
    whole = max(config.max_iterations * planning.max_attempts, 1)

    def work(control: JobControl) -> Plan:
        def keep_going(attempt: int, iteration: int) -> bool:
            # Reporting every step would cost more than the step.
            if iteration % _REPORT_EVERY == 0:
                done_so_far = (attempt - 1) * config.max_iterations + iteration
                control.report(
                    done_so_far / whole,
                    f"attempt {attempt} of at most {planning.max_attempts}, step {iteration}",
                )
            return not control.cancelled

        return Plan(state.bundle.plan(inputs, planning, start, keep_going), config.dt)

    def arrived(plan: Plan) -> None:
        result = plan.result
        if result.positions is not None:
            names = state.description.joint_names
            points = [dict(zip(names, point.tolist(), strict=True)) for point in result.path]
            session.command_positions(
                "plan to the target", points[-1], epoch=state.epoch, move_targets=False,
                path=points[1:], step_s=config.dt,
            )  # fmt: skip
        done(plan)

    return jobs.submit("Plan to the target", work, arrived, failed, key=JOB_KEY)
