"""A Python of another user of this machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NOBODY = 65534

DROP = (
    "import os, socket, struct, sys; os.setgroups([]); os.setgid({0}); os.setuid({0}); exec(sys.argv.pop(1))"
)


def as_nobody(*words):
    """Run a Python as another user, who has no part in what runs: it begins as root, for the interpreter is root's."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    command = [sys.executable, "-I", "-S", "-c", DROP.format(NOBODY), *words]
    return subprocess.run(command, cwd="/", env={}, capture_output=True, text=True, check=False, timeout=120)
