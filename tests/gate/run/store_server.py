"""A store on this machine, which speaks the protocol of S3: moto's server, in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_EC2_METADATA_DISABLED": "true",
}
BUCKET = "bucket"
BINARY = {"Content-Type": "application/octet-stream"}
SECONDS = 120

VARIABLE = "PYHARNESS_STORE"
"""``required``: where moto is not installed, a test fails instead of being skipped."""


def require_moto():
    """Skip the test where there is nothing to start; fail where that is not to be."""
    if find_spec("moto") is None and os.environ.get(VARIABLE) != "required":
        pytest.skip("moto is not installed; `make store` does")


class StoreServer:
    """A server, and its bucket."""

    def __init__(self, port, environment):
        self.port = port
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + SECONDS
        while not self._made():
            assert self.process.poll() is None, "the store does not start"
            assert time.monotonic() < until
            time.sleep(0.1)

    def _made(self):
        try:
            self.ask("PUT", f"/{BUCKET}")
        except OSError as error:
            return isinstance(error, urllib.error.HTTPError) and error.code == 409
        return True

    def ask(self, method, path, body=None):
        """Ask the server, without our code, and return its answer."""
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, data=body, method=method, headers=BINARY)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - our own server
            return answer.read()

    def uri(self, prefix="runs/tiny", bucket=BUCKET):
        return f"s3://{bucket}/{prefix}?scheme=http&endpoint_override=127.0.0.1:{self.port}"

    def get(self, name, prefix="runs/tiny"):
        return self.ask("GET", f"/{BUCKET}/{prefix}/{name}")

    def kind(self, name, prefix):
        """The type of an object's content, as a browser is told."""
        url = f"http://127.0.0.1:{self.port}/{BUCKET}/{prefix}/{name}"
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            return answer.headers["Content-Type"]

    def put(self, name, content, prefix="runs/tiny"):
        self.ask("PUT", f"/{BUCKET}/{prefix}/{name}", content)

    def names(self, prefix="runs/tiny"):
        """Name the objects, without those that stand for a directory."""
        listed = self.ask("GET", f"/{BUCKET}?list-type=2&prefix={prefix}/").decode()
        found = re.findall(r"<Key>([^<]*)</Key>", listed)
        return {key.removeprefix(f"{prefix}/") for key in found if not key.endswith("/")}

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def started_store(**environment):
    """Have a server with an empty bucket; what it keeps is in its memory, and any credentials will do."""
    require_moto()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = StoreServer(port, environment)
    try:
        yield server
    finally:
        server.kill()
