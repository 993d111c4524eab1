"""Pink code for the barriers that Pink itself can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.config.limits import BarrierSpec, BodySphericalBarrierSpec, PositionBarrierSpec
from workbench.export.python_text import block, call, number, text


def can_write_barrier(spec: BarrierSpec) -> bool:
    """Whether a barrier has code here."""
    return isinstance(spec, PositionBarrierSpec | BodySphericalBarrierSpec)


def written_barriers(specs: Iterable[BarrierSpec]) -> list[BarrierSpec]:
    """Return the barriers that are switched on and have code here."""
    return [spec for spec in specs if spec.enabled and can_write_barrier(spec)]


def barriers_code(specs: Iterable[BarrierSpec], package: str, indent: int) -> str:
    """Return a list of barriers as an expression.

    Args:
        specs: The barriers; those without code and those switched off are passed over.
        package: ``pink`` or ``pinker``.
        indent: Indentation of the line that the expression ends on.
    """
    margin = " " * indent
    lines = [
        f"{margin}    {made},\n"
        for spec in written_barriers(specs)
        for made in _made(spec, package, indent + 4)
    ]
    return "[\n" + "".join(lines) + f"{margin}]" if lines else "[]"


def _made(spec: BarrierSpec, package: str, indent: int) -> Iterator[str]:
    if isinstance(spec, PositionBarrierSpec):
        yield from _position(spec, package, indent)
    elif isinstance(spec, BodySphericalBarrierSpec):
        yield call(
            f"{package}.barriers.BodySphericalBarrier",
            [
                f"({text(spec.frame)}, {text(spec.other_frame)})",
                f"d_min={number(spec.minimum_distance_m)}",
                *_gains(spec.gain, spec.safe_displacement_gain),
            ],
            indent,
        )


def _position(spec: PositionBarrierSpec, package: str, indent: int) -> Iterator[str]:
    """Yield a barrier for the lower bounds and one for the upper ones.

    One of Pink's barriers has both for the same axes only.
    """
    for keyword, bounds in (("p_min", spec.minimum), ("p_max", spec.maximum)):
        axes = [index for index, bound in enumerate(bounds) if bound is not None]
        if not axes:
            continue
        values = call(
            "np.array", [block([bound for bound in bounds if bound is not None], indent + 8)],
            indent + 4,
        )  # fmt: skip
        yield call(
            f"{package}.barriers.PositionBarrier",
            [
                text(spec.frame), f"indices={axes}", f"{keyword}={values}",
                *_gains(spec.gain, spec.safe_displacement_gain),
            ],
            indent,
        )  # fmt: skip


def _gains(gain: float, safe_displacement_gain: float) -> tuple[str, str]:
    return f"gain={number(gain)}", f"safe_displacement_gain={number(safe_displacement_gain)}"
