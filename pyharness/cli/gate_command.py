"""``pyharness check --ci``: the run of ``pyharness check``, with what a CI system reads."""

from __future__ import annotations

import os
import re
import traceback
import uuid
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import HarnessError, ToolError
from pyharness.base.toolchain.own_files import listed_files, locked, remove, write_text
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.cli.main import INTERRUPTED
from pyharness.cli.plan_run import out_of, page_line, run_chosen
from pyharness.cli.run_summary import closing_line, print_summary
from pyharness.gate.judge.judgement import pin_rows
from pyharness.gate.judge.result_cases import Case, Status, cases
from pyharness.models.verdicts import Verdict, worst
from pyharness.show.report.ci.annotations import annotation_lines
from pyharness.show.report.ci.failures import write_failures
from pyharness.show.report.ci.gate_summary import error_summary, gate_summary
from pyharness.show.report.ci.junit import to_junit
from pyharness.tla.modules.places import Place, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.cli.plan_run import Ran

JUNIT, SUMMARY, FAILURES = "junit.xml", "summary.md", "failures"
"""The files and the directory that the gate writes below ``--out``."""


def check_for_ci(context: click.Context, plan: str, *, annotate: bool, **options: Any) -> None:
    """Check PLAN as `pyharness check` does, and leave in --out what a CI system reads.

    That is junit.xml, summary.md (also added to GITHUB_STEP_SUMMARY) and failures/, the counterexamples. They are of
    this run, or are not there. Exit codes are those of `check`.
    """
    annotate, specs = annotate or os.environ.get("GITHUB_ACTIONS") == "true", options["specs"]
    with ExitStack() as stack:
        try:
            directory = out_of(plan, options["out"])
            stack.enter_context(locked(directory))  # until this run's files are there
        except HarnessError as error:
            _report_error(plan, specs, error, annotate=annotate)
            raise
        out = _near(directory)
        _clear(out)
        try:
            ran = run_chosen(plan, held=True, **options)
            with _no_commands(annotate):
                print_summary(ran.report, ran.seconds)
            _leave(out, Path(plan).stem, ran, annotate=annotate)
            with _no_commands(annotate):
                click.echo(page_line(ran.page), err=not isinstance(ran.page, Path))
        except BaseException as error:
            _leave_error(out, plan, specs, error, annotate=annotate)
            raise
    context.exit(ran.exit_code)


def _leave(out: Path, plan: str, ran: Ran, *, annotate: bool) -> None:
    found, verdict = cases(ran.report, ran.seconds), ran.report.verdict
    if not isinstance(ran.page, Path):
        found += (Case("plan", "report", Status.ERROR, tuple(str(ran.page).split("\n"))),)
        verdict = worst([verdict, Verdict.ERROR])
    traces = {case: _near(path) for case, path in write_failures(found, out / FAILURES).items()}
    closing = closing_line(ran.report, ran.seconds)
    summary = gate_summary(
        plan,
        verdict.text,
        closing,
        found,
        page=_near(ran.page) if isinstance(ran.page, Path) else None,
        traces=traces,
        pins=pin_rows(ran.report),
    )
    _write(out / SUMMARY, summary)
    _write(out / JUNIT, to_junit(plan, found, traces))
    _add_to_job(summary)
    if annotate:
        for line in annotation_lines(found, traces):
            click.echo(line)


def _leave_error(out: Path, plan: str, specs: Path, error: BaseException, *, annotate: bool) -> None:
    """Write into every output that there is no verdict, and why: the files first, which may have an older verdict."""
    summary, case = _no_verdict(plan, specs, error)
    _write(out / SUMMARY, summary)
    _write(out / JUNIT, to_junit(Path(plan).stem, [case]))
    _report_error(plan, specs, error, annotate=annotate)


def _report_error(plan: str, specs: Path, error: BaseException, *, annotate: bool) -> None:
    """Report to the CI system that there is no verdict, and why, if it can be reached."""
    summary, case = _no_verdict(plan, specs, error)
    with suppress(ToolError, OSError):
        _add_to_job(summary)
    if annotate:
        with suppress(OSError):
            for line in annotation_lines([case]):
                click.echo(line)


def _no_verdict(plan: str, specs: Path, error: BaseException) -> tuple[str, Case]:
    """Return the summary and the case of a run without a verdict, with the reason."""
    if isinstance(error, HarnessError):
        message = first = str(error)
    elif isinstance(error, KeyboardInterrupt):
        message = first = INTERRUPTED
    else:
        message = "".join(traceback.format_exception(error)).strip()
        first = message.rsplit("\n", 1)[-1]
    case = Case("plan", "run", Status.ERROR, tuple(first.split("\n")), _place(plan, specs, error))
    return error_summary(Path(plan).stem, message), case


def _place(plan: str, specs: Path, error: BaseException) -> Place | None:
    """Return the line of the plan that an error names."""
    where = error.where if isinstance(error, HarnessError) else None
    named = re.fullmatch(r"(.*):(\d+)", where or "")
    if named is None:
        return None
    try:
        path = find_plan(plan, specs)
    except HarnessError:
        return None
    return place_of(path, int(named[2])) if named[1] == path.name else None


def _clear(out: Path) -> None:
    """Remove the files of an earlier run, so that they cannot be taken for this one's."""
    failures = out / FAILURES
    for old in (out / JUNIT, out / SUMMARY, *(failures / name for name in listed_files(out, FAILURES))):
        remove(old)


def _write(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    write_text(path, text, errors="replace")


def _add_to_job(summary: str) -> None:
    if file := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(file).open("a", encoding="utf-8", errors="replace") as job:
                job.write(summary)
        except OSError as error:
            raise ToolError(
                f"the job's summary cannot be written: {error.strerror}",
                where=file,
                hint="GITHUB_STEP_SUMMARY names it",
            ) from error


@contextmanager
def _no_commands(annotate: bool) -> Iterator[None]:
    """Keep GitHub from taking a line that is printed meanwhile for a command."""
    token = uuid.uuid4().hex
    if annotate:
        click.echo(f"::stop-commands::{token}")
    try:
        yield
    finally:
        if annotate:
            click.echo(f"::{token}::")


def _near(path: Path) -> Path:
    """Return a path relative to the working directory, if it is below that."""
    here, full = Path.cwd(), path.resolve()
    return full.relative_to(here) if full.is_relative_to(here) else path
