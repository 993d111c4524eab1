"""The button "check the solvers": how each does at the user's robot and rates, as a job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.ik.health_table import HealthTable
from workbench.live.inputs import tick_inputs
from workbench.live.jobs import Job, JobControl, Jobs
from workbench.live.session import Session

JOB_KEY = "health"


@dataclass(frozen=True, eq=False)
class Health:
    """What a check found, and for what.

    Attributes:
        epoch: Number of the robot.
        table: The rows.
    """

    epoch: int
    table: HealthTable


def check_solvers(
    session: Session,
    jobs: Jobs,
    done: Callable[[Health], None],
    failed: Callable[[Exception], None] | None = None,
) -> Job[Health]:
    """Start the job; nothing moves.

    Args:
        session: Whose robot, settings and present pose.
        jobs: Runs it.
        done: Receives what was found.
        failed: Receives what went wrong.
    """
    state = session.state
    inputs, start = tick_inputs(state.settings), session.present_pose()

    def work(control: JobControl) -> Health:
        def keep_going(runs: int, runs_in_all: int) -> bool:
            control.report(runs / max(runs_in_all, 1), f"run {runs + 1} of {runs_in_all}")
            return not control.cancelled

        return Health(state.epoch, state.bundle.check_health(inputs, start, keep_going))

    return jobs.submit("Check the solvers", work, done, failed, key=JOB_KEY)
