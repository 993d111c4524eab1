"""Plots: both errors and the tick time over the last seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from viser import uplot

from workbench.live.exchange import Records
from workbench.live.state import SessionState
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import checkbox

WINDOW_S = 15.0
BIN_S = 0.1
_BINS = round(WINDOW_S / BIN_S)
_LOG_RANGE = (1e-3, 1e3)
_AGE_SCALE = uplot.Scale(time=False, range=(-WINDOW_S, 0.0))
_HEIGHT_PX = 138


_AXES = (
    uplot.Axis(size=26, ticks=uplot.Axis_Ticks(size=4)),
    uplot.Axis(size=46, ticks=uplot.Axis_Ticks(show=False), grid=uplot.Axis_Grid(width=0.5)),
)


@dataclass(frozen=True, eq=False)
class Curves:
    """Numbers of equal steps of time, oldest first; each of shape (bins,), NaN where none.

    Attributes:
        age_s: Time before now, negative.
        position_error_mm: Largest error of the step.
        orientation_error_deg: Largest error of the step.
        tick_time_ms: Longest tick of the step.
    """

    age_s: NDArray[np.float64]
    position_error_mm: NDArray[np.float64]
    orientation_error_deg: NDArray[np.float64]
    tick_time_ms: NDArray[np.float64]


def curves_of(records: Records) -> Curves:
    """Gather the last ticks into steps of 0.1 s, of which the largest number is kept.

    The steps lie on a fixed grid of the clock, so that a curve moves and does not flicker.
    """
    age_s = np.arange(1 - _BINS, 1, dtype=np.float64) * np.float64(BIN_S)
    curves = [np.full(_BINS, np.nan) for _ in range(3)]
    if len(records):
        number = np.floor(records.time_s / BIN_S).astype(np.int64)
        index = number - number[-1] + _BINS - 1
        kept = index >= 0
        sources = (
            1e3 * records.position_error_m,
            np.degrees(records.orientation_error_rad),
            1e3 * records.tick_time_s,
        )
        for curve, source in zip(curves, sources, strict=True):
            np.fmax.at(curve, index[kept], source[kept])
    return Curves(age_s, *curves)


class PlotsPanel:
    """Two scrolling plots."""

    def __init__(self, context: PanelContext) -> None:
        """Add the plots where the gui's context is."""
        self._context = context
        self._logarithmic = True
        curves = curves_of(context.records.last(seconds=WINDOW_S))
        gui = context.tools.gui
        self._errors = gui.add_uplot(
            self._error_data(curves),
            series=(
                uplot.Series(label="s"),
                uplot.Series(label="position [mm]", stroke="#0072b2", width=1.5),
                uplot.Series(label="orientation [°]", stroke="#d55e00", width=1.5),
            ),
            scales=_error_scales(logarithmic=True),
            axes=_AXES,
            height=_HEIGHT_PX,
            padding=(8, 8, 0, 0),
        )
        self._ticks = gui.add_uplot(
            _known(curves.age_s, curves.tick_time_ms),
            series=(
                uplot.Series(label="s"),
                uplot.Series(label="tick time [ms]", stroke="#009e73", width=1.5),
            ),
            scales={"x": _AGE_SCALE, "y": uplot.Scale(range=(0.0, None))},
            axes=_AXES,
            height=_HEIGHT_PX - 40,
            padding=(8, 8, 0, 0),
        )
        self._log = checkbox(
            context.tools, "log scale", "Shows the errors on a logarithmic scale.",
            self._set_logarithmic, True,
        )  # fmt: skip
        context.tools.open_to_lookers(self._log.handle)
        self._last_time_s = math.nan

    def refresh(self, state: SessionState) -> None:
        """The settings do not show here."""

    def draw(self) -> None:
        """Draw the last seconds, if there were ticks since the last drawing."""
        records = self._context.records.last(seconds=WINDOW_S)
        if not len(records) or records.time_s[-1] == self._last_time_s:
            return
        self._last_time_s = float(records.time_s[-1])
        curves = curves_of(records)
        self._errors.data = self._error_data(curves)
        self._ticks.data = _known(curves.age_s, curves.tick_time_ms)

    def close(self) -> None:
        """Nothing is pending."""

    def _error_data(self, curves: Curves) -> tuple[NDArray[np.float64], ...]:
        errors = curves.position_error_mm, curves.orientation_error_deg
        if self._logarithmic:
            # Zero has no place on a logarithmic axis.
            errors = tuple(np.maximum(error, _LOG_RANGE[0]) for error in errors)
        return _known(curves.age_s, *errors)

    def _set_logarithmic(self, logarithmic: bool) -> None:
        self._logarithmic = logarithmic
        self._log.show(logarithmic)
        self._errors.scales = _error_scales(logarithmic=logarithmic)
        self._last_time_s = math.nan
        self.draw()


def _known(
    age_s: NDArray[np.float64], *curves: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Leave out the steps without a number.

    A single NaN among the first numbers would empty a plot that scales itself to its data.
    """
    known = np.isfinite(np.stack(curves)).all(axis=0)
    return tuple(values[known] for values in (age_s, *curves))


def _error_scales(*, logarithmic: bool) -> dict[str, uplot.Scale]:
    y = (
        uplot.Scale(distr=3, range=_LOG_RANGE)
        if logarithmic
        else uplot.Scale(distr=1, range=(0.0, None))
    )
    return {"x": _AGE_SCALE, "y": y}
