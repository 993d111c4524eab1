"""Status and Plots: what is said of arm, loop, robot and jobs."""

from __future__ import annotations

import math
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from tests.live.live_fakes import fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, handles, html_of, labelled, text_of
from workbench.config.profile_examples import ProfileExample
from workbench.ik.streaming_types import StreamingState
from workbench.live.autosave import Leftover
from workbench.live.snapshot import Status, StatusCode, StreamingView
from workbench.model.collision_pairs import ClosestPair
from workbench.model.description import Remark
from workbench.poses import frozen_array
from workbench.ui.panels.job_list import JobList
from workbench.ui.panels.joint_table import JointTable
from workbench.ui.panels.plots import BIN_S, WINDOW_S, PlotsPanel, curves_of
from workbench.ui.panels.status import StatusPanel
from workbench.ui.panels.words import tool_line


def test_the_joint_table_marks_a_joint_within_two_percent_of_a_limit(panel_rig: PanelRig) -> None:
    table = JointTable(panel_rig.context)
    panel_rig.session.set_paused(True)
    panel_rig.rig.engine.q[:] = [0.95, -0.961, 40.0]
    table.show(panel_rig.loop.step())
    rows = html_of(panel_rig).split("<tr")[1:]
    assert len(rows) == 3
    assert "bad" not in rows[0]
    assert "bad" in rows[1]
    assert "-961.0 mm" in rows[1]
    # A continuous joint is at no limit, however far it has turned.
    assert "bad" not in rows[2]
    assert f"{math.degrees(40.0):.1f}°" in rows[2]
    assert "40.000 rad" in rows[2]


def test_text_that_does_not_change_is_not_sent_again(
    panel_rig: PanelRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = JointTable(panel_rig.context)
    snapshot = panel_rig.loop.step()
    table.show(snapshot)
    sent: list[object] = []
    monkeypatch.setattr(panel_rig.gui._websock_interface, "queue_message", sent.append)
    table.show(snapshot)
    assert sent == []
    panel_rig.rig.engine.q[:] = 0.5
    table.show(panel_rig.loop.step())
    assert len(sent) == 1


def test_the_status_says_cause_and_remedy(panel_rig: PanelRig) -> None:
    panel = StatusPanel(panel_rig.context)
    snapshot = panel_rig.loop.step()
    status = replace(
        snapshot.status, code="infeasible", text="no <motion> fits", remedy="raise the limits",
        consecutive_failures=7,
    )  # fmt: skip
    panel.show(replace(snapshot, status=status))
    shown = html_of(panel_rig).replace("&#32;", " ")
    for text in ("No solution", "no &#60;motion&#62; fits", "raise the limits", "7 ticks in a row"):
        assert text in shown


def test_the_status_does_not_say_twice_that_the_arm_oscillates(panel_rig: PanelRig) -> None:
    panel = StatusPanel(panel_rig.context)
    snapshot = panel_rig.loop.step()
    status = replace(
        snapshot.status, code="not_reached", text="oscillating at its reach: raise lm_damping",
        oscillating=True,
    )  # fmt: skip
    panel.show(replace(snapshot, status=status))
    shown = html_of(panel_rig).replace("&#32;", " ")
    assert shown.casefold().count("oscillating at its reach") == 1
    assert "raise" in shown


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ("disengaged", "Disengaged"),
        ("emergency_stop", "Emergency stop"),
        ("preempted", "Moved by something else"),
    ],
)
def test_one_glance_tells_a_stop_from_a_pause(
    panel_rig: PanelRig, state: StreamingState, title: str
) -> None:
    panel_rig.session.edit(None, lambda settings: replace(settings, mode="streaming"))
    if state == "emergency_stop":
        panel_rig.session.press_emergency_stop()
    panel = StatusPanel(panel_rig.context)
    quiet = replace(
        panel_rig.loop.step(), mode="streaming", status=Status("paused", "no command"),
        streaming=StreamingView(state, None, None),
    )  # fmt: skip
    panel.show(quiet)
    assert f"● {title}</b>" in text_of(panel_rig).replace("</span>", "")
    # A pause that somebody pressed is one, but nothing hides the emergency stop.
    panel.show(replace(quiet, paused=True))
    stays = title if state == "emergency_stop" else "Paused"
    assert f"● {stays}</b>" in text_of(panel_rig).replace("</span>", "")


