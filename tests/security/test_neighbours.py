"""Other users of this machine read nothing of a run, end nothing, and keep nobody from the explorer."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyharness.cli.main import cli
from pyharness.gate.jobs.spark_session import is_local
from pyharness.show.explorer.explorer_site import ExplorerSite
from pyharness.show.explorer.private_site import LoopbackServer, serve
from tests.show.explorer.sessions import late_turn

ROOT = Path(__file__).parents[2]
NOBODY = 65534

ASK = """
import socket, struct, sys
for port in map(int, sys.argv[1:]):
    body = b"org.apache.spark.storage.BlockManagerMessages$StopBlockManagerMaster$"
    frame = struct.pack(">QBQI", 8 + 1 + 8 + 4 + len(body), 3, 1, len(body)) + body
    with socket.socket() as connection:
        connection.settimeout(20)
        connection.connect(("127.0.0.1", port))
        connection.sendall(frame)
        try:
            print(port, connection.recv(4096).decode("ascii", "replace").replace("\\n", " "))
        except OSError as error:
            print(port, "refused", error)
"""
"""What asks Spark's ports to stop, in the form of its own messages, as one who does not know the secret."""


DROP = (
    "import os, socket, struct, sys; os.setgroups([]); os.setgid({0}); os.setuid({0}); exec(sys.argv.pop(1))"
)


def as_nobody(*words):
    """Run a Python as another user, who has no part in what runs: it begins as root, for the interpreter is root's."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    command = [sys.executable, "-I", "-S", "-c", DROP.format(NOBODY), *words]
    return subprocess.run(command, cwd="/", env={}, capture_output=True, text=True, check=False, timeout=120)


def listening(process):
    """The addresses and ports at which a process listens."""
    nodes = set()
    for entry in Path("/proc", str(process), "fd").iterdir():
        try:
            found = re.fullmatch(r"socket:\[(\d+)\]", str(entry.readlink()))
        except OSError:
            continue
        nodes |= {found[1]} if found else set()
    places = []
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in nodes:
                address, _, port = words[1].rpartition(":")
                places.append((address, int(port, 16)))
    return places


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}


@pytest.mark.slow
def test_spark_here_answers_nobody_who_does_not_know_its_secret(spark):
    context = spark.sparkContext
    assert is_local(context.master)
    assert context.getConf().get("spark.authenticate") == "true"
    java = context._gateway.proc.pid
    places = listening(java)
    assert places
    assert {address for address, _ in places} <= LOOPBACK
    own = context._gateway.gateway_parameters.port
    ports = [port for _, port in places if port != own]
    assert int(context.getConf().get("spark.driver.port")) in ports
    done = as_nobody(ASK, *map(str, ports))
    answers = done.stdout.splitlines()
    assert len(answers) == len(ports), done.stderr
    assert any("SaslMessage" in answer for answer in answers), answers
    assert not any("scala.Tuple" in answer or "NettyRpc" in answer for answer in answers), answers
    assert context.parallelize([1, 2], 2).sum() == 3, "nothing has ended"


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
    assert struct.calcsize(">Q") == 8


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
