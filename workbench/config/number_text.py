"""The one way in which the page, the names of undo steps and the report write a number."""

from __future__ import annotations


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number: ``0.5``, ``1e-8``, ``10``."""
    text = repr(float(value))
    mantissa, separator, exponent = text.partition("e")
    mantissa = mantissa.removesuffix(".0")
    return f"{mantissa}e{int(exponent)}" if separator else mantissa


def yaml_number_text(value: float) -> str:
    """Return the shortest text that YAML 1.1 and 1.2 readers read back as the same float."""
    text = repr(float(value))
    mantissa, exponent_sign, exponent = text.partition("e")
    if mantissa.lstrip("-") in ("inf", "nan"):
        return text.replace("inf", ".inf").replace("nan", ".nan")
    # YAML 1.1 wants a point before an exponent.
    if exponent_sign and "." not in mantissa:
        mantissa += ".0"
    return mantissa + exponent_sign + exponent
