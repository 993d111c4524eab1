"""Scene: what of the robot is shown, from where, and how the gizmos behave.

Shared by all browsers, except the camera; nothing here can be undone, because nothing here changes
what the robot does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

import viser

from workbench.live.state import SessionState
from workbench.ui.camera import ViewName
from workbench.ui.colours import (
    CLOSEST_PAIR_RGB,
    COLLISION_RGB,
    GRASP_COLOURS,
    MEASURED_RGB,
    Rgb,
    css,
    state_colour,
)
from workbench.ui.gizmos import GizmoAxes, GizmoMode
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.scene_pump import ScenePump
from workbench.ui.target_marks import TARGET_STATES
from workbench.ui.widgets import WidgetTools, checkbox, dropdown

Switch = Literal["visual", "collision", "frames", "names", "grid", "dark"]

_SWITCHES: Final[Mapping[Switch, tuple[str, str]]] = {
    "visual": ("Visual meshes", "Show the meshes that the robot is meant to look like."),
    "collision": ("Collision meshes", "Show the meshes that collisions are checked with."),
    "frames": ("Link frames", "Show each link's frame: x red, y green, z blue."),
    "names": ("Link names", "Show each link's name at its frame."),
    "grid": ("Grid", "Show a grid on the floor: on z = 0, or below the robot's lowest point."),
    "dark": ("Dark", "Show the page dark instead of light, in every browser."),
}  # fmt: skip

_VIEWS: Final[Mapping[str, ViewName | None]] = {
    "Frame": None,
    "Front": "front",
    "Side": "side",
    "Top": "top",
}

_AXES: Final[Mapping[str, GizmoAxes]] = {"tool": "tool", "world": "world"}
_MODES: Final[Mapping[str, GizmoMode]] = {
    "move and turn": "move and turn",
    "move only": "move",
    "turn only": "turn",
}
_POSITION_STEPS_M: Final[Mapping[str, float]] = {
    "off": 0.0, "1 mm": 1e-3, "5 mm": 5e-3, "1 cm": 1e-2, "5 cm": 5e-2,
}  # fmt: skip
_ORIENTATION_STEPS_RAD: Final[Mapping[str, float]] = {
    "off": 0.0, **{f"{degrees}°": math.radians(degrees) for degrees in (1, 5, 15, 45, 90)},
}  # fmt: skip

_SHARE_STEP = 0.05


class ScenePanel:
    """The switches of the scene, the views, the gizmos' options and the legend."""

    def __init__(self, tools: WidgetTools, pump: ScenePump) -> None:
        """Add the controls where the gui's context is.

        Args:
            tools: For its controls.
            pump: What draws the scene.
        """
        self._tools = tools
        self._pump = pump
        self._add_views()
        for name, (label, hint) in _SWITCHES.items():
            checkbox(tools, label, hint, partial(self._set_switch, name), self._is_on(name))
        self._add_transparency()
        self._add_gizmo_options()
        tools.gui.add_html(legend_html())

    def refresh(self, state: SessionState) -> None:
        """Nothing here depends on the session."""

    def close(self) -> None:
        """Nothing is pending here."""

    def _is_on(self, name: Switch) -> bool:
        return getattr(self._pump.options, name)

    def _set_switch(self, name: Switch, value: bool) -> None:
        self._pump.change(replace(self._pump.options, **{name: value}))

    def _add_views(self) -> None:
        buttons = self._tools.gui.add_button_group(
            "View",
            tuple(_VIEWS),
            hint="Move this browser's camera: frame the whole robot from where you are, or look at "
            "it from the front (towards -x), from its right side (towards +y) or from above.",
        )
        self._tools.open_to_lookers(buttons)

        async def clicked(event: viser.GuiEvent[Any]) -> None:
            if event.client is not None and buttons.value in _VIEWS:
                self._pump.look_from(event.client, _VIEWS[buttons.value])

        buttons.on_click(clicked)

    def _add_transparency(self) -> None:
        slider = self._tools.gui.add_slider(
            "Transparency",
            min=0.0,
            max=1.0,
            step=_SHARE_STEP,
            initial_value=self._pump.options.transparency,
            hint="How much shines through the visual meshes: 0 as they are, 1 invisible.",
        )

        async def updated(event: viser.GuiEvent[Any]) -> None:
            if event.client is not None:
                transparency = min(1.0, max(0.0, float(slider.value)))
                self._pump.change(replace(self._pump.options, transparency=transparency))

        slider.on_update(updated)

    def _add_gizmo_options(self) -> None:
        options = self._pump.gizmo_options
        checkbox(
            self._tools, "Gizmos", "Show the gizmos of all tool frames that have a target.",
            partial(self._set_gizmo, "shown"), options.shown,
        )  # fmt: skip
        self._add_gizmo_choice(
            "Gizmo axes", "axes", _AXES,
            "Whether the arms point along the target's axes and turn with it, or along the "
            "world's axes.",
        )  # fmt: skip
        self._add_gizmo_choice(
            "Gizmo mode", "mode", _MODES, "Whether a gizmo moves its target, turns it, or both."
        )
        self._add_gizmo_choice(
            "Snap moves", "position_step_m", _POSITION_STEPS_M,
            "Drag in steps of this length along the gizmo's arms, counted from where the drag "
            "began. The gizmo follows the hand and jumps onto its target when it is let go.",
        )  # fmt: skip
        self._add_gizmo_choice(
            "Snap turns", "orientation_step_rad", _ORIENTATION_STEPS_RAD,
            "Turn in steps of this angle, counted from where the drag began.",
        )  # fmt: skip

    def _add_gizmo_choice(
        self, label: str, name: str, options: Mapping[str, object], hint: str
    ) -> None:
        present = getattr(self._pump.gizmo_options, name)
        shown = next(text for text, value in options.items() if value == present)

        def choose(text: str) -> None:
            self._set_gizmo(name, options[text])

        dropdown(self._tools, label, hint, choose, shown, options=tuple(options))

    def _set_gizmo(self, name: str, value: object) -> None:
        self._pump.change(gizmo_options=replace(self._pump.gizmo_options, **{name: value}))


def legend_html() -> str:
    """Return what the scene's colours mean, as HTML."""
    states = [state_colour(name) for name in TARGET_STATES]
    rows = [_legend_row(state.rgb, state.label, state.meaning) for state in states]
    collisions = "What collisions are checked with, drawn over what the robot looks like."
    rows.append(_legend_row(COLLISION_RGB, "collision mesh", collisions))
    measured = "Where a streaming arm is measured, when that is behind its command."
    rows.append(_legend_row(MEASURED_RGB, "measured robot", measured))
    closest = "The two links nearest each other, while a self-collision barrier is on."
    rows.append(_legend_row(CLOSEST_PAIR_RGB, "closest links", closest))
    grasps = [_legend_row(one.rgb, one.label, one.meaning) for one in GRASP_COLOURS.values()]
    selected = state_colour("selected")
    grasps.append(_legend_row(selected.rgb, "selected grasp", selected.meaning))
    return block("<b>Targets and meshes</b>", *rows) + block("<b>Grasps</b>", *grasps)


def _legend_row(rgb: Rgb, label: str, meaning: str) -> str:
    return (
        f'<div title="{plain(meaning)}">'
        '<span style="display:inline-block;width:0.8em;height:0.8em;margin-right:0.5em;'
        f'border-radius:0.2em;background:{css(rgb)}"></span>{plain(label)}</div>'
    )
