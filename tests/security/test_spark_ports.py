"""Other users of this machine end nothing of a run on Spark: its processes know each other by a secret."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyharness.gate.jobs.spark_session import is_local
from tests.security.other_user import as_nobody

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
"""It asks Spark's ports to stop, in the form of its own messages, as one who does not know the secret."""


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
