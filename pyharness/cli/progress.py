"""The progress of a command, on standard error: on a terminal all the time, and elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.extras import require_extra
from pyharness.gate.jobs.spark_session import instead_of_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SELDOM: Final = 30.0
"""Seconds between two lines where standard error is not a terminal."""


class ProgressLines:
    """Prints the progress of a command: on a terminal each time, elsewhere a line every half minute at most.

    No thread draws it, so that the command may fork.
    """

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()

    def __call__(self, text: str) -> None:
        """Print the progress ``text``, if a line is due."""
        now = time.monotonic()
        if sys.stderr.isatty():
            click.echo(cleaned(text), err=True)
        elif now - self._last >= _SELDOM:
            self._last = now
            click.echo(f"pyharness: {now - self._began:.0f} s  {cleaned(text)}", err=True)


@contextmanager
def progress_line(start: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a command's progress in one line of a terminal, which has ``start`` at first."""
    if not sys.stderr.isatty():
        yield ProgressLines()
        return
    began = time.monotonic()
    with Console(stderr=True).status(start) as status:
        yield lambda text: status.update(f"{time.monotonic() - began:.0f} s  {cleaned(text)}")


def print_where_jobs_run(master: str | None = None) -> None:
    """Print on standard error, before all else, where the jobs of a plan run if that is not on Spark.

    Raises SpecError for a ``master`` without Spark.
    """
    if note := instead_of_spark():
        if master:
            require_extra("spark", where="--master")
        click.echo(f"pyharness: {note}", err=True)
