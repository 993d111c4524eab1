"""What a step costs on every robot: with Pink, with Pinker, and solved our fast way.

The three loops do the same with the same robot, tasks, limits, solver, start and moving targets,
as :mod:`tests.bench.loops` describes: forward kinematics, Jacobians and integration are in all.
The goal is on our time as a share of Pink's. Whether Pinker has the same problem as Pink is looked
up at each of the targets; where Pinker is not installed its columns stay empty.
"""

from __future__ import annotations

import importlib.util
import statistics
from typing import Any

import numpy as np
import pink
import pink.tasks
from pink.limits import ConfigurationLimit, VelocityLimit

from tests.bare_models import PROFILES, BareModel, bare_model
from tests.bench.loops import DT, Loop, bare_loop, circle, take_turns
from workbench.ik.bounds import JointBounds
from workbench.ik.fast import FastSolver

GOAL = 0.30
SAME_PROBLEM = 1e-9
TURNS = 20
HAS_PINKER = importlib.util.find_spec("pinker") is not None


def measure() -> list[dict[str, Any]]:
    """Return one row for each profile."""
    return [_row(name, bare_model(name)) for name in PROFILES]


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the same figures as the lines of a table, robot by robot."""
    line = "{:14} {:>3} {:>15} {:>5} {:>18} {:>18} {:>18} {:>9} {:>9} {:>6}"
    lines = [
        line.format(
            "robot", "nv", "max QP distance", "same", "Pink step (us)", "Pinker step (us)",
            "our step (us)", "Pinker %", "ours %", "goal",
        )
    ]  # fmt: skip
    for row in rows:
        peer = row["pinker"] is not None
        lines.append(
            line.format(
                row["robot"], row["nv"],
                f"{row['qp_distance']:.0e}" if peer else "",
                ("yes" if row["same_problem"] else "NO") if peer else "",
                _step(row["pink"]), _step(row["pinker"]) if peer else "", _step(row["ours"]),
                f"{100 * (row['pinker_ratio'] - 1):+.1f}" if peer else "",
                f"{100 * (row['value'] - 1):+.1f}", "met" if row["met"] else "MISSED",
            )
        )  # fmt: skip
    return lines


def _row(name: str, bare: BareModel) -> dict[str, Any]:
    lap = circle(bare.placements(bare.home_q))
    loops = {"pink": _pink_loop(bare, lap), "ours": _fast_loop(bare, lap)}
    distance: float | None = None
    if HAS_PINKER:
        loops["pinker"] = _pinker_loop(bare, lap)
        distance = _distance(bare, lap)
    seconds = take_turns(loops, TURNS)
    ratio = _ratio(seconds["ours"], seconds["pink"])
    return {
        "name": f"fast step against pink.solve_ik, {name}",
        "value": ratio,
        "unit": "x",
        "goal": GOAL,
        "met": ratio <= GOAL,
        "details": f"{1e6 * statistics.median(seconds['ours']):.0f} us of"
        f" {1e6 * statistics.median(seconds['pink']):.0f} us, {len(bare.frames)} frames",
        "robot": name,
        "nv": bare.model.nv,
        "pink": _spread(seconds["pink"]),
        "ours": _spread(seconds["ours"]),
        "pinker": _spread(seconds["pinker"]) if HAS_PINKER else None,
        "pinker_ratio": _ratio(seconds["pinker"], seconds["pink"]) if HAS_PINKER else None,
        "qp_distance": distance,
        "same_problem": None if distance is None else distance <= SAME_PROBLEM,
    }


def _pink_configuration(bare: BareModel) -> pink.Configuration:
    model = bare.model.copy()
    return pink.Configuration(model, model.createData(), bare.home_q)


def _pink_loop(bare: BareModel, lap: list[dict[str, Any]]) -> Loop:
    configuration = _pink_configuration(bare)
    model = configuration.model
    return bare_loop(
        pink.tasks, configuration, bare.config, lap, pink.solve_ik,
        limits=[ConfigurationLimit(model), VelocityLimit(model, bare.velocity_caps)],
    )  # fmt: skip


def _fast_loop(bare: BareModel, lap: list[dict[str, Any]]) -> Loop:
    configuration = _pink_configuration(bare)
    return bare_loop(
        pink.tasks, configuration, bare.config, lap, FastSolver().solve_ik,
        limits=[JointBounds(configuration.model, bare.velocity_caps)],
    )  # fmt: skip


def _pinker_loop(bare: BareModel, lap: list[dict[str, Any]]) -> Loop:
    import pinker
    import pinker.tasks

    from tests.peers.pinker_robot import pinker_model

    model = pinker_model(bare)
    return bare_loop(
        pinker.tasks, pinker.Configuration(model, model.create_data(), bare.home_q), bare.config,
        [_for_pinker(targets) for targets in lap], pinker.solve_ik,
    )  # fmt: skip


def _for_pinker(targets: dict[str, Any]) -> dict[str, Any]:
    from pinker.kinematics import SE3

    return {frame: SE3(place.rotation, place.translation) for frame, place in targets.items()}


def _distance(bare: BareModel, lap: list[dict[str, Any]]) -> float:
    """Return the largest difference of a number in Pink's QP and Pinker's, over all targets."""
    import pinker
    import pinker.tasks

    from tests.peers.pinker_robot import pinker_model

    config, model = bare.config, pinker_model(bare)
    ours = _pink_configuration(bare)
    limits = [ConfigurationLimit(ours.model), VelocityLimit(ours.model, bare.velocity_caps)]
    theirs = pinker.Configuration(model, model.create_data(), bare.home_q)
    largest = 0.0
    for targets in lap:
        problems = []
        pair: tuple[Any, Any] = (
            (pink.build_ik, pink.tasks, ours, targets, {"limits": limits}),
            (pinker.build_ik, pinker.tasks, theirs, _for_pinker(targets), {}),
        )
        for build_ik, library, configuration, placements, options in pair:
            tasks = []
            for frame, target in placements.items():
                tasks.append(
                    library.FrameTask(
                        frame, config.position_cost, config.orientation_cost,
                        lm_damping=config.lm_damping, gain=config.gain,
                    )
                )  # fmt: skip
                tasks[-1].set_target(target)
            problems.append(build_ik(configuration, tasks, DT, config.damping, **options))
        first, second = problems
        for one, other in ((first.P, second.P), (first.q, second.q), (first.h, second.h)):
            largest = max(largest, float(np.abs(one - other).max()))
    return largest


def _ratio(seconds: list[float], reference: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(seconds, reference, strict=True))


def _spread(seconds: list[float]) -> tuple[float, float]:
    """Return median and half the distance of the quartiles, in microseconds."""
    first, middle, third = statistics.quantiles(seconds, n=4)
    return 1e6 * middle, 0.5e6 * (third - first)


def _step(spread: tuple[float, float]) -> str:
    return f"{spread[0]:.1f} ± {spread[1]:.1f}"


if __name__ == "__main__":
    print("\n".join(table(measure())))
