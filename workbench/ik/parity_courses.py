"""The targets that Pink and Pinker are compared on: a step, a circle, a random walk."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.poses import Pose, wxyz_from_rotation_vector

STEP_M = 0.05
STEP_RAD = 0.2
CIRCLE_RADIUS_M = 0.04
WALK_M = 0.03
WALK_RAD = 0.1
"""Standard deviation of each coordinate of a random walk after a second."""

Targets = Mapping[str, Pose]


@dataclass(frozen=True, eq=False)
class Course:
    """Targets, tick by tick.

    Attributes:
        name: What it is.
        targets: Target of every tool frame in the world, for each tick.
    """

    name: str
    targets: tuple[Targets, ...]


def courses(starts: Targets, ticks: int, dt: float, seed: int) -> tuple[Course, ...]:
    """Return the three courses from where the tools are.

    Args:
        starts: Pose of each tool frame in the world at the start.
        ticks: Length of each course.
        dt: Length of a tick, s.
        seed: Seed of the random walk; the same gives the same.
    """
    return (
        Course("step", (_step(starts),) * ticks),
        Course("circle", tuple(_circle(starts, ticks))),
        Course("random walk", tuple(_random_walk(starts, ticks, dt, seed))),
    )


def _step(starts: Targets) -> Targets:
    """Move every target aside at once, and turn it."""
    diagonal = np.ones(3) / math.sqrt(3.0)
    shift = STEP_M * diagonal * np.array([1.0, 1.0, -1.0])
    return {frame: _moved(start, shift, STEP_RAD * diagonal) for frame, start in starts.items()}


def _circle(starts: Targets, ticks: int) -> Iterator[Targets]:
    """Lead every target once round an upright circle."""
    for tick in range(1, ticks + 1):
        angle = 2.0 * math.pi * tick / ticks
        shift = CIRCLE_RADIUS_M * np.array([0.0, math.sin(angle), 1.0 - math.cos(angle)])
        yield {frame: _moved(start, shift, np.zeros(3)) for frame, start in starts.items()}


def _random_walk(starts: Targets, ticks: int, dt: float, seed: int) -> Iterator[Targets]:
    """Let every target wander and turn, each its own way."""
    random = np.random.default_rng(seed)
    places = dict(starts)
    for _ in range(ticks):
        for frame, place in places.items():
            shift, turn = math.sqrt(dt) * random.standard_normal((2, 3))
            places[frame] = _moved(place, WALK_M * shift, WALK_RAD * turn)
        yield dict(places)


def _moved(pose: Pose, shift: np.ndarray, turn: np.ndarray) -> Pose:
    """Return a pose shifted along the world's axes, m, and turned about its own, rad."""
    turned = pose @ Pose(np.zeros(3), wxyz_from_rotation_vector(turn))
    return Pose(pose.translation + shift, turned.wxyz)
