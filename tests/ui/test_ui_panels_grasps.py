"""The tab "Grasps": load, ask, check, list, look, go, author, download."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import viser

from tests.live.grasps_rig import three_grasps
from tests.live.live_fakes import at
from tests.ui.panel_rig import PanelRig, handles, html_of, labelled, text_of
from workbench.grasps.gripper import FingerJoint
from workbench.grasps.isaac_grasp import read_grasps
from workbench.grasps.spec import GraspSpec
from workbench.grasps.writing import grasps_to_text
from workbench.live.grasp_edits import load_grasps, set_in_scene
from workbench.ui.panels.grasp_source import grasp_file_name
from workbench.ui.panels.grasps import GraspsTab

MARKUP = "<img src=x onerror=alert(1)>"


class Tab:
    """The tab, on a page with a gantry."""

    def __init__(self, rig: PanelRig) -> None:
        self.rig = rig
        self.panel = GraspsTab(rig.context)

    def refresh(self) -> None:
        self.panel.refresh(self.rig.session.state)

    def load(self, grasps: GraspSpec | None = None, name: str = "crate.yaml") -> None:
        load_grasps(self.rig.session, name, grasps or three_grasps())
        set_in_scene(self.rig.session, transform_object_to_world=at(0.4))
        self.refresh()

    def check(self) -> None:
        self.click("Check reach")
        self.rig.run_jobs()
        self.refresh()

    def upload(self, label: str, name: str, content: bytes) -> None:
        button = labelled(self.rig.gui, label)
        button._impl.value = viser.UploadedFile(name, content)
        for callback in button._impl.update_cb:
            outcome: Any = callback(viser.GuiEvent(self.rig.browser, 1, button))  # type: ignore[arg-type]
            with pytest.raises(StopIteration):
                outcome.send(None)
        self.rig.run_jobs()
        self.refresh()

    def click(self, label: str) -> None:
        self.rig.browser.click(labelled(self.rig.gui, label))
        self.refresh()

    def set(self, label: str, value: Any) -> None:
        self.rig.browser.set(labelled(self.rig.gui, label), value)
        self.refresh()

    def set_pose(self, label: str, text: str) -> None:
        """Type a number into the selected grasp's pose, whose labels the offset has as well."""
        fields = [one for one in handles(self.rig.gui) if getattr(one, "label", "") == label]
        self.rig.browser.set(fields[-1], text)
        self.refresh()

    def rows(self) -> list[str]:
        return [
            handle.label
            for handle in handles(self.rig.gui)
            if isinstance(handle, viser.GuiButtonHandle) and handle.visible and "·" in handle.label
        ]

    @property
    def scene(self) -> Any:
        return self.rig.session.state.settings.grasp_scene


@pytest.fixture
def tab(panel_rig: PanelRig) -> Tab:
    return Tab(panel_rig)


def test_without_grasps_there_is_nothing_but_ways_to_get_some(tab: Tab) -> None:
    shown = {h.label for h in handles(tab.rig.gui) if getattr(h, "visible", False)
             and isinstance(h, viser.GuiButtonHandle | viser.GuiUploadButtonHandle)}  # fmt: skip
    assert {"Grasp file", "Object mesh", "New set of grasps"} <= shown
    assert not labelled(tab.rig.gui, "Download").visible
    assert not tab.panel._place.visible


def test_shipped_grasps_come_with_their_object_and_the_frame_is_asked_for(tab: Tab) -> None:
    tab.set("shipped grasps", "mug")
    assert tab.scene.file_name == "mug.yaml"
    assert tab.scene.mesh.name == "mug.obj"
    assert tab.rig.session.state.undo_label == "load mug.yaml"
    assert "No link is called panda_hand" in text_of(tab.rig)
    link = labelled(tab.rig.gui, "gripper link")
    assert link.value == "choose …"
    tab.set("gripper link", "left")
    assert tab.scene.gripper_frame == "left"
    assert "choose …" not in link.options


