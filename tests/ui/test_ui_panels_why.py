"""Why, and the health of the solvers, as the page says them."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

from tests.ui.panel_rig import PanelRig
from workbench.ik.explanation import ActiveLimit, Explanation, Holder, Pull, TaskShare
from workbench.ik.health_table import HealthRow, HealthTable
from workbench.ik.types import SolveStatus
from workbench.live.explainer import Explained
from workbench.ui.panels.health import HealthPanel, health_block
from workbench.ui.panels.why import WhyPanel, why_block

LIMIT = ActiveLimit("joint x", "position", "upper", 2.0)
EXPLANATION = Explanation(
    tasks=(TaskShare("left", "frame", 0.75, 0.1, 0.2), TaskShare("posture", "posture", 0.25, 0, 0)),
    limits=(LIMIT,),
    pulls=(Pull("left", 1.0, (Holder("joint x", "limit", 1.0, LIMIT.words),)),),
    lm_damping=0.1,
)


def test_shares_are_a_bar_and_a_list_and_what_holds_is_in_words() -> None:
    html = unescape(why_block(EXPLANATION))
    assert "width:75.0%" in html and "width:25.0%" in html
    assert "left</td>" in html and "75 %" in html
    assert "joint x at its upper limit holds 100 %." in html
    assert "LM damping in effect 0.1" in html


def test_a_robot_at_its_targets_has_nothing_to_explain() -> None:
    content = tuple(replace(task, error=1e-9) for task in EXPLANATION.tasks)
    html = why_block(Explanation(tasks=content, lm_damping=1e-30))
    assert "has what it asks for" in html
    assert "width" not in html and "LM damping" not in html


def test_names_are_text_wherever_they_stand() -> None:
    evil = '<img src=x onerror="alert(1)">'
    hostile = replace(
        EXPLANATION,
        tasks=(TaskShare(evil, "frame", 1.0, 0.0, 0.1),),
        pulls=(Pull(evil, 1.0, (Holder(evil, "limit", 1.0, evil),)),),
    )
    assert "<img" not in why_block(hostile)
    assert 'onerror="' not in why_block(hostile)


def test_nothing_is_said_of_a_step_that_was_not_solved_or_of_another_robot(
    panel_rig: PanelRig,
) -> None:
    assert why_block(Explanation(status=SolveStatus("infeasible", "no", ""))) == ""
    panel = WhyPanel(panel_rig.context)
    snapshot = panel_rig.loop.step()
    panel.show(snapshot)
    assert not panel._html.visible
    panel_rig.explained = Explained(snapshot.epoch, snapshot.tick, EXPLANATION)
    panel.show(snapshot)
    assert panel._html.visible
    panel_rig.explained = Explained(snapshot.epoch + 1, 1, EXPLANATION)
    panel.show(snapshot)
    assert not panel._html.visible


def test_many_tasks_are_summed_up() -> None:
    many = tuple(TaskShare(f"task {n}", "frame", 0.1, 0.0, 0.1) for n in range(10))
    html = why_block(Explanation(tasks=many))
    assert "4 more" in html and "40 %" in html


def test_the_check_runs_as_a_job_and_warns_of_the_solver_in_use(panel_rig: PanelRig) -> None:
    panel = HealthPanel(panel_rig.context)
    panel_rig.session.edit(
        None, lambda old: replace(old.with_kinematics(solver="proxqp"), rate_hz=500.0)
    )
    panel_rig.browser.click(panel._check)
    panel.refresh(panel_rig.session.state)
    assert panel._check.label == "Cancel the check"
    panel_rig.run_jobs()
    panel.refresh(panel_rig.session.state)
    assert panel._check.label == "Check the solvers"
    assert "proxqp failed in 7 of 500 ticks at 500 Hz" in unescape(panel._html.content)
    assert any("does not do well" in title for title, _body in panel_rig.browser.told)
    panel_rig.session.edit(None, lambda old: old.with_kinematics(solver="daqp"))
    panel.refresh(panel_rig.session.state)
    assert "▲" not in panel._html.content


def test_a_second_click_cancels(panel_rig: PanelRig) -> None:
    panel = HealthPanel(panel_rig.context)
    panel_rig.browser.click(panel._check)
    panel_rig.browser.click(panel._check)
    panel_rig.run_jobs()
    panel.refresh(panel_rig.session.state)
    assert not panel._html.visible


def test_a_check_that_was_ended_early_says_so() -> None:
    assert "ended early" in health_block(HealthTable((), complete=False), "daqp", 100.0)


def test_a_large_difference_is_told_without_an_exponent() -> None:
    for difference, told in ((1.3, "1300"), (0.0123, "12"), (1e-9, "1e-06"), (0.0, "0")):
        row = HealthRow("osqp", 100.0, 500, 0, "", 1.0, 2.0, difference)
        assert f">{told}<" in unescape(health_block(HealthTable((row,), True), "daqp", 100.0))
