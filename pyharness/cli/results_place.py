"""Where the results of a run of a plan go: a directory, or a store to which they are brought from one."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.errors import ToolError
from pyharness.run.out_lock import LOCK
from pyharness.run.store_uri import StoreUri
from pyharness.toolchain.clean_text import said
from pyharness.toolchain.extras import require_extra
from pyharness.toolchain.own_files import own_place, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.run.stored_results import StoredResults


@dataclass
class ResultsPlace:
    """The ``directory`` in which results are made, and the store to which they go, if there is one.

    ``given`` is what ``--out`` said. ``problem`` is what kept the results from the store when the run had ended.
    """

    directory: Path
    given: Path | StoreUri | None = None
    stored: StoredResults | None = None
    problem: ToolError | None = None

    @property
    def exit_code(self) -> int:
        """That of a run which passed: results that are not where they are to be are no pass."""
        return self.problem.exit_code if self.problem else 0

    def shown(self, path: Path) -> Path | str:
        """Name a file of the results as people find it: in the store, if it is to be there."""
        if self.stored is None or self.problem is not None:
            return path
        return self.stored.uri.of(path.resolve().relative_to(self.directory.resolve()).as_posix())


def out_of(plan: str, out: Path | None) -> Path:
    """Return the directory of a plan's results: ``out``, or its name below ``./build``.

    Raises SpecError if a link leads there.
    """
    return out or own_place(Path.cwd() / "build" / Path(plan).stem)


@contextmanager
def results_place(plan: str, out: Path | StoreUri | None) -> Iterator[ResultsPlace]:
    """Have a place for the results of one run of ``plan``; what goes to a store is there afterwards.

    Whatever becomes of the run, what there is of it is brought to the store. Where that fails, it is said where the
    results are, which is the place's ``problem``.

    Raises SpecError for a URI that is of no store, or without pyarrow; ToolError when the store does not answer, or
    another run holds it.
    """
    if not isinstance(out, StoreUri):
        yield ResultsPlace(out_of(plan, out), out)
        return
    require_extra("spark", "pyarrow")
    from pyharness.run.store import Store  # noqa: PLC0415 - only a run with a store needs Arrow's file systems
    from pyharness.run.stored_results import StoredResults  # noqa: PLC0415

    directory = own_place(Path(tempfile.mkdtemp(prefix=f"pyharness-{Path(plan).stem}-")))
    write_text(directory / LOCK, "")  # it is ours, whatever comes there from the store
    try:
        stored = StoredResults(Store(out), directory, _say)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    place = ResultsPlace(directory, out, stored)
    try:
        yield place
    finally:
        place.problem = _publish(plan, stored)
        if place.problem is None:
            shutil.rmtree(directory, ignore_errors=True)
        else:
            _say(str(place.problem))


def _publish(plan: str, stored: StoredResults) -> ToolError | None:
    try:
        stored.publish()
    except ToolError as error:
        directory = stored.directory
        return ToolError(
            f"the results are not in the store: {error.message}",
            where=error.where,
            hint=f"they stand only on this machine, in {directory}: `pyharness check {plan} --out {directory}`\n  "
            f"takes them over; with the store back, the same command with --out {stored.uri} runs what is not there",
        )
    return None


def _say(text: str) -> None:
    click.echo(f"pyharness: {said(text)}", err=True)
