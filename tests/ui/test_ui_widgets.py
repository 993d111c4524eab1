"""A control shows what is in force; what is typed counts when it is whole, or goes back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.ui.panel_rig import PanelRig, labelled
from workbench.config.fields import FieldSpec
from workbench.config.number_text import number_text
from workbench.errors import ConfigError
from workbench.poses import Pose
from workbench.ui.number_control import NumberControl
from workbench.ui.pose_fields import ANGLE_UNITS, LENGTH_UNITS, PoseFields
from workbench.ui.typed_text import REST_AFTER_LAST_KEY_S, TypedForm, TypedText
from workbench.ui.widgets import checkbox, dropdown, on_click

SPEC = FieldSpec(
    unit="cost/m", help="A cost.", minimum=0.0, scale="logarithmic", slider=(1e-3, 1e2)
)


class Cost:
    """A value behind a control, which refuses negative numbers."""

    def __init__(self, rig: PanelRig, value: float = 1.0) -> None:
        self.value = value
        self.asked: list[tuple[float, str | None]] = []
        self.control = NumberControl(rig.tools, "cost", SPEC, self.set, value=value, default=value)

    def set(self, value: float, gesture: str | None) -> None:
        self.asked.append((value, gesture))
        if value < 0.0:
            raise ConfigError("is out of range", field="cost", value=value)
        self.value = value
        self.control.show(value, 1.0)


def test_a_typed_number_counts_a_moment_after_the_last_key(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.type(cost.control.text.handle, "0.25")
    panel_rig.page.run(REST_AFTER_LAST_KEY_S - 0.01)
    assert cost.asked == []
    panel_rig.page.run(0.02)
    assert cost.asked == [(0.25, None)]


def test_every_key_starts_the_wait_anew(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    for text in ("2", "20", "200"):
        panel_rig.browser.set(cost.control.text.handle, text)
        panel_rig.page.run(REST_AFTER_LAST_KEY_S - 0.1)
    assert cost.asked == []
    panel_rig.page.run(0.2)
    assert cost.asked == [(200.0, None)]


def test_enter_lets_a_number_count_at_once(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.type(cost.control.text.handle, "1e-8")
    # The page's script sends Enter as a blank at the end.
    panel_rig.browser.set(cost.control.text.handle, "1e-8 ")
    assert cost.asked == [(1e-8, None)]
    assert cost.control.text.handle.value == "1e-8"
    panel_rig.page.run(2.0)
    assert len(cost.asked) == 1


def test_a_submitted_form_counts_as_enter(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.type(cost.control.text.handle, "0.00000001")
    panel_rig.browser.submit(cost.control._form._form)
    assert cost.asked == [(1e-8, None)]
    assert cost.control.text.handle.value == "1e-8"


@pytest.mark.parametrize("text", ["-1", "abc", "1e", "", "nan", "1,5"])
def test_a_refused_number_goes_back_with_the_reason_to_who_typed_it(
    panel_rig: PanelRig, text: str
) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.set(cost.control.text.handle, text)
    panel_rig.page.run(1.0)
    assert cost.value == 1.0
    assert cost.control.text.handle.value == "1"
    ((title, reason),) = panel_rig.browser.told
    assert title == "cost stays at 1"
    assert reason
    assert panel_rig.other.told == []


def test_enter_that_came_twice_is_refused_once_and_news_after_the_next_key(
    panel_rig: PanelRig,
) -> None:
    field = Cost(panel_rig).control.text.handle
    for text in ("-1", "-1 ", "-1  ", "-1   "):
        panel_rig.browser.set(field, text)
    assert len(panel_rig.browser.told) == 1
    for text in ("-1", "-1 "):
        panel_rig.browser.set(field, text)
    assert len(panel_rig.browser.told) == 2


@pytest.mark.parametrize("text", [" ", "-1 "])
def test_a_refused_text_that_is_typed_again_later_is_news_although_its_keys_were_lost(
    panel_rig: PanelRig, text: str
) -> None:
    # viser's page drops keys that are followed quickly: Enter may come alone.
    field = Cost(panel_rig).control.text.handle
    panel_rig.browser.set(field, text)
    panel_rig.page.run(2.0)
    panel_rig.browser.set(field, text)
    assert len(panel_rig.browser.told) == 2


def test_an_emptied_field_is_told_that_nothing_was_typed(panel_rig: PanelRig) -> None:
    field = Cost(panel_rig).control.text.handle
    panel_rig.browser.set(field, "")
    panel_rig.page.run(1.0)
    assert field.value == "1"
    ((_, reason),) = panel_rig.browser.told
    assert reason == "nothing was typed; expected a number, such as 0.5 or 1e-8"


def test_an_empty_field_that_refuses_a_text_is_said_to_stay_empty(panel_rig: PanelRig) -> None:
    def refuse(text: str) -> str:
        raise ConfigError("is too small", value=text)

    field = TypedText(panel_rig.tools, "maximum", "", "", refuse)
    panel_rig.browser.set(field.handle, "-1")
    panel_rig.page.run(1.0)
    ((title, _),) = panel_rig.browser.told
    assert title == "maximum stays empty"


def test_what_is_typed_again_is_no_edit(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.set(cost.control.text.handle, "1.000")
    panel_rig.page.run(1.0)
    assert cost.asked == []
    assert cost.control.text.handle.value == "1"


def test_off_means_zero(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.set(cost.control.text.handle, "off ")
    assert cost.asked == [(0.0, None)]
    assert cost.control.text.handle.value == "0"
    assert cost.control.slider.value == 0


def test_a_field_in_which_somebody_types_is_left_alone(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.type(cost.control.text.handle, "0.2")
    cost.control.show(7.0, 1.0)
    assert cost.control.text.handle.value == "0.2"
    panel_rig.page.run(1.0)
    assert cost.value == 0.2


def test_a_slider_moves_in_one_gesture_of_its_browser(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    start = cost.control.slider.value
    for position in (start + 1, start + 2):
        panel_rig.browser.set(cost.control.slider, position)
    panel_rig.other.set(cost.control.slider, start)
    assert [value for value, _ in cost.asked] == [1.1, 1.3, 1.0]
    first, second, third = (gesture for _, gesture in cost.asked)
    assert first == second != third
    assert cost.control.text.handle.value == "1"


def test_values_from_elsewhere_move_the_control_without_an_echo(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    cost.control.show(100.0, 1.0)
    panel_rig.page.run(2.0)
    assert cost.control.text.handle.value == "100"
    assert cost.control.slider.value == cost.control.slider.max
    assert cost.asked == []


def test_a_typed_value_beyond_the_slider_stays_as_it_is(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.set(cost.control.text.handle, "12345 ")
    assert cost.value == 12345.0
    assert cost.control.slider.value == cost.control.slider.max


def test_the_way_back_is_there_only_when_the_value_is_not_the_default(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    assert not cost.control.back.visible
    panel_rig.browser.set(cost.control.text.handle, "3 ")
    assert cost.control.back.visible
    assert cost.control.back.label == "↺ 1"
    panel_rig.browser.click(cost.control.back)
    assert cost.value == 1.0
    assert not cost.control.back.visible


def test_a_refused_slider_goes_back(panel_rig: PanelRig) -> None:
    control = NumberControl(panel_rig.tools, "cost", SPEC, _refuse, value=1.0, default=1.0)
    place = control.slider.value
    panel_rig.browser.set(control.slider, place + 5)
    assert control.slider.value == place
    assert panel_rig.browser.told


def test_a_closed_control_forgets_what_was_typed(panel_rig: PanelRig) -> None:
    cost = Cost(panel_rig)
    panel_rig.browser.type(cost.control.text.handle, "5")
    cost.control.close()
    panel_rig.page.run(2.0)
    assert cost.asked == []


def test_enter_in_one_field_lets_the_whole_form_count(panel_rig: PanelRig) -> None:
    taken: list[str] = []

    def take(text: str) -> str:
        taken.append(text)
        return text

    form = TypedForm(panel_rig.tools)
    with form:
        first, second = form.add("a", "", "0", take), form.add("b", "", "0", take)
    panel_rig.browser.type(first.handle, "1")
    panel_rig.browser.type(second.handle, "2")
    panel_rig.browser.submit(form._form)
    assert taken == ["1", "2"]


def test_a_checkbox_that_is_refused_goes_back(panel_rig: PanelRig) -> None:
    switch = checkbox(panel_rig.tools, "held", "", _refuse, False)
    panel_rig.browser.set(switch.handle, True)
    assert switch.handle.value is False
    assert panel_rig.browser.told == [("held stays as it was", "is not allowed")]


def test_a_dropdown_takes_its_options_only(panel_rig: PanelRig) -> None:
    taken: list[str] = []
    choice = dropdown(panel_rig.tools, "solver", "", taken.append, "daqp", options=("daqp", "osqp"))
    panel_rig.browser.set(choice.handle, "quadprog")
    assert taken == []
    assert choice.handle.value == "daqp"
    panel_rig.browser.set(choice.handle, "osqp")
    assert taken == ["osqp"]


def test_names_that_look_the_same_can_be_told_apart(panel_rig: PanelRig) -> None:
    taken: list[str] = []
    names = ("joint\u202e", "joint\u202d")
    choice = dropdown(panel_rig.tools, "joint", "", taken.append, names[0], options=names)
    panel_rig.browser.set(choice.handle, choice.handle.options[1])
    assert taken == [names[1]]


def test_a_button_says_why_it_did_nothing(panel_rig: PanelRig) -> None:
    button = panel_rig.gui.add_button("go")
    on_click(panel_rig.tools, button, "Nothing was done", lambda: _refuse(0.0))
    panel_rig.browser.click(button)
    assert panel_rig.browser.told == [("Nothing was done", "is not allowed")]


def _refuse(*_values: object) -> None:
    raise ConfigError("is not allowed")


class Target:
    """A pose behind fields."""

    def __init__(self, rig: PanelRig, pose: Pose) -> None:
        self.pose = pose
        self.units = [LENGTH_UNITS["m"], ANGLE_UNITS["degrees"]]
        self.fields = PoseFields(rig.tools, pose, lambda: (self.units[0], self.units[1]), self.set)

    def set(self, pose: Pose) -> None:
        self.pose = pose


def test_one_typed_number_of_a_pose_leaves_the_others_exactly_as_they_are(
    panel_rig: PanelRig,
) -> None:
    pose = Pose.from_xyz_rpy([0.123456789, -0.2, 0.3], [0.1, 0.2, 0.3])
    target = Target(panel_rig, pose)
    panel_rig.browser.set(labelled(panel_rig.gui, "z"), "0.35 ")
    assert target.pose.translation.tolist() == [pose.translation[0], pose.translation[1], 0.35]
    assert target.pose.wxyz.tolist() == pose.wxyz.tolist()


def test_typing_what_is_shown_moves_nothing(panel_rig: PanelRig) -> None:
    pose = Pose.from_xyz_rpy([0.123456789, 0.0, 0.0], [0.0, 0.0, 0.0])
    target = Target(panel_rig, pose)
    panel_rig.browser.set(labelled(panel_rig.gui, "x"), "0.1235 ")
    assert target.pose is pose


def test_poses_are_typed_in_the_units_that_are_shown(panel_rig: PanelRig) -> None:
    target = Target(panel_rig, Pose.from_xyz_rpy([0.1, 0.0, 0.0], [0.0, 0.0, 0.5]))
    target.units = [LENGTH_UNITS["mm"], ANGLE_UNITS["radians"]]
    target.fields.show(target.pose)
    assert labelled(panel_rig.gui, "x").value == "100.0"
    assert labelled(panel_rig.gui, "yaw").value == "0.5000"
    panel_rig.browser.set(labelled(panel_rig.gui, "x"), "250 ")
    assert target.pose.translation[0] == pytest.approx(0.25)
    target.units[1] = ANGLE_UNITS["degrees"]
    target.fields.show(target.pose)
    panel_rig.browser.set(labelled(panel_rig.gui, "yaw"), "90 ")
    assert target.pose.rpy[2] == pytest.approx(math.pi / 2)


def test_no_minus_stands_before_a_zero(panel_rig: PanelRig) -> None:
    Target(panel_rig, Pose.from_xyz_rpy([-1e-9, 0.0, 0.0], [0.0, -1e-9, 0.0]))
    assert labelled(panel_rig.gui, "x").value == "0.0000"
    assert labelled(panel_rig.gui, "pitch").value == "0.00"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "in cost/m"),
        (0.0, "in cost/m"),
        (1e2, "in cost/m"),
        (101.0, "beyond the slider"),
        (1e300, "beyond the slider"),
        (1e-4, "below the slider"),
    ],
)
def test_a_slider_says_its_unit_or_that_the_value_is_out_of_its_reach(
    panel_rig: PanelRig, value: float, said: str
) -> None:
    cost = Cost(panel_rig)
    cost.control.show(value, 1.0)
    assert cost.control.slider.label == said
    assert cost.control.text.handle.value == number_text(value)
    assert (cost.control.slider.hint or "").startswith("cost: A cost.")


@pytest.mark.parametrize("unit", ["1", ""])
def test_a_number_without_unit_says_so(panel_rig: PanelRig, unit: str) -> None:
    spec = replace(SPEC, unit=unit)
    control = NumberControl(panel_rig.tools, "n", spec, lambda *_: None, value=1.0, default=1.0)
    assert control.slider.label == "without unit"
