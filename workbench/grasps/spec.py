"""All grasps of one object for one gripper, as an isaac_grasp file holds them.

The five methods that Isaac Sim's ``GraspSpec`` has (isaacsim.robot_setup.grasp_editor, 6.0) have
the same names, arguments, order of quaternions (w, x, y, z) and results here. Unlike there, an
unknown name raises rather than giving None. A :class:`GraspSpec` never changes; the methods that
edit return another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.config.document import Document
from workbench.config.frozen import frozen_mapping
from workbench.errors import GraspError, did_you_mean
from workbench.grasps.grasp import Axis, Grasp, Vector, WrittenPose
from workbench.grasps.reading import (
    FORMAT,
    FRAME_KEYS,
    LONGEST_NAME,
    VERSION,
    Contents,
    contents_of,
)
from workbench.poses import Pose

_NAME_OF_DATA = "grasp data"


class GraspSpec:
    """Grasps by name, in the file's order."""

    def __init__(self, imported_data: dict[str, Any]) -> None:
        """Take what a YAML reader made of an isaac_grasp file.

        Args:
            imported_data: The file's whole mapping, of which only ``grasps`` must be there; lists
                may be NumPy arrays.

        Raises:
            GraspError: If it is not what the format asks for.
        """
        data = _plain(imported_data)
        if not isinstance(data, dict):
            raise GraspError("is no mapping", path=_NAME_OF_DATA, value=imported_data)
        # Grasps that a program put together need not say that they are no other format.
        data = {"format": FORMAT, "format_version": VERSION, **data}
        self._take(contents_of(Document(data, _NAME_OF_DATA)))

    def _take(self, contents: Contents) -> None:
        self._header = contents.header
        self._grasps = {grasp.name: grasp for grasp in contents.grasps}
        self._remarks = contents.remarks

    @classmethod
    def from_contents(cls, contents: Contents) -> GraspSpec:
        """Wrap what was read and checked already."""
        spec = cls.__new__(cls)
        spec._take(contents)
        return spec

    @classmethod
    def empty(cls, *, object_frame: str, gripper_frame: str) -> GraspSpec:
        """Return a set without grasps, to add some to.

        Args:
            object_frame: Name of the frame on the object that poses are relative to.
            gripper_frame: Name of the frame on the gripper that poses are of.
        """
        header = {
            "format": FORMAT, "format_version": VERSION,
            "object_frame": object_frame, "gripper_frame": gripper_frame,
        }  # fmt: skip
        return cls.from_contents(Contents(frozen_mapping(header), (), ()))

    # As in Isaac Sim ---------------------------------------------------------------------

    def get_grasp_names(self) -> list[str]:
        """Return the names of all grasps, in the file's order."""
        return list(self._grasps)

    def get_grasp_dicts(self) -> dict[str, dict[str, Any]]:
        """Return :meth:`get_grasp_dict_by_name` of every grasp, by name."""
        return {name: _as_dict(grasp) for name, grasp in self._grasps.items()}

    def get_grasp_dict_by_name(self, name: str) -> dict[str, Any]:
        """Return all that is known about a grasp, as data of the caller's own.

        Returns:
            ``confidence`` (float, 1 where the file gives none), ``position`` (shape (3,), m),
            ``orientation`` (``w``: float, ``xyz``: shape (3,)), ``cspace_position`` and
            ``pregrasp_cspace_position`` (joint name to rad or m), and the file's other keys.

        Raises:
            GraspError: If there is no such grasp.
        """
        return _as_dict(self[name])

    def compute_gripper_pose_from_rigid_body_pose(
        self, grasp_name: str, rb_trans: ArrayLike, rb_quat: ArrayLike
    ) -> tuple[Vector, Vector]:
        """Return where the gripper frame is when the object is held: ``object * grasp``.

        Args:
            grasp_name: Name of a grasp.
            rb_trans: Position of the object frame in any frame, in m, shape (3,).
            rb_quat: Its orientation in that frame: w, x, y, z, normalised here, shape (4,).

        Returns:
            Position in m, shape (3,), and unit quaternion w, x, y, z, shape (4,), in that frame.

        Raises:
            GraspError: If there is no such grasp, or the pose is none.
        """
        gripper = _pose_of(rb_trans, rb_quat, "rb") @ self[grasp_name].pose
        return gripper.translation.copy(), gripper.wxyz.copy()

    def compute_rigid_body_pose_from_gripper_pose(
        self, grasp_name: str, gripper_trans: ArrayLike, gripper_quat: ArrayLike
    ) -> tuple[Vector, Vector]:
        """Return where the object frame is when this gripper holds it: ``gripper * grasp^-1``.

        Args:
            grasp_name: Name of a grasp.
            gripper_trans: Position of the gripper frame in any frame, in m, shape (3,).
            gripper_quat: Its orientation in that frame: w, x, y, z, normalised here, shape (4,).

        Returns:
            Position in m, shape (3,), and unit quaternion w, x, y, z, shape (4,), in that frame.

        Raises:
            GraspError: If there is no such grasp, or the pose is none.
        """
        gripper = _pose_of(gripper_trans, gripper_quat, "gripper")
        body = gripper @ self[grasp_name].pose.inverse()
        return body.translation.copy(), body.wxyz.copy()

    # Reading -----------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of grasps."""
        return len(self._grasps)

    def __iter__(self) -> Iterator[Grasp]:
        """Yield the grasps in the file's order."""
        return iter(self._grasps.values())

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a grasp of that name."""
        return name in self._grasps

    def __getitem__(self, name: str) -> Grasp:
        """Return the grasp of that name; raises GraspError where there is none."""
        try:
            return self._grasps[name]
        except KeyError:
            raise GraspError(
                "there is no such grasp", value=name, expected=did_you_mean(str(name), self._grasps)
            ) from None

    def __eq__(self, other: object) -> bool:
        """Compare grasps, their order, and the header; remarks do not count."""
        if not isinstance(other, GraspSpec):
            return NotImplemented
        return self._header == other._header and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # what a file brings need not have a hash

    def __repr__(self) -> str:
        """Return number of grasps and frames."""
        return f"GraspSpec({len(self)} grasps, {self.gripper_frame} on {self.object_frame})"

    @property
    def header(self) -> Mapping[str, Any]:
        """Every key of the file but ``grasps``, in the file's order, read-only."""
        return self._header

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what reading corrected or assumed."""
        return self._remarks

    @property
    def object_frame(self) -> str | None:
        """The object's frame as the file names it, under either spelling; None without one."""
        return self._frame("object")

    @property
    def gripper_frame(self) -> str | None:
        """The gripper's frame as the file names it, under either spelling; None without one."""
        return self._frame("gripper")

    @property
    def object_scale(self) -> float:
        """Factor for the object's mesh: poses are relative to the mesh scaled by it."""
        scale = self._header.get("object_scale")
        return 1.0 if scale is None else float(scale)

    @property
    def object_file(self) -> str | None:
        """The object's mesh as the file names it; often a path on somebody else's machine."""
        name = self._header.get("object_file")
        return name if isinstance(name, str) else None

    @property
    def object_pose(self) -> Pose | None:
        """Where the file would have the object in the robot's world; None where it does not say.

        From ``object_position`` and ``object_orientation``, which this workbench writes.
        """
        position = self._header.get("object_position")
        orientation = self._header.get("object_orientation")
        if not isinstance(orientation, Mapping):
            return None
        try:
            return Pose(np.array(position), np.array([orientation["w"], *orientation["xyz"]]))
        except (KeyError, TypeError, ValueError):
            return None

    @property
    def ranking(self) -> tuple[str, ...]:
        """Names of all grasps, best first.

        The file's own ``ranking`` comes first where it has one, then confidence, then the order
        of the file.
        """
        listed = self._header.get("ranking")
        names = listed if isinstance(listed, tuple) else ()
        first = dict.fromkeys(
            str(name) for name in names if isinstance(name, str) and name in self._grasps
        )
        rest = [grasp for grasp in self if grasp.name not in first]
        rest.sort(key=lambda grasp: -grasp.effective_confidence)
        return (*first, *(grasp.name for grasp in rest))

    @property
    def positions(self) -> NDArray[np.float64]:
        """Position of every gripper frame in the object frame, in m, shape (n, 3)."""
        return np.array([grasp.written.position for grasp in self]).reshape(-1, 3)

    @property
    def quaternions_wxyz(self) -> NDArray[np.float64]:
        """Orientation of every gripper frame in the object frame as unit w, x, y, z, (n, 4)."""
        rows = np.array([grasp.written.wxyz for grasp in self]).reshape(-1, 4)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def _frame(self, whose: str) -> str | None:
        names = (self._header.get(key) for key in FRAME_KEYS[whose])
        return next((str(name) for name in names if name), None)

    # Editing: each returns another set -----------------------------------------------------

    def with_grasp(self, grasp: Grasp) -> GraspSpec:
        """Add a grasp at the end.

        Raises:
            GraspError: If its name is taken, or is none.
        """
        self._require_free(grasp.name)
        return self._with([*self, grasp])

    def with_pose(
        self,
        name: str,
        pose: Pose,
        *,
        confidence: float = 1.0,
        cspace_position: Mapping[str, float],
        pregrasp_cspace_position: Mapping[str, float],
    ) -> GraspSpec:
        """Add a grasp at the end, from the gripper's pose in the object frame.

        Args:
            name: Its name, which must be free.
            pose: The gripper frame in the object frame.
            confidence: Quality, 0 to 1.
            cspace_position: Finger joints when the object is held, rad or m.
            pregrasp_cspace_position: Finger joints before that, rad or m.

        Raises:
            GraspError: If the name is taken, or a number is out of range.
        """
        grasp = Grasp(
            name, WrittenPose.of(pose), _confidence(name, confidence),
            _fingers(name, cspace_position), _fingers(name, pregrasp_cspace_position),
        )  # fmt: skip
        return self.with_grasp(grasp)

    def renamed(self, name: str, new_name: str) -> GraspSpec:
        """Give a grasp another name; it keeps its place.

        Raises:
            GraspError: If there is no such grasp, or the new name is taken.
        """
        grasp = self[name]
        if new_name == name:
            return self
        self._require_free(new_name)
        return self._with(
            (replace(grasp, name=new_name) if other is grasp else other for other in self),
            {name: new_name},
        )

    def with_mirrored(self, name: str, new_name: str, axis: Axis) -> GraspSpec:
        """Add, next to a grasp, its :meth:`~workbench.grasps.grasp.Grasp.mirrored` duplicate.

        Raises:
            GraspError: If there is no such grasp, the new name is taken, or there is no such axis.
        """
        original = self[name]
        self._require_free(new_name)
        mirrored = original.mirrored(new_name, axis)
        grasps: list[Grasp] = []
        for grasp in self:
            grasps += [grasp, mirrored] if grasp is original else [grasp]
        return self._with(grasps)

    def without(self, name: str) -> GraspSpec:
        """Leave a grasp out; raises GraspError if there is none of that name."""
        left_out = self[name]
        return self._with((grasp for grasp in self if grasp is not left_out), {name: None})

    def with_changes(
        self,
        name: str,
        *,
        pose: Pose | None = None,
        confidence: float | None = None,
        cspace_position: Mapping[str, float] | None = None,
        pregrasp_cspace_position: Mapping[str, float] | None = None,
    ) -> GraspSpec:
        """Change what is given of a grasp, and nothing else.

        A pregrasp pose of the file's own stays where it is to the grasp, not to the object.

        Raises:
            GraspError: If there is no such grasp, or a number is out of range.
        """
        old = self[name]
        changes: dict[str, Any] = {}
        if pose is not None:
            changes["written"] = WrittenPose.of(pose)
            if old.pregrasp_pose is not None:
                moved = pose @ old.pose.inverse() @ old.pregrasp_pose
                changes["pregrasp"] = WrittenPose.of(moved)
        if confidence is not None:
            changes["confidence"] = _confidence(name, confidence)
        if cspace_position is not None:
            changes["cspace_position"] = _fingers(name, cspace_position)
        if pregrasp_cspace_position is not None:
            changes["pregrasp_cspace_position"] = _fingers(name, pregrasp_cspace_position)
        new = replace(old, **changes)
        return self._with(new if grasp is old else grasp for grasp in self)

    def free_name(self, stem: str = "grasp") -> str:
        """Return ``stem_N`` with the smallest N, from 0, that no grasp has."""
        number = 0
        while f"{stem}_{number}" in self._grasps:
            number += 1
        return f"{stem}_{number}"

    def with_object_pose(self, pose: Pose) -> GraspSpec:
        """Remember where the object is in the robot's world."""
        w, *xyz = pose.wxyz.tolist()
        header = {
            **self._header,
            "object_position": tuple(pose.translation.tolist()),
            "object_orientation": frozen_mapping({"w": w, "xyz": tuple(xyz)}),
        }
        return GraspSpec.from_contents(Contents(frozen_mapping(header), tuple(self), self._remarks))

    def _with(
        self, grasps: Iterable[Grasp], new_names: Mapping[str, str | None] | None = None
    ) -> GraspSpec:
        """Return another set, with the file's own ranking brought up to date."""
        header = dict(self._header)
        listed = header.get("ranking")
        if new_names and isinstance(listed, tuple):
            moved = (
                new_names.get(name, name) if isinstance(name, str) else name for name in listed
            )
            header["ranking"] = tuple(name for name in moved if name is not None)
        return GraspSpec.from_contents(
            Contents(frozen_mapping(header), tuple(grasps), self._remarks)
        )

    def _require_free(self, name: str) -> None:
        if not name.strip():
            raise GraspError("is no name for a grasp", value=name, expected="text")
        if len(name) > LONGEST_NAME:
            raise GraspError(
                "is too long a name", value=name, expected=f"at most {LONGEST_NAME} characters"
            )
        if name in self._grasps:
            raise GraspError(
                "this name is taken", value=name, expected=f"another, such as {self.free_name()}"
            )


