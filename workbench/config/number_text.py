"""The one way in which the page, the names of undo steps and the report write a number."""

from __future__ import annotations


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number: ``0.5``, ``1e-8``, ``10``."""
    text = repr(float(value))
    mantissa, separator, exponent = text.partition("e")
    mantissa = mantissa.removesuffix(".0")
    return f"{mantissa}e{int(exponent)}" if separator else mantissa
