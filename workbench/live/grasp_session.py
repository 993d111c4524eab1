"""Grasps in a session file: the grasps themselves, their object, and what was looked at.

The grasps stand in the session as an isaac_grasp document of their own, under ``isaac_grasp``: so
that a session is whole on another machine, too, and that nobody's edits are lost with it. The
object's mesh is named by its path and digest; one that was uploaded is carried along.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.config.frozen import frozen_mapping
from workbench.config.grasp_scene import GraspScene
from workbench.config.sections import Section
from workbench.config.settings_file import pose_from_section, pose_to_mapping
from workbench.errors import ConfigError, GraspError
from workbench.grasps.objects import GraspObject, digest_of, load_object, unpacked
from workbench.grasps.reading import contents_of
from workbench.grasps.spec import GraspSpec
from workbench.grasps.writing import grasps_to_text
from workbench.live.grasping import GraspView, grasps_of
from workbench.poses import Pose
from workbench.resources import resource_folder

GRASPS_KEY = "isaac_grasp"
"""Key of the grasps' own document, the last one of the section."""

_KEYS = (
    "file_name", "object", "mesh", "gripper_frame", "frame_in_gripper", "standoff_m", "approach",
    "known_frames", "selected", "closed", "shown", "automatic", "fingers", GRASPS_KEY,
)  # fmt: skip
_MESH_KEYS = ("name", "path", "sha256", "scale", "content")
_INDENT = "    "


@dataclass(frozen=True)
class SavedMesh:
    """Where the object's mesh is to be found.

    Attributes:
        name: Name of its file.
        path: The file; empty for one that was uploaded.
        sha256: Digest of the file; empty for unknown.
        scale: Factor for its numbers.
        packed: The file itself, compressed, where it was uploaded and is not too large.
    """

    name: str
    path: str = ""
    sha256: str = ""
    scale: float = 1.0
    packed: bytes = b""

    @classmethod
    def of(cls, mesh: GraspObject) -> SavedMesh:
        """Return where a mesh came from."""
        return cls(mesh.name, mesh.path, mesh.sha256, mesh.scale, mesh.packed)

    def found(self, folder: Path | None) -> tuple[GraspObject | None, str]:
        """Look for the mesh: as it was carried along, at its path, beside the session, among ours.

        Args:
            folder: Where the session file lies; None where that is not known.

        Returns:
            The mesh, None where there is none that can be read, and what there is to say about
            it; empty for nothing.
        """
        content = unpacked(self.packed) if self.packed else None
        own = (folder or Path()) / self.path
        beside = [] if folder is None else [folder / self.name]
        paths = [*([own] if self.path else []), *beside, resource_folder("grasps") / self.name]
        try:
            if content is not None:
                return load_object(content, name=self.name, scale=self.scale), ""
            found = {path: digest for path in paths if (digest := digest_of(path)) is not None}
            for path, digest in found.items():
                if self.sha256 in ("", digest):
                    return load_object(path, name=str(path), scale=self.scale), ""
            if self.path and own in found:
                mesh = load_object(own, name=str(own), scale=self.scale)
                return mesh, f"The object {self.name} has changed since the session was written."
        except GraspError as error:
            return None, f"The object's mesh was not loaded: {error}."
        where = f"not found at {self.path}" if self.path else "not in the session"
        return None, f"The object's mesh {self.name} is {where}: load it again."


@dataclass(frozen=True)
class SavedView:
    """What was looked at; attributes as those of :class:`~workbench.live.grasping.GraspView`."""

    selected: str | None = None
    shown: bool = True
    closed: float = 1.0
    automatic: bool = True
    fingers: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, view: GraspView) -> SavedView:
        """Return what of a view outlives the session."""
        return cls(view.selected, view.shown, view.closed, view.automatic, view.fingers)

    @property
    def view(self) -> GraspView:
        """The view to start with; nothing is found yet."""
        return GraspView(self.selected, self.shown, self.closed, self.automatic,
                         fingers=frozen_mapping(self.fingers))  # fmt: skip


@dataclass(frozen=True)
class SavedGrasps:
    """All that a session file holds of grasps.

    Attributes:
        scene: Grasps and where they are, without the mesh.
        mesh: Where that is to be found; None for no mesh.
        view: What was looked at.
    """

    scene: GraspScene
    mesh: SavedMesh | None = None
    view: SavedView = field(default_factory=SavedView)

    __hash__ = None  # type: ignore[assignment]  # what a file brings need not have a hash

    @classmethod
    def of(cls, scene: GraspScene, view: GraspView) -> SavedGrasps:
        """Return what to save of a scene and of how it is looked at."""
        mesh = None if scene.mesh is None else SavedMesh.of(scene.mesh)
        selected = view.selected if view.selected in grasps_of(scene) else None
        return cls(replace(scene, mesh=None), mesh, replace(SavedView.of(view), selected=selected))


