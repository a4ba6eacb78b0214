"""``pyharness validate``: check the logs of real runs against a spec."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import DisagreementError, HarnessError, IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.clean_text import cleaned, one_line
from pyharness.cli.shared_options import DIRECTORY, specs_option
from pyharness.hold.logs.imported_logs import from_flink, from_shiviz, write_logs
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.hold.logs.validation import validate as validated
from pyharness.models.machine_tools import find_tools
from pyharness.models.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.hold.logs.validation import Validation
    from pyharness.models.machine_tools import Tools

FORMAT = "pyharness-validate/1"


@click.command()
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LOGDIR...")
@click.option(
    "--protocol", type=click.Choice(sorted(PROTOCOLS)), help="By default the one that the headers name."
)
@click.option("--no-tlc", is_flag=True, help="Only count; do not let TLC decide.")
@click.option(
    "--from",
    "source",
    type=click.Choice(["flink", "shiviz"]),
    help="LOGDIR are log files of this tool, of one run: convert them first.",
)
@click.option("--out", type=DIRECTORY, help="With --from: keep the converted log in this directory.")
@specs_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def validate(
    context: click.Context,
    directories: Sequence[Path],
    *,
    protocol: str | None,
    no_tlc: bool,
    source: str | None,
    out: Path | None,
    specs: Path,
    as_json: bool,
) -> None:
    """Decide whether the snapshots of real runs are right, each LOGDIR the log of one run, a file of each process.

    \b
      pyharness validate run-1
      pyharness validate --from shiviz run.log
      pyharness validate --from flink taskmanager.log --protocol AlignedBarriers

    With --from, LOGDIR are files of GoVector, which ShiViz shows, with vector clocks, or of Flink's barrier handler at level DEBUG.
    Flink's log has each barrier and each record of a task, and no records that are sent: such a log can show an error,
    and is otherwise incomplete.

    Two decide, and must agree: a count of messages in one pass over the events, which names the first line that is
    wrong; and TLC, which walks each snapshot in the unchanged spec.

    Exits with 0 if all snapshots are right, with 1 at a line that is wrong, with 2 for a directory that is not a log, with 3
    without evidence (no log, no snapshot complete, nothing that could have gone wrong), with 4 if a tool failed, and
    with 5 if the two do not agree. Of several logs it is the worst, in this order: 5, 1, 2, 4, 3.
    """  # noqa: D301 - click reads the \b
    tools = None if no_tlc else find_tools(specs)
    if out is not None and source is None:
        raise click.UsageError("--out is the directory of a log that --from converts")
    with _converted(source, directories, protocol, out) as logs:
        results = [_validated(directory, protocol or "", tools) for directory in logs]
        shown = directories[:1] if source else directories
        if as_json:
            runs = [_document(one, directory) for one, directory in zip(results, shown, strict=True)]
            click.echo(json.dumps({"format": FORMAT, "runs": runs}, indent=2))
        else:
            for one, directory in zip(results, shown, strict=True):
                click.echo(cleaned(_text(one, directory)))
    context.exit(_exit_code(results))


@contextmanager
def _converted(
    source: str | None,
    files: Sequence[Path],
    protocol: str | None,
    out: Path | None,
) -> Iterator[Sequence[Path]]:
    """Yield the directories of logs to validate: those that are named, or one made of another tool's files."""
    if source is None:
        yield files
        return
    if source == "flink":
        exact = [name for name, rules in PROTOCOLS.items() if rules.begin and rules.exact]
        if protocol not in exact:
            raise click.UsageError(f"--from flink needs --protocol, one of: {', '.join(exact)}")
        logs, found = from_flink(files, protocol)
    else:
        logs, found = from_shiviz(files)
    with tempfile.TemporaryDirectory(prefix="pyharness-log-") as place:
        kept = out or Path(place) / "log"
        write_logs(logs, kept)
        events = sum(len(lines) - 1 for lines in logs.values())
        records = sum(line.get("e") == "record" for lines in logs.values() for line in lines)
        counted = [f"{len(logs)} processes, {events:,} events, {records:,} of them records"]
        counted += [f"{number:,} {what}" for what, number in found.items() if number]
        click.echo(f"converted{f' to {out}' if out else ''}: {'; '.join(counted)}", err=True)
        yield [kept]


