"""Reading records: JSON files with the inputs and outputs of DimOS's two solve modes.

A record names a URDF, the joints that are controlled, the settings that differ from DimOS's
defaults, and a list of ticks or attempts. What cannot be replayed is refused in one sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.config.checked import CheckedSettings
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.errors import ConfigError, RobotError, UsageError, did_you_mean
from workbench.model.controlled import ControlledRobot, controlled_from_urdf
from workbench.model.packages import EXAMPLE_ROBOT_DATA, example_robot_data
from workbench.poses import Pose

Vector = NDArray[np.float64]

_LARGEST_FILE_BYTES = 256 * 1024 * 1024
_LONGEST_NAME = 200


@dataclass(frozen=True, eq=False)
class Fields:
    """One JSON object of a record, and where it stands.

    Attributes:
        path: The file.
        data: The object.
        place: Way to it, as people write it: ``ticks[3]``; empty at the top.
    """

    path: Path
    data: Mapping[str, Any]
    place: str = ""

    def error(
        self, message: str, key: str = "", value: object = None, expected: str | None = None
    ) -> ConfigError:
        """Return an error about a key."""
        field = ".".join(part for part in (self.place, key) if part)
        return ConfigError(
            message, path=self.path, field=field or None, value=value, expected=expected
        )

    def get(self, key: str, kind: type, expected: str) -> Any:
        """Return the value of a key, which must be there and be of a kind."""
        if key not in self.data:
            raise self.error("is missing", key, expected=expected)
        value = self.data[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.error(f"is not {expected}", key, value=value)
        return value

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of names, each once, at least one."""
        values = self.get(key, list, "a list of names")
        if not values or not all(isinstance(value, str) and _is_name(value) for value in values):
            raise self.error("is not a list of names", key, value=values)
        for value in values:
            if values.count(value) > 1:
                raise self.error("names a thing twice", key, value=value)
        return tuple(values)

    def object(self, key: str) -> Fields:
        """Return the object under a key."""
        return Fields(self.path, self.get(key, dict, "an object"), self.dotted(key))

    def objects(self, key: str) -> list[Fields]:
        """Return a list of objects, at least one."""
        values = self.get(key, list, "a list")
        if not values:
            raise self.error("is empty", key, expected="at least one entry")
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                raise self.error("is not an object", f"{key}[{index}]", value=value)
        return [
            Fields(self.path, value, self.dotted(f"{key}[{index}]"))
            for index, value in enumerate(values)
        ]

    def number(self, key: str) -> float:
        """Return a number, which need not be finite."""
        return _float(self.get(key, (int, float), "a number"))  # pyright: ignore[reportArgumentType]

    def positions(
        self, key: str, size: int, *, finite: bool = True, each: str = "one for each joint"
    ) -> Vector:
        """Return a list of that many numbers.

        Args:
            key: The key.
            size: How many.
            finite: False lets numbers pass that are not finite, null among them.
            each: What the numbers are, for messages.
        """
        values = self.get(key, list, "a list of numbers")
        if len(values) != size:
            raise self.error(f"has {len(values)} numbers", key, expected=f"{size}, {each}")
        for index, value in enumerate(values):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if finite and not (is_number and math.isfinite(_float(value))):
                raise self.error(
                    "is not a finite number", f"{key}[{index}]",
                    value="null" if value is None else value,
                )  # fmt: skip
            if not is_number and value is not None:
                raise self.error("is not a number", f"{key}[{index}]", value=value)
        return np.array([math.nan if value is None else _float(value) for value in values])

    def optional_positions(self, key: str, size: int) -> Vector | None:
        """Return a list of that many finite numbers; None where there is none."""
        return None if self.data.get(key) is None else self.positions(key, size)

    def settings(self, key: str, model: type[Any]) -> Any:
        """Return a group of settings; what is not named has its default.

        Args:
            key: Key of an object of settings; it may be absent.
            model: :class:`PinkKinematicsConfig` or a :class:`CheckedSettings`.
        """
        assert issubclass(model, PinkKinematicsConfig | CheckedSettings)
        values = self.object(key).data if key in self.data else {}
        try:
            return model.checked(**values)
        except ConfigError as error:
            raise ConfigError(
                error.message, path=self.path, field=f"{self.dotted(key)}.{error.field}",
                value=error.value, expected=error.expected,
            ) from error  # fmt: skip

    def targets(self, frames: tuple[str, ...]) -> dict[str, Pose] | None:
        """Return the targets by frame name; None if one of them is no pose.

        A quaternion of zeros means no rotation, as DimOS reads it.
        """
        entry = self.object("targets")
        poses: dict[str, Pose] = {}
        invalid = False
        for name in entry.data:
            if name not in frames:
                raise entry.error(
                    "there is no such target frame", name, expected=did_you_mean(name, frames)
                )
            target = entry.object(name)
            position = target.positions("position", 3, finite=False, each="x, y and z in m")
            wxyz = target.positions("wxyz", 4, finite=False, each="w, x, y and z")
            if not wxyz.any():
                wxyz = np.array([1.0, 0.0, 0.0, 0.0])
            try:
                poses[name] = Pose(position, wxyz)
            except ValueError:
                invalid = True
        return None if invalid else poses

    def dotted(self, key: str) -> str:
        """Return the way to a key."""
        return f"{self.place}.{key}" if self.place else key


