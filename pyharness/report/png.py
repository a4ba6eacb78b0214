"""A trace as a picture for where no SVG can be put."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import vl_convert

from pyharness.report.svg import to_svg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.tlc import Trace

__all__ = ["to_png"]


def to_png(trace: Trace, meta: Mapping[str, Any] | None = None, scale: float = 2.0) -> bytes:
    """Draw a trace's space-time diagram as PNG; ``scale`` is how many pixels one of the SVG's units has."""
    return vl_convert.svg_to_png(to_svg(trace, meta), scale=scale)
