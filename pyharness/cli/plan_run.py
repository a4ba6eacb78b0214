"""A run of a plan, as ``pyharness check`` and ``pyharness gate`` make it: their options, and its result."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.cli.only_option import chosen_names, only_option
from pyharness.cli.progress import progress
from pyharness.cli.run_report import leave_report, unfinished, versions
from pyharness.cli.specs_option import specs_option
from pyharness.judge.time_budget import within_budget
from pyharness.plan.plan import Plan, read_plan
from pyharness.report.run import RunInfo
from pyharness.run.machine_tools import find_tools
from pyharness.run.out_lock import locked
from pyharness.toolchain.spec_files import find_plan, specs_here

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.errors import ToolError
    from pyharness.judge.plan_report import PlanReport
    from pyharness.run.table_rows import HistoryRow

__all__ = ["Ran", "out_of", "run_chosen", "run_options"]


@dataclass(frozen=True)
class Ran:
    """A run: its report, its wall time, its rows of the history, and the history's rows before it.

    ``page`` is the report for people to look at, or what kept it from being written.
    """

    report: PlanReport
    seconds: float
    rows: Sequence[HistoryRow]
    before: Sequence[HistoryRow]
    page: Path | ToolError

    @property
    def exit_code(self) -> int:
        """The verdict's, or that of the missing page: a run whose report cannot be written does not pass."""
        return self.report.verdict.exit_code or getattr(self.page, "exit_code", 0)


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command the argument PLAN and the options of a run, which are those of :func:`run_chosen`."""
    options = (
        click.argument("plan", default="quick"),
        only_option,
        click.option("--out", type=click.Path(path_type=Path), help="Where results go; default build/PLAN."),
        specs_option,
        click.option("--fresh", is_flag=True, help="Take nothing over from an earlier run."),
        click.option("--master", metavar="URL", help="A Spark cluster instead of this machine."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def out_of(plan: str, out: Path | None) -> Path:
    """Return the directory of a plan's results: ``out``, or its name below ``./build``."""
    return out or Path.cwd() / "build" / Path(plan).stem


def run_chosen(
    plan: str, *, only: tuple[str, ...], out: Path | None, specs: Path, fresh: bool, master: str | None
) -> Ran:
    """Run a plan, or the models of it whose names match one of ``only``, and add the run to the history below ``out``.

    The report for people to look at is ``out``'s ``report/index.html``.

    A run that took longer than the plan's budget is incomplete.

    Raises SpecError if plan or spec is wrong, ToolError if Java, TLC or Spark fails or another run uses ``out``.
    """
    from pyharness.judge.run_history import append_history, history_rows, read_history  # noqa: PLC0415
    from pyharness.pipeline.stages import run_plan  # noqa: PLC0415
    from pyharness.run.spark_session import spark_when_needed  # noqa: PLC0415

    chosen = _choose(read_plan(find_plan(plan, specs), specs), only)
    directory = out_of(plan, out)
    tools = find_tools(specs)
    began, since = datetime.now(UTC), time.monotonic()
    pages = directory / "report"
    with (
        locked(directory),
        unfinished(chosen.name, began, pages),
        progress() as notes,
        spark_when_needed(master) as spark,
    ):
        before = read_history(directory)
        report = run_plan(chosen, tools, spark, directory, fresh=fresh, progress=notes, say=_warn)
        seconds = time.monotonic() - since
        report = within_budget(report, seconds)
        rows = history_rows(report, began, seconds)
        append_history(directory, rows)
        given = {"--out": out, "--specs": None if specs == specs_here() else specs, "--master": master}
        options = [text for name, value in given.items() if value for text in (name, str(value))]
        info = RunInfo(began, seconds, ("pyharness", "check", plan, *options), versions(tools, report), only)
    return Ran(report, seconds, rows, before, leave_report(report, [*before, *rows], info, pages))


def _warn(text: str) -> None:
    click.echo(f"pyharness: {text}", err=True)


def _choose(plan: Plan, only: tuple[str, ...]) -> Plan:
    if not only:
        return plan
    names = chosen_names(plan, (model.name for model in plan.models), only)
    models = tuple(model for model in plan.models if model.name in names)
    return replace(plan, models=models, examples=(), whole=False)
