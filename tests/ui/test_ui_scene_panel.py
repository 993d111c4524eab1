"""The panel of the scene: each control does what it says, and says what it does."""

from __future__ import annotations

import math
from typing import Any

import pytest
import viser

from tests.ui.panel_rig import PanelRig, handles, labelled
from workbench.ui.colours import GRASP_COLOURS, state_colour
from workbench.ui.gizmos import GizmoOptions
from workbench.ui.panels.scene import ScenePanel, legend_html
from workbench.ui.scene import SceneOptions
from workbench.ui.scene_pump import ScenePump
from workbench.ui.target_marks import TARGET_STATES


@pytest.fixture
def pump(page_server: viser.ViserServer, panel_rig: PanelRig) -> ScenePump:
    pump = ScenePump(page_server, panel_rig.session)
    ScenePanel(panel_rig.tools, pump)
    return pump


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Visual meshes", "visual"), ("Collision meshes", "collision"), ("Link frames", "frames"),
        ("Link names", "names"), ("Grid", "grid"), ("Dark", "dark"),
    ],
)  # fmt: skip
def test_a_switch_shows_what_is_shown_and_changes_it(panel_rig, pump, label, name):
    box = labelled(panel_rig.gui, label)
    before = getattr(SceneOptions(), name)
    assert box.value == before
    panel_rig.browser.set(box, not before)
    assert pump.options == SceneOptions(**{name: not before})


def test_the_slider_sets_the_transparency(panel_rig, pump):
    panel_rig.browser.set(labelled(panel_rig.gui, "Transparency"), 0.4)
    assert pump.options.transparency == 0.4


@pytest.mark.parametrize(
    ("label", "choice", "expected"),
    [
        ("Gizmos", False, GizmoOptions(shown=False)),
        ("Gizmo axes", "world", GizmoOptions(axes="world")),
        ("Gizmo mode", "turn only", GizmoOptions(mode="turn")),
        ("Gizmo mode", "move only", GizmoOptions(mode="move")),
        ("Snap moves", "5 mm", GizmoOptions(position_step_m=0.005)),
        ("Snap turns", "5°", GizmoOptions(orientation_step_rad=math.radians(5))),
    ],
)
def test_a_gizmo_option_is_chosen(panel_rig, pump, label, choice, expected):
    panel_rig.browser.set(labelled(panel_rig.gui, label), choice)
    assert pump.gizmo_options == expected


def test_what_the_server_writes_is_not_taken_for_a_choice(panel_rig, pump):
    labelled(panel_rig.gui, "Transparency").value = 0.7
    labelled(panel_rig.gui, "Dark").value = True
    assert pump.options == SceneOptions()


@pytest.mark.parametrize(
    ("button", "view"), [("Frame", None), ("Front", "front"), ("Side", "side"), ("Top", "top")]
)
def test_a_view_moves_the_camera_of_the_page_that_asked(panel_rig, pump, monkeypatch, button, view):
    asked: list[tuple[Any, Any]] = []
    monkeypatch.setattr(pump, "look_from", lambda client, view: asked.append((client, view)))
    panel_rig.other.set(labelled(panel_rig.gui, "View"), button)
    assert asked == [(panel_rig.other, view)]


def test_every_control_has_a_help(panel_rig, pump):
    silent = [
        handle.label
        for handle in handles(panel_rig.gui)
        if getattr(handle, "label", "") and not getattr(handle, "hint", "there is one")
    ]
    assert silent == []


def test_the_legend_shows_every_colour_of_a_target_with_its_word_and_meaning():
    html = legend_html()
    assert [state_colour(name).css in html for name in TARGET_STATES] == [True, True, True]
    assert html.count('title="') == len(TARGET_STATES) + 3 + len(GRASP_COLOURS) + 1
    assert "not&#32;reached</div>" in html


def test_those_who_may_only_look_may_move_their_camera(page_server, panel_rig):
    opened: list[Any] = []
    tools = type(panel_rig.tools)(
        panel_rig.gui, panel_rig.page, panel_rig.notices, open_to_lookers=opened.append
    )
    ScenePanel(tools, ScenePump(page_server, panel_rig.session))
    assert [handle.label for handle in opened] == ["View"]
