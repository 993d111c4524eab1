"""Named poses: save, go to, rename, delete; the mirror image and a random posture."""

from __future__ import annotations

import viser

from workbench.errors import ConfigError
from workbench.live.named_poses import (
    LONGEST_NAME,
    delete_pose,
    go_to_mirror_image,
    go_to_pose,
    go_to_random_posture,
    rename_pose,
    save_pose,
)
from workbench.live.state import SessionState
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import Choice, add_button, button_row, dropdown, on_click


class NamedPosesPanel:
    """A chooser of the poses that were saved, and buttons that send the robot somewhere."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        self._epoch: int | None = None
        self._names: tuple[str, ...] = ()
        self._chosen = ""
        self._seed = 0
        self._chooser: Choice[str] | None = None
        self._chooser_folder: viser.GuiFolderHandle | None = None
        tools = context.tools
        with tools.gui.add_folder("Poses"):
            self._place = tools.gui.add_folder(None)
            with button_row(tools):
                self._go = add_button(
                    tools.gui, "Go to",
                    "Sends the robot to the chosen pose, and the targets with it. Held joints "
                    "stay.",
                    icon=viser.Icon.PLAYER_PLAY, visible=False,
                )  # fmt: skip
                self._delete = add_button(
                    tools.gui, "Delete", "Forgets the chosen pose.",
                    icon=viser.Icon.TRASH, color="gray", visible=False,
                )  # fmt: skip
            self._form = TypedForm(tools)
            with self._form:
                self._name = self._form.add(
                    "name",
                    f"Name to save the present pose under, or to give the chosen one: one line of "
                    f"at most {LONGEST_NAME} characters. Empty takes the next free number.",
                    "", str,
                )  # fmt: skip
            with button_row(tools):
                save = add_button(
                    tools.gui, "Save pose",
                    "Saves where the robot is, in this session and its file; a pose of the same "
                    "name is replaced.",
                    icon=viser.Icon.MAP_PIN_PLUS,
                )  # fmt: skip
                self._rename = add_button(
                    tools.gui, "Rename", "Gives the chosen pose the name above.",
                    icon=viser.Icon.PENCIL, color="gray", visible=False,
                )  # fmt: skip
            with button_row(tools):
                mirror = add_button(
                    tools.gui, "Mirror",
                    "Sends the robot to its mirror image: the left hand to where the right one "
                    "would be in a mirror, and the other way round.",
                    icon=viser.Icon.FLIP_VERTICAL, color="gray",
                )  # fmt: skip
                random = add_button(
                    tools.gui, "Random",
                    "Sends the robot to a random posture inside its joint limits; the step's name "
                    "in the history holds the seed.",
                    icon=viser.Icon.DICE_3, color="gray",
                )  # fmt: skip
        for button, title, action in (
            (self._go, "The robot stays where it is", self._go_to_chosen),
            (self._delete, "The pose stays", self._delete_chosen),
            (save, "No pose was saved", self._save),
            (self._rename, "The pose keeps its name", self._rename_chosen),
            (mirror, "The robot stays where it is", self._mirror),
            (random, "The robot stays where it is", self._random),
        ):
            on_click(tools, button, title, action)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Offer the poses that there are."""
        self._epoch = state.epoch
        names = tuple(state.settings.named_poses)
        if names == self._names and self._chooser_folder is not None:
            return
        new = [name for name in names if name not in self._names]
        if self._chosen not in names or len(new) == 1:
            # What was just saved, renamed or brought back is what one goes on with.
            self._chosen = next(iter(new or names), "")
        self._names = names
        self._rebuild_chooser()
        for button in (self._go, self._delete, self._rename):
            button.visible = bool(names)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._form.close()

    def _rebuild_chooser(self) -> None:
        tools = self._context.tools
        if self._chooser_folder is not None:
            self._chooser_folder.remove()
        with self._place:
            self._chooser_folder = tools.gui.add_folder(None)
        with self._chooser_folder:
            if not self._names:
                self._chooser = None
                tools.gui.add_html(block('<span class="dim">No pose has been saved yet.</span>'))
                return
            self._chooser = dropdown(
                tools, "pose", "Pose that the buttons below are about; for every browser.",
                self._choose, self._chosen, options=self._names,
            )  # fmt: skip

    def _choose(self, name: str) -> None:
        self._chosen = name
        if self._chooser is not None:
            self._chooser.show(name)

    def _go_to_chosen(self) -> None:
        go_to_pose(self._context.session, self._chosen, epoch=self._epoch)

    def _delete_chosen(self) -> None:
        delete_pose(self._context.session, self._chosen, epoch=self._epoch)

    def _save(self) -> None:
        self._name.settle()
        typed = self._name.handle.value.strip()
        name = save_pose(self._context.session, typed or self._free_name(), epoch=self._epoch)
        self._name.show("")
        if name in self._names:
            self._choose(name)

    def _rename_chosen(self) -> None:
        self._name.settle()
        typed = self._name.handle.value.strip()
        if not typed:
            raise ConfigError("no new name was typed", expected="one in the field above")
        self._chosen = rename_pose(self._context.session, self._chosen, typed, epoch=self._epoch)
        self._name.show("")

    def _mirror(self) -> None:
        stopped = go_to_mirror_image(self._context.session, epoch=self._epoch)
        if stopped:
            self._context.tools.notices.done(
                "Mirrored as far as the joint limits allow", f"At a limit: {', '.join(stopped)}."
            )

    def _random(self) -> None:
        self._seed += 1
        go_to_random_posture(self._context.session, self._seed, epoch=self._epoch)

    def _free_name(self) -> str:
        number = 1
        while f"pose {number}" in self._context.session.state.settings.named_poses:
            number += 1
        return f"pose {number}"