@pytest.mark.parametrize(
    ("code", "word"), [("converging", "on its way"), ("paused", "away"), ("infeasible", "away")]
)
def test_nothing_is_on_its_way_while_the_arm_stands_still(
    panel_rig: PanelRig, code: StatusCode, word: str
) -> None:
    snapshot = panel_rig.loop.step()
    tool = replace(snapshot.tools[0], enabled=True, code="converging")
    line = tool_line(tool, replace(snapshot, status=replace(snapshot.status, code=code)))
    assert line.endswith(f" {word}")


def test_nothing_is_called_reached_where_no_target_is_on(panel_rig: PanelRig) -> None:
    panel = StatusPanel(panel_rig.context)
    panel_rig.session.edit(
        None,
        lambda settings: replace(
            settings,
            targets={
                name: replace(target, enabled=False) for name, target in settings.targets.items()
            },
        ),
    )
    panel.show(panel_rig.loop.step())
    assert "No target" in text_of(panel_rig) and "Reached" not in text_of(panel_rig)


def test_the_closest_links_are_told_where_no_mesh_hides_them(panel_rig: PanelRig) -> None:
    panel = StatusPanel(panel_rig.context)
    snapshot = panel_rig.loop.step()
    ends = frozen_array([0.0, 0.0, 0.0])
    panel.show(replace(snapshot, closest_pair=ClosestPair("a<b", "hand_link", 0.0123, ends, ends)))
    assert "a<b to hand_<wbr>link" in text_of(panel_rig) and "12.3 mm" in text_of(panel_rig)
    panel.show(snapshot)
    assert "12.3 mm" not in text_of(panel_rig)


def test_a_fault_shows_its_traceback_and_a_way_on(panel_rig: PanelRig) -> None:
    panel = StatusPanel(panel_rig.context)
    restart = labelled(panel_rig.gui, "Restart the loop")
    assert not restart.visible
    panel_rig.rig.engine.raises = RuntimeError("<b>broken</b>")
    panel.show(panel_rig.loop.step())
    assert restart.visible
    assert "RuntimeError" in html_of(panel_rig)
    assert "<b>broken" not in html_of(panel_rig)
    panel_rig.browser.click(restart)
    assert panel_rig.restarts == 1
    panel_rig.rig.engine.raises = None
    panel_rig.loop.restart()
    panel.show(panel_rig.loop.step())
    assert not restart.visible


def test_remarks_of_the_robot_are_shown_as_text(panel_rig: PanelRig) -> None:
    bundle = fake_bundle("crane")
    remark = Remark("missing_mesh", "<iframe> is missing", "warning", "hook")
    bundle = replace(bundle, description=replace(bundle.description, remarks=(remark,)))
    panel = StatusPanel(panel_rig.context)
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    assert "&#60;iframe&#62;" in html_of(panel_rig)
    assert "<iframe" not in html_of(panel_rig)


def test_a_session_that_was_left_behind_is_told_until_it_is_open(panel_rig: PanelRig) -> None:
    panel_rig.keeper.left_behind = (leftover := Leftover(Path("session-1.workbench.yaml"), 0.0),)
    panel = StatusPanel(panel_rig.context)
    assert "was not ended cleanly. <i>File</i> restores it." in unescape(html_of(panel_rig))
    panel_rig.keeper.forget(leftover)
    panel.refresh(panel_rig.session.state)
    assert "ended cleanly" not in unescape(html_of(panel_rig))