class GraspsText:
    """Writes grasps, and remembers the last ones: ten thousand take a while, again and again."""

    def __init__(self) -> None:
        """Nothing is remembered yet."""
        self._last: tuple[GraspSpec, str] | None = None

    def __call__(self, grasps: GraspSpec) -> str:
        """Return the text of the grasps' own document, as part of a section."""
        last = self._last
        if last is None or last[0] is not grasps:
            text = _INDENT + grasps_to_text(grasps).rstrip("\n").replace("\n", "\n" + _INDENT)
            last = self._last = grasps, text.replace(f"\n{_INDENT}\n", "\n\n") + "\n"
        return last[1]


def saved_grasps_to_mapping(saved: SavedGrasps) -> dict[str, Any]:
    """Return plain values of all but the grasps themselves."""
    scene, mesh, view = saved.scene, saved.mesh, saved.view
    mapping: dict[str, Any] = {
        "file_name": scene.file_name.strip() or None,
        "object": pose_to_mapping(scene.transform_object_to_world),
    }
    if mesh is not None:
        mapping["mesh"] = {
            "name": mesh.name,
            "path": mesh.path or None,
            "sha256": mesh.sha256 or None,
            "scale": mesh.scale,
            "content": base64.b64encode(mesh.packed).decode("ascii") or None,
        }
    return mapping | {
        "gripper_frame": scene.gripper_frame,
        "frame_in_gripper": pose_to_mapping(scene.transform_frame_to_gripper),
        "standoff_m": scene.standoff_m,
        "approach": scene.approach,
        "known_frames": {
            written: {"link": link, **pose_to_mapping(offset)}
            for written, (link, offset) in scene.known_frames.items()
        },
        "selected": view.selected,
        "closed": view.closed,
        "shown": view.shown,
        "automatic": view.automatic,
        "fingers": dict(view.fingers),
    }


def saved_grasps_from_section(section: Section) -> SavedGrasps:
    """Read what a session file holds of grasps.

    Raises:
        ConfigError: With path, line, key, value and what would be right.
    """
    section.refuse_unknown(_KEYS)
    grasps = _grasps(section)
    selected = section.optional_text("selected")
    if selected is not None and selected not in grasps:
        raise section.error("there is no such grasp", "selected", value=selected,
                            expected="the name of one of these grasps")  # fmt: skip
    closed = section.number("closed") if "closed" in section else 1.0
    if not 0.0 <= closed <= 1.0:
        raise section.error("is out of range", "closed", value=closed,
                            expected="a number from 0 to 1")  # fmt: skip
    view = SavedView(
        selected, section.switch("shown", True), closed, section.switch("automatic", True),
        section.numbers_by_name("fingers"),
    )  # fmt: skip
    mesh = _mesh(section.section("mesh")) if "mesh" in section else None
    return SavedGrasps(_scene(section, grasps), mesh, view)


def _grasps(section: Section) -> GraspSpec:
    """Read the grasps' own document by the same rules as a file of them."""
    inner = section.section(GRASPS_KEY)
    try:
        return GraspSpec.from_contents(contents_of(inner.document.part(*inner.keys)))
    except GraspError as error:
        place = ".".join(str(key) for key in (*inner.keys, error.field) if key)
        raise ConfigError(
            error.message, path=error.path, line=error.line, field=place, value=error.value,
            expected=error.expected,
        ) from error  # fmt: skip


def _scene(section: Section, grasps: GraspSpec) -> GraspScene:
    values: dict[str, Any] = {
        "file_name": section.text("file_name", "grasps.yaml"),
        "gripper_frame": section.optional_text("gripper_frame"),
        "approach": section.text("approach", "+z"),
        "transform_object_to_world": _pose(section, "object"),
        "transform_frame_to_gripper": _pose(section, "frame_in_gripper"),
        "known_frames": _known_frames(section),
    }
    if "standoff_m" in section:
        values["standoff_m"] = section.number("standoff_m")
    try:
        return GraspScene(grasps=grasps, **values)
    except ConfigError as error:
        key = {"standoff": "standoff_m"}.get(error.field or "", error.field or "object")
        raise section.error(
            error.message, key, value=error.value, expected=error.expected
        ) from error


def _pose(section: Section, key: str) -> Pose:
    return pose_from_section(section.section(key)) if key in section else Pose()


def _known_frames(section: Section) -> dict[str, tuple[str, Pose]]:
    if "known_frames" not in section:
        return {}
    frames = section.section("known_frames")
    entries = {written: frames.section(written) for written in frames.mapping}
    return {
        written: (entry.text("link"), pose_from_section(entry, "link"))
        for written, entry in entries.items()
    }


def _mesh(section: Section) -> SavedMesh:
    section.refuse_unknown(_MESH_KEYS)
    scale = section.number("scale") if "scale" in section else 1.0
    if scale <= 0.0:
        raise section.error("is no scale", "scale", value=scale, expected="a number above 0")
    try:
        packed = base64.b64decode(section.text("content", ""), validate=True)
    except (binascii.Error, ValueError) as error:
        raise section.error(
            "is no base64 text", "content", expected="a mesh as this program wrote it"
        ) from error
    if packed and unpacked(packed) is None:
        raise section.error("holds no mesh", "content", expected="a mesh as this program wrote it")
    return SavedMesh(
        Path(section.text("name")).name, section.text("path", ""), section.text("sha256", ""),
        scale, packed,
    )  # fmt: skip