def _validated(directory: Path, protocol: str, tools: Tools | None) -> Validation | HarnessError:
    """Return the result of a log, or the error that kept it from a result: others may follow."""
    if not os.path.exists(directory):  # noqa: PTH110 - a name that no file can have does not exist
        return SpecError("there is no such directory", where=str(directory), hint="is the name misspelt?")
    try:
        return validated(directory, protocol=protocol, tools=tools)
    except (SpecError, ToolError) as error:
        return error


_WORST = (5, 1, 2, 4, 3, 0)


def _exit_code(logs: Sequence[Validation | HarnessError]) -> int:
    codes = [r.exit_code if isinstance(r, HarnessError) else Verdict.of(r.verdict).exit_code for r in logs]
    return min(codes, key=_WORST.index, default=0)


def _text(one: Validation | HarnessError, directory: Path) -> str:
    if isinstance(one, HarnessError):
        return f"{_line(directory)}: {_named(one).upper()}\n  {one}"
    counted = [
        f"processes: {one.processes}, events: {one.events:,}",
        f"complete snapshots: {len(one.complete):,}, {len(one.incomplete):,} cut off",
        f"{one.crossing:,} messages crossed a cut, {one.behind:,} were sent after one",
    ]
    words = [f"{_line(directory)}: {one.verdict.upper()}", f"  {one.protocol}: {'; '.join(counted)}"]
    if one.refused is not None:
        words.append(f"  {one.refused}")
        words.append(f"  accepted there: {', '.join(one.accepted) or 'nothing'}")
    if one.walked is None:
        words.append("  not decided by TLC: it was not asked")
    else:
        several = (
            f"{len(one.walked):,} snapshots to their ends"
            if len(one.walked) != 1
            else "1 snapshot to its end"
        )
        words.append(f"  TLC walked {several} in {one.protocol}")
    if one.stop is not None:
        words.append(f"  TLC stopped in snapshot {one.stop.id}, where the spec enables {one.stop.enabled}")
    words += [f"  not decided by TLC: snapshot {name} has too many events" for name in one.undecided]
    words += [f"  not checked: {what}" for what in one.unchecked]
    words += [f"  shows nothing: {what}" for what in one.vacuous]
    words += [f"  not completed: {what}" for what in one.unfinished]
    words += [f"  {note}" for note in one.notes]
    return "\n".join(words)


def _line(log: Path | str) -> str:
    """Return the name of a log on one line: each line of the output is of one log."""
    return str(log).replace("\n", "\\n")


def _named(error: HarnessError) -> str:
    """Return the verdict that an error stands for."""
    if isinstance(error, DisagreementError):
        return "the count and TLC do not agree"
    if isinstance(error, IncompleteError):
        return Verdict.INCOMPLETE.text
    return "unreadable log" if isinstance(error, SpecError) else Verdict.ERROR.text


_FIELDS = (
    *("processes", "events", "complete", "incomplete", "crossing", "behind", "walked", "undecided"),
    *("unchecked", "vacuous", "unfinished", "notes"),
)
"""The fields of a validation that a document has as they are."""


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
        "directory": str(directory),
        "verdict": one.verdict,
        "exit_code": Verdict.of(one.verdict).exit_code,
        "protocol": one.protocol,
        **{name: getattr(one, name) for name in _FIELDS},
        "refused": refused
        and {
            "where": refused.where,
            "message": refused.message,
            "rule": refused.rule,
            "snapshot": refused.snapshot,
            "accepted": one.accepted,
        },
    }
