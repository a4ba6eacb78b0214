"""The templates of the report's pages, and the plainest of the pages: a trace as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from pyharness.show.report.trace.trace_page import content_policy, templates

_TEMPLATES: Final = Path(__file__).parent / "templates"


def text_page(title: str, text: str, reason: str) -> str:
    """Write the page of a trace as text, and the ``reason`` why there is no picture of it."""
    style = own_file("run.css")
    return ENVIRONMENT.get_template("text.html.jinja").render(
        title=title, text=text, reason=reason, style=style, policy=content_policy(style)
    )


def own_file(name: str) -> Markup:
    """Read a script or a style sheet of this package."""
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))  # noqa: S704 - written by ourselves


def _count(value: Any) -> str:
    return "?" if value is None else f"{value:,}"


def _tenths(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def _slug(text: str) -> str:
    return text.replace(" ", "-")


ENVIRONMENT: Final = templates(
    "pyharness.show.report.run", count=_count, tenths=_tenths, duration=_duration, slug=_slug
)
