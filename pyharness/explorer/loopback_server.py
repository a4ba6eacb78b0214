"""Listen for the requests of one user's pages: on the loopback interface of this machine, and nowhere else."""

from __future__ import annotations

import logging
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from waitress import create_server, wasyncore

from pyharness.errors import SpecError
from pyharness.explorer.private_site import LARGEST_REQUEST

if TYPE_CHECKING:
    from pyharness.explorer.private_site import PrivateSite

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
        """Let what is being answered, and :meth:`stop`, write to the sockets before they are closed."""
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
    """Tell an exception of a site from what the server says of broken requests, which any user may send without end."""
    return record.exc_info is not None
