"""The Isaac-shaped controller against ticks that Isaac Sim's own one computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.isaac import (
    JointState,
    PinkIKController,
    RobotState,
    SpatialState,
    load_pink_robot,
)
from workbench.model.packages import example_robot_data

RECORDS = sorted((Path(__file__).parent / "records" / "isaac_controller").glob("*.json"))


def replayed(record: dict[str, Any]) -> list[RobotState | None]:
    folder = example_robot_data()
    assert folder is not None
    joints, frame = record["joints"], record["tool_frame"]
    controller = PinkIKController(
        load_pink_robot(folder / "robots" / record["urdf"]), joints, [frame],
        tool_frame=frame, dt=record["dt"], **record["arguments"],
    )  # fmt: skip

    def at(positions: list[float]) -> RobotState:
        return RobotState(joints=JointState.from_name(joints, positions=(joints, positions)))

    assert controller.reset(at(record["q_start"]), None, 0.0)
    states = []
    for number, tick in enumerate(record["ticks"]):
        setpoint = None
        if tick["target"] is not None:
            wxyz = tick["target"]["wxyz"]
            setpoint = RobotState(
                sites=SpatialState.from_name(
                    [frame],
                    positions=([frame], [tick["target"]["position"]]),
                    orientations=None if wxyz is None else ([frame], [wxyz]),
                )
            )
        states.append(controller.forward(at(tick["estimated"]), setpoint, number * record["dt"]))
    return states


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_controller_computes_what_isaac_sims_own_one_does(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(path.read_text())
    tolerance = 1e-4 if record["arguments"].get("solver", "osqp") == "osqp" else 1e-5
    for number, (tick, state) in enumerate(zip(record["ticks"], replayed(record), strict=True)):
        assert state is not None and state.joints is not None
        assert state.joints.position_names == state.joints.velocity_names == record["joints"]
        assert state.joints.positions is not None and state.joints.velocities is not None
        worst = np.abs(state.joints.positions - np.array(tick["positions"])).max()
        assert worst <= tolerance, f"tick {number}"
        change = np.abs(state.joints.velocities - np.array(tick["velocities"])).max()
        assert change * record["dt"] <= tolerance, f"tick {number}"
    assert capfd.readouterr().err == ""
