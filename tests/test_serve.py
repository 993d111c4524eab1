"""``workbench serve`` as a process: how it starts, answers and ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import yaml

from tests.browser.served import serve
from tests.ui.guarded_page import CAMERA
from tests.wire import WireClient
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.grasps import import_grasps_from_file
from workbench.grasps.shipped import shipped_grasps
from workbench.resources import resource_folder


def test_ready_is_said_once_the_page_can_be_opened() -> None:
    with serve("ur5") as served:
        assert served.lines[-1] == f"Ready: {served.url}"
        assert served.get("/healthz").status == 200
        assert served.get("/").status == 200
        state = served.wait_for(lambda state: state["tick"] > 10)
        assert state["robot"] == "ur5"
        assert state["status"]["code"] == "ok"


def test_ctrl_c_ends_it_with_status_0_and_no_traceback() -> None:
    with serve("panda") as served:
        client = WireClient(served.url)
        client.replay()
        asked = time.monotonic()
        assert served.interrupt() == 0
        # Generous for a loaded machine; what matters is that nothing waits for a timeout.
        assert time.monotonic() - asked < 5.0
        client.close()
    assert not any("Traceback" in line or "Error" in line for line in served.lines), served.lines


def test_sigterm_ends_it_too() -> None:
    with serve("panda") as served:
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(10) == 0
    assert not any("Traceback" in line for line in served.lines), served.lines


def test_a_taken_port_is_an_error_that_names_it_and_offers_another() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "workbench.cli", "serve", "--no-browser", "--port", str(port)],
            capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert str(port) in done.stderr
    assert "--port 0" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_config_given_at_the_start_is_in_force_and_comes_out_again(tmp_path: Path) -> None:
    path = tmp_path / "dimos.json"
    fields = '{"gain": 0.25, "lm_damping": 1e-3, "solver": "osqp"}'
    path.write_text(f'{{"manipulationmodule": {{"kinematics": {fields}}}}}')
    with serve("panda", "--config", str(path), "--rate", "50") as served:
        state = served.state()
        assert state["rate_hz"] == 50
        exported = yaml.safe_load(served.config_yaml())
        assert (
            exported == PinkKinematicsConfig(gain=0.25, lm_damping=1e-3, solver="osqp").model_dump()
        )
        assert exported == state["config"]


def test_another_address_than_loopback_is_printed_with_a_token_for_other_machines() -> None:
    with serve("dual_arm_7dof", "--host", "0.0.0.0", "--token", "secret-token") as served:
        assert served.url.endswith("?token=secret-token")
        outside = [line for line in served.lines if line.startswith("From other machines: http")]
        looking = [line for line in served.lines if line.startswith("To look only: http")]
        assert all("?token=secret-token" in line and "127.0.0.1" not in line for line in outside)
        assert looking and "secret-token" not in looking[0]
        assert served.get("/api/state").status == 403
        assert served.get("/api/state", Authorization="Bearer secret-token").status == 200
        assert served.get("/healthz").status == 200


def test_unsaved_changes_are_named_at_the_end_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "saved.yaml"
    path.write_text("gain: 0.5\n")
    with serve("panda", "--save-to", str(path)) as served:
        client = WireClient(served.url)
        labels = {
            message["props"]["label"]: (message["uuid"], message["type"])
            for message in client.replay()
            if "props" in message and "label" in message["props"] and "uuid" in message
        }
        uuid, _ = labels["safety_break"]
        client.send("ViewerCameraMessage", **CAMERA)
        client.send("GuiUpdateMessage", uuid=uuid, updates={"value": False})
        served.wait_for(lambda state: state["config"]["safety_break"] is False)
        assert served.interrupt() == 0
        client.close()
    text = "\n".join(served.lines)
    assert "safety_break" in text
    assert str(path) in text
    assert path.read_text() == "gain: 0.5\n"


def test_grasps_are_checked_from_the_start_and_ctrl_c_leaves_no_process() -> None:
    gripper = str(resource_folder("robots") / "two_finger_gripper.urdf")
    with serve("panda", "--grasps", "bowl", "--gripper", gripper) as served:
        state = served.wait_for(
            lambda state: any(
                grasp["state"] == "reached" for grasp in state["grasps"].values()
            ),
            timeout_s=90.0,
        )  # fmt: skip
        assert set(state["grasps"]) == set(
            import_grasps_from_file(shipped_grasps("bowl").grasps).get_grasp_names()
        )
        children = _children(served.process.pid)
        assert children
        assert served.interrupt() == 0
        # Python's own helper process ends a moment after the one that it helped.
        ended_by = time.monotonic() + 5.0
        while any(map(_runs, children)) and time.monotonic() < ended_by:
            time.sleep(0.02)
        assert not [pid for pid in children if _runs(pid)]
    assert not any("Traceback" in line for line in served.lines), served.lines


def _children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    texts = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for text in texts for child in text.read_text().split()]


def _runs(pid: int) -> bool:
    """Tell whether a process is there; one that ended and that nobody asked about is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