def test_a_file_is_uploaded_checked_and_listed_best_first(tab: Tab) -> None:
    tab.upload("Grasp file", "crate.yaml", grasps_to_text(three_grasps()).encode())
    assert "3 grasps" in text_of(tab.rig)
    assert tab.rows()[0] == "grasp_3 · 0.90 · not checked"
    set_in_scene(tab.rig.session, transform_object_to_world=at(0.8))
    tab.check()
    assert tab.rows() == [
        "grasp_3 · 0.90 · not reached", "grasp_2 · 0.60 · reached with retry",
        "grasp_1 · 0.30 · reached with retry",
    ]  # fmt: skip
    assert "2 of 3 reached" in text_of(tab.rig)


def test_a_broken_file_changes_nothing_and_is_said_to_who_uploaded_it(tab: Tab) -> None:
    tab.load()
    before = tab.scene
    tab.upload("Grasp file", "bad.yaml", b"format: isaac_grasp\ngrasps: [1, 2]\n")
    tab.upload("Object mesh", "bad.obj", b"nonsense")
    assert tab.scene is before
    assert [title for title, _ in tab.rig.browser.told] == [
        "bad.yaml was not loaded", "bad.obj was not loaded",
    ]  # fmt: skip
    assert tab.rig.other.told == []


def test_a_mesh_of_unlikely_size_is_asked_about(tab: Tab) -> None:
    tab.load()
    obj = b"v 0 0 0\nv 80 0 0\nv 0 80 0\nv 0 0 80\nf 1 2 3\nf 1 2 4\n"
    tab.upload("Object mesh", "crate.obj", obj)
    unit = labelled(tab.rig.gui, "unit of the mesh")
    assert unit.visible
    tab.set("unit of the mesh", "in millimetres")
    assert tab.scene.mesh.size_m == pytest.approx(0.08)
    assert not unit.visible
    assert tab.rig.session.undo() == "resize crate.obj"


def test_names_that_are_markup_are_text(tab: Tab) -> None:
    tab.load(three_grasps().renamed("grasp_3", MARKUP), name=f"{MARKUP}.yaml")
    tab.check()
    tab.rig.grasping.select(MARKUP)
    tab.refresh()
    assert "<img" not in html_of(tab.rig)
    assert MARKUP in text_of(tab.rig)
    button = next(h for h in handles(tab.rig.gui) if str(getattr(h, "label", "")).startswith("<im"))
    assert "<img" not in button._icon_html


# The list ------------------------------------------------------------------------------------


def many(count: int) -> GraspSpec:
    grasps = GraspSpec.empty(object_frame="crate", gripper_frame="left")
    for number in range(count):
        grasps = grasps.with_pose(
            f"g_{number}", at(0.01 * number), confidence=number / count, cspace_position={},
            pregrasp_cspace_position={},
        )  # fmt: skip
    return grasps


def test_a_page_holds_fifteen_rows_and_pages_turn(tab: Tab) -> None:
    tab.load(many(32))
    tab.set("sort by", "as in the file")
    assert [row.split(" ")[0] for row in tab.rows()] == [f"g_{n}" for n in range(15)]
    tab.click("Next")
    tab.click("Next")
    assert [row.split(" ")[0] for row in tab.rows()] == ["g_30", "g_31"]
    assert labelled(tab.rig.gui, "Next").disabled
    assert "page 3 of 3, 32 grasps" in text_of(tab.rig)


def test_rows_are_sorted_and_filtered(tab: Tab) -> None:
    tab.load(many(32))
    tab.set("sort by", "name")
    assert [row.split(" ")[0] for row in tab.rows()][9:12] == ["g_9", "g_10", "g_11"]
    set_in_scene(tab.rig.session, transform_object_to_world=at(0.9))
    tab.check()
    tab.set("sort by", "state")
    assert tab.rows()[0].endswith("reached with retry")
    tab.set("show", "not reached")
    assert len(tab.rows()) == 15
    assert all(row.endswith("not reached") for row in tab.rows())
    tab.set("show", "being checked")
    assert tab.rows() == []
    assert "no grasp is in that state" in text_of(tab.rig)


