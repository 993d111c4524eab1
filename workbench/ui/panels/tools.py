"""Tool frames: on or off, the target's pose as numbers, and how far the tool is from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import viser

from workbench.live.snapshot import StateSnapshot, ToolState
from workbench.live.state import SessionState
from workbench.poses import Pose
from workbench.ui.markup import one_line
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.words import tool_line
from workbench.ui.pose_fields import ANGLE_UNITS, LENGTH_UNITS, DisplayUnit, PoseFields
from workbench.ui.widgets import Choice, add_button, checkbox, dropdown, on_click

_LABEL_LENGTH_LIMIT = 40


class ToolsPanel:
    """One folder a tool frame; built anew for another robot."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        self._length_unit, self._angle_unit = LENGTH_UNITS["m"], ANGLE_UNITS["degrees"]
        self._unit_listeners: list[Callable[[], None]] = []
        tools = context.tools
        self._length = dropdown(
            tools, "lengths in", "Unit of the positions below; for every browser.",
            self._set_length_unit, self._length_unit.name, options=tuple(LENGTH_UNITS),
        )  # fmt: skip
        self._angle = dropdown(
            tools, "angles in", "Unit of the angles below; for every browser.",
            self._set_angle_unit, self._angle_unit.name, options=tuple(ANGLE_UNITS),
        )  # fmt: skip
        self._place = tools.gui.add_folder(None)
        self._built: viser.GuiFolderHandle | None = None
        self._epoch: int | None = None
        self._frames: dict[str, _ToolControls] = {}
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show every frame's target."""
        if state.epoch != self._epoch:
            self._rebuild(state)
        for frame, controls in self._frames.items():
            controls.refresh(state, frame)

    def show(self, snapshot: StateSnapshot) -> None:
        """Show every frame's errors."""
        for tool in snapshot.tools:
            controls = self._frames.get(tool.result.frame)
            if controls is not None:
                controls.show(tool, snapshot)

    def units(self) -> tuple[DisplayUnit, DisplayUnit]:
        """Return the units of lengths and angles that were chosen."""
        return self._length_unit, self._angle_unit

    def on_units(self, listener: Callable[[], None]) -> None:
        """Call a function whenever other units are chosen."""
        self._unit_listeners.append(listener)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for controls in self._frames.values():
            controls.close()

    def _rebuild(self, state: SessionState) -> None:
        self.close()
        if self._built is not None:
            self._built.remove()
        self._epoch = state.epoch
        with self._place:
            self._built = self._context.tools.gui.add_folder(None)
        with self._built:
            self._frames = {
                frame: _ToolControls(self._context, frame, state, self.units)
                for frame in state.settings.targets
            }

    def _set_length_unit(self, name: str) -> None:
        self._length_unit = LENGTH_UNITS[name]
        self._length.show(name)
        self._units_changed()

    def _set_angle_unit(self, name: str) -> None:
        self._angle_unit = ANGLE_UNITS[name]
        self._angle.show(name)
        self._units_changed()

    def _units_changed(self) -> None:
        self.refresh(self._context.session.state)
        for listener in self._unit_listeners:
            listener()


class _ToolControls:
    """The controls of one tool frame."""

    def __init__(
        self,
        context: PanelContext,
        frame: str,
        state: SessionState,
        units: Callable[[], tuple[DisplayUnit, DisplayUnit]],
    ) -> None:
        self._context = context
        self._frame = frame
        self._epoch = state.epoch
        tools, target = context.tools, state.settings.targets[frame]
        with tools.gui.add_folder(one_line(frame, _LABEL_LENGTH_LIMIT)):
            self._enabled: Choice[bool] = checkbox(
                tools, "enabled", "Whether this frame has a task and a gizmo.",
                self._set_enabled, target.enabled,
            )  # fmt: skip
            self._pose = PoseFields(tools, target.transform_target_to_world, units, self._set_pose)
            self._errors = tools.gui.add_html("")
            button = add_button(
                tools.gui, "Target to tool", "Puts the target where the tool is now.",
                icon=viser.Icon.TARGET,
            )  # fmt: skip
        on_click(
            tools, button, "The target stays",
            partial(context.session.set_target_to_tool, frame),
        )  # fmt: skip

    def refresh(self, state: SessionState, frame: str) -> None:
        target = state.settings.targets.get(frame)
        if target is not None:
            self._enabled.show(target.enabled)
            self._pose.show(target.transform_target_to_world)

    def show(self, tool: ToolState, snapshot: StateSnapshot) -> None:
        content = block(tool_line(tool, snapshot))
        if content != self._errors.content:
            self._errors.content = content

    def close(self) -> None:
        self._pose.close()

    def _set_enabled(self, enabled: bool) -> None:
        self._context.session.edit(
            None,
            lambda settings: settings.with_target(self._frame, enabled=enabled),
            epoch=self._epoch,
        )

    def _set_pose(self, pose: Pose) -> None:
        self._context.session.edit(
            None, lambda settings: settings.with_target(self._frame, pose), epoch=self._epoch
        )
