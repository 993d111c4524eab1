"""A real mouse takes a gizmo on the canvas; the arm is where the target is afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.browser.page import Camera, Workbench
from tests.browser.served import serve

pytestmark = pytest.mark.browser

DISTANCES_M = {"panda": 0.08, "ur5": 0.08, "xarm7": -0.08}


@pytest.mark.parametrize("robot", DISTANCES_M)
def test_the_tool_follows_a_gizmo_that_is_dragged_with_the_mouse(
    robot: str, open_page: Callable[..., Workbench]
) -> None:
    distance_m = DISTANCES_M[robot]
    with serve(robot) as served:
        before = served.wait_for(lambda state: state["status"]["code"] == "ok")
        (frame, tool) = next(iter(before["tools"].items()))
        start = np.array(tool["target"]["position"])
        camera = Camera(
            position=(start + np.array([1.1, 0.7, 0.35])).tolist(), look_at=start.tolist()
        )
        page = open_page(served, camera=camera)
        arrow = page.drag(frame, distance_m)

        def arrived(state: dict) -> bool:
            tool = state["tools"][frame]
            moved = np.linalg.norm(np.array(tool["target"]["position"]) - start)
            return bool(moved > 0.5 * abs(distance_m) and tool["reached"])

        after = served.wait_for(arrived)["tools"][frame]
        moved = np.array(after["target"]["position"]) - start
        off_axis = moved - (moved @ arrow) * arrow
        assert (moved @ arrow) * distance_m > 0
        assert np.linalg.norm(off_axis) < 1e-6
        assert after["position_error_m"] < 2e-3
        assert after["orientation_error_rad"] < math.radians(1.0)
        tool_position = np.array(after["position"])
        assert np.linalg.norm(tool_position - after["target"]["position"]) < 2e-3
