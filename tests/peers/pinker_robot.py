"""A robot of the tests as Pinker reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bare_models import BareModel
from workbench.ik import pinker_model as reader

if TYPE_CHECKING:
    from pinker import kinematics


def pinker_model(bare: BareModel) -> kinematics.Model:
    """Build Pinker's model, with the limits that are in force here."""
    return reader.pinker_model(bare.structure, bare.model, bare.velocity_caps)
