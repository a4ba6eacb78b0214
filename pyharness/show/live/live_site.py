"""The page of a running system as a site of one user: what goes on, and each snapshot's cut, one click away."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from pyharness.base.errors import HarnessError
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.show.explorer.private_site import PrivateSite, page_template
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.diagram_svg import draw, legend_list
from pyharness.show.report.trace.trace_page import page_style, to_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.show.live.live_run import LiveRun

_TEMPLATES: Final = Path(__file__).parent / "templates"
_MOST_SNAPSHOTS: Final = 200
_MOST_MESSAGES: Final = 12
"""So many snapshots have a line, the newest, and so many messages of a channel are named."""


class LiveSite(PrivateSite):
    """The pages of a run; ``title`` says of which. ``over`` is set once it has ended."""

    def __init__(self, run: LiveRun, title: str, hosts: Iterable[str] = (), token: str | None = None) -> None:
        super().__init__(hosts, token)
        self._run, self._title = run, title
        self._lock = threading.Lock()
        self.over = ""

    def show(self, path: str, asked: Mapping[str, str]) -> Response:
        """Show the page, what it needs, or the cut of a snapshot."""
        if path == "":
            return self._page()
        if path == "cut":
            return self._cut(asked.get("id", ""))
        if path == "live.js":
            return Response((_TEMPLATES / path).read_text(encoding="utf-8"), mimetype="text/javascript")
        if path == "live.css":
            own = (_TEMPLATES / path).read_text(encoding="utf-8")
            return Response(page_style() + own, mimetype="text/css")
        raise NotFound

    def _page(self) -> Response:
        with self._lock:
            over = self.over  # what ended before the logs were read is in them
            self._run.look()
            values = self._values(over)
        return Response(
            page_template("pyharness.show.live", "live.html.jinja").render(**values), mimetype="text/html"
        )

    def _values(self, over: str) -> dict[str, Any]:
        run = self._run
        trace = run.trace()
        diagram = diagram_of(trace, {"title": self._title}) if trace is not None else None
        snapshots = run.snapshots()
        return {
            "title": self._title,
            "begun": run.run is not None,
            "over": over,
            "refused": clean(run.refused),
            "behind": run.behind,
            "events": run.events,
            "picture": Markup(draw(diagram, key=False)) if diagram is not None else None,  # noqa: S704 - escaped there
            "legend": legend_list(diagram) if diagram is not None else None,
            "channels": [
                {
                    "name": clean(channel.name),
                    "messages": [clip(clean(text), 40) for text in channel.messages[:_MOST_MESSAGES]],
                    "more": max(0, len(channel.messages) - _MOST_MESSAGES),
                    "markers": [clean(name) for name in channel.markers],
                }
                for channel in run.channels()
            ],
            "snapshots": snapshots[:_MOST_SNAPSHOTS],
            "more": max(0, len(snapshots) - _MOST_SNAPSHOTS),
            "complete": sum(snapshot.in_flight is not None for snapshot in snapshots),
        }

    def _cut(self, name: str) -> Response:
        try:
            page = to_html(*self._run.cut(name))
        except HarnessError as error:
            return Response(f"{error}\n", status=404, mimetype="text/plain")
        response = Response(page, mimetype="text/html")  # its own policy lets in its own style and script
        response.headers["Content-Security-Policy"] = (
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return response
