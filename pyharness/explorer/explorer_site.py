"""The explorer as a site of one user: requests are commands of a session.

Each command answers with the way back to the page, which is whole without JavaScript.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Response

from pyharness.errors import HarnessError, SpecError
from pyharness.explorer.page_contents import page_values, small_graph
from pyharness.explorer.private_site import PrivateSite, page_template
from pyharness.report.state_graphs.state_svg import CSS as STATES_CSS
from pyharness.report.trace.table_page import table_style
from pyharness.report.trace.trace_page import page_style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyharness.explorer.session import Session

_TEMPLATES: Final = Path(__file__).parent / "templates"
_SUFFIXES: Final = {
    "itf": "itf.json",
    "markdown": "md",
    "mermaid": "mmd",
    "shiviz": "shiviz.txt",
    "text": "txt",
}
_TYPES: Final = {"png": "image/png"}


class ExplorerSite(PrivateSite):
    """The pages and commands of one session."""

    def __init__(self, session: Session, hosts: Iterable[str] = (), token: str | None = None) -> None:
        super().__init__(hosts, token)
        self._session = session
        self._graph = small_graph(session)
        self._lock = threading.Lock()
        self._failed = False
        self._commands: Mapping[str, Callable[[_Form], None]] = {
            "take": lambda form: session.take(form.number("at"), form.number("n")),
            "undo": lambda _: session.back(),
            "redo": lambda _: session.forward(),
            "first": lambda _: session.go(session.here.past()[0].number),
            "last": lambda _: session.go(session.here.line()[-1].number),
            "go": lambda form: session.go(form.number("to")),
            "begin": lambda form: session.begin(form.number("initial") - 1),
            "walk": lambda form: session.walk(form.number("seed"), form.number("steps")),
            "run": lambda form: session.run_until_fails(form.text("property")),
            "find": lambda form: session.find(form.text("goal")),
            "reach": lambda form: self._reach(form.number("state")),
        }

    def show(self, path: str, asked: Mapping[str, str]) -> Response:
        """Show the page, what it needs, or the history in a format to be saved."""
        if path == "":
            return self._page()
        if path == "save":
            return self._save(asked.get("format", ""))
        if path == "explorer.js":
            return Response((_TEMPLATES / path).read_text(encoding="utf-8"), mimetype="text/javascript")
        if path == "explorer.css":
            own = (_TEMPLATES / path).read_text(encoding="utf-8")
            return Response(page_style() + table_style() + str(STATES_CSS) + own, mimetype="text/css")
        raise NotFound

    def _page(self) -> Response:
        with self._lock:
            values = page_values(self._session, self._graph, failed=self._failed)
        return Response(
            page_template("pyharness.explorer", "explorer.html.jinja").render(**values), mimetype="text/html"
        )

    def command(self, name: str, form: Mapping[str, str]) -> Response:
        """Do what a form asks of the session, and lead back to the page."""
        if name not in self._commands:
            raise NotFound
        fields = _Form(form)
        with self._lock:
            self._failed = False
            try:
                self._commands[name](fields)
            except HarnessError as error:
                self._failed = True
                self._session.said = str(error).replace("\n", " ")
        return redirect(f"/{self.token}/", 303)

    def _save(self, wanted: str) -> Response:
        formats = self._session.subject.formats
        if wanted not in formats:
            raise NotFound
        with self._lock:
            trace, meta = self._session.trace()
            try:
                written = formats[wanted](trace, meta)
            except SpecError as error:
                return Response(f"{error}\n", status=422, mimetype="text/plain")
            name = self._session.name.replace(":", "-")
        name = f"{name}-{len(trace)}-steps.{_SUFFIXES.get(wanted, wanted)}"
        response = Response(written, mimetype=_TYPES.get(wanted, "application/octet-stream"))
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    def _reach(self, number: int) -> None:
        if isinstance(self._graph, str):
            raise SpecError(self._graph)
        node = next((node for node in self._graph.nodes if node.number == number), None)
        if node is None:
            raise SpecError(f"there is no state {number}", hint=f"there are {len(self._graph.nodes)}")
        text, subject = node.text, self._session.subject
        self._session.reach(lambda state: subject.state_text(state) == text, f"state {number} of the graph")


class _Form:
    """The fields of a form; one that is missing or has another form is a bad request."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        if name not in self._fields:
            raise BadRequest
        return self._fields[name]

    def number(self, name: str) -> int:
        text = self.text(name)
        if not (text.isascii() and text.isdecimal() and len(text) <= 9):
            raise SpecError(f"{text[:20]!r} is not a number", where=name)
        return int(text)
