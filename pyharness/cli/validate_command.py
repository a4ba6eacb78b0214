"""``pyharness validate``: hold the logs of real runs against a spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import DisagreementError, HarnessError, IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.clean_text import one_line, said
from pyharness.base.toolchain.extras import missing
from pyharness.base.toolchain.own_files import write_named
from pyharness.cli.progress import tell_where_jobs_run
from pyharness.cli.shared_options import DIRECTORY, FILE, specs_option
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.self_test import self_test
from pyharness.hold.logs.validation import validate as validated
from pyharness.models.machine_tools import find_tools
from pyharness.models.verdicts import Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.hold.logs.validation import Validation
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import LogRow

FORMAT = "pyharness-validate/1"


@click.command()
@click.argument("directories", nargs=-1, type=click.Path(path_type=Path), metavar="[LOGDIR]...")
@click.option(
    "--protocol", type=click.Choice(sorted(PROTOCOLS)), help="By default the one that the headers name."
)
@click.option("--no-tlc", is_flag=True, help="Only count; do not let TLC decide.")
@click.option(
    "--self-test", "test", is_flag=True, help="Require first that right logs pass and wrong ones do not."
)
@click.option("--html", type=FILE, help="Write a page of what came before a wrong line.")
@click.option(
    "--out",
    type=DIRECTORY,
    help="Validate on Spark, if it is there, a task for each LOGDIR, and leave tables here.",
)
@click.option("--master", metavar="URL", help="With --out: a Spark cluster instead of this machine.")
@specs_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def validate(
    context: click.Context,
    directories: Sequence[Path],
    *,
    protocol: str | None,
    no_tlc: bool,
    test: bool,
    html: Path | None,
    out: Path | None,
    master: str | None,
    specs: Path,
    as_json: bool,
) -> None:
    """Decide whether the snapshots of real runs are right, each LOGDIR the log of one run, a file of each process.

    Two decide, and must agree: a count of messages in one pass over the events, which names the first line that is
    wrong; and TLC, which walks each snapshot in the unchanged spec.

    Exits with 0 if all snapshots are right, with 1 at a line that is wrong, with 2 for what is no log, with 3 if there
    is no evidence (no log, no snapshot complete, nothing that could have gone wrong), with 4 if a tool failed, and
    with 5 if the two do not agree. Of several logs it is the worst, in this order: 5, 1, 2, 4, 3.
    """
    tools = None if no_tlc and out is None else find_tools(specs)
    if test:
        count = self_test(None if no_tlc else tools)
        click.echo(f"self-test: {count} logs, each judged as it must be", err=True)
    elif not directories:
        raise click.UsageError("name the directory of a log, or --self-test")
    if master and out is None:
        raise click.UsageError("--master is about a run on Spark: say by --out where its tables go")
    if out is not None and tools is not None:
        context.exit(
            _in_tasks(directories, protocol or "", tools, out, master, tlc=not no_tlc, as_json=as_json)
        )
    came = [_validated(directory, protocol or "", tools) for directory in directories]
    if html is not None:
        _write_page(html, [one for one in came if not isinstance(one, HarnessError)])
    if as_json:
        runs = [_document(one, directory) for one, directory in zip(came, directories, strict=True)]
        click.echo(json.dumps({"format": FORMAT, "runs": runs}, indent=2))
    else:
        for one, directory in zip(came, directories, strict=True):
            click.echo(said(_text(one, directory)))
    context.exit(_exit_code(came))


def _validated(directory: Path, protocol: str, tools: Tools | None) -> Validation | HarnessError:
    """Return what a log came to, or the error that kept it from coming to something: others may follow."""
    try:
        return validated(directory, protocol=protocol, tools=tools)
    except (SpecError, ToolError) as error:
        return error


_WORST = (5, 1, 2, 4, 3, 0)


def _exit_code(came: Sequence[Validation | HarnessError]) -> int:
    codes = [
        one.exit_code if isinstance(one, HarnessError) else Verdict.of(one.verdict).exit_code for one in came
    ]
    return min(codes, key=_WORST.index, default=0)


def _write_page(page: Path, came: Sequence[Validation]) -> None:
    """Write the page of the first log that has a wrong line."""
    from pyharness.hold.logs.neighbourhood import neighbourhood  # noqa: PLC0415
    from pyharness.show.report.trace.trace_page import to_html  # noqa: PLC0415

    found = next((found for one in came if (found := neighbourhood(one)) is not None), None)
    if found is None:
        click.echo("no page: no line of these logs is wrong by itself", err=True)
        return
    write_named(page, to_html(*found))
    click.echo(f"page: {page}", err=True)


def _in_tasks(
    directories: Sequence[Path],
    protocol: str,
    tools: Tools,
    out: Path,
    master: str | None,
    *,
    tlc: bool,
    as_json: bool,
) -> int:
    """Validate each log in a task of its own, print a line for each, and return the exit code."""
    from pyharness.gate.jobs.spark_session import spark_when_needed  # noqa: PLC0415
    from pyharness.gate.pipeline.stages import validate_logs  # noqa: PLC0415 - only this needs it
    from pyharness.hold.logs.log_source import LogSource  # noqa: PLC0415
    from pyharness.models.out_lock import locked  # noqa: PLC0415

    tell_where_jobs_run(master)
    sources = [LogSource(str(directory), directory.resolve(), protocol, tlc) for directory in directories]
    with locked(out), spark_when_needed(master) as spark:
        rows = validate_logs(sources, tools, spark, out, say=lambda text: click.echo(said(text), err=True))
    if as_json:
        runs = [_row_document(row) for row in rows]
        click.echo(json.dumps({"format": FORMAT, "runs": runs}, indent=2))
    else:
        for row in rows:
            why = f": {row.message}" if row.message else ""
            click.echo(said(f"{_line(row.log)}: {row.verdict.upper()}{why}"))
        if "pyarrow" not in missing("spark"):
            click.echo(f"tables: {out / 'tables'}")
    return worst([Verdict.of(row.verdict) for row in rows]).exit_code


def _row_document(row: LogRow) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415

    return asdict(row)


def _text(one: Validation | HarnessError, directory: Path) -> str:
    if isinstance(one, HarnessError):
        return f"{_line(directory)}: {_named(one).upper()}\n  {one}"
    counted = [
        f"{one.processes} processes, {one.events:,} events",
        f"{len(one.complete):,} complete snapshots, {len(one.incomplete):,} cut off",
        f"{one.crossing:,} messages crossed a cut, {one.behind:,} were sent behind one",
    ]
    words = [f"{_line(one.directory)}: {one.verdict.upper()}", f"  {one.protocol}: {'; '.join(counted)}"]
    if one.refused is not None:
        words.append(f"  {one.refused}")
        words.append(f"  accepted there: {', '.join(one.accepted) or 'nothing'}")
    if one.walked is None:
        words.append("  not decided by TLC: it was not asked")
    else:
        words.append(f"  TLC walked {len(one.walked):,} snapshots to their end in {one.protocol}")
    if one.stop is not None:
        words.append(f"  TLC stopped in snapshot {one.stop.id}, where the spec enables {one.stop.enabled}")
    words += [f"  not decided by TLC: snapshot {name} has too many events" for name in one.undecided]
    words += [f"  not checked: {what}" for what in one.unchecked]
    words += [f"  shows nothing: {what}" for what in one.vacuous]
    words += [f"  {note}" for note in one.notes]
    return "\n".join(words)


def _line(log: Path | str) -> str:
    """Return the name of a log on one line: each line of what is said is of one log."""
    return str(log).replace("\n", "\\n")


def _named(error: HarnessError) -> str:
    """Return the verdict that an error stands for."""
    if isinstance(error, DisagreementError):
        return "the count and TLC do not agree"
    if isinstance(error, IncompleteError):
        return Verdict.INCOMPLETE.text
    return "no log" if isinstance(error, SpecError) else Verdict.ERROR.text


def _document(one: Validation | HarnessError, directory: Path) -> dict[str, Any]:
    if isinstance(one, HarnessError):
        return {
            "directory": str(directory),
            "verdict": _named(one),
            "exit_code": one.exit_code,
            "error": {"where": one.where, "message": one_line(one.message, 2000), "hint": one.hint},
        }
    refused = one.refused
    return {
        "directory": str(one.directory),
        "verdict": one.verdict,
        "exit_code": Verdict.of(one.verdict).exit_code,
        "protocol": one.protocol,
        "processes": one.processes,
        "events": one.events,
        "complete": one.complete,
        "incomplete": one.incomplete,
        "crossing": one.crossing,
        "behind": one.behind,
        "walked": one.walked,
        "undecided": one.undecided,
        "unchecked": one.unchecked,
        "vacuous": one.vacuous,
        "notes": one.notes,
        "refused": refused
        and {
            "where": refused.where,
            "message": refused.message,
            "rule": refused.rule,
            "snapshot": refused.snapshot,
            "accepted": one.accepted,
        },
    }
