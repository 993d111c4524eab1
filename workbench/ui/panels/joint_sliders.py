"""Joint sliders: they show where the joints are, and move them or the posture that they prefer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import viser

from workbench.live.joint_moves import free_posture, moves_robot, posture_goals, release_joints
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.model.description import Joint, RobotDescription
from workbench.ui.markup import one_line, plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.joint_row import JointRow
from workbench.ui.pose_fields import DisplayUnit
from workbench.ui.widgets import add_button, button_row, on_click

MOST_IN_ONE_FOLDER: Final = 8
"""A robot with more joints has a folder for each of its limbs, closed at first."""

_LONGEST_TITLE: Final = 40


class JointSliders:
    """One row a joint, and the ways back from what they do; built anew for another robot."""

    def __init__(
        self, context: PanelContext, units: Callable[[], tuple[DisplayUnit, DisplayUnit]]
    ) -> None:
        """Add the controls where the gui's context is.

        Args:
            context: What the panels need.
            units: Units of length and angle in which positions are shown and typed.
        """
        self._context = context
        self._units = units
        self._shown_units = units()
        tools = context.tools
        self._note = tools.gui.add_html("")
        with button_row(tools):
            self._free = add_button(
                tools.gui, "Let posture go",
                "The arm prefers no posture any more: it weighs motion alone, as DimOS does.",
                color="orange", icon=viser.Icon.ARROW_BACK_UP, visible=False,
            )  # fmt: skip
            self._release = add_button(
                tools.gui, "Let joints go", "No joint is held any more.",
                color="orange", icon=viser.Icon.LOCK_OPEN, visible=False,
            )  # fmt: skip
        on_click(tools, self._free, "The posture stays", lambda: free_posture(context.session))
        on_click(tools, self._release, "The joints stay", lambda: release_joints(context.session))
        self._place = tools.gui.add_folder(None)
        self._built: viser.GuiFolderHandle | None = None
        self._epoch: int | None = None
        self._names: tuple[str, ...] = ()
        self._rows: dict[str, JointRow] = {}
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show which joints are held, where the posture wants them, and what moving one does."""
        if state.epoch != self._epoch:
            self._rebuild(state)
        self._shown_units = self._units()
        held, goals = state.settings.held_joints, posture_goals(state.settings)
        for name, row in self._rows.items():
            row.refresh(held=name in held, goal=goals.get(name))
        self._note.content = block(_note(state))
        self._free.visible = bool(goals)
        self._release.visible = bool(held)

    def show(self, snapshot: StateSnapshot) -> None:
        """Show where the joints are."""
        if snapshot.epoch != self._epoch:
            return
        if self._units() != self._shown_units:
            self.refresh(self._context.session.state)
        for name, position in zip(self._names, snapshot.positions.tolist(), strict=True):
            self._rows[name].show(position)

    def close(self) -> None:
        """Drop what is pending."""
        for row in self._rows.values():
            row.close()

    def _rebuild(self, state: SessionState) -> None:
        self.close()
        if self._built is not None:
            self._built.remove()
        self._epoch = state.epoch
        self._names, self._rows = state.description.joint_names, {}
        gui, present = self._context.tools.gui, self._context.session.present_positions()
        groups = joint_groups(state.description)
        with self._place:
            self._built = gui.add_folder(None)
        with self._built:
            for title, names in groups:
                shown = one_line(title, _LONGEST_TITLE)
                with gui.add_folder(shown, expand_by_default=len(groups) == 1):
                    for name in names:
                        joint = state.description.joint(name)
                        self._rows[name] = JointRow(
                            self._context, joint, self._unit_of(joint),
                            position=present[name], epoch=state.epoch,
                        )  # fmt: skip

    def _unit_of(self, joint: Joint) -> Callable[[], DisplayUnit]:
        return lambda: self._units()[0 if joint.unit == "m" else 1]


def joint_groups(description: RobotDescription) -> list[tuple[str, tuple[str, ...]]]:
    """Return the joints in groups with a title each: one, or one a limb where they are many.

    A limb is what moves one tool frame alone; then come the joints that move several, then those
    that move none.
    """
    names = description.joint_names
    if len(names) <= MOST_IN_ONE_FOLDER:
        return [("Joints", names)] if names else []
    chains = {frame: description.joints_before(frame) for frame in description.tool_frames}
    moved = {name: [frame for frame, chain in chains.items() if name in chain] for name in names}
    groups = [(frame, tuple(name for name in names if moved[name] == [frame])) for frame in chains]
    groups.append(("several tools", tuple(name for name in names if len(moved[name]) > 1)))
    groups.append(("other joints", tuple(name for name in names if not moved[name])))
    return [(title, joints) for title, joints in groups if joints]


def _note(state: SessionState) -> str:
    if state.paused:
        text = "Paused: a slider moves the robot."
    elif moves_robot(state):
        text = "In this mode a slider moves the robot."
    else:
        text = (
            "A slider moves the posture that the arm prefers, as far as its targets leave it "
            "free. Pause to move the robot itself."
        )
    lines = [f'<span class="dim">{plain(text)}</span>']
    held = state.settings.held_joints
    if held:
        names = ", ".join(held)
        lines.append(f"{len(held)} held: {plain(names)}")
    return "<br>".join(lines)
