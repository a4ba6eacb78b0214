"""Run a command again whenever a file that it depends on changes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pyharness.plan.plan_specs import spec_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

PACKAGE: Final = Path(__file__).parents[1]
"""The code, which a run reads anew: it is a process of its own."""

WATCHED: Final = frozenset({".tla", ".cfg", ".toml", ".py", ".jinja", ".lark"})
"""The suffixes of files that a result may depend on."""

_POLL_SECONDS: Final = 0.4


def rerun_on_change(
    arguments: Sequence[str],
    roots: Iterable[Path],
    run: Callable[[Sequence[str]], int] | None = None,
    poll: float = _POLL_SECONDS,
) -> int:
    """Run ``pyharness`` with these arguments, now and after each change of a file at or below one of ``roots``.

    ``roots`` is gone through anew for each run. It ends with an interrupt, and returns the exit status of the last run.
    A change while a run is under way starts another one after it. ``run`` stands in for the process, ``poll`` is in
    seconds.
    """
    status = 0
    try:
        while True:
            places = list(roots)
            before = snapshot(places)
            status = (run or _process)(arguments)
            click.echo(f"pyharness: watching {len(before)} files; Ctrl-C ends it", err=True)
            while (now := snapshot(places)) == before:
                time.sleep(poll)
            _wait_for_rest(places, now, poll)
    except KeyboardInterrupt:
        return status


def _wait_for_rest(places: Sequence[Path], now: Mapping[Path, tuple[int, int]], poll: float) -> None:
    """Wait until nothing changed during one poll: an editor, or a switch of branches, writes several files."""
    while True:
        time.sleep(poll)
        later = snapshot(places)
        if later == now:
            return
        now = later


class PlanPlaces:
    """What a run of the ``plan`` in a file depends on: some places, and those of its specs, as it now names them."""

    def __init__(self, places: Iterable[Path], plan: Path) -> None:
        self._places, self._plan = tuple(places), plan

    def __iter__(self) -> Iterator[Path]:
        """Yield them, with the file."""
        yield from (*self._places, self._plan, *spec_places(self._plan))


def snapshot(roots: Iterable[Path]) -> Mapping[Path, tuple[int, int]]:
    """Return the time of the last change and the size of each watched file at or below ``roots``."""
    found: dict[Path, tuple[int, int]] = {}
    for root in roots:
        for path in (root, *root.rglob("*")):
            if path.suffix in WATCHED:
                try:
                    status = path.stat()
                except OSError:
                    continue  # it is gone: an editor replaces it
                found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _process(arguments: Sequence[str]) -> int:
    command = [sys.executable, "-P", "-m", "pyharness", *arguments]  # -P: no module of the working directory
    return subprocess.run(command, check=False).returncode
