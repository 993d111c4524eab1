"""Taking typed values out of a YAML document, each with a precise complaint when it is not there.

A :class:`Section` is one mapping of a :class:`~workbench.config.document.Document`. Its methods
return a value of the type that is asked for or raise a
:class:`~workbench.errors.ConfigError` with path, line, key, value and what would be right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.config.document import Document, Key, dotted, finite_number_from
from workbench.errors import ConfigError, did_you_mean


@dataclass(frozen=True, eq=False)
class Section:
    """One mapping of a document.

    Attributes:
        document: Where it stands.
        keys: Way to it from the top.
    """

    document: Document
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        """Check that there is a mapping at that place."""
        if not isinstance(self._node, dict):
            raise self.document.error(
                "is not a mapping", *self.keys, value=self._node, expected="keys with values"
            )

    @property
    def _node(self) -> Any:
        node: Any = self.document.data
        for key in self.keys:
            node = node[key]
        return node

    @property
    def mapping(self) -> dict[str, Any]:
        """The mapping itself."""
        return self._node

    def __contains__(self, key: str) -> bool:
        """Tell whether the key is there with a value (an empty one counts as absent)."""
        return self.mapping.get(key) is not None

    def error(
        self, message: str, *keys: Key, value: object = None, expected: str | None = None
    ) -> ConfigError:
        """Return an error about a place inside this section."""
        return self.document.error(message, *self.keys, *keys, value=value, expected=expected)

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Raise for the first key that is not known, with the nearest that are."""
        for key in self.mapping:
            if key not in known:
                raise self.error("there is no such key", key, expected=did_you_mean(key, known))

    def section(self, key: str) -> Section:
        """Return the mapping under a key."""
        self._require(key, "keys with values")
        return Section(self.document, (*self.keys, key))

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text under a key; without a default it must be there and not be empty."""
        if key not in self and default is not None:
            return default
        self._require(key, "text")
        return self._checked_text(self.mapping[key], key)

    def optional_text(self, key: str) -> str | None:
        """Return the text under a key, None where it is absent."""
        return self.text(key) if key in self else None

    def switch(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.mapping.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(
                "is neither true nor false", key, value=value, expected="true or false"
            )  # fmt: skip
        return value

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """Return one of a few words."""
        value = self.mapping.get(key, default)
        if value not in choices:
            raise self.error(
                "is not a choice", key, value=value, expected="one of " + ", ".join(choices)
            )  # fmt: skip
        return str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts without duplicates; absent means none."""
        result: list[str] = []
        for index, item in enumerate(self.items(key)):
            text = self._checked_text(item, key, index)
            if text in result:
                raise self.error("is listed twice", key, index, value=text)
            result.append(text)
        return tuple(result)

    def items(self, key: str) -> list[Any]:
        """Return a list as it is; absent means empty."""
        value = self.mapping.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error("is not a list", key, value=value, expected="a list")
        return value

    def numbers_by_name(self, key: str) -> dict[str, float]:
        """Return a mapping of names to finite numbers; absent means empty."""
        if key not in self:
            return {}
        inner = self.section(key)
        return {name: inner.number(name) for name in inner.mapping}

    def number(self, key: str) -> float:
        """Return the finite number under a key."""
        self._require(key, "a finite number")
        return self._checked_number(self.mapping[key], key)

    def vector(
        self, key: str, length: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Return a list of that many finite numbers; without a default it must be there."""
        if key not in self and default is not None:
            return default
        self._require(key, f"{length} finite numbers")
        values = self.mapping[key]
        if not isinstance(values, list) or len(values) != length:
            raise self.error(
                "is not a list of numbers", key, value=values, expected=f"{length} finite numbers"
            )  # fmt: skip
        return tuple(self._checked_number(value, key, i) for i, value in enumerate(values))

    def sections(self, key: str) -> Iterator[Section]:
        """Yield every mapping of a list of mappings."""
        for index, _item in enumerate(self.items(key)):
            yield Section(self.document, (*self.keys, key, index))

    def _require(self, key: str, expected: str) -> None:
        if key not in self.mapping:
            raise ConfigError(
                "is missing", path=self.document.name, line=self.document.line_of(*self.keys),
                field=dotted((*self.keys, key)), expected=expected,
            )  # fmt: skip
        if self.mapping[key] is None:
            raise self.error("has no value", key, expected=expected)

    def _checked_text(self, value: object, *keys: Key) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error("is not text", *keys, value=value, expected="text")
        return str(value)

    def _checked_number(self, value: object, *keys: Key) -> float:
        try:
            return finite_number_from(value)
        except ValueError as problem:
            raise self.error(
                str(problem), *keys, value=value, expected="a finite number"
            ) from problem
