"""Lets a dragged target glide between the poses that a browser sends.

A browser sends about 20 poses a second, the loop ticks at 100 and more. Jumping from pose to pose
would make the arm stutter, so each pose is reached in a straight line (and along the shortest
arc) 50 ms after it arrived: at an even 20 poses a second that is one segment after another, and
the target is never more than 50 ms behind the hand. A typed target, an undo or a pose command
does not glide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.poses import Pose

LAG_S = 0.05


@dataclass(frozen=True, eq=False)
class DraggedTarget:
    """A pose that came by a drag.

    Attributes:
        arrived_at_s: When it arrived, by the session's clock.
        pose: Target to world.
    """

    arrived_at_s: float
    pose: Pose


@dataclass
class _Track:
    """Where one target is on its way: ``knots`` are the times at which poses are reached."""

    present: Pose
    knots: list[tuple[float, Pose]] = field(default_factory=list)
    newest: DraggedTarget | None = None

    def jump_to(self, pose: Pose) -> None:
        self.present = pose
        self.knots.clear()
        self.newest = None

    def head_for(self, dragged: DraggedTarget, lag_s: float) -> None:
        if dragged is self.newest:
            return
        self.newest = dragged
        if not self.knots:
            self.knots.append((dragged.arrived_at_s, self.present))
        elif self.knots[-1][0] < dragged.arrived_at_s:
            # It has stood still since the last pose: the way on begins now.
            self.knots.append((dragged.arrived_at_s, self.knots[-1][1]))
        self.knots.append((dragged.arrived_at_s + lag_s, dragged.pose))

    def advance(self, now_s: float) -> None:
        while len(self.knots) > 1 and self.knots[1][0] <= now_s:
            self.knots.pop(0)
        if not self.knots:
            return
        start_s, start = self.knots[0]
        if len(self.knots) == 1:
            self.present = start
            self.knots.clear()
            return
        end_s, end = self.knots[1]
        fraction = (now_s - start_s) / (end_s - start_s)
        self.present = start.interpolate(end, min(max(fraction, 0.0), 1.0))


class Glide:
    """Turns the targets of the settings into those of a tick. Used by the loop's thread alone."""

    def __init__(self, lag_s: float = LAG_S) -> None:
        """Start with nothing under way.

        Args:
            lag_s: How long after its arrival a pose is reached, in s.
        """
        self._lag_s = lag_s
        self._tracks: dict[str, _Track] = {}

    def reset(self) -> None:
        """Forget all ways (another robot)."""
        self._tracks.clear()

    def targets(
        self,
        now_s: float,
        wanted: Mapping[str, Pose],
        dragged: Mapping[str, DraggedTarget],
        *,
        enabled: bool = True,
    ) -> dict[str, Pose]:
        """Return the target of each frame for the tick at ``now_s``.

        Args:
            now_s: Time in s, by the clock that stamped the dragged poses.
            wanted: Targets of the settings, by frame.
            dragged: Of these, the ones that came by a drag.
            enabled: False makes every target jump to where it is wanted.

        Returns:
            One pose for each of ``wanted``: the very same object once it has been arrived at.
        """
        self._tracks = {
            frame: self._tracks.get(frame) or _Track(pose) for frame, pose in wanted.items()
        }
        for frame, pose in wanted.items():
            track = self._tracks[frame]
            if enabled and frame in dragged:
                track.head_for(dragged[frame], self._lag_s)
                track.advance(now_s)
            else:
                track.jump_to(pose)
        return {frame: track.present for frame, track in self._tracks.items()}
