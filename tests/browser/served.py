"""Run ``workbench serve`` as a user does and talk to it over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

START_TIMEOUT_S = 90.0
STATE_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Answer:
    """What an HTTP request got."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Served:
    """A running ``workbench serve``.

    Attributes:
        url: What it printed after ``Ready:``.
        process: The process.
        lines: All lines that it has printed so far, stdout and stderr together.
    """

    url: str
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def netloc(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc

    def get(self, path: str, **headers: str) -> Answer:
        """GET a path of the server."""
        connection = http.client.HTTPConnection(self.netloc, timeout=STATE_TIMEOUT_S)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def state(self) -> dict[str, Any]:
        """Return ``/api/state``."""
        answer = self.get("/api/state")
        assert answer.status == 200, answer
        return json.loads(answer.body)

    def config_yaml(self) -> bytes:
        """Return ``/api/config.yaml``."""
        answer = self.get("/api/config.yaml")
        assert answer.status == 200, answer
        return answer.body

    def wait_for(
        self, condition: Callable[[dict[str, Any]], bool], *, timeout_s: float = STATE_TIMEOUT_S
    ) -> dict[str, Any]:
        """Read the state until the condition holds; fail with the last state."""
        deadline = time.monotonic() + timeout_s
        state = self.state()
        while not condition(state):
            if time.monotonic() > deadline:
                raise AssertionError("the state never came; last: " + json.dumps(state, indent=1))
            time.sleep(0.02)
            state = self.state()
        return state

    def interrupt(self) -> int:
        """Send Ctrl+C's signal and return the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(STOP_TIMEOUT_S)


@contextmanager
def serve(
    robot: str,
    *arguments: str,
    command: Path | None = None,
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[Served]:
    """Serve a robot on a free port, without opening a browser, until the block ends."""
    words: Sequence[str | Path] = [command] if command else [sys.executable, "-m", "workbench.cli"]
    process = subprocess.Popen(
        [*words, "serve", robot, "--port", "0", "--no-browser", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip
    lines: list[str] = []
    urls: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("Ready: "):
                urls.put(line.split()[1])
        urls.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        url = urls.get(timeout=START_TIMEOUT_S)
        assert url is not None, "\n".join(lines)
        yield Served(url, process, lines)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        reader.join(STOP_TIMEOUT_S)
        if process.stdout is not None:
            process.stdout.close()
