"""``pyharness validate``: hold the logs of real runs against a spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.cli.specs_option import specs_option
from pyharness.errors import IncompleteError
from pyharness.logs.rules import PROTOCOLS
from pyharness.logs.self_test import self_test
from pyharness.logs.validation import validate as validated
from pyharness.run.machine_tools import find_tools
from pyharness.toolchain.clean_text import said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.logs.validation import Validation

__all__ = ["FORMAT", "validate"]

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
@specs_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def validate(
    directories: Sequence[Path], *, protocol: str | None, no_tlc: bool, test: bool, specs: Path, as_json: bool
) -> None:
    """Decide whether the snapshots of real runs are right, each LOGDIR the log of one run, a file of each process.

    Two decide, and must agree: a count of messages in one pass over the events, which names the first line that is
    wrong; and TLC, which walks each snapshot in the unchanged spec.

    Exits with 0 if all snapshots are right, with 1 at a line that is wrong, with 2 for what is no log, with 3 if there
    is no evidence (no log, no snapshot complete, nothing that could have gone wrong), 4 if the two do not agree.
    """
    tools = None if no_tlc else find_tools(specs)
    if test:
        count = self_test(tools)
        click.echo(f"self-test: {count} logs, each judged as it must be", err=True)
    elif not directories:
        raise click.UsageError("name the directory of a log, or --self-test")
    came = [validated(directory, protocol=protocol or "", tools=tools) for directory in directories]
    if as_json:
        click.echo(json.dumps({"format": FORMAT, "runs": [_document(one) for one in came]}, indent=2))
    else:
        for one in came:
            click.echo(said(_text(one)))
    for one in came:
        if one.refused is not None:
            raise one.refused
    if any(one.verdict != "pass" for one in came):
        raise IncompleteError("not all of the evidence is there", hint="see what is said above of each log")


def _text(one: Validation) -> str:
    counted = [
        f"{one.processes} processes, {one.events:,} events",
        f"{len(one.complete):,} complete snapshots, {len(one.incomplete):,} cut off",
        f"{one.crossing:,} messages crossed a cut, {one.behind:,} were sent behind one",
    ]
    words = [f"{one.directory}: {one.verdict.upper()}", f"  {one.protocol}: {'; '.join(counted)}"]
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


def _document(one: Validation) -> dict[str, Any]:
    refused = one.refused
    return {
        "directory": str(one.directory),
        "verdict": one.verdict,
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
        },
    }
