"""A directory of traces as pages: one for each ITF file, and an index that describes each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_utf8
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.base.toolchain.own_files import write_text
from pyharness.show.report.formats.export_formats import written
from pyharness.show.report.trace.captions import about, completed
from pyharness.show.report.trace.trace_page import render
from pyharness.tla.tlc import read_trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyharness.tla.tlc import Trace

_SUFFIX = ".itf.json"
_FILES = {"html": "html", "txt": "text", "itf.json": "itf"}
"""The files of a trace by their endings: its page, and the files that it links to."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the index: ``shows`` describes the trace, ``group`` is its heading.

    ``page`` is whether there is a page, or but a text.
    """

    group: str
    name: str
    shows: str
    violated: str = ""
    processes: int = 0
    steps: int = 0
    page: bool = True


def write_pages(directory: Path, out: Path) -> int:
    """Write ``NAME.html`` for each ``NAME.itf.json`` in a directory, and ``index.html``, to ``out``; count the pages.

    The traces are put there, too. The same ones give the same bytes. Raises SpecError for a file that is not a trace.
    """
    entries: list[Entry] = []
    for path in sorted(directory.glob(f"*{_SUFFIX}")):
        name = path.name.removesuffix(_SUFFIX)
        trace, meta = read_trace(path)
        for ending, form in _FILES.items():
            write_text(out / f"{name}.{ending}", written(form, trace, meta))
        entries.append(_entry(name, trace, meta))
    pages = {entry.name for entry in entries}
    for path in sorted(directory.glob("*.txt")):
        if path.stem not in pages:
            entries.append(_refused(path))
            write_text(out / path.name, read_utf8(path, MOST_MODULE_BYTES))
    index = render("index.html.jinja", groups=list(_groups(entries)))
    write_text(out / "index.html", index)
    return len(pages)


def _entry(name: str, trace: Trace, meta: dict[str, Any]) -> Entry:
    known = about(meta)
    spec, mutant = meta.get("spec"), meta.get("mutant")
    example = isinstance(meta.get("example"), str)
    group = "Worked examples" if example else f"Seeded bugs of {spec}" if mutant else "Violated as they are"
    group = "Modules without graphs" if "module" in meta else group
    violated = completed(meta).get("violated")
    shows = (
        known.title.removesuffix(f" ({name})") if known.title else known.claim or str(meta.get("formula", ""))
    )
    processes = None if "module" in meta else trace.steps[0].state.get("state")
    return Entry(
        clip(clean(group), 80),
        name,
        shows,
        clean(violated) if isinstance(violated, str) else "",
        len(processes) if isinstance(processes, tuple) else 0,
        len(trace),
    )


def _refused(path: Path) -> Entry:
    """Return the entry of a worked example that is refused, as it should be: its text has the reason."""
    lines = read_utf8(path, MOST_MODULE_BYTES).splitlines()
    return Entry("Worked examples", path.stem, clip(clean(lines[-1] if lines else ""), 200), page=False)


def _groups(entries: list[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    order = {"Worked examples": 0, "Violated as they are": 1}

    def key(entry: Entry) -> tuple[int, str]:
        return order.get(entry.group, 2), entry.group

    for (_, group), found in groupby(sorted(entries, key=key), key=key):
        yield group, sorted(found, key=lambda entry: entry.name)
