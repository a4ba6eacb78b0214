"""The counterexamples of red cases, as files for review."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyharness.report.text import to_text
from pyharness.tlc.itf import from_itf, to_itf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.pipeline.cases import Case

__all__ = ["SUFFIXES", "write_failures"]

SUFFIXES = (".txt", ".itf.json", ".html")
"""The files of a counterexample."""

_LONGEST = 120


def write_failures(cases: Iterable[Case], directory: Path) -> dict[Case, Path]:
    """Write the counterexample of each red case that has one, as text and as ITF, and give its text file.

    The directory is made if there is something to write. A file's name is made of the case's suite and name.
    """
    written: dict[Case, Path] = {}
    for case in cases:
        if not case.red or case.trace is None:
            continue
        directory.mkdir(parents=True, exist_ok=True)
        stem = _free(directory, f"{case.suite}-{case.name}")
        trace, meta = from_itf(case.trace["itf"], where=stem)
        kept: dict[str, Any] = {key: value for key, value in meta.items() if not key.startswith("format")}
        (directory / f"{stem}.itf.json").write_text(to_itf(trace, kept), encoding="utf-8", errors="replace")
        written[case] = directory / f"{stem}.txt"
        written[case].write_text(
            to_text(trace, f"{case.suite}: {case.name}"), encoding="utf-8", errors="replace"
        )
    return written


def _free(directory: Path, title: str) -> str:
    """Make a file's name of a title: letters, digits and hyphens, not too long, and not taken."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", title)[:_LONGEST].strip("-") or "trace"
    names = (stem, *(f"{stem}-{number}" for number in range(2, 10_000)))
    return next(name for name in names if not (directory / f"{name}.txt").exists())
