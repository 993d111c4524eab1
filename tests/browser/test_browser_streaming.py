"""Stream to an arm that lags, stop it, and plan: all from the page, read in ``/api/state``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.page import Workbench
from tests.browser.served import serve

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
"""Made of boxes and cylinders: quick to draw without a graphics card."""

LAG_S = 5.0
WINDOW_RAD = 0.1745330
"""10 degrees, the default of ``max_command_tracking_error_deg``, rounded up."""


def choose_mode(page: Workbench, title: str) -> None:
    page.field("mode").click()
    page.page.get_by_role("option", name=title, exact=True).click()


def ahead_rad(state: dict[str, Any]) -> float:
    """Return by how much the command is ahead of the measured state; 0 without a command."""
    streaming = state["streaming"]
    command, measured = streaming["command"], streaming["measured"]
    if command is None or measured is None:
        return 0.0
    return max(abs(command[name] - measured[name]) for name in measured)


def test_streaming_to_a_lagging_arm_its_emergency_stop_and_a_plan(
    open_page: Callable[..., Workbench],
) -> None:
    with serve(ROBOT) as served:
        page = open_page(served)
        page.tab("Run")
        choose_mode(page, "streaming")
        state = served.wait_for(lambda state: state["streaming"]["state"] == "disengaged")
        assert state["mode"] == "streaming" and not state["streaming"]["engaged"]

        page.page.get_by_text("Simulated arm: ideal").click()
        page.set("time_constant_s", f"{LAG_S:g}")
        served.wait_for(lambda state: state["simulated_arm"]["time_constant_s"] == LAG_S)
        page.button("Engage").click()
        served.wait_for(lambda state: state["streaming"]["engaged"])
        expect(page.page.get_by_text("engaged", exact=False).first).to_be_visible()

        frame = list(state["tools"])[-1]
        z_m = state["tools"][frame]["target"]["position"][2] + 0.1
        page.tab("Tasks")
        page.set("z", f"{z_m:.3f}")
        state = served.wait_for(lambda state: ahead_rad(state) > 0.02)
        assert ahead_rad(state) < WINDOW_RAD

        # The stop is on the left as well, whatever tab is open.
        page.button("Emergency stop").first.click()
        state = served.wait_for(lambda state: state["streaming"]["state"] == "emergency_stop")
        assert state["streaming"]["emergency_stop"] and not state["streaming"]["engaged"]
        assert state["streaming"]["command"] is None
        assert served.state()["streaming"]["measured"] == state["streaming"]["measured"]

        page.tab("Run")
        page.button("Release the stop").click()
        state = served.wait_for(lambda state: state["streaming"]["state"] == "disengaged")
        assert not state["streaming"]["emergency_stop"] and not state["streaming"]["engaged"]
        assert not state["tools"][frame]["reached"]

        choose_mode(page, "planning")
        served.wait_for(lambda state: state["mode"] == "planning")
        page.button("Plan to the target").click()
        served.wait_for(
            lambda state: state["tools"][frame]["reached"] and not state["playing"],
            timeout_s=120.0,
        )
        expect(page.page.get_by_text("Planned in", exact=False)).to_be_visible()
