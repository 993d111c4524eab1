"""The planner against a straight loop of ``pink.solve_ik`` that may take as many steps."""

from __future__ import annotations

import pytest

from tests.bare_models import PROFILES
from tests.peers.straight_loop import CONFIG, PLANNING, TARGETS, arm, recorded, steps_to_arrive
from workbench.ik.planning import Planner

TRIED_AGAIN = 3


def test_the_record_has_every_profile() -> None:
    assert set(recorded()) == set(PROFILES)
    assert all(len(steps) == TARGETS for steps in recorded().values())


@pytest.mark.parametrize("name", PROFILES)
def test_the_planner_arrives_at_least_as_often_as_a_straight_loop(name: str) -> None:
    """On 200 reachable targets of each arm, from home; hands of one robot all at once."""
    one = arm(name)
    planner = Planner(one.robot, CONFIG, PLANNING)
    straight = sum(steps is not None for steps in recorded()[name])
    arrived = 0
    for targets in one.targets():
        arrived += planner.plan(targets, one.robot.home).succeeded
        if arrived == straight:
            break  # it can only become more
    assert arrived == straight


@pytest.mark.parametrize("name", PROFILES)
def test_the_record_is_what_pink_does(name: str) -> None:
    one, steps = arm(name), recorded()[name]
    for targets, taken in list(zip(one.targets(), steps, strict=True))[:TRIED_AGAIN]:
        assert (steps_to_arrive(one.robot, targets) is None) == (taken is None)
