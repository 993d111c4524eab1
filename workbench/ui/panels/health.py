"""Check the solvers: how each does here at several rates, and a warning for the one in use."""

from __future__ import annotations

import viser

from workbench.ik.health_table import HealthRow, HealthTable
from workbench.live.health import JOB_KEY, Health, check_solvers
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block, rows_table
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, on_click


class HealthPanel:
    """A button, a table, a warning."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        gui = context.tools.gui
        self._health: Health | None = None
        self._check = add_button(
            gui, "Check the solvers",
            "Drives a copy of the robot after moving targets with every installed QP solver at 50, "
            "100, 200 and 500 Hz and lists failures, tick times and differences. Takes a while; "
            "nothing on the page moves.",
            icon=viser.Icon.STETHOSCOPE,
        )  # fmt: skip
        on_click(context.tools, self._check, "Nothing is checked", self._start_or_cancel)
        self._html = gui.add_html("", visible=False)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show the table of the present robot, and whether the solver in use did well."""
        running = self._running
        self._check.label = "Cancel the check" if running else "Check the solvers"
        health = self._health
        if health is None or health.epoch != state.epoch:
            self._html.visible = False
            return
        settings = state.settings
        content = health_block(health.table, settings.kinematics.solver, settings.rate_hz)
        if content != self._html.content:
            self._html.content = content
        self._html.visible = True

    def close(self) -> None:
        """Nothing is pending."""

    @property
    def _running(self) -> bool:
        return any(job.running and job.key == JOB_KEY for job in self._context.jobs.states)

    def _start_or_cancel(self) -> None:
        if not self._context.jobs.cancel(JOB_KEY):
            check_solvers(self._context.session, self._context.jobs, self._done, self._failed)

    def _done(self, health: Health) -> None:
        self._health = health
        settings = self._context.session.state.settings
        warning = health.table.warning(settings.kinematics.solver, settings.rate_hz)
        if warning:
            self._context.tools.notices.failed("The solver in use does not do well", warning)

    def _failed(self, error: Exception) -> None:
        self._context.tools.notices.failed("The solvers were not checked", str(error))


def health_block(table: HealthTable, solver: str, rate_hz: float) -> str:
    """Return the table as escaped HTML, with a warning for the solver and rate in use."""
    warning = table.warning(solver, rate_hz)
    parts = []
    if warning:
        parts.append(f'<div><span class="fair">▲</span> {plain(warning)}</div>')
    head = ("solver", "Hz", "fails", "p50", "p99", "differs")
    parts.append(rows_table([_row(row, solver) for row in table.rows], head))
    if not table.complete:
        parts.append('<div class="dim">The check was ended early.</div>')
    parts.append(
        '<div class="dim">fails: of 500 ticks on moving targets; p50 and p99 in ms a tick; '
        "differs: largest joint distance from daqp in mrad or mm.</div>"
    )
    return block(*parts)


def _row(row: HealthRow, solver: str) -> tuple[str, ...]:
    name = f"<b>{plain(row.solver)}</b>" if row.solver == solver else plain(row.solver)
    failures = f'<span class="bad">{row.failures}</span>' if row.failures else "0"
    return (
        name,
        f"{row.rate_hz:g}",
        failures,
        f"{row.p50_ms:.2f}",
        f"{row.p99_ms:.2f}",
        _in_thousandths(row.largest_difference),
    )


def _in_thousandths(value: float) -> str:
    """Return mrad or mm to two digits, and whole ones without an exponent."""
    thousandths = 1e3 * value
    return f"{thousandths:.0f}" if thousandths >= 100.0 else f"{thousandths:.2g}"