def test_an_example_is_named_with_its_robot(panel_rig: PanelRig) -> None:
    bundle = fake_bundle("walker")
    example = ProfileExample("standing", "Standing on both feet")
    bundle = replace(bundle, description=replace(bundle.description, example=example))
    panel = StatusPanel(panel_rig.context)
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    assert "Example: Standing on both feet" in text_of(panel_rig)


def test_a_running_job_shows_and_can_be_stopped(panel_rig: PanelRig) -> None:
    panel = JobList(panel_rig.context)
    seen: list[bool] = []
    panel_rig.jobs.submit("Loading <panda>", lambda control: seen.append(control.cancelled))
    panel.refresh(panel_rig.session.state)
    assert "Loading&#32;&#60;panda&#62;" in html_of(panel_rig)
    button = next(
        one for one in handles(panel_rig.gui)
        if getattr(one, "label", "") == "Cancel" and one.visible
    )  # fmt: skip
    panel_rig.browser.click(button)
    panel_rig.run_jobs()
    panel.refresh(panel_rig.session.state)
    assert seen == [True]
    assert not button.visible


def test_a_plot_keeps_the_largest_number_of_every_tenth_of_a_second(panel_rig: PanelRig) -> None:
    records = panel_rig.loop.records
    for tick in range(1001):
        tick_time_s = 0.02 if tick == 995 else 0.001
        records.append(
            100.0 + 0.01 * tick, 0.5 if tick == 903 else 1e-3, math.nan, tick_time_s, 0.01
        )
    curves = curves_of(records.last(seconds=WINDOW_S))
    assert len(curves.age_s) == round(WINDOW_S / BIN_S)
    assert curves.age_s[-1] == 0.0
    assert curves.position_error_mm[-11] == pytest.approx(500.0)
    assert curves.position_error_mm[-12] == pytest.approx(1.0)
    assert curves.tick_time_ms[-2] == pytest.approx(20.0)
    # Nothing is known of the time before the first tick, nor of an error without a target.
    assert np.isnan(curves.position_error_mm[: -round(10.0 / BIN_S) - 1]).all()
    assert np.isnan(curves.orientation_error_deg).all()


def test_a_plot_is_sent_again_only_after_a_tick(
    panel_rig: PanelRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = PlotsPanel(panel_rig.context)
    panel_rig.loop.step()
    panel.draw()
    sent: list[object] = []
    monkeypatch.setattr(panel_rig.gui._websock_interface, "queue_message", sent.append)
    panel.draw()
    assert sent == []
    panel_rig.rig.clock.advance(0.01)
    panel_rig.loop.step()
    panel.draw()
    assert len(sent) == 2


def test_zero_has_a_place_on_the_logarithmic_plot(panel_rig: PanelRig) -> None:
    panel = PlotsPanel(panel_rig.context)
    panel_rig.loop.records.append(100.0, 0.0, 0.0, 1e-3, 0.01)
    panel.draw()
    assert panel._errors.data[1][-1] > 0.0
    panel_rig.browser.set(labelled(panel_rig.gui, "log scale"), False)
    assert panel._errors.data[1][-1] == 0.0


@pytest.mark.parametrize("logarithmic", [True, False])
def test_a_pause_of_the_loop_is_neither_an_error_of_zero_nor_the_end_of_a_plot(
    panel_rig: PanelRig, logarithmic: bool
) -> None:
    panel = PlotsPanel(panel_rig.context)
    panel_rig.browser.set(labelled(panel_rig.gui, "log scale"), logarithmic)
    for time_s in (100.0, 103.0):
        panel_rig.loop.records.append(time_s, 0.8, 0.1, 1e-3, 0.01)
    panel.draw()
    age_s, position_mm, orientation_deg = panel._errors.data
    assert age_s == pytest.approx([-3.0, 0.0])
    assert position_mm == pytest.approx([800.0, 800.0])
    assert orientation_deg == pytest.approx(np.degrees([0.1, 0.1]))
    assert panel._ticks.data[1] == pytest.approx([1.0, 1.0])
