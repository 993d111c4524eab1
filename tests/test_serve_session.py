"""``serve --session`` goes on where a file left off; an unclean end loses next to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.served import serve
from tests.live.grasps_rig import three_grasps
from workbench.config.grasp_scene import GraspScene
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.config.tasks import DampingTaskSpec
from workbench.live.grasp_session import SavedGrasps
from workbench.live.grasping import GraspView
from workbench.live.session_file import SessionFile, write_session
from workbench.model.request import RobotRequest


def session_file(path: Path, robot: str = "dual_arm_7dof") -> Path:
    settings = Settings(rate_hz=50.0, tasks=(DampingTaskSpec(name="calm", cost=0.1),))
    pose = RobotPose({"left_joint1": 0.25})
    grasps = SavedGrasps.of(GraspScene("mine.yaml", three_grasps()), GraspView("grasp_2"))
    path.write_text(write_session(SessionFile(RobotRequest(robot), settings, pose, grasps=grasps)))
    return path


def refused(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "workbench.cli", "serve", "--no-browser", "--port", "0", *arguments],
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr


def test_a_session_file_names_the_robot_and_is_in_force(tmp_path: Path) -> None:
    path = session_file(tmp_path / "mine.workbench.yaml")
    with serve(f"--session={path}") as served:
        state = served.wait_for(lambda state: state["tick"] > 5)
        assert state["robot"] == "dual_arm_7dof"
        assert state["rate_hz"] == 50
        assert state["joints"]["left_joint1"]["position"] == pytest.approx(0.25, abs=1e-3)
        assert b"task calm (damping)" in served.config_yaml()


def test_a_killed_workbench_is_offered_and_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = session_file(tmp_path / "mine.workbench.yaml")
    folder = tmp_path / "ik-workbench"
    with serve(f"--session={path}") as served:
        served.wait_for(lambda _state: any(folder.glob("*.yaml")))
        served.process.kill()
        served.process.wait()
    with serve("panda") as served:
        assert any("not ended cleanly" in line and "--restore" in line for line in served.lines)
        assert served.state()["robot"] == "panda"
        taken = served.netloc.rpartition(":")[2]
        assert taken in refused("--restore", "--port", taken)
    earlier = session_file(folder / "session-0.workbench.yaml")
    os.utime(earlier, (0.0, 0.0))
    with serve("--restore") as served:
        state = served.wait_for(lambda state: state["tick"] > 5)
        assert (state["robot"], state["rate_hz"]) == ("dual_arm_7dof", 50)
        assert list(state["grasps"]) == ["grasp_1", "grasp_2", "grasp_3"]
        assert state["selected_grasp"] == "grasp_2"
    assert list(folder.glob("*.yaml")) == [earlier]
    earlier.unlink()
    assert "no session to restore" in refused("--restore")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("panda", "--session", "FILE"), "ROBOT"),
        (("--session", "FILE", "--floating-base"), "--floating-base"),
        (("--session", "FILE", "--restore"), "--restore"),
        (("--session", "MISSING"), "MISSING"),
        (("--session", "CONFIG"), "workbench_session"),
        (("--session", "UNKNOWN"), "nowhere"),
    ],
)
def test_what_does_not_go_together_or_is_no_session_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    files = {
        "FILE": session_file(tmp_path / "good.yaml"),
        "CONFIG": tmp_path / "config.yaml",
        "UNKNOWN": session_file(tmp_path / "unknown.yaml", robot="nowhere"),
        "MISSING": tmp_path / "MISSING",
    }
    files["CONFIG"].write_text("gain: 0.5\n")
    assert words in refused(*(str(files.get(word, word)) for word in arguments))
    assert os.environ["XDG_STATE_HOME"] != ""
