"""What a controller of Isaac Sim's motion generation can do."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol, runtime_checkable

from workbench.isaac.states import RobotState


@runtime_checkable
class BaseController(Protocol):
    """A controller: reset once, then asked for the desired state at every step."""

    @abstractmethod
    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: Any,
    ) -> RobotState | None:
        """Return the desired state.

        Args:
            estimated_state: Where the robot is.
            setpoint_state: Where it shall go; None leaves that as it was.
            t: Time of the simulation, s.
            **kwargs: Whatever else a controller takes.

        Returns:
            What to command, or None for nothing.
        """
        ...

    @abstractmethod
    def reset(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: Any,
    ) -> bool:
        """Start from a state; returns whether that was possible."""
        ...
