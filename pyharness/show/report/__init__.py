"""Traces in the formats people read."""

from pyharness.show.report.formats.trace_text import to_text
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.diagram_svg import to_svg
from pyharness.show.report.trace.trace_page import to_html

__all__ = ["diagram_of", "to_html", "to_svg", "to_text"]
