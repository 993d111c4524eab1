"""Example sessions: one choice that loads a robot, set up."""

from __future__ import annotations

from dataclasses import replace

from tests.live.live_fakes import fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, labelled
from workbench.config.profile_examples import ProfileExample
from workbench.model.catalog import profile
from workbench.ui.panels.examples import ExamplesPanel, example_choices

TITLE = "walker: Standing on both feet"


def test_a_choice_loads_the_robot_with_its_example(panel_rig: PanelRig) -> None:
    ExamplesPanel(panel_rig.context)
    chooser = labelled(panel_rig.gui, "example")
    panel_rig.browser.set(chooser, TITLE)
    assert panel_rig.loader.asked == ["walker standing"]
    # It is shown when it is there.
    assert chooser.value == "none"


def test_the_example_that_runs_is_shown_and_left_for_the_plain_robot(panel_rig: PanelRig) -> None:
    panel = ExamplesPanel(panel_rig.context)
    bundle = fake_bundle("walker")
    example = ProfileExample("standing", "Standing on both feet")
    bundle = replace(bundle, description=replace(bundle.description, example=example))
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    chooser = labelled(panel_rig.gui, "example")
    assert chooser.value == TITLE
    panel_rig.browser.set(chooser, "none")
    assert panel_rig.loader.asked == ["walker"]
    assert chooser.value == TITLE


def test_without_examples_there_is_nothing_to_choose(panel_rig: PanelRig) -> None:
    panel = ExamplesPanel(replace(panel_rig.context, examples=()))
    panel.refresh(panel_rig.session.state)
    assert not panel_rig.gui._container_handle_from_uuid["root"]._children


def test_g1_and_talos_stand_on_both_feet() -> None:
    choices = example_choices([profile("g1"), profile("panda"), profile("talos")])
    assert [(choice.robot, choice.name) for choice in choices] == [
        ("g1", "standing"),
        ("talos", "standing"),
    ]
