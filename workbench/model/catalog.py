"""The robots that come with the workbench: one profile each, found by name."""

from __future__ import annotations

from typing import Any

from workbench.model.profile_files import profile, profile_names, profile_path
from workbench.model.request import RobotRequest
from workbench.model.structure import read_structure

__all__ = ["profile", "profile_names", "profile_path", "profile_summaries"]


def profile_summaries() -> list[dict[str, Any]]:
    """Return what there is to choose from, ready for JSON.

    Each has ``name``, ``title``, ``joints`` (names of those that are solved for), ``tool_frames``
    and ``source``. Meshes are not read.

    Raises:
        ConfigError: If a profile cannot be used.
        RobotError: If its robot cannot.
    """
    summaries = []
    for name in profile_names():
        structure = read_structure(RobotRequest(name))
        summaries.append(
            {
                "name": name,
                "title": structure.title,
                "joints": [joint.name for joint in structure.plan.joints],
                "tool_frames": [tool.name for tool in structure.tools],
                "source": structure.source.text,
            }
        )
    return summaries
