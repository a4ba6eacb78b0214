"""Elements of SVG, written as text: always the same for the same picture, and safe for any text."""

from __future__ import annotations

from html import escape
from math import hypot

from pyharness.report.trace.layout import Point
from pyharness.toolchain.clean_text import clean


def tag(name: str, inner: str = "", *, raw: object = False, **attributes: object) -> str:
    """Write an element; ``inner`` is text, or with ``raw`` markup. ``class_`` is the attribute ``class``."""
    written = "".join(
        f' {key.rstrip("_")}="{number(value) if isinstance(value, float) else escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = inner if raw or name == "svg" else escape(clean(inner), quote=False)
    return f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>"


def number(value: float) -> str:
    """Write a coordinate."""
    return f"{value:.1f}".removesuffix(".0")


def points(*corners: Point) -> str:
    """Write the corners of a shape."""
    return " ".join(f"{number(point.x)},{number(point.y)}" for point in corners)


def arrow_head(start: Point, tip: Point) -> str:
    """Draw the head of an arrow that comes from ``start``, as a triangle that ends in ``tip``."""
    length = hypot(tip.x - start.x, tip.y - start.y) or 1.0
    ux, uy = (tip.x - start.x) / length, (tip.y - start.y) / length
    left = Point(tip.x - 9 * ux + 4.5 * uy, tip.y - 9 * uy - 4.5 * ux)
    right = Point(tip.x - 9 * ux - 4.5 * uy, tip.y - 9 * uy + 4.5 * ux)
    return tag("polyline", class_="head", points=points(left, tip, right, left))
