"""Simulated hardware between command and measured state; no Pink, no clock of its own.

A command is dropped or waits for its delay; the joints then follow it with a first-order lag and at
most at their velocity cap; the encoders add noise and round. With everything off the measured
positions are the command itself, bit by bit.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.poses import frozen_array

Vector = NDArray[np.float64]

_ROUNDING_S = 1e-9


class SimulatedArm:
    """An arm that follows commands imperfectly. Used by one thread at a time."""

    def __init__(
        self,
        positions: Vector,
        config: SimulatedArmConfig | None = None,
        continuous: NDArray[np.bool_] | None = None,
    ) -> None:
        """Start at rest.

        Args:
            positions: Where the joints are, rad or m, shape (n,).
            config: How imperfect it is; ideal by default.
            continuous: Which joints turn without end: they go the shorter way and are measured
                in (-pi, pi]; none by default. Shape (n,).
        """
        self._config = SimulatedArmConfig() if config is None else config
        self._random = np.random.default_rng(self._config.seed)
        size = len(positions)
        self._continuous = np.zeros(size, dtype=bool) if continuous is None else continuous
        self.place(positions)

    @property
    def config(self) -> SimulatedArmConfig:
        """How imperfect the arm is."""
        return self._config

    @property
    def positions(self) -> Vector:
        """Where the joints truly are, rad or m, shape (n,), read-only."""
        return self._positions

    @property
    def measured(self) -> Vector:
        """What the encoders say, rad or m, shape (n,), read-only; new with each step."""
        return self._measured

    def configure(self, config: SimulatedArmConfig) -> None:
        """Take over another imperfection; the joints stay where they are."""
        if config is self._config:
            return
        if config.seed != self._config.seed:
            self._random = np.random.default_rng(config.seed)
        self._config = config

    def place(self, positions: Vector) -> None:
        """Put the joints somewhere, at rest, and forget all commands.

        Raises:
            ValueError: If a position is not finite.
        """
        if not np.isfinite(positions).all():
            raise ValueError("an arm is at finite positions only")
        self._positions = frozen_array(positions)
        self.stop()
        self._measured = self._read_encoders()

    def stop(self) -> None:
        """Stand still where the joints are: what an emergency stop does."""
        self._goal = self._positions
        self._waiting: deque[tuple[float, Vector]] = deque()
        self._time_s = 0.0

    def step(self, command: Vector | None, dt: float) -> Vector:
        """Let time pass and return the new measured positions.

        Args:
            command: New command, rad or m, shape (n,); None for none: the arm goes on to the
                last one.
            dt: Time that passes, s.

        Raises:
            ValueError: If the command is not finite or the time is not positive and finite.
        """
        if not 0.0 < dt < math.inf:
            raise ValueError(f"time passes by a positive number of seconds, not {dt}")
        if command is not None:
            if not np.isfinite(command).all():
                raise ValueError("an arm is sent to finite positions only")
            if self._arrives():
                due_s = self._time_s + self._config.delay_s
                self._waiting.append((due_s, frozen_array(command)))
        while self._waiting and self._waiting[0][0] <= self._time_s + _ROUNDING_S:
            self._goal = self._waiting.popleft()[1]
        self._time_s += dt
        self._positions = self._follow(dt)
        self._measured = self._read_encoders()
        return self._measured

    def _arrives(self) -> bool:
        share = self._config.dropped_share
        return share == 0.0 or bool(self._random.random() >= share)

    def _follow(self, dt: float) -> Vector:
        config, goal = self._config, self._goal
        if config.time_constant_s == 0.0 and config.max_velocity_rad_s is None:
            return goal
        way = goal - self._positions
        way[self._continuous] = _wrapped(way[self._continuous])
        step = way
        if config.time_constant_s > 0.0:
            step = -np.expm1(-dt / config.time_constant_s) * way
        if config.max_velocity_rad_s is not None:
            largest = config.max_velocity_rad_s * dt
            step = np.minimum(np.maximum(step, -largest), largest)
        positions = np.where(step == way, goal, self._positions + step)
        positions[self._continuous] = _wrapped(positions[self._continuous])
        return frozen_array(positions)

    def _read_encoders(self) -> Vector:
        config = self._config
        if config.encoder_noise == 0.0 and config.encoder_resolution == 0.0:
            return self._positions
        reading = np.array(self._positions)
        if config.encoder_noise > 0.0:
            reading += self._random.normal(0.0, config.encoder_noise, len(reading))
        if config.encoder_resolution > 0.0:
            reading = np.round(reading / config.encoder_resolution) * config.encoder_resolution
        return frozen_array(reading)


def _wrapped(angles: Vector) -> Vector:
    """Return angles in [-pi, pi]; those that are there already stay bit by bit."""
    return np.where(np.abs(angles) <= np.pi, angles, np.arctan2(np.sin(angles), np.cos(angles)))
