"""Every format a trace is exported to, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import clean
from pyharness.show.report.formats.trace_text import to_text
from pyharness.show.report.trace.counterexample_table import table_lines
from pyharness.show.report.trace.diagram import has_processes
from pyharness.show.report.trace.diagram_svg import to_svg
from pyharness.show.report.trace.table_page import to_table_page
from pyharness.show.report.trace.trace_page import to_html
from pyharness.tla.tlc.itf import to_itf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.tla.tlc import Trace


def _itf(trace: Trace, meta: Mapping[str, Any]) -> str:
    return to_itf(trace, {key: value for key, value in meta.items() if not key.startswith("format")})


def _table(trace: Trace, meta: Mapping[str, Any]) -> str:
    lines = [clean(str(meta.get("title", ""))), "", *table_lines(trace)]
    if meta.get("violated"):
        lines.append(f"{clean(str(meta['violated']))} fails")
    return "\n".join(lines) + "\n"


def _text(trace: Trace, meta: Mapping[str, Any]) -> str:
    title = meta.get("title")
    return to_text(trace, title if isinstance(title, str) else None, meta)


FORMATS: Final[dict[str, Callable[[Trace, Mapping[str, Any]], str]]] = {
    "html": to_html,
    "itf": _itf,
    "svg": to_svg,
    "text": _text,
}
"""Name to writer: it takes a trace and its document's meta."""

TABLES: Final[dict[str, Callable[[Trace, Mapping[str, Any]], str]]] = {
    "html": to_table_page,
    "itf": _itf,
    "text": _table,
}
"""The formats of a behaviour of any module, which has no processes: a table of variables and steps."""


def written(name: str, trace: Trace, meta: Mapping[str, Any]) -> str:
    """Write a trace in the format of this name; its document's ``meta`` describes it.

    One of any module is a table, and so is the page of one in which no process is to be seen. Raises SpecError for a
    format that does not exist.
    """
    if name not in FORMATS:
        raise SpecError(f"no format {name!r}", hint=f"there are {', '.join(FORMATS)}")
    module = meta.get("module")
    if "spec" in meta or not isinstance(module, str):
        is_table = name == "html" and "spec" not in meta and not has_processes(trace)
        return (TABLES if is_table else FORMATS)[name](trace, meta)
    if name not in TABLES:
        raise SpecError(
            f"{name} shows processes and messages, and this trace is one of the module {clean(module)}",
            hint=f"of such a trace there are {', '.join(TABLES)}",
        )
    return TABLES[name](trace, meta)
