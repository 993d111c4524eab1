"""One field of a group of settings, as its control sees it: what it says of itself, read and set.

:mod:`.group_controls` makes one for each field.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from workbench.config.checked import CheckedSettings
from workbench.config.fields import FieldSpec, field_spec
from workbench.live.session import Session
from workbench.live.state import SessionState

GroupName = Literal["streaming", "planning", "simulated_arm"]
"""Settings that are a group each, by their name in :class:`~workbench.config.settings.Settings`."""


@dataclass(frozen=True)
class GroupField:
    """A field of a group.

    Attributes:
        session: Whose settings.
        group: The group's name.
        name: The field's name.
        spec: Unit, help, range and slider.
        default: Value that the way back leads to.
    """

    session: Session
    group: GroupName
    name: str
    spec: FieldSpec
    default: Any

    @property
    def label(self) -> str:
        """Name on the page."""
        return self.spec.label or self.name

    def value(self, state: SessionState | None = None) -> Any:
        """Return the value in force, in a state or now."""
        return getattr(group_of(state or self.session.state, self.group), self.name)

    def ask(self, value: object, gesture: str | None = None) -> None:
        """Set the value, as an undoable edit.

        Args:
            value: The value.
            gesture: Name of the gesture that it belongs to; None for a step of its own.

        Raises:
            ConfigError: If the value is refused.
        """
        self.session.edit(
            None,
            lambda settings: replace(
                settings,
                **{self.group: getattr(settings, self.group).with_values(**{self.name: value})},
            ),
            gesture=None if gesture is None else f"{self.group}.{self.name} {gesture}",
        )


def group_of(state: SessionState, group: GroupName) -> CheckedSettings:
    """Return a group of a state's settings."""
    return getattr(state.settings, group)


def fields_of(session: Session, group: GroupName) -> list[GroupField]:
    """Return a group's fields in its order.

    Raises:
        ValueError: If a field does not say what it is.
    """
    model = type(group_of(session.state, group))
    defaults = model()
    fields = []
    for name in model.model_fields:
        spec = field_spec(model, name)
        if spec is None:
            raise ValueError(f"{model.__name__}.{name} has no spec")
        fields.append(GroupField(session, group, name, spec, getattr(defaults, name)))
    return fields
