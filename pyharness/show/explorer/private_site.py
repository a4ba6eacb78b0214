"""A page of this machine for one user: it authenticates requests, and listens on the loopback interface only.

A request must be below a path that begins with a secret token, must call this machine by its own name (so that no page
of another site can ask, not even by a name that was made to point here), and must be small.
"""

from __future__ import annotations

import logging
import secrets
import socket
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from waitress import create_server, wasyncore
from werkzeug.exceptions import BadRequest, HTTPException, NotFound, SecurityError
from werkzeug.wrappers import Request, Response

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    StartResponse = Callable[..., Any]


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


class _Request(Request):
    max_content_length = LARGEST_REQUEST
    max_form_memory_size = LARGEST_REQUEST
    max_form_parts = 16


class PrivateSite(ABC):
    """A WSGI application for one user. ``hosts`` are the names that a request may call this machine by.

    ``token`` is in the path of everything that can be asked for; it is made anew if none is given.
    """

    def __init__(self, hosts: Iterable[str] = (), token: str | None = None) -> None:
        self.hosts = tuple(hosts)
        self.token = token or secrets.token_urlsafe(24)

    @abstractmethod
    def show(self, path: str, asked: Mapping[str, str]) -> Response:
        """Answer a request for a path below the token. Raises NotFound for an unknown path."""

    def command(self, name: str, form: Mapping[str, str]) -> Response:
        """Run the command of a form. Raises NotFound for an unknown command."""
        raise NotFound(f"{name[:20]} with {len(form)} fields")

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, as WSGI has it."""
        request = _Request(environ)
        try:
            response = self._answer(request)
        except HTTPException as error:
            response = Response(f"{error.code} {error.name}\n", status=error.code, mimetype="text/plain")
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response(environ, start_response)

    def _answer(self, request: _Request) -> Response:
        if request.environ.get("HTTP_HOST", "") not in self.hosts:
            raise SecurityError
        token, _, rest = request.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            raise NotFound
        if request.method == "POST":
            origin = request.headers.get("Origin")
            if origin is not None and origin.removeprefix("http://") not in self.hosts:
                raise SecurityError
            return self.command(rest, request.form)
        if request.method not in ("GET", "HEAD"):
            raise BadRequest
        return self.show(rest, request.args)


_HOST: Final = "127.0.0.1"


@dataclass(frozen=True)
class LoopbackServer:
    """A server that listens already; ``url`` has the token, and is all that one has to know."""

    url: str
    server: Any
    sockets: dict[int, Any]
    closing: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        """Answer requests until :meth:`stop` is called in another thread, or the program is interrupted."""
        self.server.run()
        self._end()

    def stop(self) -> None:
        """End :meth:`run`, and listen no more."""
        with self.closing:
            self.server.trigger.pull_trigger(self._end)

    def _end(self) -> None:
        """Let pending answers, and :meth:`stop`, write to the sockets before they are closed."""
        self.server.task_dispatcher.shutdown()
        with self.closing:
            wasyncore.close_all(self.sockets)


def serve(site: PrivateSite, port: int = 0) -> LoopbackServer:
    """Listen on a port of the loopback interface, a free one for 0; :meth:`LoopbackServer.run` answers for the site.

    Raises SpecError for a port that cannot be had.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise SpecError(
            f"port {port} cannot be had: {error}", where="--port", hint="0 takes a free one"
        ) from None
    port = listening.getsockname()[1]
    site.hosts = (f"{_HOST}:{port}", f"localhost:{port}")
    sockets: dict[int, Any] = {}
    logging.getLogger("waitress").addFilter(_is_ours)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(
        site,
        map=sockets,
        sockets=[listening],
        threads=2,
        ident="",
        connection_limit=256,  # a request that somebody begins and does not end takes no place for long
        channel_timeout=5,
        cleanup_interval=1,
        max_request_header_size=16_384,
        max_request_body_size=LARGEST_REQUEST,
    )
    return LoopbackServer(f"http://{_HOST}:{port}/{site.token}/", server, sockets)


def _is_ours(record: logging.LogRecord) -> bool:
    """Return whether a record is an exception of a site, not the server's report of a broken request: anybody sends those."""
    return record.exc_info is not None
