"""Velocity limits: another cap on a joint's speed than the robot's own."""

from __future__ import annotations

from dataclasses import replace

import viser

from workbench.config.number_text import number_text
from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.state import SessionState
from workbench.model.description import Joint
from workbench.ui.markup import plain
from workbench.ui.numbers import parse_number
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.typed_text import TypedForm, TypedText
from workbench.ui.widgets import Choice, add_button, dropdown, on_click


class JointControls:
    """A chooser and the controls of the chosen joint; built anew for another robot."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        self._place = context.tools.gui.add_folder(None)
        self._folder: viser.GuiFolderHandle | None = None
        self._epoch: int | None = None
        self._joint = ""
        self._form: TypedForm | None = None
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show how the chosen joint is capped."""
        if state.epoch != self._epoch:
            self._rebuild(state)
        if self._form is None:
            return
        settings, joint = state.settings, state.description.joint(self._joint)
        cap = settings.velocity_caps.get(joint.name, joint.velocity_limit)
        self._chooser.show(joint.name)
        self._cap.show(number_text(cap))
        self._cap_back.label = f"↺ {number_text(joint.velocity_limit)}"
        self._cap_back.visible = cap != joint.velocity_limit
        self._note.content = block(_note(settings, joint), _others(state, joint.name))

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        if self._form is not None:
            self._form.close()

    def _rebuild(self, state: SessionState) -> None:
        self.close()
        self._form = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
        self._epoch = state.epoch
        names = state.description.joint_names
        if not names:
            return
        tools = self._context.tools
        self._joint = names[0]
        with self._place:
            self._folder = tools.gui.add_folder("Velocity limits")
        with self._folder:
            self._chooser: Choice[str] = dropdown(
                tools, "joint", "Joint that the controls below are about; for every browser.",
                self._choose, self._joint, options=names,
            )  # fmt: skip
            self._form = TypedForm(tools)
            with self._form:
                self._cap: TypedText = self._form.add(
                    "velocity limit",
                    "Cap on the joint's speed in rad/s (m/s for a prismatic joint). It is not part "
                    "of the exported file.",
                    "", self._type_cap,
                )  # fmt: skip
                self._cap_back = add_button(
                    tools.gui, "", "Back to the robot's own velocity limit.",
                    color="orange", visible=False,
                )  # fmt: skip
            on_click(tools, self._cap_back, "The limit stays", lambda: self._set_cap(None))
            self._note = tools.gui.add_html("")

    def _choose(self, joint: str) -> None:
        self._joint = joint
        if self._form is not None:
            self._form.close()
        self.refresh(self._context.session.state)

    def _type_cap(self, text: str) -> str:
        value = parse_number(text)
        self._set_cap(value)
        return number_text(value)

    def _set_cap(self, value: float | None) -> None:
        joint = self._context.session.state.description.joint(self._joint)

        def change(settings: Settings) -> Settings:
            caps = {k: v for k, v in settings.velocity_caps.items() if k != joint.name}
            if value is not None and value != joint.velocity_limit:
                caps[joint.name] = value
            return replace(settings, velocity_caps=caps)

        if value is not None and value <= 0.0:
            raise ConfigError(
                "is no velocity limit", field=joint.name, value=value,
                expected="a number > 0 (hold the joint to keep it still)",
            )  # fmt: skip
        self._context.session.edit(None, change, epoch=self._epoch)


def _note(settings: Settings, joint: Joint) -> str:
    unit = f"{joint.unit}/s"
    if joint.name in settings.velocity_caps:
        text = f"{unit}, in place of {number_text(joint.velocity_limit)} {unit}"
    elif joint.velocity_limit_is_default:
        text = f"{unit}, a default: the URDF gives none"
    else:
        text = f"{unit}, from the URDF"
    return f'<span class="dim">{plain(text)}</span><br>'


def _others(state: SessionState, chosen: str) -> str:
    """List what differs on the joints that are not chosen, so that nothing is forgotten."""
    settings = state.settings
    lines = [
        f"{plain(name)}: at most {number_text(cap)} {state.description.joint(name).unit}/s"
        for name, cap in settings.velocity_caps.items()
        if name != chosen
    ]
    defaults = [
        joint.name
        for joint in state.description.joints
        if joint.velocity_limit_is_default and joint.name != chosen
    ]
    if defaults:
        lines.append(f"{plain(', '.join(defaults))}: velocity limit by default")
    return "<br>".join(lines)