@dataclass(frozen=True, eq=False)
class RecordHead:
    """What both kinds of records start with.

    Attributes:
        fields: The whole record.
        robot: Its robot, with the joints that are controlled.
        frames: The frames that may have targets.
        config: The twelve settings.
    """

    fields: Fields
    robot: ControlledRobot
    frames: tuple[str, ...]
    config: PinkKinematicsConfig


def read_record(path: Path) -> RecordHead:
    """Read a record's file and load its robot.

    Raises:
        ConfigError: If the file is no record.
        RobotError: If its robot cannot be loaded, or has no such joint or frame.
    """
    fields = Fields(path, _json_object(path))
    joints = fields.names("controlled_joints")
    frames = fields.names("target_frames")
    base_link = fields.get("base_link", str, "the name of a link")
    config = fields.settings("pink", PinkKinematicsConfig)
    urdf = _urdf_path(fields)
    try:
        robot = controlled_from_urdf(urdf, joints, base_link)
        for frame in frames:
            robot.require_frame(frame)
    except RobotError as error:
        if error.path is None:
            error.path = str(path)
        raise
    return RecordHead(fields, robot, frames, config)


def write_record(path: str, fields: Fields, key: str, entries: list[dict[str, Any]]) -> None:
    """Write a record with other entries under a key, in the record's own format.

    Raises:
        UsageError: If the file cannot be written.
    """
    text = json.dumps({**fields.data, key: entries}, indent=1) + "\n"
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}", path=path, field="--out"
        ) from error


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and text.isprintable()


def _float(value: float) -> float:
    """Return a number of the file as a float; infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:  # JSON's whole numbers have no largest one
        return math.inf if value > 0 else -math.inf


def _json_object(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            raise ConfigError("is too large for a record", path=path)
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=path) from error
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8 text", path=path) from error
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"is not JSON: {error.msg}", path=path, line=error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise ConfigError("is not JSON that can be read", path=path) from error
    if not isinstance(data, dict):
        raise ConfigError("is not a record", path=path, expected="a JSON object")
    return data


def _urdf_path(fields: Fields) -> Path:
    """Return the URDF: below example-robot-data's robots, or next to the record."""
    name = fields.get("urdf", str, "the path of a URDF")
    package = example_robot_data()
    folders = [*([package / "robots"] if package is not None else []), fields.path.parent]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    if package is None:
        raise fields.error(
            f"is not found, and the package {EXAMPLE_ROBOT_DATA} is not installed", "urdf", name,
            f"pip install {EXAMPLE_ROBOT_DATA}",
        )  # fmt: skip
    raise fields.error("there is no such file", "urdf", name, f"a path below {package / 'robots'}")
