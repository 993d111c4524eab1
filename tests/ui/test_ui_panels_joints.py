"""Joints: sliders in both directions, locks, named poses, mirror and random."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.live.live_fakes import JOINTS, fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, handles, html_of, labelled, text_of
from workbench.config.robot_pose import RobotPose
from workbench.live.bundle import RobotBundle
from workbench.model.description import Joint, Link
from workbench.ui.panels.joint_sliders import JointSliders, joint_groups
from workbench.ui.panels.named_poses import NamedPosesPanel
from workbench.ui.pose_fields import ANGLE_UNITS, LENGTH_UNITS, DisplayUnit


class Units:
    """The units that a test chooses."""

    def __init__(self) -> None:
        self.chosen = (LENGTH_UNITS["m"], ANGLE_UNITS["degrees"])

    def __call__(self) -> tuple[DisplayUnit, DisplayUnit]:
        return self.chosen


def sliders(rig: PanelRig) -> list[Any]:
    return [one for one in handles(rig.gui) if hasattr(one, "_marks")]


def slider(rig: PanelRig, joint: str) -> Any:
    return sliders(rig)[JOINTS.index(joint)]


def locks(rig: PanelRig) -> list[str]:
    return [one.label for one in handles(rig.gui) if one_is_lock(one)]


def one_is_lock(handle: Any) -> bool:
    return getattr(handle, "label", "") in ("Hold", "Let go")


def lock(rig: PanelRig, joint: str) -> Any:
    return [one for one in handles(rig.gui) if one_is_lock(one)][JOINTS.index(joint)]


def tick(rig: PanelRig, panel: JointSliders) -> None:
    """Let the loop take a tick and the panel show it."""
    rig.loop.step()
    snapshot = rig.session.snapshots.get()
    assert snapshot is not None
    panel.refresh(rig.session.state)
    panel.show(snapshot)


def named_poses(rig: PanelRig) -> list[str]:
    return list(rig.session.state.settings.named_poses)


# Sliders ---------------------------------------------------------------------------------


def test_sliders_and_texts_show_where_the_joints_are(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    panel_rig.session.command_positions("away", {"x": 0.25, "z": 0.5})
    tick(panel_rig, panel)
    assert slider(panel_rig, "x").value == 2500
    assert labelled(panel_rig.gui, "x").value == "0.2500"
    assert slider(panel_rig, "z").value == round(math.degrees(0.5) * 10)
    assert labelled(panel_rig.gui, "z").value == "28.65"


def test_only_what_has_changed_is_sent(
    panel_rig: PanelRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = JointSliders(panel_rig.context, Units())
    tick(panel_rig, panel)
    sent: list[object] = []
    monkeypatch.setattr(panel_rig.gui._websock_interface, "queue_message", sent.append)
    tick(panel_rig, panel)
    assert not sent
    panel_rig.session.command_positions("away", {"x": 0.25})
    tick(panel_rig, panel)
    assert len(sent) == 2


def test_a_slider_moves_the_posture_while_the_loop_runs_as_one_step(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    tick(panel_rig, panel)
    for place in (1000, 2000, 3000):
        panel_rig.browser.set(slider(panel_rig, "x"), place)
    (spec,) = panel_rig.session.state.settings.tasks
    assert getattr(spec, "target") == {"x": 0.3, "y": 0.0, "z": 0.0}  # noqa: B009
    panel.refresh(panel_rig.session.state)
    assert slider(panel_rig, "x").label == "goal 0.3000 m"
    assert panel_rig.session.present_positions()["x"] == 0.0
    panel_rig.browser.click(labelled(panel_rig.gui, "Let posture go"))
    panel.refresh(panel_rig.session.state)
    assert slider(panel_rig, "x").label == "m"
    assert not labelled(panel_rig.gui, "Let posture go").visible
    panel_rig.session.undo()
    assert panel_rig.session.undo() == "posture of x to 0.300 m"
    assert not panel_rig.session.state.settings.tasks


def test_a_slider_moves_the_robot_while_the_loop_is_paused(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    panel_rig.session.set_paused(True)
    panel.refresh(panel_rig.session.state)
    assert "Paused: a slider moves the robot" in text_of(panel_rig)
    panel_rig.browser.set(slider(panel_rig, "z"), 450)
    positions = panel_rig.session.present_positions()
    assert positions["z"] == pytest.approx(math.radians(45.0))
    assert not panel_rig.session.state.settings.tasks


def test_what_a_hand_holds_is_not_written_until_it_has_rested(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    tick(panel_rig, panel)
    panel_rig.browser.set(slider(panel_rig, "x"), 4000)
    panel_rig.page.run(0.7)
    panel_rig.session.command_positions("elsewhere", {"x": -0.5, "y": -0.5})
    tick(panel_rig, panel)
    assert slider(panel_rig, "x").value == 4000
    assert slider(panel_rig, "y").value == -5000
    panel_rig.browser.set(slider(panel_rig, "x"), 4100)
    panel_rig.page.run(0.7)
    assert slider(panel_rig, "x").value == 4100
    panel_rig.page.run(0.2)
    assert slider(panel_rig, "x").value == -5000


def test_a_typed_position_counts_whole_and_what_is_outside_is_refused(
    panel_rig: PanelRig,
) -> None:
    units = Units()
    units.chosen = (LENGTH_UNITS["mm"], ANGLE_UNITS["degrees"])
    panel = JointSliders(panel_rig.context, units)
    panel_rig.session.set_paused(True)
    tick(panel_rig, panel)
    panel_rig.browser.type(labelled(panel_rig.gui, "x"), "250")
    assert panel_rig.session.present_positions()["x"] == 0.0
    panel_rig.page.run(1.0)
    assert panel_rig.session.present_positions()["x"] == 0.25
    panel_rig.browser.set(labelled(panel_rig.gui, "x"), "1200 ")
    title, body = panel_rig.browser.told[-1]
    assert title == "x stays at 0.0"
    assert "-1000.0 to 1000.0 mm" in body
    assert panel_rig.session.present_positions()["x"] == 0.25


def test_the_end_of_a_slider_is_the_limit_itself(panel_rig: PanelRig) -> None:
    bundle = fake_bundle("crane")
    joints = (Joint("x", "revolute", -1.23456, 2.34567, 1.0), *bundle.description.joints[1:])
    bundle = replace(bundle, description=replace(bundle.description, joints=joints))
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    JointSliders(panel_rig.context, Units())
    panel_rig.session.set_paused(True)
    for place, position in (("min", -1.23456), ("max", 2.34567)):
        panel_rig.browser.set(slider(panel_rig, "x"), getattr(slider(panel_rig, "x"), place))
        assert panel_rig.session.present_positions()["x"] == position


def test_other_units_are_shown_at_the_next_look(panel_rig: PanelRig) -> None:
    units = Units()
    panel = JointSliders(panel_rig.context, units)
    panel_rig.session.command_positions("away", {"x": 0.25, "z": 0.5})
    tick(panel_rig, panel)
    units.chosen = (LENGTH_UNITS["mm"], ANGLE_UNITS["radians"])
    snapshot = panel_rig.session.snapshots.get()
    assert snapshot is not None
    panel.show(snapshot)
    assert labelled(panel_rig.gui, "x").value == "250.0"
    assert labelled(panel_rig.gui, "z").value == "0.5000"
    assert [one.label for one in sliders(panel_rig)] == ["mm", "mm", "radians"]


def test_a_joint_is_locked_by_one_click_and_let_go_by_the_next(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    panel_rig.session.command_positions("away", {"y": 0.25})
    tick(panel_rig, panel)
    panel_rig.browser.click(lock(panel_rig, "y"))
    assert dict(panel_rig.session.state.settings.held_joints) == {"y": 0.25}
    panel.refresh(panel_rig.session.state)
    assert locks(panel_rig) == ["Hold", "Let go", "Hold"]
    assert slider(panel_rig, "y").disabled
    assert labelled(panel_rig.gui, "y").disabled
    assert "1 held: y" in text_of(panel_rig)
    panel_rig.browser.click(lock(panel_rig, "y"))
    assert not panel_rig.session.state.settings.held_joints
    panel.refresh(panel_rig.session.state)
    assert not slider(panel_rig, "y").disabled


def test_all_locks_are_let_go_at_once(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    assert not labelled(panel_rig.gui, "Let joints go").visible
    for joint in ("x", "z"):
        panel_rig.browser.click(lock(panel_rig, joint))
    panel.refresh(panel_rig.session.state)
    panel_rig.browser.click(labelled(panel_rig.gui, "Let joints go"))
    assert not panel_rig.session.state.settings.held_joints
    assert panel_rig.session.undo() == "let all joints go"


def test_another_robot_brings_other_sliders(panel_rig: PanelRig) -> None:
    panel = JointSliders(panel_rig.context, Units())
    tick(panel_rig, panel)
    old = sliders(panel_rig)
    panel_rig.browser.type(labelled(panel_rig.gui, "x"), "0.4")
    panel_rig.browser.set(old[0], 3000)
    stale = panel_rig.session.snapshots.get()
    assert stale is not None
    bundle = fake_bundle("crane")
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    panel.show(stale)
    assert len(sliders(panel_rig)) == len(old)
    assert not set(map(id, sliders(panel_rig))) & set(map(id, old))
    # What was half typed or half dragged for the robot before is gone with it.
    panel_rig.page.run(2.0)
    assert panel_rig.session.state.undo_label is None


def many_joints() -> RobotBundle:
    """A trunk, two arms of four joints and a head."""
    bundle = fake_bundle("giant")
    names = ["trunk", *(f"{side}{n}" for side in "lr" for n in range(4)), "head"]
    parents = {"trunk": "base", "l0": "trunk", "r0": "trunk", "head": "base"}
    links = [Link("base", None, None, False, False)]
    for name in names:
        parent = parents.get(
            name, f"{name[0]}{int(name[1:] or 0) - 1}" if name[1:].isdigit() else ""
        )
        links.append(Link(name, parent, name, True, False))
    links += [Link("left", "l3", None, False, False), Link("right", "r3", None, False, False)]
    return replace(
        bundle,
        description=replace(
            bundle.description,
            joints=tuple(Joint(name, "continuous", None, None, 2.0) for name in names),
            home=dict.fromkeys(names, 0.0),
            links=tuple(links),
        ),
    )


def test_many_joints_are_grouped_by_limb() -> None:
    assert joint_groups(many_joints().description) == [
        ("left", ("l0", "l1", "l2", "l3")),
        ("right", ("r0", "r1", "r2", "r3")),
        ("several tools", ("trunk",)),
        ("other joints", ("head",)),
    ]
    assert joint_groups(fake_bundle().description) == [("Joints", JOINTS)]


def test_the_folders_of_many_joints_are_closed_at_first(panel_rig: PanelRig) -> None:
    JointSliders(panel_rig.context, Units())
    assert labelled(panel_rig.gui, "Joints").expand_by_default
    panel_rig.gui.reset()
    bundle = many_joints()
    panel_rig.session.replace_bundle(bundle, replace(start_settings(fake_bundle()), home={}))
    JointSliders(panel_rig.context, Units())
    for title in ("left", "right", "several tools", "other joints"):
        assert not labelled(panel_rig.gui, title).expand_by_default


def test_names_from_a_file_are_no_markup(panel_rig: PanelRig) -> None:
    bundle = fake_bundle("crane")
    evil = '<iframe srcdoc="x">'
    joints = (replace(bundle.description.joints[0], name=evil), *bundle.description.joints[1:])
    description = replace(
        bundle.description, joints=joints, home=dict.fromkeys((evil, "y", "z"), 0.0)
    )
    bundle = replace(bundle, description=description)
    settings = replace(
        start_settings(fake_bundle()), home=description.home, held_joints={evil: 0.0}
    )
    panel_rig.session.replace_bundle(bundle, settings)
    JointSliders(panel_rig.context, Units())
    assert "<iframe" not in html_of(panel_rig)


# Named poses -----------------------------------------------------------------------------


def test_a_pose_is_saved_and_gone_to(panel_rig: PanelRig) -> None:
    panel = NamedPosesPanel(panel_rig.context)
    assert "No pose has been saved yet" in text_of(panel_rig)
    assert not labelled(panel_rig.gui, "Go to").visible
    panel_rig.session.command_positions("away", {"x": 0.4})
    panel_rig.browser.type(labelled(panel_rig.gui, "name"), "ready")
    panel_rig.browser.click(labelled(panel_rig.gui, "Save pose"))
    panel.refresh(panel_rig.session.state)
    assert named_poses(panel_rig) == ["ready"]
    assert labelled(panel_rig.gui, "pose").value == "ready"
    assert labelled(panel_rig.gui, "name").value == ""
    panel_rig.session.go_home()
    panel_rig.browser.click(labelled(panel_rig.gui, "Go to"))
    assert panel_rig.session.present_positions()["x"] == 0.4


def test_without_a_name_the_next_free_number_is_taken(panel_rig: PanelRig) -> None:
    panel = NamedPosesPanel(panel_rig.context)
    for _ in range(2):
        panel_rig.browser.click(labelled(panel_rig.gui, "Save pose"))
        panel.refresh(panel_rig.session.state)
    assert named_poses(panel_rig) == ["pose 1", "pose 2"]
    assert labelled(panel_rig.gui, "pose").value == "pose 2"


def test_a_pose_is_renamed_and_deleted(panel_rig: PanelRig) -> None:
    panel = NamedPosesPanel(panel_rig.context)
    for _ in range(2):
        panel_rig.browser.click(labelled(panel_rig.gui, "Save pose"))
        panel.refresh(panel_rig.session.state)
    panel_rig.browser.set(labelled(panel_rig.gui, "pose"), "pose 1")
    panel_rig.browser.click(labelled(panel_rig.gui, "Rename"))
    assert "no new name was typed" in panel_rig.browser.told[-1][1]
    panel_rig.browser.type(labelled(panel_rig.gui, "name"), "pose 2")
    panel_rig.browser.click(labelled(panel_rig.gui, "Rename"))
    assert "another pose has that name" in panel_rig.browser.told[-1][1]
    panel_rig.browser.set(labelled(panel_rig.gui, "name"), "ready ")
    panel_rig.browser.click(labelled(panel_rig.gui, "Rename"))
    panel.refresh(panel_rig.session.state)
    assert named_poses(panel_rig) == ["ready", "pose 2"]
    assert labelled(panel_rig.gui, "pose").value == "ready"
    panel_rig.browser.click(labelled(panel_rig.gui, "Delete"))
    panel.refresh(panel_rig.session.state)
    assert named_poses(panel_rig) == ["pose 2"]
    assert labelled(panel_rig.gui, "pose").value == "pose 2"
    panel_rig.session.undo()
    panel.refresh(panel_rig.session.state)
    assert labelled(panel_rig.gui, "pose").value == "ready"


def test_the_chooser_follows_the_session_and_the_robot(panel_rig: PanelRig) -> None:
    panel = NamedPosesPanel(panel_rig.context)
    panel_rig.session.edit(
        None, lambda s: replace(s, named_poses={"from a file": RobotPose({"x": 0.1})})
    )
    panel.refresh(panel_rig.session.state)
    assert labelled(panel_rig.gui, "pose").options == ("from a file",)
    bundle = fake_bundle("crane")
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    assert "No pose has been saved yet" in text_of(panel_rig)
    assert not labelled(panel_rig.gui, "Delete").visible


def test_a_robot_without_sides_is_not_mirrored_and_why_is_said(panel_rig: PanelRig) -> None:
    NamedPosesPanel(panel_rig.context)
    panel_rig.browser.click(labelled(panel_rig.gui, "Mirror"))
    title, body = panel_rig.browser.told[-1]
    assert title == "The robot stays where it is"
    assert "no left and right joints" in body


def test_each_random_posture_is_another_one_and_has_its_seed_in_its_name(
    panel_rig: PanelRig,
) -> None:
    NamedPosesPanel(panel_rig.context)
    seen = []
    for number in (1, 2):
        panel_rig.browser.click(labelled(panel_rig.gui, "Random"))
        assert panel_rig.session.state.undo_label == f"random posture {number}"
        seen.append(panel_rig.session.present_positions())
    assert seen[0] != seen[1]
