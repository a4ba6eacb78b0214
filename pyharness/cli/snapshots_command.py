"""``pyharness run snapshots``: list, show and verify the snapshots that a run has stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.base.errors import HarnessError, IncompleteError
from pyharness.base.toolchain.clean_text import cleaned, one_line
from pyharness.cli.shared_options import FILE
from pyharness.lab.runtime.stored_snapshots import StoredSnapshot, newest_snapshot, snapshot_files
from pyharness.lab.runtime.system_run import run_of, snapshot_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator

_RUN = click.argument("directory", type=click.Path(path_type=Path, exists=True), metavar="DIR|SNAPSHOT")


@click.group()
def snapshots() -> None:
    """List, show and verify the snapshots that `pyharness run` has stored.

    DIR is the directory of a run, or, for show and verify, one of its snapshots.
    """


@snapshots.command("list")
@_RUN
def list_snapshots(directory: Path) -> None:
    """List the snapshots of a run, in the order in which they were complete."""
    for path, found in _found(directory):
        if isinstance(found, HarnessError):
            click.echo(cleaned(f"{path.name}  {one_line(found.message, 200)}"))
        else:
            click.echo(f"{path.name}  snapshot {found.id}, {found.in_flight} messages in channels")


@snapshots.command()
@_RUN
@click.option("--html", type=FILE, metavar="PAGE", help="Write a page of what happened meanwhile, too.")
def show(directory: Path, *, html: Path | None) -> None:
    """Print a snapshot, of a run the newest, as JSON.

    The page of --html is made of the log: the events while the snapshot was taken, and its cut through them.
    """
    path = newest_snapshot(directory) if directory.is_dir() else directory
    place = path.absolute().parent.parent
    found = snapshot_of_run(path)
    if html is not None:
        from pyharness.base.toolchain.own_files import write_named  # noqa: PLC0415
        from pyharness.hold.logs.log_behaviour import cut_behaviour  # noqa: PLC0415
        from pyharness.show.report.trace.trace_page import to_html  # noqa: PLC0415

        write_named(html, to_html(*cut_behaviour(place / "logs" / str(found.incarnation), found.id)))
        click.echo(f"page: {html}", err=True)
    click.echo(json.dumps({"file": str(path), **vars(found)}, indent=2))


@snapshots.command()
@_RUN
@click.pass_context
def verify(context: click.Context, directory: Path) -> None:
    """Verify snapshots: each is whole, undamaged, of this run, and conserves what the run conserves.

    Money and transfers are all there. Of a word count, sinks and channels have each record up to the sources' offsets,
    once; at-least-once, they may have others, too. Exits with 1 if something is lost or there twice, with 2 for a file
    that is refused, with 3 if there is no snapshot.
    """
    codes = set()
    for path, found in _found(directory):
        try:
            if isinstance(found, HarnessError):
                raise found
            click.echo(f"{path.name}  snapshot {found.id}: {found.require_law(path.name)}")
            codes.add(0)
        except HarnessError as error:
            click.echo(cleaned(f"{path.name}  refused: {one_line(error.message, 300)}"))
            codes.add(error.exit_code)
    if not codes:
        raise IncompleteError("no snapshot is there", where=str(directory))
    context.exit(next(code for code in (1, 2, 4, 3, 0) if code in codes))


def _found(place: Path) -> Iterator[tuple[Path, StoredSnapshot | HarnessError]]:
    """Yield the snapshots of a run, or the one of that name, each read, or the reason why it is refused."""
    files = snapshot_files(place) if place.is_dir() else [place]
    name = run_of(place if place.is_dir() else place.absolute().parent.parent)
    for path in files:
        try:
            yield path, StoredSnapshot.read(path, name)
        except HarnessError as error:
            yield path, error
