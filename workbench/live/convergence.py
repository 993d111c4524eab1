"""The button "solve to convergence": iterate from the present pose, then put the robot there."""

from __future__ import annotations

from collections.abc import Callable

from workbench.ik.types import ConvergenceResult
from workbench.live.inputs import tick_inputs
from workbench.live.jobs import Job, JobControl, Jobs
from workbench.live.session import Session

JOB_KEY = "converge"


def solve_to_convergence(
    session: Session,
    jobs: Jobs,
    done: Callable[[ConvergenceResult], None],
    failed: Callable[[Exception], None] | None = None,
) -> Job[ConvergenceResult]:
    """Start the job; the robot moves to the result as one undo step, the targets stay.

    Args:
        session: Whose robot, settings and present positions.
        jobs: Runs it.
        done: Receives the result, with the iterations that it took.
        failed: Receives what went wrong.
    """
    state = session.state
    inputs = tick_inputs(state.settings)
    start = session.present_pose()
    limit = max(state.settings.kinematics.max_iterations, 1)

    def work(control: JobControl) -> ConvergenceResult:
        def keep_going(iteration: int) -> bool:
            # Reporting every step would cost more than the step.
            if iteration % 10 == 0:
                control.report(iteration / limit, f"step {iteration} of at most {limit}")
            return not control.cancelled

        return state.bundle.converge(inputs, start, keep_going)

    def arrived(result: ConvergenceResult) -> None:
        session.command_positions(
            "solve to convergence",
            result.pose.positions,
            transform_base_to_world=result.pose.transform_base_to_world,
            epoch=state.epoch,
            move_targets=False,
        )
        done(result)

    return jobs.submit("Solve to convergence", work, arrived, failed, key=JOB_KEY)
