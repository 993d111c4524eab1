"""Pink's configuration with its look-ups done once.

The answers are Pink's own. Finding frames by name and checking limits joint by joint in Python
would otherwise cost a tenth of a tick on an arm, and a fifth on a humanoid.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray

from workbench.ik.bounds import LIMIT_TOLERANCE, JointBounds


class IndexedConfiguration(pink.Configuration):
    """A configuration that knows the numbers of the tool frames and the limits as arrays."""

    def __init__(
        self,
        model: pinocchio.Model,
        q: NDArray[np.float64],
        frames: Iterable[str],
        bounds: JointBounds,
    ) -> None:
        """Run forward kinematics at ``q``, on data of its own.

        Args:
            model: The model.
            q: Configuration, shape (nq,).
            frames: Names of the frames that will be asked for.
            bounds: Limits of the model.
        """
        self.frame_ids = {name: model.getFrameId(name) for name in frames}
        self._bounds = bounds
        self._inside: NDArray[np.float64] | None = None
        super().__init__(model, model.createData(), q, copy_data=False)
        # A reference: forward kinematics writes into the same placements.
        self._placements = self.data.oMf

    def update_inside(self, q: NDArray[np.float64]) -> None:
        """Move to ``q``, clamped into the limits, and run forward kinematics."""
        self.update(self._bounds.clamp(q))
        self._inside = self.q

    def is_inside(self) -> bool:
        """Tell whether every joint is inside its limits, within Pink's tolerance."""
        return self.q is self._inside or self._bounds.contains(self.q)

    def check_limits(self, tol: float = LIMIT_TOLERANCE, safety_break: bool = True) -> None:
        """Raise or warn as Pink does; ask Pink only when some joint is outside.

        Args:
            tol: How far outside counts, in rad or m.
            safety_break: Whether to raise instead of warn.

        Raises:
            pink.exceptions.NotWithinConfigurationLimits: If a joint is outside.
        """
        if not self.is_inside():
            super().check_limits(tol, safety_break)

    def get_frame_jacobian(self, frame: str) -> NDArray[np.float64]:
        """Return the body Jacobian of a frame, shape (6, nv)."""
        frame_id = self.frame_ids.get(frame)
        if frame_id is None:
            return super().get_frame_jacobian(frame)
        return pinocchio.getFrameJacobian(
            self.model, self.data, frame_id, pinocchio.ReferenceFrame.LOCAL
        )

    def get_transform_frame_to_world(self, frame: str) -> pinocchio.SE3:
        """Return the pose of a frame in the world."""
        frame_id = self.frame_ids.get(frame)
        if frame_id is None:
            return super().get_transform_frame_to_world(frame)
        return self._placements[frame_id].copy()

    def frame_numbers(self, frame: str) -> NDArray[np.float64]:
        """Return a tool frame's pose in the world as x, y, z, qx, qy, qz, qw, shape (7,)."""
        return pinocchio.SE3ToXYZQUAT(self._placements[self.frame_ids[frame]])
