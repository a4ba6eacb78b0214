"""``pyharness convert``: write logs of other tools as logs that ``pyharness validate`` reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.cli.shared_options import DIRECTORY
from pyharness.hold.logs.imported_logs import GOVECTOR, RECORD, from_flink, from_shiviz, write_logs
from pyharness.hold.logs.rules import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.hold.logs.imported_logs import Logs


@click.group()
def convert() -> None:
    """Write logs of other tools as logs that `pyharness validate` reads."""


_FILES = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
_OUT = click.option("--out", type=DIRECTORY, required=True, help="The directory to write, of this run alone.")


@convert.command()
@_FILES
@click.option(
    "--parse",
    default=GOVECTOR,
    show_default=True,
    metavar="REGEX",
    help="An event, with host, clock and event.",
)
@click.option(
    "--record", default=RECORD, show_default=True, metavar="REGEX", help="The text of a record, with its id."
)
@_OUT
def shiviz(files: Sequence[Path], *, parse: str, record: str, out: Path) -> None:
    """Convert logs of ShiViz or GoVector, FILES, with vector clocks.

    \b
      pyharness convert shiviz run.log --record 'recorded (?<id>\\d+)' --out run-1
      pyharness validate run-1

    Exits with 0 if the directory is written, with 2 for a file or an expression that is none.
    """  # noqa: D301 - click reads the \b
    _leave(from_shiviz(files, parse, record), out)


@convert.command()
@_FILES
@click.option(
    "--protocol",
    type=click.Choice([name for name, rules in PROTOCOLS.items() if rules.begin and rules.exact]),
    required=True,
    help="How the job's checkpoints are.",
)
@_OUT
def flink(files: Sequence[Path], *, protocol: str, out: Path) -> None:
    """Convert what Flink's barrier handler writes at level DEBUG in FILES.

    That is when each input's barrier came, and when the task recorded; it tells of no records that are sent. So a log
    that is converted can show what is wrong, and no more: `pyharness validate` says that the rest is missing.

    Exits with 0 if the directory is written, with 2 for a file without such lines.
    """
    _leave(from_flink(files, protocol), out)


def _leave(logs: Logs, out: Path) -> None:
    write_logs(logs, out)
    events = sum(len(lines) - 1 for lines in logs.values())
    records = sum(line.get("e") == "record" for lines in logs.values() for line in lines)
    click.echo(f"{out}: {len(logs)} processes, {events:,} events, {records:,} of them records")
