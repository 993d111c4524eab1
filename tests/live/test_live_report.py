from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from live_fakes import Rig, at, fake_bundle, start_settings

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.live.jobs import JobState
from workbench.live.loop import Loop
from workbench.live.report import loading_document, report_text, state_document
from workbench.poses import frozen_array

CODES = {
    "ok", "converging", "not_reached", "solver_failed", "infeasible", "target_invalid",
    "outside_limits", "stale_target", "paused", "fault", "loading",
}  # fmt: skip


@pytest.fixture
def rig() -> Rig:
    return Rig()


def strict_json(document: object) -> dict:
    """Through JSON and back; NaN and infinity are refused."""
    return json.loads(json.dumps(document, allow_nan=False))


def test_the_state_document_has_everything_that_was_promised(rig: Rig):
    loop = Loop(rig.session, now_utc=rig.clock.utc)
    rig.type_target(at(0.5, 0.25))
    rig.clock.advance(0.01)
    snapshot = loop.step()
    document = strict_json(state_document(rig.session.state, snapshot))
    assert document["robot"] == "gantry"
    assert document["mode"] == "live"
    assert document["rate_hz"] == 100
    assert document["paused"] is False
    assert document["tick"] == 1
    assert document["settings_version"] == rig.session.state.version
    status = document["status"]
    assert status["ok"] is True
    assert status["code"] == "converging"
    assert "left is" in status["text"]
    assert status["consecutive_failures"] == 0
    assert list(document["config"]) == list(PinkKinematicsConfig.model_fields)
    assert document["config"]["gain"] == 0.5
    assert document["joints"]["x"] == {
        "position": 0.25, "velocity": 25.0, "lower": -1.0, "upper": 1.0,
    }  # fmt: skip
    assert document["joints"]["z"]["lower"] is None
    left = document["tools"]["left"]
    assert left["position"] == [0.25, 0.125, 0.0]
    assert left["wxyz"] == [1.0, 0.0, 0.0, 0.0]
    assert left["target"] == {"position": [0.5, 0.25, 0.0], "wxyz": [1.0, 0.0, 0.0, 0.0]}
    assert left["position_error_m"] == pytest.approx(math.hypot(0.25, 0.125))
    assert left["orientation_error_rad"] == 0.0
    assert left["reached"] is False
    right = document["tools"]["right"]
    assert right["position"] == [0.25, -0.875, 0.0]
    assert right["target"]["position"] == [0.0, -1.0, 0.0]
    assert right["reached"] is None
    assert right["position_error_m"] is None


def test_before_the_first_tick_the_code_is_loading_and_numbers_are_null(rig: Rig):
    document = strict_json(state_document(rig.session.state, None))
    assert document["status"]["code"] == "loading"
    assert document["status"]["ok"] is False
    assert document["joints"]["x"]["position"] is None
    assert document["tools"]["left"]["position"] is None
    assert document["tools"]["left"]["target"]["position"] == [0.0, 0.0, 0.0]


def test_a_snapshot_of_another_robot_counts_as_none(rig: Rig):
    snapshot = Loop(rig.session).step()
    bundle = fake_bundle("other")
    rig.session.replace_bundle(bundle, start_settings(bundle))
    document = strict_json(state_document(rig.session.state, snapshot))
    assert document["robot"] == "other"
    assert document["status"]["code"] == "loading"
    assert document["previous_robot"] == "gantry"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(rig: Rig, number: float):
    snapshot = Loop(rig.session).step()
    tool = snapshot.tools[0]
    broken = replace(
        snapshot,
        positions=frozen_array([number, 0.0, 0.0]),
        velocities=frozen_array(np.full(3, number)),
        tools=(replace(tool, result=replace(tool.result, position_error_m=number)),),
        timing=replace(snapshot.timing, tick_p99_s=number),
    )
    document = strict_json(state_document(rig.session.state, broken))
    assert document["joints"]["x"]["position"] is None
    assert document["joints"]["x"]["velocity"] is None
    assert document["tools"]["left"]["position_error_m"] is None
    assert document["tools"]["right"]["position"] is None
    assert document["timing"]["tick_p99_s"] is None


def test_before_any_robot_the_document_says_what_is_being_loaded():
    document = strict_json(loading_document("Franka Panda"))
    assert document["status"] == {
        "ok": False, "code": "loading", "text": "loading Franka Panda", "remedy": "",
        "consecutive_failures": 0, "oscillating": False,
    }  # fmt: skip
    assert document["robot"] is None


def test_both_documents_have_the_same_promised_keys(rig: Rig):
    promised = {
        "robot", "mode", "rate_hz", "paused", "tick", "settings_version", "status", "config",
        "joints", "tools",
    }  # fmt: skip
    assert promised <= loading_document("x").keys()
    assert promised <= state_document(rig.session.state, None).keys()


def test_the_document_tells_undo_unsaved_drags_and_held_joints(rig: Rig):
    rig.set_gain(0.3)
    rig.session.edit(None, lambda settings: replace(settings, held_joints={"y": 0.25}))
    rig.session.begin_drag("left", 7)
    document = strict_json(state_document(rig.session.state, Loop(rig.session).step()))
    assert document["undo"] == "hold y"
    assert document["redo"] is None
    assert document["unsaved"] is True
    assert document["held_joints"] == {"y": 0.25}
    assert document["dragged"] == {"left": 7}
    assert document["timing"]["missed"] == 0


def test_a_fault_and_a_pause_have_their_codes(rig: Rig):
    loop = Loop(rig.session, now_utc=rig.clock.utc)
    rig.session.set_paused(True)
    document = strict_json(state_document(rig.session.state, loop.step()))
    assert (document["status"]["code"], document["status"]["ok"]) == ("paused", True)
    rig.engine.raises = ZeroDivisionError("by nothing")
    document = strict_json(state_document(rig.session.state, loop.step()))
    assert (document["status"]["code"], document["status"]["ok"]) == ("fault", False)
    assert "ZeroDivisionError" in document["fault"]
    assert {"fault", "paused"} <= CODES


def test_the_report_has_versions_robot_settings_changes_and_faults(rig: Rig):
    loop = Loop(rig.session, now_utc=rig.clock.utc)
    rig.set_gain(0.3)
    loop.step()
    rig.engine.raises = ZeroDivisionError("by nothing")
    loop.step()
    text = report_text(rig.session, faults=loop.faults)
    for expected in (
        "python: 3.",
        "pin-pink: 4.",
        "name: gantry",
        "URDF SHA-256: sha of gantry",
        "tool frames: left, right",
        "gain: 0.3",
        "rate: 100 Hz",
        "gain: 0.5 -> 0.3",
        "fault: stopped by an error of the program",
        "ZeroDivisionError: by nothing",
        "2030-01-01",
    ):
        assert expected in text


def test_the_report_can_be_made_before_the_first_tick(rig: Rig):
    text = report_text(rig.session, versions={"ik-workbench": "1.2.3"})
    assert "ik-workbench: 1.2.3" in text
    assert "no tick yet" in text
    assert "Last faults\n  none" in text


def test_the_report_has_the_jobs_that_failed(rig: Rig):
    jobs = (
        JobState(1, "robot", "Loading ur5", "failed", error="ur5.urdf: is not there"),
        JobState(2, "solve", "Solving", "failed", error="KeyError: 3", fault="Traceback\n  deep"),
        JobState(3, "export", "Exporting", "done"),
    )
    text = report_text(rig.session, jobs=jobs)
    assert "Loading ur5: ur5.urdf: is not there" in text
    assert "Solving: KeyError: 3\n  Traceback\n    deep" in text
    assert "Exporting" not in text