def test_a_name_jumps_to_its_page_and_selects(tab: Tab) -> None:
    tab.load(many(32))
    tab.set("sort by", "as in the file")
    tab.set("go to name", "G_2 ")
    assert tab.rig.grasping.view.selected == "g_2"
    tab.set("go to name", "_31 ")
    assert tab.rig.grasping.view.selected == "g_31"
    assert any(row.startswith("g_31 ") for row in tab.rows())
    tab.set("go to name", "nothing ")
    assert "no grasp in the list" in tab.rig.browser.told[-1][1]
    assert tab.rig.grasping.view.selected == "g_31"


def test_a_row_selects_and_the_details_follow(tab: Tab) -> None:
    tab.load()
    tab.check()
    tab.click("grasp_2 · 0.60 · reached")
    assert tab.rig.grasping.view.selected == "grasp_2"
    assert "0.50 mm" in text_of(tab.rig)
    assert "25 % of the range" in text_of(tab.rig)
    set_in_scene(tab.rig.session, transform_object_to_world=at(0.5))
    tab.refresh()
    assert "As it was found before" in text_of(tab.rig)


def test_where_few_are_reached_the_gripper_frame_is_pointed_at(tab: Tab) -> None:
    tab.load()
    set_in_scene(tab.rig.session, transform_object_to_world=at(2.0))
    tab.check()
    assert "0 of 3 reached" in text_of(tab.rig)
    assert "None is reached" in text_of(tab.rig)
    assert "gripper offset" in text_of(tab.rig)
    assert "in m and degrees" in text_of(tab.rig)


def test_numbers_and_choices_of_the_approach_are_settings(tab: Tab) -> None:
    tab.load()
    tab.set("standoff [mm]", "50 ")
    assert tab.scene.standoff_m == pytest.approx(0.05)
    tab.set("standoff [mm]", "-5 ")
    assert tab.scene.standoff_m == pytest.approx(0.05)
    tab.set("approach along", "-x")
    assert tab.scene.approach == "-x"
    tab.set("gripper offset", "turned 90° about z")
    assert tab.scene.transform_frame_to_gripper.rpy == pytest.approx([0.0, 0.0, np.pi / 2])
    tab.set("gripper offset", "other")
    assert labelled(tab.rig.gui, "gripper offset").value == "turned 90° about z"


def test_a_check_is_cancelled_by_its_button(tab: Tab) -> None:
    tab.load()
    tab.click("Check reach")
    assert labelled(tab.rig.gui, "Cancel the check")
    tab.click("Cancel the check")
    tab.rig.run_jobs()
    tab.refresh()
    assert tab.rows()[0].endswith("not checked")


# Go, author, download ------------------------------------------------------------------------


def test_go_is_offered_for_the_selected_grasp_and_can_be_paused_and_gone_back(tab: Tab) -> None:
    tab.load()
    go = labelled(tab.rig.gui, "Go")
    assert not go.visible
    tab.rig.grasping.select("grasp_1")
    tab.refresh()
    tab.click("Go")
    assert "looking for the way to" in text_of(tab.rig)
    tab.rig.run_jobs()
    tab.refresh()
    assert go.disabled
    tab.click("Pause on the way")
    assert "paused on the way to" in text_of(tab.rig)
    tab.click("Go on")
    tab.click("Go back")
    tab.rig.rig.clock.advance(60.0)
    tab.rig.go.step()
    tab.refresh()
    assert not go.disabled
    assert tab.rig.grasping.view.go is None


AUTHORING: list[tuple[str, Callable[[Tab], None]]] = [
    ("add grasp_0", lambda tab: tab.click("Add grasp")),
    ("add grasp_2_y", lambda tab: (tab.set("mirror about", "y of the object"),
                                   tab.click("Add mirrored"))[0]),
    ("delete grasp_2", lambda tab: tab.click("Delete")),
    ("rename grasp_2 to best", lambda tab: tab.set("name", "best ")),
    ("change grasp_2", lambda tab: tab.set("its confidence", "0.125 ")),
    ("change grasp_2", lambda tab: tab.click("Put here")),
    ("change grasp_2", lambda tab: tab.click("Fingers as above")),
    ("change grasp_2", lambda tab: tab.set_pose("x", "0.25 ")),
    ("change grasp_2", lambda tab: tab.set_pose("yaw", "90 ")),
]  # fmt: skip


