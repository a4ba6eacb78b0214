"""A run of a plan, as ``pyharness check`` and ``pyharness gate`` make it: their options, and its result."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.cli.only_option import chosen_names, only_option
from pyharness.cli.out_option import directory_or_store
from pyharness.cli.progress import progress, tell_where_jobs_run
from pyharness.cli.run_report import leave_report, other_tools, unfinished, versions
from pyharness.cli.selection import failed_before, failed_last, remember_failures, selection, until_failures
from pyharness.cli.specs_option import specs_option
from pyharness.errors import ToolError
from pyharness.judge.plan_report import within_budget
from pyharness.plan.plan import Plan, read_plan
from pyharness.report.run import INDEX, RunInfo
from pyharness.run.machine_tools import find_tools
from pyharness.run.out_lock import locked
from pyharness.run.verdicts import Verdict
from pyharness.toolchain import find_java
from pyharness.toolchain.clean_text import said
from pyharness.toolchain.spec_files import SPECS, find_plan, specs_here

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.cli.results_place import ResultsPlace
    from pyharness.judge.plan_report import PlanReport
    from pyharness.run.table_rows import HistoryRow


@dataclass(frozen=True)
class Ran:
    """A run: its report, its wall time, its rows of the history, and the history's rows before it.

    ``page`` is the report for people to look at, or what kept it from being written: such a run does not pass.
    """

    report: PlanReport
    seconds: float
    rows: Sequence[HistoryRow]
    before: Sequence[HistoryRow]
    page: Path | ToolError

    @property
    def exit_code(self) -> int:
        """The verdict's, or that of the missing page."""
        return self.report.verdict.exit_code or getattr(self.page, "exit_code", 0)


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command the argument PLAN and the options of a run, which are those of :func:`run_chosen`."""
    options = (
        click.argument("plan", default="quick"),
        only_option,
        click.option(
            "--out",
            type=click.Path(),
            metavar="PATH|URI",
            callback=directory_or_store,
            help="Where results go: a directory, or a store (s3://BUCKET/PREFIX); default build/PLAN, "
            "and of FOO.tla none.",
        ),
        specs_option,
        click.option(
            "-x",
            "maxfail",
            flag_value=1,
            type=int,
            help="Stop at the first model that fails; --maxfail N at the Nth.",
        ),
        click.option("--maxfail", "maxfail", type=click.IntRange(1), metavar="N", hidden=True),
        click.option(
            "--lf", "last_failed", is_flag=True, help="Only the models that failed when they last ran."
        ),
        click.option(
            "--budget", type=click.IntRange(1), metavar="SECONDS", help="Wall time; default the plan's own."
        ),
        click.option("--fresh", is_flag=True, help="Take nothing over from an earlier run."),
        click.option("--master", metavar="URL", help="A Spark cluster instead of this machine."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def run_chosen(
    plan: str,
    *,
    place: ResultsPlace,
    only: tuple[str, ...],
    specs: Path,
    fresh: bool,
    master: str | None,
    maxfail: int | None = None,
    last_failed: bool = False,
    budget: int | None = None,
    held: bool = False,
) -> Ran:
    """Run a plan, or what of it has a name that matches one of ``only``, and add the run to the history of ``place``.

    With ``last_failed`` they are also among those that failed when they last ran there. After ``maxfail``
    models that fail no further one begins. ``budget`` takes the place of the plan's own. ``held`` says that the caller
    holds the place (:mod:`pyharness.run.out_lock`), for what it leaves there itself.

    The report for people to look at is the place's ``report/index.html``.

    A run that took longer than the plan's budget is incomplete.

    Raises SpecError if plan or spec is wrong, or there is a ``master`` and no Spark; ToolError if Java, TLC or Spark
    fails or another run uses the place.
    """
    from pyharness.judge.run_history import append_history, history_rows, read_history  # noqa: PLC0415
    from pyharness.pipeline.stages import run_plan  # noqa: PLC0415
    from pyharness.run.spark_session import spark_when_needed  # noqa: PLC0415

    tell_where_jobs_run(master)
    directory = place.directory
    found = find_plan(plan, specs)
    chosen = choose(read_plan(found, specs), only)
    if SPECS in found.resolve().parents and Path.cwd() not in found.resolve().parents:
        where = "./specs" if specs == SPECS else specs
        _warn(
            f"no plan {plan} is in {where}: this is the shipped one, {len(chosen.models)} models, whose results go to "
            f"{place.given or directory} (`pyharness init` writes a plan of your own)"
        )
    if last_failed:
        chosen = _failed_last(chosen, directory)
    tools, java = find_tools(specs), find_java()
    chosen = replace(chosen, tools=other_tools(tools, java))
    for note in chosen.notes:
        _warn(note)
    began, since = datetime.now(UTC), time.monotonic()
    pages = directory / "report"
    with (
        nullcontext() if held else locked(directory),
        unfinished(chosen.name, began, pages),
        progress() as notes,
        spark_when_needed(master) as spark,
    ):
        if place.stored:
            place.stored.mirror(pages / INDEX)
        before = read_history(directory)
        run = partial(
            run_plan,
            tools=tools,
            spark=spark,
            out=directory,
            fresh=fresh,
            ran=set(),
            progress=notes,
            say=_warn,
            stored=place.stored,
        )
        report = until_failures(chosen, maxfail, run, first=failed_before(directory))
        remember_failures(report, directory)
        seconds = time.monotonic() - since
        if budget is not None:
            report = replace(report, plan=replace(report.plan, budget_seconds=budget))
        report = within_budget(report, seconds)
        rows = history_rows(report, began, seconds)
        append_history(directory, rows)
        given = {
            "--out": place.given,
            "--specs": None if specs == specs_here() else specs,
            "--master": master,
        }
        options = [text for name, value in given.items() if value for text in (name, str(value))]
        info = RunInfo(
            began, seconds, ("pyharness", "check", plan, *options), versions(tools, java, report), only
        )
    page = leave_report(report, [*before, *rows], info, pages)
    if isinstance(page, ToolError) and report.verdict is Verdict.PASS:
        report = replace(
            report, verdict=Verdict.ERROR, reasons=(*report.reasons, "its report cannot be written")
        )
    return Ran(report, seconds, rows, before, page)


def model_lines(plan: str, only: tuple[str, ...], specs: Path) -> list[str]:
    """Return a line for each model and spec that would run: its name, its module with the mutant, what it expects."""
    chosen = choose(read_plan(find_plan(plan, specs), specs), only)
    rows = [
        (model.name, f"{model.spec}:{model.mutant}" if model.mutant else model.spec,
         f"violation of {', '.join(model.caught_by)}" if model.expect == "violation" else "pass")
        for model in chosen.models
    ]  # fmt: skip
    rows += [
        (spec.name, spec.module.name, " of ".join((spec.expect, *spec.caught_by))) for spec in chosen.specs
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    return [f"{name:<{widths[0]}}  {spec:<{widths[1]}}  {expected}" for name, spec, expected in rows]


def _warn(text: str) -> None:
    click.echo(f"pyharness: {said(text)}", err=True)


def choose(plan: Plan, only: tuple[str, ...]) -> Plan:
    """Return a plan with the models and specs whose names match one of ``only``. Raises SpecError if there is none."""
    if not only:
        return plan
    return selection(plan, chosen_names(plan, plan.names, only))


def _failed_last(plan: Plan, directory: Path) -> Plan:
    """Choose the models that failed when they last ran; all of them, and say so, if none did."""
    names = failed_last(directory) & set(plan.names)
    if not names:
        _warn("no model failed when it last ran, so all of them run")
        return plan
    return selection(plan, names)
