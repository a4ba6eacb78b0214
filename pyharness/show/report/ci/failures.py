"""The counterexamples of red cases, as files for review."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.own_files import write_list, write_text
from pyharness.show.report.formats.export_formats import written
from pyharness.tla.tlc.itf import from_itf, to_itf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pyharness.gate.judge.result_cases import Case
    from pyharness.tla.tlc import Trace

SUFFIXES = (".txt", ".itf.json", ".html")
"""The files of a counterexample."""

_LONGEST = 120


def write_failures(cases: Iterable[Case], directory: Path) -> dict[Case, Path]:
    """Write the counterexample of each red case that has one: as text, as ITF and as a page. Return the page of each case.

    Where the page cannot be drawn, the text stands for it. The directory is made if there is something to write. A
    file's name is made of the case's suite and name.
    """
    pages: dict[Case, Path] = {}
    names = set[str]()
    for case in cases:
        if not case.red or (found := trace_of(case)) is None:
            continue
        trace, meta = found
        stem = _free(directory, f"{case.suite}-{case.name}")
        titled = {**meta, "title": f"{case.suite}: {case.name}"}
        texts = (written("text", trace, titled), to_itf(trace, meta), drawn(_page, trace, meta))
        for suffix, text in zip(SUFFIXES, texts, strict=True):
            if text is not None:
                write_text(directory / f"{stem}{suffix}", text, errors="replace")
                names.add(f"{stem}{suffix}")
        write_list(directory.parent, names, directory.name)
        pages[case] = directory / f"{stem}{SUFFIXES[0] if texts[-1] is None else SUFFIXES[-1]}"
    return pages


def _page(trace: Trace, meta: Mapping[str, Any]) -> str:
    return written("html", trace, meta)


def drawn(
    draw: Callable[[Trace, Mapping[str, Any]], str], trace: Trace, meta: Mapping[str, Any]
) -> str | None:
    """Draw a trace, or return ``None`` where that fails: a picture must not take the place of the verdict."""
    try:
        return draw(trace, meta)
    except Exception as error:  # noqa: BLE001 - after any error the text of the trace is there
        why = cleaned(f"{type(error).__name__}: {error}")
        print(f"pyharness: a trace cannot be drawn: {why}", file=sys.stderr)  # noqa: T201
        return None


def trace_of(case: Case) -> tuple[Trace, dict[str, Any]] | None:
    """Return the trace that shows the fault of a case, with its document's meta, if there is one.

    One that cannot be read is reported on standard error: it must not take the place of the verdict.
    """
    if case.trace is None:
        return None
    try:
        trace, meta = from_itf(case.trace.itf, where=f"{case.suite}: {case.name}")
    except SpecError as error:
        print(f"pyharness: a trace cannot be read: {str(error)!a}", file=sys.stderr)  # noqa: T201
        return None
    return trace, {key: value for key, value in meta.items() if not key.startswith("format")}


def _free(directory: Path, title: str) -> str:
    """Make a file's name of a title: letters, digits and hyphens, not too long, and not taken."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", title)[:_LONGEST].strip("-") or "trace"
    names = (stem, *(f"{stem}-{number}" for number in range(2, 10_000)))
    return next(
        name for name in names if not any((directory / f"{name}{suffix}").exists() for suffix in SUFFIXES)
    )
