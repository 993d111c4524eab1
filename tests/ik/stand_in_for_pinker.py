"""Pink in Pinker's place: the comparison itself is tested where Pinker cannot be built, too.

The stand-in can be told to do one thing otherwise, so that a difference is there to be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pink
import pink.barriers
import pink.limits
import pink.tasks
import pytest

import workbench.ik.parity
import workbench.ik.pinker_model
from workbench.ik.parity_library import pink_library


def put_in_pinkers_place(
    monkeypatch: pytest.MonkeyPatch, *, tasks: Mapping[str, Any] | None = None, **functions: Any
) -> None:
    """Let the comparison take Pink for Pinker.

    Args:
        monkeypatch: Undoes it.
        tasks: Classes that replace Pink's tasks, by name.
        functions: Functions that replace Pink's, by name.
    """
    other_tasks = SimpleNamespace(**{**vars(pink.tasks), **(tasks or {})})
    package = SimpleNamespace(**{**vars(pink), **functions, "tasks": other_tasks})
    library = replace(
        pink_library(), name="Pinker", versions={"pinker": "a stand-in"}, package=package
    )
    monkeypatch.setattr(workbench.ik.pinker_model, "import_pinker", lambda: package)
    monkeypatch.setattr(workbench.ik.parity, "pinker_library", lambda: library)
    monkeypatch.setattr(
        workbench.ik.parity, "pinker_model", lambda structure, model, caps: model.copy()
    )


class LazyFrameTask(pink.tasks.FrameTask):
    """Sees a thousandth less of its error than there is."""

    def compute_error(self, configuration: pink.Configuration) -> Any:
        return 0.999 * super().compute_error(configuration)
