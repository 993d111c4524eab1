"""Differences inside the groups of settings: streaming, planning, simulated arm, poses, lists.

What :mod:`~workbench.live.changes` is for the plain settings, this is for those that hold others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.config.checked import CheckedSettings
from workbench.config.fields import field_spec
from workbench.config.number_text import number_text
from workbench.config.settings import Settings
from workbench.config.tasks_spec import Spec, spec_fields
from workbench.errors import ConfigError
from workbench.live.change import Change, change_of, value_text

GROUPS = ("streaming", "planning", "simulated_arm")
"""Settings that are a :class:`CheckedSettings` each."""

LISTS = ("tasks", "limits", "barriers")
"""Settings that are a list of named entries each."""

_LONGEST_VALUE = 60


def group_differences(before: Settings, after: Settings) -> list[Change]:
    """Return every field of every group that differs, in the page's order."""
    found: list[Change] = []
    for name in LISTS:
        found += _list_differences(name, getattr(before, name), getattr(after, name))
    for name in GROUPS:
        found += _checked_differences(name, getattr(before, name), getattr(after, name))
    found += _pose_differences(before, after)
    return found


def with_group_field_of(settings: Settings, source: Settings, field: str) -> Settings:
    """Return a copy whose one field of a group is that of ``source``.

    Args:
        settings: What is in force.
        source: Where the field comes from.
        field: ``streaming.timeout``, ``tasks.NAME``, ``named_poses.NAME``, ...

    Raises:
        ConfigError: If there is no such field.
    """
    group, _, name = field.partition(".")
    if field in LISTS:  # their order
        return replace(settings, **{field: getattr(source, field)})
    if group in LISTS and name:
        entries = _with_entry_of(getattr(settings, group), getattr(source, group), name)
        return replace(settings, **{group: entries})
    if group == "named_poses" and name:
        poses = {key: pose for key, pose in settings.named_poses.items() if key != name}
        if name in source.named_poses:
            poses[name] = source.named_poses[name]
        return replace(settings, named_poses=poses)
    if group in GROUPS:
        present, wanted = getattr(settings, group), getattr(source, group)
        if name in type(present).model_fields:
            changed = present.with_values(**{name: getattr(wanted, name)})
            return replace(settings, **{group: changed})
    raise ConfigError("there is no such setting", field=field)


def _checked_differences(
    group: str, before: CheckedSettings, after: CheckedSettings
) -> list[Change]:
    found = []
    for name in type(after).model_fields:
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        spec = field_spec(type(after), name)
        unit = f" {spec.unit}" if spec is not None and spec.unit not in ("", "1") else ""
        start, now = (_group_value_text(value, unit) for value in (old, new))
        found.append(change_of(f"{group}.{name}", name, start, now))
    return found


def _list_differences(group: str, before: Sequence[Spec], after: Sequence[Spec]) -> list[Change]:
    olds = {spec.name: spec for spec in before}
    news = {spec.name: spec for spec in after}
    found = []
    for name in dict.fromkeys((*olds, *news)):
        old, new = olds.get(name), news.get(name)
        if old == new:
            continue
        field = f"{group}.{name}"
        if old is None or new is None:
            start, now = ("none" if spec is None else spec.title for spec in (old, new))
            verb = "add" if old is None else "remove"
            found.append(Change(field, name, start, now, f"{verb} {name}"))
        elif type(old) is not type(new):
            found.append(change_of(field, name, old.title, new.title))
        else:
            found.append(_entry_difference(field, old, new))
    if not found and list(olds) != list(news):
        found.append(Change(group, group, "another order", "this order", f"order of {group}"))
    return found


def _entry_difference(field: str, old: Spec, new: Spec) -> Change:
    """One line for an entry, whatever changed in it: its way back takes all of it."""
    changed = [
        (item.spec.label or item.name, getattr(old, item.name), getattr(new, item.name))
        for item in spec_fields(type(new))
        if getattr(old, item.name) != getattr(new, item.name)
    ]
    start = ", ".join(f"{label} {_short(value)}" for label, value, _ in changed)
    now = ", ".join(f"{label} {_short(value)}" for label, _, value in changed)
    label, first, last = changed[0]
    phrase = f"{new.name}: {label} {_short(first)} to {_short(last)}"
    if label == "enabled":
        phrase = f"{new.name} {value_text(last)}"
    if len(changed) > 1:
        phrase += f" and {len(changed) - 1} more"
    return Change(field, new.name, start, now, phrase)


def _pose_differences(before: Settings, after: Settings) -> list[Change]:
    found = []
    for name in dict.fromkeys((*before.named_poses, *after.named_poses)):
        old, new = before.named_poses.get(name), after.named_poses.get(name)
        if old == new:
            continue
        start, now = ("none" if pose is None else "saved" for pose in (old, new))
        if old is not None and new is not None:
            now = "saved anew"
        verb = "delete" if new is None else "save"
        found.append(
            Change(f"named_poses.{name}", f"pose {name}", start, now, f"{verb} pose {name}")
        )
    return found


def _with_entry_of(present: Sequence[Spec], wanted: Sequence[Spec], name: str) -> tuple[Spec, ...]:
    """Return the list with one entry as in the wanted one: put in, taken out or set back."""
    names = [spec.name for spec in wanted]
    if name not in names:
        return tuple(spec for spec in present if spec.name != name)
    place = names.index(name)
    if any(spec.name == name for spec in present):
        return tuple(wanted[place] if spec.name == name else spec for spec in present)
    before = set(names[:place])
    index = sum(spec.name in before for spec in present)
    return (*present[:index], wanted[place], *present[index:])


def _group_value_text(value: object, unit: str) -> str:
    if value is None:
        return "off"
    if isinstance(value, bool):
        return value_text(value)
    if isinstance(value, int | float):
        return number_text(value) + unit
    return _short(value)


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        text = ", ".join(f"{name} {_short(item)}" for name, item in value.items()) or "none"
    elif isinstance(value, tuple | list):
        text = ", ".join(_short(item) for item in value) or "none"
    elif value is None:
        text = "default"
    else:
        text = value_text(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
