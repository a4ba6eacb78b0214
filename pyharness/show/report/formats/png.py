"""A trace as a picture for where no SVG can be put."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.extras import require_extra
from pyharness.show.report.trace.captions import completed
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.diagram_svg import CSS, draw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.tla.tlc import Trace

_FONT: Final = "text { font-family: sans-serif; font-size: 11px; }"


def to_png(trace: Trace, meta: Mapping[str, Any] | None = None, scale: float = 2.0) -> bytes:
    """Draw a trace's space-time diagram as PNG, light; ``scale`` is how many pixels one of the SVG's units has.

    The same trace gives the same bytes where the same fonts are installed.

    Raises SpecError if vl-convert is not installed.
    """
    require_extra("charts")
    vl_convert = import_module("vl_convert")
    picture = draw(diagram_of(trace, completed(meta or {})), f"<style>{_FONT}{_resolved(CSS)}</style>")
    return bytes(vl_convert.svg_to_png(picture, scale=scale))


def _resolved(css: str) -> str:
    """Put the values of the light theme where the style has variables, which the renderer does not know."""
    light = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", css)
    values = dict(re.findall(r"--([\w-]+):\s*([^;]+);", light))
    return re.sub(r"var\(--([\w-]+)\)", lambda name: values[name[1]], light)
