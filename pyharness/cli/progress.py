"""What a run does meanwhile: the notes that its jobs leave, on a terminal all the time, and elsewhere now and then."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from pyharness.toolchain.clean_text import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress"]

_OFTEN: Final = 1.0
_SELDOM: Final = 30.0
"""Seconds between two looks at the notes, on a terminal and elsewhere."""


@contextmanager
def progress(start: str = "starting Spark") -> Iterator[Path]:
    """Return a directory for notes of running jobs, and show the last of them; until the first one ``start`` is shown.

    A terminal shows them all the time; elsewhere there is a line every half minute, on standard error.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-progress-") as notes:
        if not sys.stderr.isatty():
            with _following(
                Path(notes), lambda said: click.echo(f"pyharness: {said}", err=True), start, _SELDOM
            ):
                yield Path(notes)
            return
        with (
            Console(stderr=True).status(start) as status,
            _following(Path(notes), status.update, start, _OFTEN),
        ):
            yield Path(notes)


@contextmanager
def _following(directory: Path, show: Callable[[str], object], start: str, every: float) -> Iterator[None]:
    stop = threading.Event()
    began = time.monotonic()

    def follow() -> None:
        while not stop.wait(every):
            notes = sorted(directory.iterdir(), key=lambda path: path.stat().st_mtime)[-3:]
            told = "; ".join(f"{path.name}: {path.read_text(encoding='utf-8')}" for path in notes)
            show(f"{time.monotonic() - began:.0f} s  {said(told or start)}")

    watcher = threading.Thread(target=follow, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
