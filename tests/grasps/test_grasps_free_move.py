"""Ways between postures on which no links touch: straight, by way of home, or searched for."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest

from workbench.errors import GraspError
from workbench.grasps.free_move import FreeMoves
from workbench.grasps.touching import TouchingLinks
from workbench.model.collision import build_collision_model
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot

OPEN = [0.3, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5]
BEHIND = [-2.03, -1.2, 2.29, -2.87, 0.52, 0.07, 1.01]
BESIDE = [2.43, -0.8, 2.23, -2.76, -1.47, 2.88, -1.67]
"""Folded on two sides of the base: neither straight nor by way of home is free."""

FOLDED = [0.0, -0.5, 0.0, -3.0, 0.0, 0.2, 0.0]
"""The hand touches the base."""


@pytest.fixture(scope="module")
def panda() -> Robot:
    return load_robot(RobotRequest("panda"))


@pytest.fixture(scope="module")
def moves(panda: Robot) -> FreeMoves:
    return FreeMoves(panda)


@pytest.fixture(scope="module")
def touching(panda: Robot) -> TouchingLinks:
    return TouchingLinks(panda, build_collision_model(panda))


def named(robot: Robot, posture: list[float]) -> dict[str, float]:
    return dict(zip(robot.description.joint_names, posture, strict=True))


def postures(corners: tuple[Mapping[str, float], ...]) -> list[np.ndarray]:
    """Return postures along the way, closer together than the search looked."""
    rows = [np.array(list(corner.values())) for corner in corners]
    shares = np.linspace(0.0, 1.0, 400)
    return [start + share * (end - start) for start, end in pairwise(rows) for share in shares]


def test_a_way_that_is_free_is_straight(panda: Robot, moves: FreeMoves) -> None:
    start, end = dict(panda.description.home), named(panda, OPEN)
    assert moves(start, end, lambda: True) == (start, end)


def test_a_way_round_is_found_where_links_would_touch(
    panda: Robot, moves: FreeMoves, touching: TouchingLinks
) -> None:
    start, end = named(panda, BEHIND), named(panda, BESIDE)
    assert any(touching(posture) for posture in postures((start, end)))
    corners = moves(start, end, lambda: True)
    assert (corners[0], corners[-1]) == (start, end)
    assert 3 < len(corners) < 8
    # Between two postures that were looked at a hull may graze another by less than one step.
    assert sum(touching(posture) is not None for posture in postures(corners)) <= 4
    low = np.array([joint.lower for joint in panda.description.joints])
    high = np.array([joint.upper for joint in panda.description.joints])
    for corner in corners:
        assert (low <= list(corner.values())).all()
        assert (list(corner.values()) <= high).all()


def test_the_same_question_has_the_same_answer(panda: Robot, moves: FreeMoves) -> None:
    start, end = named(panda, BEHIND), named(panda, BESIDE)
    assert moves(start, end, lambda: True) == FreeMoves(panda)(start, end, lambda: True)


def test_links_that_touch_at_first_may_come_apart(panda: Robot, moves: FreeMoves) -> None:
    start, end = named(panda, FOLDED), named(panda, OPEN)
    assert moves(start, end, lambda: True)[-1] == end


def test_where_there_is_no_way_the_links_are_named(panda: Robot, moves: FreeMoves) -> None:
    with pytest.raises(GraspError, match=r"panda_\w+ and panda_\w+ would touch there"):
        moves(named(panda, OPEN), named(panda, FOLDED), lambda: True)


def test_a_search_ends_when_it_is_told_to(panda: Robot, moves: FreeMoves) -> None:
    looks = iter([True, False])
    with pytest.raises(GraspError, match=r"straight on, panda_\w+ and panda_\w+ do"):
        moves(named(panda, BEHIND), named(panda, BESIDE), lambda: next(looks))
    assert next(looks, None) is None


def test_a_joint_without_end_takes_the_shorter_way_round() -> None:
    kinova = load_robot(RobotRequest("kinova"))
    description = kinova.description
    turning = next(joint.name for joint in description.joints if joint.kind == "continuous")
    start = {**description.home, turning: 3.0}
    end = {**description.home, turning: -3.0}
    corners = FreeMoves(kinova)(start, end, lambda: True)
    assert corners[-1][turning] == pytest.approx(2 * np.pi - 3.0)
