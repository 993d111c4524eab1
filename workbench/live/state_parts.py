"""Parts of ``/api/state`` beyond the plain robot: lists, streaming, why, and what is nearest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.config.limits import barrier_to_mapping, limit_to_mapping
from workbench.config.settings import Settings
from workbench.config.tasks import task_to_mapping
from workbench.ik.explanation import Explanation
from workbench.live.explainer import Explained
from workbench.live.grasping import GraspView, grasps_of
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState

Json = dict[str, object]


def number_or_null(value: float | None) -> float | None:
    """Return a number that JSON knows, or None for infinity, NaN and nothing."""
    return float(value) if value is not None and math.isfinite(value) else None


def numbers_or_null(values: NDArray[np.float64]) -> list[float | None]:
    """Return an array's numbers as :func:`number_or_null` does."""
    return [number_or_null(value) for value in values.tolist()]


def lists_part(settings: Settings) -> Json:
    """Return the lists of tasks, limits and barriers, as a session file has them."""
    return {
        "tasks": [task_to_mapping(spec) for spec in settings.tasks],
        "limits": [limit_to_mapping(spec) for spec in settings.limits],
        "barriers": [barrier_to_mapping(spec) for spec in settings.barriers],
        "named_poses": {name: dict(pose.positions) for name, pose in settings.named_poses.items()},
    }


def modes_part(state: SessionState, snapshot: StateSnapshot | None) -> Json:
    """Return what the modes add: bounds, buttons, command and measured positions by joint."""
    settings, controls = state.settings, state.controls
    view = None if snapshot is None else snapshot.streaming
    names = state.description.joint_names
    return {
        "solve_with": settings.solve_with,
        "playing": snapshot is not None and snapshot.playing,
        "streaming": {
            "state": None if view is None else view.state,
            "engaged": controls.engaged,
            "emergency_stop": controls.emergency_stop,
            "targets_stopped": controls.targets_stopped_at_s is not None,
            "command": _by_joint(names, None if view is None else view.command),
            "measured": _by_joint(names, None if view is None else view.measured),
            "at_velocity_step": [] if view is None else list(view.at_velocity_step),
            "at_tracking_window": [] if view is None else list(view.at_tracking_window),
            "at_margin": [] if view is None else list(view.at_margin),
            "config": settings.streaming.model_dump(),
        },
        "planning": settings.planning.model_dump(),
        "simulated_arm": settings.simulated_arm.model_dump(),
    }


def why_part(explained: Explained | None) -> Json | None:
    """Return why the arm does what it does; None where it was not explained (yet)."""
    if explained is None:
        return None
    explanation = explained.explanation
    return {
        "tick": explained.tick,
        "ok": explanation.status.ok,
        "words": explanation.words,
        "tasks": [
            {
                "name": task.name,
                "kind": task.kind,
                "share": number_or_null(task.share),
                "error": number_or_null(task.error),
                "lm_damping": number_or_null(task.lm_damping),
            }
            for task in explanation.tasks
        ],
        "limits": [
            {
                "name": limit.name,
                "quantity": limit.quantity,
                "side": limit.side,
                "force": number_or_null(limit.force),
                "words": limit.words,
            }
            for limit in explanation.limits
        ],
        "pulls": _pulls(explanation),
        "tikhonov_damping": number_or_null(explanation.tikhonov_damping),
        "lm_damping": number_or_null(explanation.lm_damping),
        "duals_from_solver": explanation.duals_from_solver,
    }


def grasps_part(state: SessionState, view: GraspView) -> Json:
    """Return the state of every grasp, by name, and which one is selected."""
    scene = state.settings.grasp_scene
    if scene is None:
        return {"grasps": {}, "selected_grasp": None, "grasp_object": None, "grasp_go": None}
    grasps, pose, go = grasps_of(scene), scene.transform_object_to_world, view.go
    return {
        "grasps": {
            name: {
                "state": grasp_state,
                "confidence": grasps[name].effective_confidence,
                "position_error_m": number_or_null(result and result.position_error_m),
                "orientation_error_rad": number_or_null(result and result.orientation_error_rad),
                "limiting_joint": result and result.limiting_joint,
            }
            for name, grasp_state in view.states(state).items()
            for result in (view.result(name),)
        },
        "selected_grasp": view.selected if view.selected in grasps else None,
        "grasp_object": {"position": pose.translation.tolist(), "wxyz": pose.wxyz.tolist()},
        "grasp_go": go and {"name": go.name, "phase": go.phase, "backwards": go.backwards},
    }


def closest_part(snapshot: StateSnapshot | None) -> Json | None:
    """Return the two links that are nearest each other; None where nobody watches."""
    pair = None if snapshot is None else snapshot.closest_pair
    if pair is None:
        return None
    return {
        "link_a": pair.link_a,
        "link_b": pair.link_b,
        "distance_m": number_or_null(pair.distance_m),
    }


def _pulls(explanation: Explanation) -> list[Json]:
    return [
        {
            "task": pull.task,
            "strength": number_or_null(pull.strength),
            "stuck": pull.stuck,
            "holders": [
                {
                    "name": holder.name,
                    "kind": holder.kind,
                    "share": number_or_null(holder.share),
                    "words": holder.words,
                }
                for holder in pull.holders
            ],
        }
        for pull in explanation.pulls
    ]


def _by_joint(
    names: tuple[str, ...], positions: NDArray[np.float64] | None
) -> dict[str, float | None] | None:
    if positions is None:
        return None
    return dict(zip(names, numbers_or_null(positions), strict=True))
