"""The counterexamples of red cases, as files for review."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyharness.report.page import to_html
from pyharness.report.text import to_text
from pyharness.tlc.itf import from_itf, to_itf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.pipeline.cases import Case
    from pyharness.tlc import Trace

__all__ = ["SUFFIXES", "trace_of", "write_failures"]

SUFFIXES = (".html", ".itf.json", ".txt")
"""The files of a counterexample."""

_LONGEST = 120


def write_failures(cases: Iterable[Case], directory: Path) -> dict[Case, Path]:
    """Write the counterexample of each red case that has one: as a page, as ITF and as text. Give its page.

    The directory is made if there is something to write. A file's name is made of the case's suite and name.
    """
    written: dict[Case, Path] = {}
    for case in cases:
        if not case.red or (found := trace_of(case)) is None:
            continue
        trace, meta = found
        directory.mkdir(parents=True, exist_ok=True)
        stem = _free(directory, f"{case.suite}-{case.name}")
        texts = (to_html(trace, meta), to_itf(trace, meta), to_text(trace, f"{case.suite}: {case.name}"))
        for suffix, text in zip(SUFFIXES, texts, strict=True):
            (directory / f"{stem}{suffix}").write_text(text, encoding="utf-8", errors="replace")
        written[case] = directory / f"{stem}.html"
    return written


def trace_of(case: Case) -> tuple[Trace, dict[str, Any]] | None:
    """Give the trace that shows what is wrong in a case, with what its document says of it, if there is one."""
    if case.trace is None:
        return None
    trace, meta = from_itf(case.trace["itf"], where=f"{case.suite}: {case.name}")
    return trace, {key: value for key, value in meta.items() if not key.startswith("format")}


def _free(directory: Path, title: str) -> str:
    """Make a file's name of a title: letters, digits and hyphens, not too long, and not taken."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", title)[:_LONGEST].strip("-") or "trace"
    names = (stem, *(f"{stem}-{number}" for number in range(2, 10_000)))
    return next(name for name in names if not (directory / f"{name}.txt").exists())
