"""What a run does, on a terminal: the notes that its jobs leave."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.status import Status

__all__ = ["progress"]


@contextmanager
def progress(start: str = "starting Spark") -> Iterator[Path]:
    """Return a directory for notes of running jobs, and show the last of them on a terminal; stay quiet elsewhere.

    Until the first note the terminal shows ``start``.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-progress-") as notes:
        if not sys.stderr.isatty():
            yield Path(notes)
            return
        with Console(stderr=True).status(start) as status, _following(Path(notes), status, start):
            yield Path(notes)


@contextmanager
def _following(directory: Path, status: Status, start: str) -> Iterator[None]:
    stop = threading.Event()
    began = time.monotonic()

    def follow() -> None:
        while not stop.wait(1):
            notes = sorted(directory.iterdir(), key=lambda path: path.stat().st_mtime)[-3:]
            said = "; ".join(f"{path.name}: {path.read_text(encoding='utf-8')}" for path in notes)
            status.update(f"{time.monotonic() - began:.0f} s  {said or start}")

    watcher = threading.Thread(target=follow, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
