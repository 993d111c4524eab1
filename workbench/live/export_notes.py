"""Lines of an export for lists and groups of settings that the twelve fields cannot hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workbench.config.checked import CheckedSettings
from workbench.config.fields import field_spec
from workbench.config.number_text import number_text
from workbench.config.settings import Settings
from workbench.config.tasks_spec import Spec, spec_fields

_ENTRIES = (("tasks", "task"), ("limits", "limit"), ("barriers", "barrier"))
_GROUPS = (
    ("streaming", "streaming"),
    ("planning", "planning"),
    ("simulated_arm", "tuned on a simulated arm with"),
)
_NOT_TOLD = ("name", "enabled")


def entries(settings: Settings) -> Iterator[str]:
    """Yield a line for every entry of the task, limit and barrier lists that is switched on."""
    for group, word in _ENTRIES:
        specs: Sequence[Spec] = getattr(settings, group)
        for spec in specs:
            if spec.enabled:
                yield f"{word} {spec.name} ({spec.kind}): {_fields_text(spec)}"


def groups(settings: Settings) -> Iterator[str]:
    """Yield a line for every group with a field that is not at its default."""
    for name, title in _GROUPS:
        group: CheckedSettings = getattr(settings, name)
        default = type(group)()
        changed = [
            f"{field} {_with_unit(value, group, field)}"
            for field in type(group).model_fields
            if (value := getattr(group, field)) != getattr(default, field)
        ]
        if changed:
            yield f"{title}: {', '.join(changed)}"


def _fields_text(spec: Spec) -> str:
    told = [
        f"{item.name} {_value_text(item.value.plain(getattr(spec, item.name)))}"
        for item in spec_fields(type(spec))
        if item.name not in _NOT_TOLD and getattr(spec, item.name) is not None
    ]
    return ", ".join(told)


def _with_unit(value: object, group: CheckedSettings, field: str) -> str:
    spec = field_spec(type(group), field)
    if value is None or spec is None or spec.unit in ("", "1"):
        return _value_text(value)
    return f"{_value_text(value)} {spec.unit}"


def _value_text(value: object) -> str:
    if value is None:
        return "off"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value_text(item) for item in value) + "]"
    return str(value)
