from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live_fakes import at

from workbench.live.glide import DraggedTarget, Glide
from workbench.poses import Pose


def dragged(now_s: float, pose: Pose) -> dict[str, DraggedTarget]:
    return {"left": DraggedTarget(now_s, pose)}


def test_a_typed_target_is_there_at_once():
    glide = Glide()
    glide.targets(0.0, {"left": at(0.0)}, {})
    goal = at(1.0)
    assert glide.targets(0.01, {"left": goal}, {})["left"] is goal


def test_a_dragged_target_is_reached_50_ms_after_it_arrived():
    glide = Glide()
    glide.targets(0.0, {"left": at(0.0)}, {})
    goal = at(1.0)
    moved = dragged(0.0, goal)
    xs = [
        glide.targets(0.01 * tick, {"left": goal}, moved)["left"].translation[0]
        for tick in range(6)
    ]
    assert xs == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert glide.targets(0.05, {"left": goal}, moved)["left"] is goal


def test_orientation_glides_along_the_shortest_arc():
    glide = Glide()
    glide.targets(0.0, {"left": Pose()}, {})
    goal = Pose.from_xyz_rpy(np.zeros(3), np.array([0.0, 0.0, math.radians(90)]))
    moved = dragged(0.0, goal)
    halfway = glide.targets(0.025, {"left": goal}, moved)["left"]
    assert halfway.rpy == pytest.approx([0.0, 0.0, math.radians(45)])


def test_switched_off_a_drag_jumps():
    glide = Glide()
    glide.targets(0.0, {"left": at(0.0)}, {})
    goal = at(1.0)
    moved = dragged(0.0, goal)
    assert glide.targets(0.01, {"left": goal}, moved, enabled=False)["left"] is goal


def test_a_target_that_is_typed_while_it_glides_jumps_there():
    glide = Glide()
    glide.targets(0.0, {"left": at(0.0)}, {})
    glide.targets(0.02, {"left": at(1.0)}, dragged(0.0, at(1.0)))
    typed = at(-1.0)
    assert glide.targets(0.03, {"left": typed}, {})["left"] is typed


def test_frames_glide_on_their_own():
    glide = Glide()
    wanted = {"left": at(0.0), "right": at(5.0)}
    glide.targets(0.0, wanted, {})
    wanted["left"] = at(1.0)
    targets = glide.targets(0.025, wanted, dragged(0.0, wanted["left"]))
    assert targets["left"].translation[0] == pytest.approx(0.5)
    assert targets["right"] is wanted["right"]


def test_after_standing_still_it_sets_out_when_the_next_pose_arrives():
    glide = Glide()
    glide.targets(0.0, {"left": at(0.0)}, {})
    glide.targets(0.04, {"left": at(1.0)}, dragged(0.0, at(1.0)))
    later = glide.targets(0.09, {"left": at(2.0)}, dragged(0.08, at(2.0)))["left"]
    assert later.translation[0] == pytest.approx(1.2)


def test_an_even_drag_moves_evenly():
    """20 poses a second of a steady hand, 200 ticks a second: every tick moves the same way."""
    glide = Glide()
    glide.targets(0.0, {"left": at(0.0)}, {})
    xs = []
    for arrival in range(10):
        moved = dragged(0.05 * arrival, at(0.01 * (arrival + 1)))
        wanted = {"left": moved["left"].pose}
        for tick in range(10):
            target = glide.targets(0.05 * arrival + 0.005 * tick, wanted, moved)["left"]
            xs.append(target.translation[0])
    assert np.diff(xs) == pytest.approx(np.full(99, 0.001), abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(
    gaps=st.lists(st.floats(0.001, 0.3), min_size=1, max_size=12),
    rate=st.sampled_from([50, 100, 500]),
)
def test_it_is_never_more_than_50_ms_behind_and_never_jumps(gaps: list[float], rate: int):
    """However unevenly poses arrive: each is reached in time, at a speed that the hand had."""
    arrivals = np.cumsum([0.0, *gaps]).tolist()
    poses = [at(float(index % 2)) for index in range(1, len(arrivals) + 1)]
    glide = Glide()
    glide.targets(-0.01, {"left": at(0.0)}, {})
    previous = 0.0
    history = [DraggedTarget(*item) for item in zip(arrivals, poses, strict=True)]
    for tick in range(math.ceil((arrivals[-1] + 0.06) * rate) + 1):
        now_s = tick / rate
        newest = [item for item in history if item.arrived_at_s <= now_s][-1]
        x = glide.targets(now_s, {"left": newest.pose}, {"left": newest})["left"].translation[0]
        assert -1e-9 <= x <= 1 + 1e-9
        if now_s - newest.arrived_at_s >= 0.05:
            assert x == newest.pose.translation[0]
        assert abs(x - previous) <= 1 / rate / min([0.05, *gaps]) + 1e-6
        previous = x
