"""A group of settings makes its own controls: every kind of field, with its way back."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pytest

from tests.live.live_fakes import JOINTS, fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, handles, labelled, text_of
from workbench.config.checked import CheckedSettings, Switch
from workbench.config.fields import FieldSpec, field_spec
from workbench.config.settings import Settings
from workbench.ui.panels.group_controls import GroupControls
from workbench.ui.panels.group_field import GroupName


def group(rig: PanelRig, name: GroupName) -> Any:
    return getattr(rig.session.state.settings, name)


def labels(rig: PanelRig) -> list[str]:
    return [getattr(handle, "label", None) or "" for handle in handles(rig.gui)]


@pytest.mark.parametrize("name", ["streaming", "planning", "simulated_arm"])
def test_every_field_has_a_control_with_unit_and_help(panel_rig: PanelRig, name: GroupName) -> None:
    GroupControls(panel_rig.context, name)
    model = type(group(panel_rig, name))
    for field in model.model_fields:
        spec = field_spec(model, field)
        assert spec is not None
        if field == "joint_velocity_limits_rad_s":
            assert spec.help in text_of(panel_rig).replace("\xa0", " ")
            continue
        hint = labelled(panel_rig.gui, field).hint
        assert spec.help in hint and (spec.unit in ("", "1") or spec.unit in hint)


def test_a_number_is_typed_slid_and_given_back(panel_rig: PanelRig) -> None:
    controls = GroupControls(panel_rig.context, "streaming")
    panel_rig.browser.set(labelled(panel_rig.gui, "timeout"), "0.75 ")
    assert group(panel_rig, "streaming").timeout == 0.75
    assert panel_rig.session.state.undo_label == "timeout 0.5 to 0.75 s"
    controls.refresh(panel_rig.session.state)
    back = labelled(panel_rig.gui, "↺ 0.5")
    assert back.visible
    panel_rig.browser.click(back)
    assert group(panel_rig, "streaming").timeout == 0.5
    controls.refresh(panel_rig.session.state)
    assert not back.visible


@pytest.mark.parametrize("typed", ["off", "OFF", ""])
def test_a_number_that_can_be_off_is_switched_off_and_given_back(
    panel_rig: PanelRig, typed: str
) -> None:
    controls = GroupControls(panel_rig.context, "streaming")
    field = labelled(panel_rig.gui, "joint_command_filter_cutoff_hz")
    panel_rig.browser.set(field, f"{typed} ")
    controls.refresh(panel_rig.session.state)
    assert group(panel_rig, "streaming").joint_command_filter_cutoff_hz is None
    assert "off" in labels(panel_rig)
    (back,) = [
        handle
        for handle in handles(panel_rig.gui)
        if getattr(handle, "label", "") == "↺ 5" and handle.visible
    ]
    panel_rig.browser.click(back)
    controls.refresh(panel_rig.session.state)
    assert group(panel_rig, "streaming").joint_command_filter_cutoff_hz == 5.0
    assert field.value == "5"


def test_a_whole_number_stays_one(panel_rig: PanelRig) -> None:
    GroupControls(panel_rig.context, "planning")
    field = labelled(panel_rig.gui, "max_attempts")
    panel_rig.browser.set(field, "3 ")
    assert group(panel_rig, "planning").max_attempts == 3
    panel_rig.browser.set(field, "2.5 ")
    assert group(panel_rig, "planning").max_attempts == 3
    assert "whole number" in panel_rig.browser.told[0][1]


@pytest.mark.parametrize(
    ("name", "field", "text"),
    [
        ("streaming", "timeout", "-1"),
        ("streaming", "max_joint_velocity_rad_s", "0"),
        ("simulated_arm", "dropped_share", "1.5"),
        ("simulated_arm", "delay_s", "nan"),
    ],
)
def test_a_refused_value_changes_nothing(
    panel_rig: PanelRig, name: GroupName, field: str, text: str
) -> None:
    GroupControls(panel_rig.context, name)
    before, handle = group(panel_rig, name), labelled(panel_rig.gui, field)
    shown = handle.value
    panel_rig.browser.set(handle, f"{text} ")
    assert group(panel_rig, name) == before
    assert handle.value == shown
    assert panel_rig.browser.told


def test_one_move_of_a_slider_is_one_step(panel_rig: PanelRig) -> None:
    controls = GroupControls(panel_rig.context, "planning")
    everything = handles(panel_rig.gui)
    slider = everything[everything.index(labelled(panel_rig.gui, "max_attempts")) + 2]
    for position in range(10, 15):
        panel_rig.browser.set(slider, position)
        panel_rig.rig.clock.advance(0.05)
        controls.refresh(panel_rig.session.state)
    assert group(panel_rig, "planning").max_attempts == 15
    panel_rig.session.undo()
    assert group(panel_rig, "planning").max_attempts == 10


def test_a_switch_is_turned_and_given_back(panel_rig: PanelRig) -> None:
    class Group(CheckedSettings):
        careful: Annotated[Switch, FieldSpec(unit="", help="Whether it takes care.")] = True

    def with_group(settings: Settings) -> Settings:
        # A settings field of another type than declared, to see the control that none has yet.
        changed = replace(settings)
        object.__setattr__(changed, "planning", Group())
        return changed

    panel_rig.session.edit("a group with a switch", with_group)
    controls = GroupControls(panel_rig.context, "planning")
    box = labelled(panel_rig.gui, "careful")
    assert box.value is True
    panel_rig.browser.set(box, False)
    controls.refresh(panel_rig.session.state)
    assert group(panel_rig, "planning").careful is False
    panel_rig.browser.click(labelled(panel_rig.gui, "↺ on"))
    controls.refresh(panel_rig.session.state)
    assert group(panel_rig, "planning").careful is True and box.value is True


# Joint by joint --------------------------------------------------------------------------


def caps(rig: PanelRig) -> dict[str, float]:
    return dict(group(rig, "streaming").joint_velocity_limits_rad_s)


def test_caps_open_joint_by_joint_and_fold_back_as_one_step(panel_rig: PanelRig) -> None:
    controls = GroupControls(panel_rig.context, "streaming")
    assert not set(JOINTS) & set(labels(panel_rig))
    version = panel_rig.session.state.version
    panel_rig.browser.click(labelled(panel_rig.gui, "Joint by joint"))
    assert set(JOINTS) <= set(labels(panel_rig))
    assert panel_rig.session.state.version == version, "looking changes nothing"
    panel_rig.browser.set(labelled(panel_rig.gui, "x"), "0.5 ")
    panel_rig.browser.set(labelled(panel_rig.gui, "z"), "0.8 ")
    controls.refresh(panel_rig.session.state)
    assert caps(panel_rig) == {"x": 0.5, "z": 0.8}
    assert "2 joints have theirs" in text_of(panel_rig)
    panel_rig.browser.click(labelled(panel_rig.gui, "As one"))
    assert caps(panel_rig) == {}
    assert not set(JOINTS) & set(labels(panel_rig))
    panel_rig.session.undo()
    controls.refresh(panel_rig.session.state)
    assert caps(panel_rig) == {"x": 0.5, "z": 0.8}
    assert labelled(panel_rig.gui, "x").value == "0.5"


def test_a_joint_without_a_cap_of_its_own_follows_the_one_for_all_again(
    panel_rig: PanelRig,
) -> None:
    controls = GroupControls(panel_rig.context, "streaming")
    panel_rig.browser.click(labelled(panel_rig.gui, "Joint by joint"))
    panel_rig.browser.set(labelled(panel_rig.gui, "x"), "0.5 ")
    controls.refresh(panel_rig.session.state)
    panel_rig.browser.set(labelled(panel_rig.gui, "x"), " ")
    controls.refresh(panel_rig.session.state)
    assert caps(panel_rig) == {}
    assert labels(panel_rig).count("as all") == len(JOINTS)
    # The slider shows the cap that counts instead.
    everything = handles(panel_rig.gui)
    own = everything[everything.index(labelled(panel_rig.gui, "x")) + 2]
    for_all = everything[everything.index(labelled(panel_rig.gui, "max_joint_velocity_rad_s")) + 2]
    assert own.value == for_all.value > 0


def test_a_cap_that_is_refused_says_which(panel_rig: PanelRig) -> None:
    GroupControls(panel_rig.context, "streaming")
    panel_rig.browser.click(labelled(panel_rig.gui, "Joint by joint"))
    panel_rig.browser.set(labelled(panel_rig.gui, "y"), "0 ")
    assert caps(panel_rig) == {}
    assert "joint_velocity_limits_rad_s.y" in panel_rig.browser.told[0][1]


def test_caps_fold_for_another_robot(panel_rig: PanelRig) -> None:
    controls = GroupControls(panel_rig.context, "streaming")
    panel_rig.browser.click(labelled(panel_rig.gui, "Joint by joint"))
    other = fake_bundle("other")
    panel_rig.session.replace_bundle(other, start_settings(other))
    controls.refresh(panel_rig.session.state)
    assert not set(JOINTS) & set(labels(panel_rig))
    controls.close()
