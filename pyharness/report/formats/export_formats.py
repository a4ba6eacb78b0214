"""Every format a trace is exported to, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.report.formats.markdown import to_markdown
from pyharness.report.formats.mermaid import to_mermaid
from pyharness.report.formats.png import to_png
from pyharness.report.formats.shiviz import to_shiviz
from pyharness.report.formats.trace_text import to_text
from pyharness.report.trace.diagram_svg import to_svg
from pyharness.report.trace.trace_page import to_html
from pyharness.tlc.itf import itf_document, itf_line, itf_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.tlc import Trace

__all__ = ["FORMATS"]


def _document(trace: Trace, meta: Mapping[str, Any]) -> dict[str, Any]:
    return itf_document(trace, {key: value for key, value in meta.items() if not key.startswith("format")})


def _itf(trace: Trace, meta: Mapping[str, Any]) -> str:
    return itf_text(_document(trace, meta))


def _json(trace: Trace, meta: Mapping[str, Any]) -> str:
    return itf_line(_document(trace, meta)) + "\n"


def _text(trace: Trace, meta: Mapping[str, Any]) -> str:
    title = meta.get("title")
    return to_text(trace, title if isinstance(title, str) else None, meta)


FORMATS: Final[dict[str, Callable[[Trace, Mapping[str, Any]], str | bytes]]] = {
    "html": to_html,
    "itf": _itf,
    "json": _json,
    "markdown": to_markdown,
    "mermaid": to_mermaid,
    "png": to_png,
    "shiviz": to_shiviz,
    "svg": to_svg,
    "text": _text,
}
"""Name to writer: it takes a trace and what its document says of it, and returns text, or bytes of a picture."""
