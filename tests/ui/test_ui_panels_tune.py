"""Tune: what is typed, slid, refused and given back."""

from __future__ import annotations

import math

import pytest

from tests.ui.panel_rig import PanelRig, handles, html_of, labelled
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ui.panels.tune import FIRST_GROUP, TunePanel, balance_text, time_constant_text


def test_every_field_stands_under_its_own_name_with_unit_and_help(panel_rig: PanelRig) -> None:
    TunePanel(panel_rig.context)
    for name in PinkKinematicsConfig.model_fields:
        if name == "backend":
            assert "backend: pink" in html_of(panel_rig)
        else:
            assert len(labelled(panel_rig.gui, name).hint) > 20
    assert "Unit: cost/m." in labelled(panel_rig.gui, "position_cost").hint


def test_the_first_group_comes_first(panel_rig: PanelRig) -> None:
    TunePanel(panel_rig.context)
    labels = [getattr(handle, "label", None) for handle in handles(panel_rig.gui)]
    names = [label for label in labels if label in PinkKinematicsConfig.model_fields]
    assert tuple(names[: len(FIRST_GROUP)]) == FIRST_GROUP


def test_a_typed_cost_is_one_step_that_says_what_it_was(panel_rig: PanelRig) -> None:
    panel = TunePanel(panel_rig.context)
    panel_rig.browser.type(labelled(panel_rig.gui, "gain"), "0.3")
    panel_rig.page.run(1.0)
    assert panel_rig.config.gain == 0.3
    assert panel_rig.session.state.undo_label == "gain 0.5 to 0.3"
    panel_rig.session.undo()
    panel.refresh(panel_rig.session.state)
    assert labelled(panel_rig.gui, "gain").value == "0.5"


def test_a_step_writes_its_numbers_as_the_field_does(panel_rig: PanelRig) -> None:
    panel = TunePanel(panel_rig.context)
    panel_rig.browser.set(labelled(panel_rig.gui, "damping"), "0.00000003 ")
    panel.refresh(panel_rig.session.state)
    field = labelled(panel_rig.gui, "damping")
    assert field.value == "3e-8"
    assert (panel_rig.session.state.undo_label or "").endswith(f" to {field.value}")


def test_one_move_of_a_slider_is_one_step(panel_rig: PanelRig) -> None:
    panel = TunePanel(panel_rig.context)
    slider = panel._numbers["position_cost"].slider
    for position in range(slider.value + 1, slider.value + 6):
        panel_rig.browser.set(slider, position)
        panel_rig.rig.clock.advance(0.05)
        panel.refresh(panel_rig.session.state)
    assert panel_rig.config.position_cost == pytest.approx(1.8)
    assert panel_rig.session.state.undo_label == "position_cost 1 to 1.8"
    panel_rig.session.undo()
    assert panel_rig.config.position_cost == 1.0


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("gain", "7", "is out of range"),
        ("gain", "0", "is out of range"),
        ("lm_damping", "-1", "is out of range"),
        ("dt", "0", "is out of range"),
        ("max_iterations", "2.5", "is not a whole number"),
        ("position_cost", "much", "is not a number"),
    ],
)
def test_a_refused_value_goes_back_to_what_is_in_force(
    panel_rig: PanelRig, name: str, text: str, reason: str
) -> None:
    TunePanel(panel_rig.context)
    before, field = panel_rig.config, labelled(panel_rig.gui, name)
    shown = field.value
    panel_rig.browser.set(field, f"{text} ")
    assert panel_rig.config == before
    assert field.value == shown
    assert reason in panel_rig.browser.told[0][1]


def test_a_whole_number_stays_one(panel_rig: PanelRig) -> None:
    TunePanel(panel_rig.context)
    panel_rig.browser.set(labelled(panel_rig.gui, "max_iterations"), "300 ")
    assert panel_rig.config.max_iterations == 300
    assert isinstance(panel_rig.config.max_iterations, int)


def test_solver_and_safety_break_have_a_way_back(panel_rig: PanelRig) -> None:
    panel = TunePanel(panel_rig.context)
    panel_rig.browser.set(labelled(panel_rig.gui, "solver"), "osqp")
    panel_rig.browser.set(labelled(panel_rig.gui, "safety_break"), False)
    panel.refresh(panel_rig.session.state)
    assert (panel_rig.config.solver, panel_rig.config.safety_break) == ("osqp", False)
    for label in ("↺ daqp", "↺ on"):
        button = labelled(panel_rig.gui, label)
        assert button.visible
        panel_rig.browser.click(button)
    assert panel_rig.config == panel_rig.session.state.bundle.defaults
    panel.refresh(panel_rig.session.state)
    assert not labelled(panel_rig.gui, "↺ daqp").visible


def test_an_edit_from_elsewhere_shows_and_is_not_sent_back(panel_rig: PanelRig) -> None:
    panel = TunePanel(panel_rig.context)
    panel_rig.session.edit(None, lambda s: s.with_kinematics(lm_damping=1e-6, solver="osqp"))
    version = panel_rig.session.state.version
    panel.refresh(panel_rig.session.state)
    panel_rig.page.run(2.0)
    assert labelled(panel_rig.gui, "lm_damping").value == "1e-6"
    assert labelled(panel_rig.gui, "solver").value == "osqp"
    assert panel_rig.session.state.version == version


def test_the_balance_says_which_errors_weigh_the_same() -> None:
    config = PinkKinematicsConfig(solver="daqp")
    assert balance_text(config) == "1 cm weighs as much as 0.57 degrees"
    assert "0.011 degrees" in balance_text(config.with_values(orientation_cost=50.0))
    heavy = config.with_values(position_cost=1e3, orientation_cost=1e-2)
    assert balance_text(heavy) == "1 degree weighs as much as 0.00017 mm"
    assert "orientation is free" in balance_text(config.with_values(orientation_cost=0.0))
    assert "position is free" in balance_text(config.with_values(position_cost=0.0))
    assert "does not pull" in balance_text(
        config.with_values(position_cost=0.0, orientation_cost=0.0)
    )


def test_the_time_constant_is_that_of_the_rate() -> None:
    assert time_constant_text(0.5, 100.0) == "Time constant 14.4 ms at 100 Hz"
    assert time_constant_text(0.5, 200.0) == "Time constant 7.21 ms at 200 Hz"
    assert time_constant_text(1.0, 100.0) == "The whole error in one step of 10 ms at 100 Hz"
    # The same share per time: 0.5 at 100 Hz is 1 - sqrt(0.5) at 200 Hz.
    assert time_constant_text(1 - math.sqrt(0.5), 200.0).startswith("Time constant 14.4 ms")
