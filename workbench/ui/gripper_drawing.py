"""A gripper's real links in the scene, with its fingers anywhere, and the axes of its frame."""

from __future__ import annotations

from collections.abc import Mapping

import viser

from workbench.live.bundle import Gripper
from workbench.poses import Pose
from workbench.ui.drawn_shapes import draw_shape

_OPACITY = 0.85
_AXES_M = 0.06


class GripperDrawing:
    """One gripper. Used by one thread at a time."""

    def __init__(self, scene: viser.SceneApi, name: str, gripper: Gripper | None) -> None:
        """Draw it, hidden.

        Args:
            scene: Where to.
            name: Name of its node; all else hangs on that.
            gripper: What it looks like; None draws the axes alone.
        """
        self._gripper = gripper
        # The axes are the file's gripper frame: what is wrong with an offset is seen against them.
        self._frame = scene.add_frame(
            name, axes_length=_AXES_M, axes_radius=0.04 * _AXES_M, visible=False
        )
        self._hand = scene.add_frame(f"{name}/h", show_axes=False)
        self._links: dict[str, viser.FrameHandle] = {}
        self._placed: dict[str, Pose] = {}
        shapes = () if gripper is None else gripper.shapes
        for number, shape in enumerate(shapes):
            link = self._links.get(shape.link)
            if link is None:
                link = scene.add_frame(f"{name}/h/{len(self._links)}", show_axes=False)
                self._links[shape.link] = link
            opacity = _OPACITY * shape.rgba[3]
            draw_shape(scene, f"{link.name}/v{number}", shape, shape.pose, opacity=opacity)

    def show(
        self,
        transform_gripper_to_object: Pose,
        transform_frame_to_gripper: Pose,
        fingers: Mapping[str, float],
    ) -> None:
        """Put it somewhere.

        Args:
            transform_gripper_to_object: The file's gripper frame in the parent node.
            transform_frame_to_gripper: The gripper's own link in that.
            fingers: Positions of its joints, rad or m.
        """
        _put(self._frame, transform_gripper_to_object)
        _put(self._hand, transform_frame_to_gripper)
        if self._gripper is not None:
            poses = self._gripper.link_poses(fingers)
            for name, handle in self._links.items():
                if poses[name] != self._placed.get(name):
                    self._placed[name] = poses[name]
                    _put(handle, poses[name])
        self._frame.visible = True

    def hide(self) -> None:
        """Show nothing of it."""
        self._frame.visible = False

    def remove(self) -> None:
        """Take it out of the scene."""
        self._frame.remove()


def _put(handle: viser.FrameHandle, pose: Pose) -> None:
    handle.position = pose.translation
    handle.wxyz = pose.wxyz
