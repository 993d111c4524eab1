"""Undo and redo: a line of named steps that all browsers share.

A step knows the settings before and after it, and, when it sent the robot somewhere, where the
robot was on both sides. The class is plain and has no lock: the session guards it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.live.changes import describe_change, same_pose

STEP_LIMIT = 200
GESTURE_REST_S = 0.8


@dataclass(frozen=True, eq=False)
class Step:
    """One thing that undo takes back.

    Attributes:
        label: Its name, as the undo button shows it.
        before: Settings before the step.
        after: Settings after it.
        pose_before: Where the robot was when the step sent it somewhere; None when it did not.
        pose_after: Where it sent it.
        gesture: Edits of the same gesture join the step while it is fresh.
        edited_at_s: Time of its last edit, by the session's clock.
        gesture_rest_s: Rest in s that ends its gesture.
    """

    label: str
    before: Settings
    after: Settings
    pose_before: RobotPose | None = None
    pose_after: RobotPose | None = None
    gesture: str | None = None
    edited_at_s: float = 0.0
    gesture_rest_s: float = GESTURE_REST_S

    @property
    def changes_nothing(self) -> bool:
        """Whether undoing the step would be without any effect."""
        if self.pose_before is not None and self.pose_after is not None:
            stays = same_pose(self.pose_before, self.pose_after)
            return stays and self.before == self.after
        return self.before == self.after


class History:
    """Steps that can be undone and steps that can be redone; at most 200 are kept."""

    def __init__(self, limit: int = STEP_LIMIT) -> None:
        """Start empty.

        Args:
            limit: Number of steps kept; the oldest go first.
        """
        self._limit = limit
        self._done: list[Step] = []
        self._undone: list[Step] = []

    @property
    def undo_label(self) -> str | None:
        """Name of the step that :meth:`undo` would take back."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """Name of the step that :meth:`redo` would take again."""
        return self._undone[-1].label if self._undone else None

    def __len__(self) -> int:
        """Return how many steps can be undone."""
        return len(self._done)

    def record(self, step: Step, *, named: bool) -> None:
        """Add a step, or let it join the last one when it continues the same gesture.

        A step that changes nothing is not kept, and one that a gesture took back to where it
        began disappears again.

        Args:
            step: What happened.
            named: False when the label was made from the difference, and has to be made anew when
                the step joins another.
        """
        if step.changes_nothing:
            return
        last = self._done[-1] if self._done else None
        if last is not None and self._continues(last, step):
            self._done.pop()
            step = _joined(last, step, named)
            if step.changes_nothing:
                return
        self._done.append(step)
        self._undone.clear()
        del self._done[: -self._limit]

    def undo(self) -> Step | None:
        """Move the last step to the redo side and return it, or None when there is none."""
        if not self._done:
            return None
        self._undone.append(self._done.pop())
        return self._undone[-1]

    def redo(self) -> Step | None:
        """Move the last undone step back and return it, or None when there is none."""
        if not self._undone:
            return None
        # A gesture that went on after a redo would otherwise swallow the step taken again.
        self._done.append(replace(self._undone.pop(), gesture=None))
        return self._done[-1]

    def carry(
        self,
        carry_settings: Callable[[Settings], Settings],
        carry_pose: Callable[[RobotPose], RobotPose],
    ) -> None:
        """Make every step fit a robot that was read again; drop those left without effect."""

        def carried_pose(pose: RobotPose | None) -> RobotPose | None:
            return None if pose is None else carry_pose(pose)

        for steps in (self._done, self._undone):
            carried = [
                replace(
                    step,
                    before=carry_settings(step.before),
                    after=carry_settings(step.after),
                    pose_before=carried_pose(step.pose_before),
                    pose_after=carried_pose(step.pose_after),
                )
                for step in steps
            ]
            steps[:] = [step for step in carried if not step.changes_nothing]

    def clear(self) -> None:
        """Forget everything (another robot)."""
        self._done.clear()
        self._undone.clear()

    def _continues(self, last: Step, step: Step) -> bool:
        return (
            step.gesture is not None
            and step.gesture == last.gesture
            and step.edited_at_s - last.edited_at_s < step.gesture_rest_s
            and not self._undone
        )


def _joined(first: Step, second: Step, named: bool) -> Step:
    before = first.pose_before
    after = second.pose_after
    return Step(
        label=second.label if named else describe_change(first.before, second.after),
        before=first.before,
        after=second.after,
        pose_before=second.pose_before if before is None else before,
        pose_after=first.pose_after if after is None else after,
        gesture=second.gesture,
        edited_at_s=second.edited_at_s,
        gesture_rest_s=second.gesture_rest_s,
    )