@pytest.mark.parametrize(("label", "act"), AUTHORING)
def test_grasps_are_made_and_changed_each_as_one_step(
    tab: Tab, label: str, act: Callable[[Tab], None]
) -> None:
    tab.load()
    tab.rig.grasping.select("grasp_2")
    tab.refresh()
    act(tab)
    assert tab.rig.browser.told == [] or label == "add grasp_0"
    assert tab.rig.session.undo() == label


def with_fingers(tab: Tab) -> None:
    """Give the gantry a gripper: one joint that is solved for, one that is not."""
    fingers = (FingerJoint("z", -1.0, 1.0), FingerJoint("finger", 0.0, 0.04))
    gripper = SimpleNamespace(fingers=fingers)
    session = tab.rig.session
    bundle = replace(session.state.bundle, gripper=lambda _frame: cast(Any, gripper))
    session.replace_bundle(bundle, session.state.settings)


def test_fingers_are_stored_as_they_are_or_as_one_says_and_it_is_told(tab: Tab) -> None:
    with_fingers(tab)
    tab.load()
    assert labelled(tab.rig.gui, "z held").value == "now"
    assert labelled(tab.rig.gui, "finger held").value == "0.01"
    assert labelled(tab.rig.gui, "finger open").value == "0.04"
    tab.rig.session.command_positions("open", {"z": 0.5})
    tab.click("Open as now")
    assert labelled(tab.rig.gui, "z open").value == "0.5"
    tab.rig.session.command_positions("close", {"z": 0.125})
    tab.set("finger held", "0.02 ")
    tab.click("Add grasp")
    grasp = tab.scene.grasps["grasp_0"]
    assert dict(grasp.cspace_position) == {"z": 0.125, "finger": 0.02}
    assert dict(grasp.pregrasp_cspace_position) == {"z": 0.5, "finger": 0.0}
    title, body = tab.rig.browser.told[-1]
    assert title == "grasp_0 was added"
    assert "z 0.125 held, 0.5 open" in body
    tab.set("finger held", "0.05 ")
    assert "0.04" in tab.rig.browser.told[-1][1]
    tab.set("z held", "NOW ")
    assert labelled(tab.rig.gui, "z held").value == "now"


def test_the_pose_of_a_grasp_is_typed_in_the_objects_frame(tab: Tab) -> None:
    tab.load()
    tab.rig.grasping.select("grasp_2")
    tab.refresh()
    before = tab.scene.grasps["grasp_2"]
    tab.set_pose("z", "0.125 ")
    after = tab.scene.grasps["grasp_2"]
    assert after.written.position.tolist() == [0.2, 0.0, 0.125]
    assert np.array_equal(after.written.wxyz, before.written.wxyz)
    tab.set_pose("x", "nowhere ")
    assert tab.scene.grasps["grasp_2"] is after
    assert "nowhere" in tab.rig.browser.told[-1][1]


def test_a_confidence_that_is_none_is_refused(tab: Tab) -> None:
    tab.load()
    tab.set("confidence", "2 ")
    tab.click("Add grasp")
    assert tab.scene.grasps["grasp_0"].confidence == 1.0
    assert "confidence" in tab.rig.browser.told[0][1]


def test_what_is_downloaded_reads_back_with_the_objects_place(tab: Tab) -> None:
    tab.load(name="a<b>/crate.isaac_grasp")
    tab.click("Download")
    ((name, content),) = tab.rig.browser.files
    assert name == "a_b_crate.yaml"
    read = read_grasps(content, name=name)
    assert list(read) == list(three_grasps())
    assert read.object_pose == at(0.4)
    assert grasp_file_name("..yaml") == "grasps.yaml"
    tab.click("Close")
    assert tab.scene is None
    tab.rig.session.undo()
    assert tab.scene is not None
