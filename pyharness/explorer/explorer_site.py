"""The explorer as a WSGI application: it knows who asks, and turns requests into commands of a session.

A request must be below a path that begins with a secret token, must call this machine by its own name (so that no page
of another site can ask, not even by a name that was made to point here), and must be small. Each command answers with
the way back to the page, which is whole without JavaScript.
"""

from __future__ import annotations

import secrets
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from werkzeug.exceptions import BadRequest, HTTPException, NotFound, SecurityError
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from pyharness.errors import HarnessError, SpecError
from pyharness.explorer.page_contents import page_values, small_graph
from pyharness.report.formats.export_formats import FORMATS
from pyharness.report.state_graphs.state_picture import state_text
from pyharness.report.state_graphs.state_svg import CSS as STATES_CSS
from pyharness.report.trace.trace_page import page_style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyharness.explorer.session import Session

    StartResponse = Callable[..., Any]

__all__ = ["LARGEST_REQUEST", "ExplorerSite"]

LARGEST_REQUEST: Final = 4096
"""The bytes of a form at most; ours have less than a hundred."""

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_TEMPLATES: Final = Path(__file__).parent / "templates"
_SUFFIXES: Final = {
    "itf": "itf.json",
    "markdown": "md",
    "mermaid": "mmd",
    "shiviz": "shiviz.txt",
    "text": "txt",
}
_TYPES: Final = {"png": "image/png"}


class _Request(Request):
    max_content_length = LARGEST_REQUEST
    max_form_memory_size = LARGEST_REQUEST
    max_form_parts = 16


class ExplorerSite:
    """A WSGI application for one session. ``hosts`` are the names that a request may call this machine by.

    ``token`` is in the path of everything that can be asked for; it is made anew if none is given.
    """

    def __init__(self, session: Session, hosts: Iterable[str], token: str | None = None) -> None:
        self._session = session
        self._hosts = tuple(hosts)
        self.token = token or secrets.token_urlsafe(24)
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

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, as WSGI has it."""
        request = _Request(environ)
        try:
            response = self._answer(request)
        except HTTPException as error:
            response = Response(f"{error.code} {error.name}\n", status=error.code, mimetype="text/plain")
        response.headers.extend(_HEADERS)
        return response(environ, start_response)

    def _answer(self, request: _Request) -> Response:
        if request.environ.get("HTTP_HOST", "") not in self._hosts:
            raise SecurityError
        token, _, rest = request.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            raise NotFound
        if request.method == "POST":
            return self._command(request, rest)
        if request.method not in ("GET", "HEAD"):
            raise BadRequest
        if rest == "":
            return self._page()
        if rest == "save":
            return self._save(request.args.get("format", ""))
        if rest == "explorer.js":
            return Response((_TEMPLATES / rest).read_text(encoding="utf-8"), mimetype="text/javascript")
        if rest == "explorer.css":
            own = (_TEMPLATES / rest).read_text(encoding="utf-8")
            return Response(page_style() + str(STATES_CSS) + own, mimetype="text/css")
        raise NotFound

    def _page(self) -> Response:
        with self._lock:
            values = page_values(self._session, self._graph, failed=self._failed)
        return Response(_template().render(**values), mimetype="text/html")

    def _command(self, request: _Request, name: str) -> Response:
        origin = request.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            raise SecurityError
        if name not in self._commands:
            raise NotFound
        form = _Form(request.form)
        with self._lock:
            self._failed = False
            try:
                self._commands[name](form)
            except HarnessError as error:
                self._failed = True
                self._session.said = str(error).replace("\n", " ")
        return redirect(f"/{self.token}/", 303)

    def _save(self, wanted: str) -> Response:
        if wanted not in FORMATS:
            raise NotFound
        with self._lock:
            trace, meta = self._session.trace()
            try:
                written = FORMATS[wanted](trace, meta)
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
        text, system = node.text, self._session.system
        self._session.reach(lambda state: state_text(system, state) == text, f"state {number} of the graph")


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


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("pyharness.explorer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("explorer.html.jinja")
