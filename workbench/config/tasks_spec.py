"""What all entries of the lists of tasks, limits and barriers have in common.

An entry is a frozen dataclass whose fields say in their ``Annotated`` metadata how they are shown
(:class:`~workbench.config.fields.FieldSpec`) and what they hold
(:class:`~workbench.config.tasks_values.ValueKind`). Checking, reading and writing are derived from
that, here, once for all kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from workbench.config.document import dotted
from workbench.config.fields import FieldSpec
from workbench.config.sections import Section
from workbench.config.tasks_values import FieldProblem, NameValue, SwitchValue, ValueKind
from workbench.errors import ConfigError, did_you_mean

Switch = Annotated[bool, SwitchValue()]


@dataclass(frozen=True)
class SpecField:
    """One field of an entry.

    Attributes:
        name: Name in the file and in the program.
        spec: How it is shown, and the range of its numbers.
        value: What it holds.
        required: Whether it has to be given.
        default: Its default where it is not required.
    """

    name: str
    spec: FieldSpec
    value: ValueKind
    required: bool
    default: Any = None


@dataclass(frozen=True, kw_only=True)
class Spec:
    """An entry of a list of tasks, limits or barriers.

    Attributes:
        kind: What it is, as files say it.
        title: What it is, as the page says it.
        summary: What it does, in a sentence.
        group: The list that it stands in.
        name: Chosen by the user; unique in its list.
        enabled: A disabled entry is as if it were not there.

    Raises:
        ConfigError: If a field is out of range or of the wrong type.
    """

    kind: ClassVar[str] = ""
    title: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    group: ClassVar[Literal["tasks", "limits", "barriers"]] = "tasks"

    name: Annotated[
        str, FieldSpec(label="name", unit="", help="Any name that no other entry has."), NameValue()
    ]
    enabled: Annotated[
        Switch,
        FieldSpec(label="enabled", unit="", help="Off is as if the entry were not in the list."),
    ] = True

    def __post_init__(self) -> None:
        """Check every field and put it into its normal form."""
        for item in spec_fields(type(self)):
            try:
                value = item.value.checked(getattr(self, item.name), item.spec)
            except FieldProblem as problem:
                place = dotted((item.name, *problem.keys))
                if item.name != "name" and isinstance(self.name, str):
                    place = f"{self.group}.{self.name}.{place}"
                raise ConfigError(
                    str(problem), field=place, value=problem.value, expected=problem.expected
                ) from problem
            object.__setattr__(self, item.name, value)
        problem = self._contradiction()
        if problem is not None:
            raise ConfigError(
                str(problem),
                field=f"{self.group}.{self.name}.{dotted(problem.keys)}",
                value=problem.value,
                expected=problem.expected,
            )

    def _contradiction(self) -> FieldProblem | None:
        """Return what is wrong between fields that are right each by itself."""
        return None


@dataclass(frozen=True, kw_only=True)
class TaskSpec(Spec):
    """An entry of the task list."""

    @property
    def constrains(self) -> bool:
        """Whether it is a hard constraint."""
        return bool(getattr(self, "hard", False))


_S = TypeVar("_S", bound=Spec)


@cache
def spec_fields(kind: type[Spec]) -> tuple[SpecField, ...]:
    """Return the fields of a kind of entry, in the order of the page."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for item in fields(kind):
        hint = hints[item.name]
        assert get_origin(hint) is Annotated, f"{kind.__name__}.{item.name} is not described"
        specs = [part for part in get_args(hint) if isinstance(part, FieldSpec)]
        values = [part for part in get_args(hint) if isinstance(part, ValueKind)]
        required = item.default is MISSING and item.default_factory is MISSING
        default = None
        if item.default is not MISSING:
            default = item.default
        elif item.default_factory is not MISSING:
            default = item.default_factory()
        found.append(SpecField(item.name, specs[-1], values[-1], required, default))
    return tuple(found)


def spec_to_mapping(spec: Spec) -> dict[str, Any]:
    """Return an entry as plain values for a file: its kind, then all its fields."""
    values = {
        item.name: item.value.plain(getattr(spec, item.name)) for item in spec_fields(type(spec))
    }
    return {"kind": spec.kind, **values}


def spec_from_mapping(section: Section, kinds: Mapping[str, type[_S]]) -> _S:
    """Read an entry.

    Args:
        section: Its mapping.
        kinds: The kinds that may stand here, by name.

    Raises:
        ConfigError: With path, line, key, value and what would be right.
    """
    word = section.text("kind")
    kind = kinds.get(word)
    if kind is None:
        raise section.error(
            "there is no such kind", "kind", value=word, expected=did_you_mean(word, kinds)
        )
    known = spec_fields(kind)
    section.refuse_unknown(("kind", *(item.name for item in known)))
    values: dict[str, Any] = {}
    for item in known:
        if item.name not in section:
            if item.required:
                raise ConfigError(
                    "is missing", path=section.document.name,
                    line=section.document.line_of(*section.keys),
                    field=dotted((*section.keys, item.name)),
                    expected=item.value.expected(item.spec),
                )  # fmt: skip
            continue
        try:
            values[item.name] = item.value.checked(section.mapping[item.name], item.spec)
        except FieldProblem as problem:
            raise section.error(
                str(problem), item.name, *problem.keys, value=problem.value,
                expected=problem.expected,
            ) from problem  # fmt: skip
    try:
        return kind(**values)
    except ConfigError as error:  # fields that contradict each other
        raise ConfigError(
            error.message, path=section.document.name,
            line=section.document.line_of(*section.keys), field=dotted(section.keys) or None,
            value=error.value, expected=error.expected,
        ) from error  # fmt: skip


def specs_from_section(section: Section, key: str, kinds: Mapping[str, type[_S]]) -> tuple[_S, ...]:
    """Read a list of entries; absent means none.

    Raises:
        ConfigError: As :func:`spec_from_mapping` does; also for a name that is given twice.
    """
    found: dict[str, _S] = {}
    for item in section.sections(key):
        spec = spec_from_mapping(item, kinds)
        if spec.name in found:
            raise item.error(
                "is given twice", "name", value=spec.name, expected="a name of its own"
            )
        found[spec.name] = spec
    return tuple(found.values())


def checked_list(specs: Iterable[object], kind: type[_S], field: str) -> tuple[_S, ...]:
    """Return entries as a tuple.

    Args:
        specs: The entries.
        kind: What they have to be.
        field: Name of the list, for messages.

    Raises:
        ConfigError: If one is something else, or a name is given twice.
    """
    result: list[_S] = []
    names: set[str] = set()
    for spec in specs:
        if not isinstance(spec, kind):
            raise ConfigError("holds something else", field=field, value=spec)
        if spec.name in names:
            raise ConfigError(
                "is given twice", field=f"{field}.{spec.name}", expected="a name of its own"
            )
        names.add(spec.name)
        result.append(spec)
    # The same tuple where there is one: who compares by identity then sees that nothing changed.
    return cast("tuple[_S, ...]", specs) if isinstance(specs, tuple) else tuple(result)


def free_name(wanted: str, specs: Sequence[Spec]) -> str:
    """Return the wanted name, or the first of ``wanted 2``, ``wanted 3``, ... that is free."""
    taken = {spec.name for spec in specs}
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted} {number}" in taken:
        number += 1
    return f"{wanted} {number}"
