"""Tune: the twelve settings that are exported, each under its own name."""

from __future__ import annotations

import math
from functools import partial

from workbench.config.fields import field_spec
from workbench.config.kinematics import PinkKinematicsConfig, available_solvers
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.number_control import NumberControl, back_help, hint_text, whole_number
from workbench.ui.numbers import quantity
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, checkbox, dropdown, on_click

FIRST_GROUP = (
    "position_cost", "orientation_cost", "posture_cost", "gain", "lm_damping", "damping",
)  # fmt: skip
_BACKEND_HELP = (
    "Program that solves in the mode of planning and streaming; only Pink is known here."
)
SECOND_GROUP = ("dt", "max_iterations", "joint_limit_posture_margin")


class TunePanel:
    """Controls for a PinkKinematicsConfig."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        self._numbers: dict[str, NumberControl] = {}
        state = context.session.state
        config, gui = state.settings.kinematics, context.tools.gui
        for name in FIRST_GROUP[:3]:
            self._add_number(name, state)
        self._balance = gui.add_html("")
        self._add_number("gain", state)
        self._time_constant = gui.add_html("")
        for name in FIRST_GROUP[4:]:
            self._add_number(name, state)
        self._solver = dropdown(
            context.tools, "solver", _help("solver"), partial(self._set, "solver"),
            config.solver, options=available_solvers(),
        )  # fmt: skip
        self._solver_back = add_button(gui, "", back_help("solver"), color="orange", visible=False)
        on_click(context.tools, self._solver_back, "solver stays", partial(self._reset, "solver"))
        self._safety = checkbox(
            context.tools, "safety_break", _help("safety_break"),
            partial(self._set, "safety_break"), config.safety_break,
        )  # fmt: skip
        self._safety_back = add_button(
            gui, "", back_help("safety_break"), color="orange", visible=False
        )
        on_click(
            context.tools, self._safety_back, "safety_break stays",
            partial(self._reset, "safety_break"),
        )  # fmt: skip
        for name in SECOND_GROUP:
            self._add_number(name, state)
        gui.add_html(
            block(f'<span title="{_BACKEND_HELP}">backend: {plain(config.backend)}</span>')
        )
        self.refresh(state)

    def refresh(self, state: SessionState) -> None:
        """Show the config in force."""
        config, defaults = state.settings.kinematics, state.bundle.defaults
        for name, control in self._numbers.items():
            control.show(getattr(config, name), getattr(defaults, name))
        self._solver.show(config.solver)
        self._solver_back.label = f"↺ {defaults.solver}"
        self._solver_back.visible = config.solver != defaults.solver
        self._safety.show(config.safety_break)
        self._safety_back.label = f"↺ {'on' if defaults.safety_break else 'off'}"
        self._safety_back.visible = config.safety_break != defaults.safety_break
        self._balance.content = block(plain(balance_text(config)))
        self._time_constant.content = block(
            plain(time_constant_text(config.gain, state.settings.rate_hz))
        )

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for control in self._numbers.values():
            control.close()

    def _add_number(self, name: str, state: SessionState) -> None:
        spec = field_spec(PinkKinematicsConfig, name)
        if spec is None:
            raise ValueError(f"{name} has no spec")
        self._numbers[name] = NumberControl(
            self._context.tools, name, spec, partial(self._set_number, name),
            value=getattr(state.settings.kinematics, name),
            default=getattr(state.bundle.defaults, name),
            whole=name == "max_iterations",
        )  # fmt: skip

    def _set_number(self, name: str, value: float, gesture: str | None) -> None:
        whole = name == "max_iterations"
        self._set(name, whole_number(value, name) if whole else value, gesture)

    def _set(self, name: str, value: object, gesture: str | None = None) -> None:
        self._context.session.edit(
            None, lambda settings: settings.with_kinematics(**{name: value}), gesture=gesture
        )

    def _reset(self, name: str) -> None:
        self._set(name, getattr(self._context.session.state.bundle.defaults, name))


def balance_text(config: PinkKinematicsConfig) -> str:
    """Say how a position error weighs against an orientation error.

    A task's cost enters the objective as ``(cost * error)^2``, so errors of equal weight are those
    of equal ``cost * error``.
    """
    position, orientation = config.position_cost, config.orientation_cost
    if position == 0.0 and orientation == 0.0:
        return "No cost on the tool: the target does not pull"
    if orientation == 0.0:
        return "Position alone: the orientation is free"
    if position == 0.0:
        return "Orientation alone: the position is free"
    degrees = math.degrees(0.01 * position / orientation)
    if degrees <= 180.0:
        return f"1 cm weighs as much as {quantity(degrees, 'degrees', 2)}"
    millimetres = 1000.0 * math.radians(1.0) * orientation / position
    return f"1 degree weighs as much as {quantity(millimetres, 'mm', 2)}"


def time_constant_text(gain: float, rate_hz: float) -> str:
    """Say how fast an error fades: ``gain`` is the share that one step removes.

    After n steps ``(1 - gain)^n`` of it is left, which is ``exp(-t / tau)`` with
    ``tau = -dt / ln(1 - gain)``.
    """
    rate = f"at {quantity(rate_hz, 'Hz')}"
    if gain >= 1.0:
        return f"The whole error in one step of {quantity(1000.0 / rate_hz, 'ms')} {rate}"
    tau_ms = -1000.0 / rate_hz / math.log1p(-gain)
    return f"Time constant {quantity(tau_ms, 'ms')} {rate}"


def _help(name: str) -> str:
    spec = field_spec(PinkKinematicsConfig, name)
    return "" if spec is None else hint_text(spec)