def _as_dict(grasp: Grasp) -> dict[str, Any]:
    w, *xyz = grasp.written.wxyz.tolist()
    result: dict[str, Any] = {
        "confidence": grasp.effective_confidence,
        "position": grasp.written.position.copy(),
        "orientation": {"w": w, "xyz": np.array(xyz)},
        "cspace_position": dict(grasp.cspace_position),
        "pregrasp_cspace_position": dict(grasp.pregrasp_cspace_position),
    }
    if grasp.pregrasp is not None:
        w, *xyz = grasp.pregrasp.wxyz.tolist()
        result["pregrasp_position"] = grasp.pregrasp.position.copy()
        result["pregrasp_orientation"] = {"w": w, "xyz": np.array(xyz)}
    return result | {key: _plain(value) for key, value in grasp.extras.items()}


def _plain(value: Any) -> Any:
    """Return data as dicts, lists and Python's own scalars."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _pose_of(translation: ArrayLike, wxyz: ArrayLike, prefix: str) -> Pose:
    try:
        return Pose(np.asarray(translation, dtype=np.float64), np.asarray(wxyz, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise GraspError(
            str(error), field=f"{prefix}_trans, {prefix}_quat",
            expected="three metres and a quaternion w, x, y, z",
        ) from error  # fmt: skip


def _confidence(name: str, confidence: float) -> float:
    if not 0.0 <= confidence <= 1.0:
        raise GraspError(
            "is no confidence", field=name, value=confidence, expected="a number from 0 to 1"
        )
    return float(confidence)


def _fingers(name: str, positions: Mapping[str, float]) -> Mapping[str, float]:
    for joint, position in positions.items():
        if not np.isfinite(position):
            raise GraspError("is not finite", field=f"{name}.{joint}", value=position)
    return frozen_mapping({joint: float(position) for joint, position in positions.items()})
