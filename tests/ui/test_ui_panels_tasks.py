"""Tasks and Run: targets as numbers, joints, undo, pause, rate and home."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.live.live_fakes import at, fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, handles, html_of, labelled, text_of
from workbench.ui.panels.joint_controls import JointControls
from workbench.ui.panels.run import RunPanel
from workbench.ui.panels.tools import ToolsPanel


def test_a_typed_number_moves_the_target(panel_rig: PanelRig) -> None:
    ToolsPanel(panel_rig.context)
    x = next(handle for handle in handles(panel_rig.gui) if getattr(handle, "label", "") == "x")
    panel_rig.browser.set(x, "0.4 ")
    target = panel_rig.session.state.settings.targets["left"].transform_target_to_world
    assert target.translation.tolist() == [0.4, 0.0, 0.0]
    assert panel_rig.session.state.undo_label == "move left"


def test_a_target_that_somebody_drags_is_not_typed_away(panel_rig: PanelRig) -> None:
    ToolsPanel(panel_rig.context)
    x = next(handle for handle in handles(panel_rig.gui) if getattr(handle, "label", "") == "x")
    panel_rig.session.begin_drag("left", 9)
    panel_rig.browser.set(x, "0.4 ")
    assert x.value == "0.0000"
    assert "dragged" in panel_rig.browser.told[0][1]


def test_units_change_what_is_shown_and_nothing_else(panel_rig: PanelRig) -> None:
    ToolsPanel(panel_rig.context)
    settings = panel_rig.session.state.settings
    y = [handle for handle in handles(panel_rig.gui) if getattr(handle, "label", "") == "y"]
    panel_rig.browser.set(labelled(panel_rig.gui, "lengths in"), "mm")
    assert [field.value for field in y] == ["0.0", "-1000.0"]
    assert panel_rig.session.state.settings is settings


def test_a_frame_is_switched_off_and_sent_to_its_tool(panel_rig: PanelRig) -> None:
    ToolsPanel(panel_rig.context)
    panel_rig.session.edit(None, lambda s: s.with_target("left", at(0.3)))
    controls = [one for one in handles(panel_rig.gui) if getattr(one, "label", "") == "enabled"]
    buttons = [
        one for one in handles(panel_rig.gui) if getattr(one, "label", "") == "Target to tool"
    ]
    panel_rig.browser.click(buttons[0])
    left = panel_rig.session.state.settings.targets["left"]
    assert left.transform_target_to_world.translation.tolist() == [0.0, 0.0, 0.0]
    panel_rig.browser.set(controls[0], False)
    assert not panel_rig.session.state.settings.targets["left"].enabled


def test_another_robot_brings_other_frames(panel_rig: PanelRig) -> None:
    tools, joints = ToolsPanel(panel_rig.context), JointControls(panel_rig.context)
    old = [one for one in handles(panel_rig.gui) if getattr(one, "label", "") == "x"]
    panel_rig.browser.type(old[0], "0.4")
    bundle = fake_bundle("crane")
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    for panel in (tools, joints):
        panel.refresh(panel_rig.session.state)
    new = [one for one in handles(panel_rig.gui) if getattr(one, "label", "") == "x"]
    assert len(new) == len(old)
    assert not set(map(id, new)) & set(map(id, old))
    # What was half typed for the robot before is gone with it.
    panel_rig.page.run(2.0)
    assert panel_rig.session.state.undo_label is None


def test_what_is_said_of_the_chosen_joint_is_said_once(panel_rig: PanelRig) -> None:
    bundle = fake_bundle("crane")
    joints = tuple(
        replace(joint, velocity_limit_is_default=True) for joint in bundle.description.joints
    )
    bundle = replace(bundle, description=replace(bundle.description, joints=joints))
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    JointControls(panel_rig.context)
    shown = text_of(panel_rig)
    assert "a default: the URDF gives none" in shown
    others = ", ".join(joint.name for joint in joints[1:])
    assert f"{others}: velocity limit by default" in shown
    assert joints[0].name not in shown


def test_a_velocity_limit_is_capped_and_given_back(panel_rig: PanelRig) -> None:
    panel = JointControls(panel_rig.context)
    field = labelled(panel_rig.gui, "velocity limit")
    panel_rig.browser.set(field, "0.5 ")
    assert dict(panel_rig.session.state.settings.velocity_caps) == {"x": 0.5}
    panel_rig.browser.set(field, "-1 ")
    assert dict(panel_rig.session.state.settings.velocity_caps) == {"x": 0.5}
    assert field.value == "0.5"
    panel.refresh(panel_rig.session.state)
    panel_rig.browser.click(labelled(panel_rig.gui, "↺ 2"))
    assert not panel_rig.session.state.settings.velocity_caps


def test_undo_and_redo_name_their_steps(panel_rig: PanelRig) -> None:
    panel = RunPanel(panel_rig.context)
    assert labelled(panel_rig.gui, "Undo").disabled
    panel_rig.session.edit(None, lambda s: s.with_kinematics(gain=0.3))
    panel.refresh(panel_rig.session.state)
    assert "undoes: gain 0&#46;5 to 0&#46;3" in html_of(panel_rig).replace("&#32;", " ")
    panel_rig.browser.click(labelled(panel_rig.gui, "Undo"))
    assert panel_rig.config.gain == 0.5
    panel.refresh(panel_rig.session.state)
    assert "redoes: gain" in html_of(panel_rig).replace("&#32;", " ")
    panel_rig.browser.click(labelled(panel_rig.gui, "Redo"))
    assert panel_rig.config.gain == 0.3


def test_pause_is_no_step_and_single_steps_need_it(panel_rig: PanelRig) -> None:
    panel = RunPanel(panel_rig.context)
    assert labelled(panel_rig.gui, "Single step").disabled
    panel_rig.browser.click(labelled(panel_rig.gui, "Pause"))
    panel.refresh(panel_rig.session.state)
    assert panel_rig.session.state.paused
    assert panel_rig.session.state.undo_label is None
    panel_rig.browser.click(labelled(panel_rig.gui, "Single step"))
    assert panel_rig.session.take_inputs().single_step
    panel_rig.browser.click(labelled(panel_rig.gui, "Run"))
    assert not panel_rig.session.state.paused


@pytest.mark.parametrize(("text", "rate_hz"), [("250", 250.0), ("9", 100.0), ("501", 100.0)])
def test_the_rate_goes_from_10_to_500(panel_rig: PanelRig, text: str, rate_hz: float) -> None:
    RunPanel(panel_rig.context)
    panel_rig.browser.set(labelled(panel_rig.gui, "rate"), f"{text} ")
    assert panel_rig.session.state.settings.rate_hz == rate_hz


def test_solving_to_convergence_shows_the_steps_it_took(panel_rig: PanelRig) -> None:
    panel = RunPanel(panel_rig.context)
    panel_rig.session.edit(None, lambda s: s.with_target("left", at(0.3)))
    panel_rig.browser.click(labelled(panel_rig.gui, "Solve to convergence"))
    panel.refresh(panel_rig.session.state)
    assert labelled(panel_rig.gui, "Cancel solving")
    panel_rig.run_jobs()
    panel_rig.page.run()
    panel.refresh(panel_rig.session.state)
    assert "Converged in 10 steps" in html_of(panel_rig)
    assert panel_rig.session.state.undo_label == "solve to convergence"


def test_solving_can_be_cancelled(panel_rig: PanelRig) -> None:
    panel = RunPanel(panel_rig.context)
    panel_rig.browser.click(labelled(panel_rig.gui, "Solve to convergence"))
    panel.refresh(panel_rig.session.state)
    panel_rig.browser.click(labelled(panel_rig.gui, "Cancel solving"))
    panel_rig.run_jobs()
    assert panel_rig.session.state.undo_label is None


def test_home_and_home_here(panel_rig: PanelRig) -> None:
    RunPanel(panel_rig.context)
    panel_rig.session.command_positions("away", {"x": 0.4})
    panel_rig.browser.click(labelled(panel_rig.gui, "Set home here"))
    assert panel_rig.session.state.settings.home["x"] == 0.4
    assert not panel_rig.browser.told
    panel_rig.browser.click(labelled(panel_rig.gui, "Set home here"))
    assert panel_rig.browser.told == [("Home stays", "the robot is at its home already")]
    panel_rig.session.command_positions("away", {"x": 0.1})
    panel_rig.browser.click(labelled(panel_rig.gui, "Home"))
    assert panel_rig.session.state.undo_label == "go home"
    assert panel_rig.session.present_positions()["x"] == 0.4
