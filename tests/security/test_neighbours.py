"""Other users of this machine read nothing of a run, and keep nobody from the explorer."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.cli.main import cli
from pyharness.show.explorer.explorer_site import ExplorerSite
from pyharness.show.explorer.private_site import LoopbackServer, serve
from tests.security.other_user import as_nobody
from tests.show.explorer.sessions import late_turn

ROOT = Path(__file__).parents[2]


def test_the_address_of_the_explorer_is_no_word_of_a_command(monkeypatch):
    """A browser's words are for all users to see; the file that leads there is not."""
    opened = []

    def browse(address):
        page = Path(address.removeprefix("file://"))
        opened.append((address, page.read_text(), page.stat().st_mode, page.parent.stat().st_mode))
        opened.append(as_nobody(f"open({str(page)!r})").returncode if os.geteuid() == 0 else 1)

    monkeypatch.setattr(LoopbackServer, "run", lambda _: None)
    monkeypatch.setattr("webbrowser.open", browse)
    path = ROOT / "traces" / "LateTurn.itf.json"
    result = CliRunner().invoke(cli, ["explore", "--trace", str(path), "--open"])
    assert result.exit_code == 0, result.output
    (address, page, mode, above), others = opened
    url = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", result.output)[0]
    assert url.split("/")[3] not in address
    assert url in page
    assert (mode & 0o077, above & 0o077) == (0, 0)
    assert others != 0
    assert not Path(address.removeprefix("file://")).exists()


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"])
def test_requests_that_do_not_end_keep_nobody_from_the_page(begun):
    server = serve(ExplorerSite(late_turn()))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    port = int(server.url.split(":")[2].split("/")[0])
    held = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(120)]
    try:
        for connection in held:
            connection.sendall(begun)
        began = time.monotonic()
        with urllib.request.urlopen(server.url, timeout=20) as page:  # noqa: S310 - ours
            assert page.status == 200
        assert time.monotonic() - began < 5
        held[0].settimeout(20)
        assert b"200" not in held[0].recv(100), "it is ended by the server"
    finally:
        for connection in held:
            connection.close()
        server.stop()
        thread.join(20)


def test_broken_requests_of_others_say_nothing_on_the_terminal(caplog):
    server = serve(ExplorerSite(late_turn()))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    port = int(server.url.split(":")[2].split("/")[0])
    try:
        for begun in (b"GET http://[::1/ HTTP/1.1\r\n\r\n", b"\xff\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(begun)
                assert b" 200 " not in connection.recv(100)
        held = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(40)]
        for connection in held:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        for connection in held:
            assert b" 400 " in connection.recv(100)
            connection.close()
    finally:
        server.stop()
        thread.join(20)
    assert [record.getMessage() for record in caplog.records] == []
