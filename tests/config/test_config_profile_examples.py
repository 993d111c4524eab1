"""Example sessions of a profile, as files."""

from pathlib import Path

import pytest

from workbench.config.profile import RobotProfile, read_profile
from workbench.config.tasks import ComTaskSpec, FrameTaskSpec
from workbench.errors import ConfigError, UsageError

FILE = """\
source: {urdf: robot.urdf}
home: {arm: 0.5}
held_joints: {hip: 0.1, knee: 0.2, finger: 0.0}
examples:
  - name: standing
    title: Standing
    floating_base: true
    free_joints: [hip, knee]
    home: {hip: -0.4, knee: 0.8, arm: 0.6}
    tasks:
      - {kind: frame, name: foot, frame: sole, hard: true}
      - {kind: com, name: balance, cost: [1e1, 10, 0]}
    limits:
      - {kind: acceleration, name: smooth, acceleration: 5}
    barriers:
      - {kind: self_collision, name: bodies}
  - name: plain
"""


def read(folder: Path, text: str = FILE) -> RobotProfile:
    path = folder / "robot.yaml"
    path.write_text(text, encoding="utf-8")
    return read_profile(path)


def test_an_example_sets_the_robot_up(tmp_path: Path) -> None:
    profile = read(tmp_path)
    assert [example.title for example in profile.examples] == ["Standing", "plain"]
    assert profile.example is None and not profile.floating_base
    standing = profile.for_example("standing")
    assert standing.floating_base and standing.held_joints == {"finger": 0.0}
    assert standing.home == {"arm": 0.6, "hip": -0.4, "knee": 0.8}
    example = standing.example
    assert example is not None and example is profile.examples[0]
    foot, balance = example.tasks
    assert isinstance(foot, FrameTaskSpec) and foot.hard
    assert isinstance(balance, ComTaskSpec) and balance.cost == (10.0, 10.0, 0.0)
    assert [limit.name for limit in example.limits] == ["smooth"]
    assert [barrier.name for barrier in example.barriers] == ["bodies"]
    assert profile.for_example("plain").home == profile.home


def test_an_unknown_example_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="perhaps standing"):
        read(tmp_path).for_example("standig")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[hip, knee]", "[hip, toe]", ":8: examples[0].free_joints[1]: is not held"),
        ("[hip, knee]", "[hip]", ":9: examples[0].home.knee: has a home although"),
        ("frame: sole", "frmae: sole", ":11: examples[0].tasks[0].frmae: there is no such key"),
        ("acceleration: 5", "acceleration: -5", ":14: examples[0].limits[0].acceleration: is out"),
        ("name: plain", "name: standing", ":17: examples[1].name: is given twice"),
        ("title: Standing", "titel: S", ":6: examples[0].titel: there is no such key"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in FILE
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, FILE.replace(old, new, 1))
    assert words in str(caught.value)
