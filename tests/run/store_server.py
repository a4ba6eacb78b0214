"""A store on this machine, which speaks the protocol of S3: moto's server, in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}
BUCKET = "bucket"
SECONDS = 120


class StoreServer:
    """A server, and its bucket."""

    def __init__(self, port):
        self.port = port
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        # S3 takes any credentials here, as long as there are some
        self.process = subprocess.Popen(
            command, env={**os.environ, **CREDENTIALS}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + SECONDS
        while not self._made():
            assert self.process.poll() is None and time.monotonic() < until, "the store does not start"
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
        request = urllib.request.Request(url, data=body, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read()

    def uri(self, prefix="runs/tiny", bucket=BUCKET):
        return f"s3://{bucket}/{prefix}?scheme=http&endpoint_override=127.0.0.1:{self.port}"

    def get(self, name, prefix="runs/tiny"):
        return self.ask("GET", f"/{BUCKET}/{prefix}/{name}")

    def put(self, name, content, prefix="runs/tiny"):
        self.ask("PUT", f"/{BUCKET}/{prefix}/{name}", content)

    def names(self, prefix="runs/tiny"):
        """Name the objects, without those that stand for a directory."""
        import re

        listed = self.ask("GET", f"/{BUCKET}?list-type=2&prefix={prefix}/").decode()
        found = re.findall(r"<Key>([^<]*)</Key>", listed)
        return {key.removeprefix(f"{prefix}/") for key in found if not key.endswith("/")}

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def started_store():
    """Have a server with an empty bucket; what it keeps is in its memory."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = StoreServer(port)
    try:
        yield server
    finally:
        server.kill()
