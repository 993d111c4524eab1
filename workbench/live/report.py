"""What a session looks like from outside: the JSON of ``/api/state``, and the text of a report."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

from workbench.live.change import value_text
from workbench.live.changes import differences
from workbench.live.explainer import Explained
from workbench.live.grasping import GraspView
from workbench.live.jobs import JobState
from workbench.live.loop import Fault
from workbench.live.session import Session
from workbench.live.snapshot import StateSnapshot, ToolState
from workbench.live.state import SessionState
from workbench.live.state_parts import (
    closest_part,
    grasps_part,
    lists_part,
    modes_part,
    number_or_null,
    numbers_or_null,
    why_part,
)
from workbench.live.versions import package_versions
from workbench.model.description import RobotDescription
from workbench.poses import Pose

Json = dict[str, object]


def loading_document(title: str) -> Json:
    """Return the state while there is no robot at all yet: everything is null.

    Args:
        title: Robot that is being loaded.
    """
    return {
        "robot": None,
        "mode": None,
        "rate_hz": None,
        "paused": None,
        "tick": None,
        "settings_version": None,
        "status": _status(None, f"loading {title}"),
        "config": None,
        "joints": {},
        "tools": {},
        "epoch": None,
        "loading": title,
    }


def state_document(
    state: SessionState,
    snapshot: StateSnapshot | None,
    explained: Explained | None = None,
    grasps: GraspView | None = None,
) -> Json:
    """Return what ``/api/state`` answers: plain JSON values, null where there is no number.

    Args:
        state: The session's state.
        snapshot: The newest snapshot; one of another robot counts as none.
        explained: Why the arm does what it does; None where that is not known.
        grasps: Which grasp is looked at and what was found; None for nothing.
    """
    if snapshot is not None and snapshot.epoch != state.epoch:
        snapshot = None
    settings, description = state.settings, state.description
    return {
        "robot": description.name,
        "mode": settings.mode,
        "rate_hz": settings.rate_hz if snapshot is None else number_or_null(snapshot.rate_hz),
        "paused": state.paused,
        "tick": 0 if snapshot is None else snapshot.tick,
        "settings_version": state.version if snapshot is None else snapshot.settings_version,
        "status": _status(snapshot, f"loading {description.title}"),
        "config": settings.kinematics.model_dump(),
        "joints": _joints(description, snapshot),
        "tools": _tools(state, snapshot),
        "epoch": state.epoch,
        "title": description.title,
        "latest_settings_version": state.version,
        "set_rate_hz": settings.rate_hz,
        "glide": settings.glide,
        "held_joints": dict(settings.held_joints),
        "velocity_caps": dict(settings.velocity_caps),
        "home": dict(settings.home),
        "undo": state.undo_label,
        "redo": state.redo_label,
        "unsaved": state.unsaved,
        "config_changed_at": state.config_changed_at.isoformat(),
        "dragged": {frame: client for frame, client in state.drags.items()},
        "loading": state.loading,
        "previous_robot": state.previous_robot,
        **lists_part(settings),
        **modes_part(state, snapshot),
        "closest_pair": closest_part(snapshot),
        "why": why_part(explained),
        **grasps_part(state, grasps or GraspView()),
        "timing": _timing(snapshot),
        "fault": None if snapshot is None else snapshot.fault,
    }


def _status(snapshot: StateSnapshot | None, loading_text: str) -> Json:
    if snapshot is None:
        return {
            "ok": False, "code": "loading", "text": loading_text, "remedy": "",
            "consecutive_failures": 0, "oscillating": False,
        }  # fmt: skip
    status = snapshot.status
    return {
        "ok": status.ok,
        "code": status.code,
        "text": status.text,
        "remedy": status.remedy,
        "consecutive_failures": status.consecutive_failures,
        "oscillating": status.oscillating,
    }


def _joints(description: RobotDescription, snapshot: StateSnapshot | None) -> Json:
    count = len(description.joints)
    unknown: list[float | None] = [None] * count
    positions = unknown if snapshot is None else numbers_or_null(snapshot.positions)
    velocities = unknown if snapshot is None else numbers_or_null(snapshot.velocities)
    return {
        joint.name: {
            "position": position,
            "velocity": velocity,
            "lower": number_or_null(joint.lower),
            "upper": number_or_null(joint.upper),
        }
        for joint, position, velocity in zip(description.joints, positions, velocities, strict=True)
    }


def _tools(state: SessionState, snapshot: StateSnapshot | None) -> Json:
    known: dict[str, ToolState] = {}
    if snapshot is not None:
        known = {tool.result.frame: tool for tool in snapshot.tools}
    return {
        frame: _tool(known.get(frame), target.transform_target_to_world, target.enabled)
        for frame, target in state.settings.targets.items()
    }


def _tool(tool: ToolState | None, target: Pose, enabled: bool) -> Json:
    """Return one tool; errors and ``reached`` are those of the tick, and null when disabled."""
    used = None if tool is None else tool.result.transform_target_to_world
    pose = None if tool is None else tool.result.transform_tool_to_world
    return {
        "position": None if pose is None else numbers_or_null(pose.translation),
        "wxyz": None if pose is None else numbers_or_null(pose.wxyz),
        "target": _pose(target if used is None else used),
        "position_error_m": None if tool is None else number_or_null(tool.result.position_error_m),
        "orientation_error_rad": (
            None if tool is None else number_or_null(tool.result.orientation_error_rad)
        ),
        "reached": None if tool is None else tool.reached,
        "enabled": enabled,
        "code": None if tool is None else tool.code,
    }


def _pose(pose: Pose) -> Json:
    return {"position": numbers_or_null(pose.translation), "wxyz": numbers_or_null(pose.wxyz)}


def _timing(snapshot: StateSnapshot | None) -> Json | None:
    if snapshot is None:
        return None
    timing = snapshot.timing
    return {
        "tick_p50_s": number_or_null(timing.tick_p50_s),
        "tick_p99_s": number_or_null(timing.tick_p99_s),
        "period_p99_s": number_or_null(timing.period_p99_s),
        "missed": timing.missed,
    }


def reported_versions(solver: str) -> dict[str, str]:
    """Return the versions of the libraries that decide a result, of Python and of the system.

    Args:
        solver: Name of the QP solver, as qpsolvers calls it.
    """
    return {
        **package_versions(solver),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def report_text(
    session: Session,
    *,
    faults: Sequence[Fault] = (),
    jobs: Sequence[JobState] = (),
    versions: Mapping[str, str] | None = None,
) -> str:
    """Return what "Copy report" copies: all that somebody else needs to see the same.

    Args:
        session: Whose robot and settings.
        faults: The loop's last faults.
        jobs: Background jobs, of which those that failed are reported.
        versions: Versions by name; those installed here by default.
    """
    state, snapshot = session.state, session.snapshots.get()
    if snapshot is not None and snapshot.epoch != state.epoch:
        snapshot = None
    sections = [
        ("Versions", _lines(versions or reported_versions(state.settings.kinematics.solver))),
        ("Robot", _robot_lines(state.description)),
        ("Settings", _settings_lines(state)),
        ("Changed since the start", _change_lines(session, state)),
        ("State", _state_lines(state, snapshot)),
        ("Last faults", [*_fault_lines(faults), *_failed_job_lines(jobs)]),
    ]
    return "\n".join(
        f"{title}\n" + "\n".join(f"  {line}" for line in lines or ["none"])
        for title, lines in sections
    )


def _lines(values: Mapping[str, object]) -> list[str]:
    return [f"{name}: {value}" for name, value in values.items()]


def _robot_lines(description: RobotDescription) -> list[str]:
    return _lines(
        {
            "name": description.name,
            "source": description.source,
            "URDF SHA-256": description.urdf_sha256,
            "joints": ", ".join(description.joint_names),
            "held": ", ".join(joint.name for joint in description.held_joints) or "none",
            "tool frames": ", ".join(description.tool_frames),
            "floating base": "yes" if description.floating_base else "no",
        }
    ) + [f"remark: {remark.text}" for remark in description.remarks]


def _settings_lines(state: SessionState) -> list[str]:
    settings = state.settings
    lines = _lines(
        {name: value_text(value) for name, value in settings.kinematics.model_dump().items()}
    )
    lines += [f"rate: {settings.rate_hz:g} Hz", f"mode: {settings.mode}"]
    lines += [f"held by hand: {name} at {at:.4g}" for name, at in settings.held_joints.items()]
    lines += [
        f"velocity limit set: {name} {cap:.4g}" for name, cap in settings.velocity_caps.items()
    ]
    return lines


def _change_lines(session: Session, state: SessionState) -> list[str]:
    return [
        f"{change.label}: {change.start} -> {change.now}"
        for change in differences(session.start, state.settings)
    ]


def _state_lines(state: SessionState, snapshot: StateSnapshot | None) -> list[str]:
    lines = [
        f"target of {frame}: {target.transform_target_to_world.translation.tolist()} m, "
        f"wxyz {target.transform_target_to_world.wxyz.tolist()}"
        + ("" if target.enabled else " (off)")
        for frame, target in state.settings.targets.items()
    ]
    if snapshot is None:
        return [*lines, "no tick yet"]
    status, timing = snapshot.status, snapshot.timing
    failures = f" ({status.consecutive_failures} in a row)" if status.consecutive_failures else ""
    positions = dict(zip(state.description.joint_names, snapshot.positions.tolist(), strict=True))
    return [
        *lines,
        f"tick {snapshot.tick}: {status.code}: {status.text}{failures}",
        f"joint positions: {positions}",
        f"tick time: median {1e3 * timing.tick_p50_s:.2f} ms, p99 {1e3 * timing.tick_p99_s:.2f} "
        f"ms; period p99 {1e3 * timing.period_p99_s:.2f} ms; {timing.missed} ticks missed",
    ]


def _fault_lines(faults: Sequence[Fault]) -> list[str]:
    return [
        line
        for fault in faults
        for line in (
            f"{fault.at_utc.isoformat()}, {fault.count} times:",
            *fault.text.rstrip().splitlines(),
        )
    ]


def _failed_job_lines(jobs: Sequence[JobState]) -> list[str]:
    return [
        line
        for job in jobs
        if job.error is not None
        for line in (f"{job.title}: {job.error}", *(job.fault or "").rstrip().splitlines())
    ]
