"""Where grasps come from and go to: shipped ones, uploads of a file and of a mesh, a download."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import viser

from workbench.errors import WorkbenchError
from workbench.grasps.files import GraspFiles, read_grasp_files
from workbench.grasps.isaac_grasp import read_grasps
from workbench.grasps.objects import OBJECT_SUFFIXES, GraspObject, load_object
from workbench.grasps.shipped import shipped_names
from workbench.grasps.spec import GraspSpec
from workbench.grasps.writing import grasps_to_text
from workbench.live.grasp_edits import (
    close_grasps,
    frame_match,
    load_grasps,
    set_in_scene,
    start_empty,
)
from workbench.live.grasping import grasps_of
from workbench.live.jobs import JobControl
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.transfers import safe_stem, taken_upload
from workbench.ui.widgets import add_button, button_row, dropdown, give_help, on_click

_CHOOSE = "choose …"
_METRES = "in metres, as it is"
_NAME_LENGTH_LIMIT = 60


class GraspSource:
    """Choose, upload, download, close; and the question in which unit a mesh is."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._shipped = dropdown(
            tools, "shipped grasps", "Loads grasps that come with the workbench, with their object "
            "where most of them are reached by a Panda.", self._choose, _CHOOSE,
            options=(_CHOOSE, *shipped_names()),
        )  # fmt: skip
        with button_row(tools):
            self._upload = gui.add_upload_button(
                "Grasp file", icon=viser.Icon.UPLOAD, mime_type=".yaml,.yml,.isaac_grasp"
            )
            self._upload_mesh = gui.add_upload_button(
                "Object mesh", icon=viser.Icon.UPLOAD, mime_type=",".join(OBJECT_SUFFIXES)
            )
        give_help(
            self._upload,
            "Loads an isaac_grasp file from your computer, at most 50 MB. Undo takes it back.",
        )
        give_help(
            self._upload_mesh,
            "Loads the object that the grasps are on: OBJ, STL, PLY or GLB, at most 50 MB.",
        )
        self._upload.on_upload(self._uploaded)
        self._upload_mesh.on_upload(self._uploaded_mesh)
        self._text = gui.add_html("", visible=False)
        self._units: dict[str, float] = {}
        self._unit = dropdown(
            tools, "unit of the mesh", "The object would have an unlikely size in metres.",
            self._scale, _METRES, options=(_METRES,),
        )  # fmt: skip
        with button_row(tools):
            download = add_button(
                gui, "Download", "Saves the grasps on your computer as an isaac_grasp file, with "
                "the object's place.", icon=viser.Icon.DOWNLOAD, visible=False,
            )  # fmt: skip
            close = add_button(
                gui, "Close", "Takes grasps and object away. Undo brings them back.",
                icon=viser.Icon.X, color="gray", visible=False,
            )  # fmt: skip
        self._new = add_button(
            gui, "New set of grasps", "Begins an empty set for this robot's gripper, to add to.",
            icon=viser.Icon.PLUS, color="gray",
        )  # fmt: skip
        download.on_click(self._send_file)
        tools.open_to_lookers(download)
        on_click(tools, close, "They stay", lambda: close_grasps(context.session))
        on_click(tools, self._new, "Nothing was begun", self._start_empty)
        self._with_scene = (self._text, download, close)

    def refresh(self, state: SessionState) -> None:
        """Show what is loaded."""
        scene = state.settings.grasp_scene
        for handle in self._with_scene:
            handle.visible = scene is not None
        self._new.visible = scene is None
        question = None if scene is None or scene.mesh is None else scene.mesh.unit_question
        self._unit.handle.visible = question is not None and bool(question.answers)
        if question is not None and question.answers:
            self._units = {f"in {unit}": factor for factor, unit in question.answers}
            self._unit.offer((_METRES, *self._units), _METRES)
        if scene is None:
            return
        grasps = grasps_of(scene)
        rows = [
            f"<b>{plain(scene.file_name, _NAME_LENGTH_LIMIT)}</b> "
            f'<span class="dim">{len(grasps)} grasps</span>'
        ]
        if scene.mesh is not None:
            rows.append(
                f'<br><span class="dim">on {plain(scene.mesh.name, _NAME_LENGTH_LIMIT)}, '
                f"{scene.mesh.size_m:.3g} m long</span>"
            )
        if question is not None:
            rows.append(f'<br><span class="fair">▲</span> {plain(question.text)}')
        rows += [f'<br><span class="dim">{plain(remark)}</span>' for remark in grasps.remarks[:3]]
        content = block("".join(rows))
        if content != self._text.content:
            self._text.content = content

    # Shipped ---------------------------------------------------------------------------------

    def _choose(self, name: str) -> None:
        if name == _CHOOSE:
            return
        self._shipped.show(_CHOOSE)
        files: GraspFiles = read_grasp_files(name)
        load_grasps(self._context.session, files.name, files.grasps, files.mesh)
        self._context.grasping.select(None)

    def _start_empty(self) -> None:
        description = self._context.session.state.description
        defined = {tool.name: tool.link for tool in description.defined_tools}
        links = [defined.get(name, name) for name in description.tool_frames]
        if not links:
            raise WorkbenchError("this robot has no tool frame", expected="--tool-frame LINK")
        start_empty(self._context.session, links[0])

    # Uploads ---------------------------------------------------------------------------------

    async def _uploaded(self, event: viser.GuiEvent[Any]) -> None:
        upload = taken_upload(self._upload)
        if event.client is None or upload is None:
            return
        name, content = upload

        def done(grasps: GraspSpec) -> None:
            load_grasps(self._context.session, name, grasps)
            self._context.grasping.select(None)
            scene = self._context.session.state.settings.grasp_scene
            said = ""
            if scene is not None and scene.gripper_frame is None:
                said = frame_match(scene, self._context.session.state.description).text
            self._context.tools.notices.done(f"{len(grasps)} grasps loaded", said)

        self._read(name, lambda: read_grasps(content, name=name), done, event.client)

    async def _uploaded_mesh(self, event: viser.GuiEvent[Any]) -> None:
        upload = taken_upload(self._upload_mesh)
        if event.client is None or upload is None:
            return
        name, content = upload
        scene = self._context.session.state.settings.grasp_scene
        scale = 1.0 if scene is None else grasps_of(scene).object_scale

        def done(mesh: GraspObject) -> None:
            if self._context.session.state.settings.grasp_scene is None:
                self._start_empty()
            set_in_scene(self._context.session, mesh=mesh)
            question = mesh.unit_question
            if question is None:
                self._context.tools.notices.done(f"{mesh.name} is loaded")
            else:
                self._context.tools.notices.failed("Unlikely size", question.text)

        self._read(name, lambda: load_object(content, name=name, scale=scale), done, event.client)

    def _read(
        self,
        name: str,
        read: Callable[[], Any],
        done: Callable[[Any], None],
        client: viser.ClientHandle,
    ) -> None:
        """Read on a job's thread: ten thousand grasps take a while."""

        def work(_control: JobControl) -> Any:
            return read()

        def failed(error: Exception) -> None:
            self._context.tools.notices.refused(f"{name} was not loaded", str(error), to=client)

        self._context.jobs.submit(f"Reading {name}", work, done, failed, any_robot=True)

    def _scale(self, answer: str) -> None:
        scene = self._context.session.state.settings.grasp_scene
        factor = self._units.get(answer)
        if factor is not None and scene is not None and scene.mesh is not None:
            set_in_scene(self._context.session, mesh=scene.mesh.scaled(factor))

    # Download --------------------------------------------------------------------------------

    async def _send_file(self, event: viser.GuiEvent[Any]) -> None:
        scene = self._context.session.state.settings.grasp_scene
        if event.client is None or scene is None:
            return
        grasps = grasps_of(scene).with_object_pose(scene.transform_object_to_world)
        event.client.send_file_download(
            grasp_file_name(scene.file_name), grasps_to_text(grasps).encode(), save_immediately=True
        )


def grasp_file_name(name: str) -> str:
    """Return the name under which grasps are downloaded."""
    stem = re.sub(r"\.(ya?ml|isaac_grasp)$", "", name)
    return f"{safe_stem(stem, 'grasps')}.yaml"
