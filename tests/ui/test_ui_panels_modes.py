"""The tab "Run": one switch for the mode, and what each mode shows and does."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

from tests.live.live_fakes import at, fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, handles, html_of, labelled, text_of
from workbench.config.settings import Mode
from workbench.ik.streaming_types import StreamingState
from workbench.live.snapshot import StateSnapshot, StreamingView
from workbench.model.description import Joint
from workbench.poses import frozen_array
from workbench.ui.panels.mode import MODE_MEANINGS, MODE_TITLES, mode_line
from workbench.ui.panels.run_tab import RunTab
from workbench.ui.panels.status import StatusPanel
from workbench.ui.panels.streaming import STATE_WORDS, most_ahead


class TabRig:
    """The tab on a page, refreshed after whatever a test does."""

    def __init__(self, rig: PanelRig) -> None:
        self.rig = rig
        self.tab = RunTab(rig.context)
        self.snapshot: StateSnapshot | None = None

    @property
    def settings(self) -> Any:
        return self.rig.session.state.settings

    @property
    def controls(self) -> Any:
        return self.rig.session.state.controls

    def set_mode(self, mode: Mode) -> None:
        self.rig.browser.set(labelled(self.rig.gui, "mode"), MODE_TITLES[mode])
        self.refresh()

    def click(self, label: str) -> None:
        self.rig.browser.click(labelled(self.rig.gui, label))
        self.refresh()

    def refresh(self) -> None:
        self.rig.page.run()
        self.tab.refresh(self.rig.session.state)

    def is_shown(self, label: str) -> bool:
        """Tell whether a control is seen: it and the folders around it."""
        handle = labelled(self.rig.gui, label)
        containers = self.rig.gui._container_handle_from_uuid
        while handle is not None:
            if not getattr(handle, "visible", True):
                return False
            impl = getattr(handle, "_impl", None)
            handle = None if impl is None else containers.get(impl.parent_container_id)
        return True

    def show(self, view: StreamingView | None) -> str:
        self.rig.rig.clock.advance(0.01)
        snapshot = self.rig.loop.step()
        self.tab.show(replace(snapshot, streaming=view))
        return text_of(self.rig)


@pytest.fixture
def run(panel_rig: PanelRig) -> TabRig:
    return TabRig(panel_rig)


# The switch ------------------------------------------------------------------------------


def test_one_switch_offers_every_mode_and_says_what_it_does(run: TabRig) -> None:
    sentences = set()
    for mode in get_args(Mode):
        run.set_mode(mode)
        assert run.settings.mode == mode
        assert MODE_MEANINGS[mode] in text_of(run.rig)
        sentences.add(MODE_MEANINGS[mode])
    assert len(sentences) == 4
    run.rig.session.undo()
    run.refresh()
    assert run.settings.mode == "planning"
    assert labelled(run.rig.gui, "mode").value == "planning"


@pytest.mark.parametrize(
    ("label", "modes"),
    [
        ("solved with", {"live"}),
        ("Engage", {"streaming"}),
        ("Emergency stop", {"streaming"}),
        ("Stop the target stream", {"streaming"}),
        ("timeout", {"streaming"}),
        ("delay_s", {"streaming"}),
        ("Plan to the target", {"planning"}),
        ("max_attempts", {"planning"}),
        ("Solve to convergence", set(get_args(Mode))),
    ],
)
def test_each_mode_shows_what_belongs_to_it(run: TabRig, label: str, modes: set[Mode]) -> None:
    shown = set()
    for mode in get_args(Mode):
        run.set_mode(mode)
        if run.is_shown(label):
            shown.add(mode)
    assert shown == modes


def test_live_steps_are_solved_with_pink_unless_the_user_chooses_otherwise(run: TabRig) -> None:
    choice = labelled(run.rig.gui, "solved with")
    assert choice.value == "Pink"
    run.rig.browser.set(choice, "the fast way")
    run.refresh()
    assert run.settings.solve_with == "fast"
    assert "solved by Pink" in text_of(run.rig)
    run.rig.session.undo()
    run.refresh()
    assert choice.value == "Pink"


# Streaming -------------------------------------------------------------------------------


def test_the_buttons_engage_disengage_stop_and_release(run: TabRig) -> None:
    run.set_mode("streaming")
    run.click("Engage")
    assert run.controls.engaged
    run.click("Disengage")
    assert not run.controls.engaged
    run.click("Engage")
    run.click("Emergency stop")
    assert run.controls.emergency_stop and not run.controls.engaged
    assert labelled(run.rig.gui, "Engage").disabled
    run.click("Emergency stop")
    assert run.controls.emergency_stop and not run.rig.browser.told, "a second press is welcome"
    run.click("Release the stop")
    assert not run.controls.emergency_stop and not run.controls.engaged
    assert labelled(run.rig.gui, "Release the stop").disabled


def test_engaging_under_the_emergency_stop_is_refused_with_the_reason(run: TabRig) -> None:
    run.set_mode("streaming")
    engage = labelled(run.rig.gui, "Engage")
    run.rig.session.press_emergency_stop()
    run.rig.browser.click(engage)
    assert not run.controls.engaged
    assert "emergency stop is pressed" in run.rig.browser.told[0][1]


def test_the_target_stream_can_be_stopped_and_its_age_is_told(run: TabRig) -> None:
    run.set_mode("streaming")
    run.click("Stop the target stream")
    assert run.controls.targets_stopped_at_s is not None
    run.rig.rig.clock.advance(1.2)
    assert "1.2 s" in run.show(StreamingView("stale", None, frozen_array(np.zeros(3))))
    run.click("Let targets arrive again")
    assert run.controls.targets_stopped_at_s is None


def test_every_state_of_streaming_has_words(run: TabRig) -> None:
    run.set_mode("streaming")
    assert set(STATE_WORDS) == set(get_args(StreamingState))
    for state in get_args(StreamingState):
        assert STATE_WORDS[state] in run.show(StreamingView(state, None, None))


def test_what_a_command_is_ahead_by_and_what_bounds_it_is_told(run: TabRig) -> None:
    run.set_mode("streaming")
    view = StreamingView(
        "tracking", frozen_array([0.0, 0.0, 0.02]), frozen_array([0.001, 0.0, 0.0]),
        at_velocity_step=("x",), at_tracking_window=("y",), at_margin=("z",),
    )  # fmt: skip
    text = re.sub("<[^>]*>", " ", run.show(view))
    # z turns without end, x slides: the larger number counts.
    assert "z" in text and "1.15 of 10°" in text
    for words in ("velocity cap", "window", "inward margin"):
        assert words in text
    view = replace(view, command=frozen_array([0.05, 0.0, 0.0]))
    assert "49.00 of 175 mm" in run.show(view)
    assert "of 175 mm" not in run.show(None)


def test_a_joint_that_turns_without_end_is_compared_over_the_shorter_way() -> None:
    joints = (
        Joint("turns", "continuous", None, None, 1.0),
        Joint("bends", "revolute", -4.0, 4.0, 1.0),
    )
    joint, ahead = most_ahead(np.array([3.1, 0.3]), np.array([-3.1, 0.1]), joints)
    assert (joint.name, ahead) == ("bends", pytest.approx(0.2))
    joint, ahead = most_ahead(np.array([3.0, 0.0]), np.array([-3.0, 0.1]), joints)
    assert (joint.name, ahead) == ("turns", pytest.approx(2 * np.pi - 6.0))


def test_the_emergency_stop_is_big_red_and_on_the_left_as_well(panel_rig: PanelRig) -> None:
    status = StatusPanel(panel_rig.context)
    button = labelled(panel_rig.gui, "Emergency stop")
    assert not button.visible
    panel_rig.session.edit(None, lambda old: replace(old, mode="streaming"))
    status.refresh(panel_rig.session.state)
    assert button.visible and button.color == "red" and "workbench-big" in button._icon_html
    panel_rig.browser.click(button)
    assert panel_rig.session.state.controls.emergency_stop


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda session: None, "disengaged"),
        (lambda session: session.engage(True), "engaged"),
        (lambda session: session.press_emergency_stop(), "emergency stop"),
    ],
)
def test_the_status_shows_mode_and_engagement_at_a_glance(
    panel_rig: PanelRig, act: Any, words: str
) -> None:
    status = StatusPanel(panel_rig.context)
    assert "Mode <b>live</b>" in text_of(panel_rig)
    panel_rig.session.edit(None, lambda old: replace(old, mode="streaming"))
    act(panel_rig.session)
    status.refresh(panel_rig.session.state)
    line = mode_line("streaming", panel_rig.session.state.controls)
    assert line in html_of(panel_rig)
    assert re.search(rf"[▶❚■] {words}", line)


# The simulated arm -----------------------------------------------------------------------


def test_the_arm_is_ideal_at_first_and_all_off_makes_it_so_again(run: TabRig) -> None:
    run.set_mode("streaming")
    assert labelled(run.rig.gui, "All off").disabled
    for name, text in (("time_constant_s", "0.2"), ("delay_s", "0.05"), ("encoder_noise", "1e-4")):
        run.rig.browser.set(labelled(run.rig.gui, name), f"{text} ")
    run.refresh()
    arm = run.settings.simulated_arm
    assert (arm.time_constant_s, arm.delay_s, arm.encoder_noise) == (0.2, 0.05, 1e-4)
    assert labelled(run.rig.gui, "Simulated arm: imperfect").visible
    run.click("All off")
    assert run.settings.simulated_arm.is_ideal
    assert run.rig.session.state.undo_label == "simulated arm off"
    run.rig.session.undo()
    assert run.settings.simulated_arm == arm


# Planning --------------------------------------------------------------------------------


def test_a_plan_is_searched_in_the_background_and_its_retry_is_told(run: TabRig) -> None:
    run.set_mode("planning")
    run.rig.rig.type_target(at(0.5))
    run.click("Plan to the target")
    assert labelled(run.rig.gui, "Cancel planning").visible
    run.rig.run_jobs()
    run.refresh()
    assert run.is_shown("Plan to the target")
    assert "by retry 1 from a random posture" in text_of(run.rig)
    assert run.rig.session.state.undo_label == "plan to the target"


def test_a_search_can_be_cancelled(run: TabRig) -> None:
    run.set_mode("planning")
    run.click("Plan to the target")
    run.click("Cancel planning")
    run.rig.run_jobs()
    run.refresh()
    assert run.is_shown("Plan to the target")
    assert "Planning was cancelled." in text_of(run.rig)
    assert run.rig.session.take_inputs().command is None


def test_a_plan_that_is_not_found_says_so(run: TabRig) -> None:
    run.set_mode("planning")
    run.rig.rig.type_target(at(5.0))
    run.click("Plan to the target")
    run.rig.run_jobs()
    run.refresh()
    assert "No plan after 10 attempts" in text_of(run.rig)


def test_another_robot_has_no_plan_yet(run: TabRig) -> None:
    run.set_mode("planning")
    run.click("Plan to the target")
    run.rig.run_jobs()
    other = fake_bundle("other")
    run.rig.session.replace_bundle(other, start_settings(other))
    run.refresh()
    assert "Nothing has been planned" in text_of(run.rig)


def test_no_two_controls_that_are_shown_together_have_the_same_name(run: TabRig) -> None:
    for mode in get_args(Mode):
        run.set_mode(mode)
        labels = [
            handle.label
            for handle in handles(run.rig.gui)
            if getattr(handle, "label", "") and not re.match("↺|in |per |with", handle.label)
        ]
        doubled = {label for label in labels if labels.count(label) > 1}
        assert doubled <= {"seed"}
