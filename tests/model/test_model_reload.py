from __future__ import annotations

from pathlib import Path

import pytest

from tests.robots_inline import CHAIN, joint, limit, robot, write_urdf
from workbench.model.reload import compare, kept_positions
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot

CHANGED = robot(
    joint("elbow", parent="base", child="lower", inside=limit(-0.2, 0.2)),
    joint("wrist", "continuous", parent="lower", child="hand", inside=""),
    joint("twist", parent="hand", child="tip"),
    links="base lower hand tip",
)


def test_a_reload_lists_what_came_and_what_went(tmp_path: Path) -> None:
    request = RobotRequest(write_urdf(tmp_path, CHAIN))
    old = load_robot(request).description
    write_urdf(tmp_path, CHANGED)
    new = load_robot(request).description
    changes = compare(old, new)
    assert changes.joints_kept == ("elbow", "wrist")
    assert changes.joints_came == ("twist",)
    assert changes.joints_went == ("shoulder",)
    assert changes.joints_changed == ("elbow",)
    assert (changes.tools_came, changes.tools_went) == (("tip",), ("hand",))
    assert changes.file_changed
    for name in ("twist", "shoulder", "elbow", "tip", "hand"):
        assert name in changes.sentence


def test_a_reload_of_the_same_file_says_that_nothing_changed(tmp_path: Path) -> None:
    request = RobotRequest(write_urdf(tmp_path, CHAIN))
    changes = compare(load_robot(request).description, load_robot(request).description)
    assert changes.sentences == ()
    assert changes.sentence == "Nothing has changed."


def test_a_change_that_leaves_the_joints_is_said(tmp_path: Path) -> None:
    request = RobotRequest(write_urdf(tmp_path, CHAIN))
    old = load_robot(request).description
    write_urdf(tmp_path, CHAIN.replace("</robot>", "<!-- lighter --></robot>"))
    assert "The URDF has changed" in compare(old, load_robot(request).description).sentence


def test_positions_are_kept_by_name_inside_the_new_limits(tmp_path: Path) -> None:
    new = load_robot(RobotRequest(write_urdf(tmp_path, CHANGED))).description
    kept = kept_positions({"shoulder": 0.4, "elbow": 0.9, "wrist": -3.0}, new)
    assert kept == pytest.approx({"elbow": 0.2, "wrist": -3.0, "twist": 0.0})
