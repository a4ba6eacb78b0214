"""Programs to hold: of a few lines of Python each, the shipped examples, and the project's own machines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest
from reference_program import Program

from pyharness.base.errors import ProgramError
from pyharness.cli.init_command import PROGRAMS
from pyharness.hold.programs import Limits
from pyharness.hold.programs.team import Programs

REFERENCE = (sys.executable, str(Path(__file__).parent / "reference_program.py"))
"""The command of the project's own machines as a program."""

INTERPRETERS = {"c": "cc", "javascript": "node", "perl": "perl", "python": sys.executable}


@pytest.fixture
def script(tmp_path):
    """Write a Python program, and return the command that starts it."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(text)
        return sys.executable, "-S", str(path)

    return write


@pytest.fixture
def programs():
    """Start programs, and close them at the end."""
    opened = []

    def start(command, **limits):
        opened.append(Programs(command, Limits(**limits)))
        return opened[-1]

    yield start
    for each in opened:
        each.__exit__(None, None, None)


class InProcess:
    """Stands for a process: the reference program, asked by a call."""

    def __init__(self, command, name, limits, keeper):
        self.name, self.lines, self.part = name, deque(), b""
        self.program = Program(command)

    def write(self, data):
        *whole, self.part = (self.part + data).split(b"\n")
        for line in whole:
            self.lines += [text.encode() for text in self.program.answers(line)]

    def read_until(self, last):
        while not last(self.lines.popleft()):
            pass

    def failure(self, message, kind=ProgramError):
        return kind(message, where=self.name)

    def close(self):
        pass


class NoKeeper:
    """Has no groups to keep."""

    def close(self):
        pass


@pytest.fixture
def in_process(monkeypatch):
    """Take calls for processes; a program's command is its arguments."""
    monkeypatch.setattr("pyharness.hold.programs.node.ChildProcess", InProcess)
    monkeypatch.setattr("pyharness.hold.programs.team.GroupKeeper", NoKeeper)


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """The command of the shipped example in a language; skipped where its interpreter or compiler is missing."""
    directory = tmp_path_factory.mktemp("examples")

    def command(language):
        with_it = INTERPRETERS[language]
        if shutil.which(with_it) is None:
            pytest.skip(f"no {with_it} here")
        import pyharness.hold.programs

        source = Path(pyharness.hold.programs.__file__).parent / "starters" / PROGRAMS[language][0]
        if language != "c":
            return with_it, str(source)
        made = directory / "snapshot"
        if not made.exists():
            flags = ("-Wall", "-Wextra", "-Werror", "-O1", "-o", str(made))
            subprocess.run([with_it, *flags, str(source)], check=True)
        return (str(made),)

    return command


def left_alive(marker, seconds=30):
    """Those of :func:`alive` when so many seconds have passed, if any: what is killed needs a moment to go."""
    until = time.monotonic() + seconds
    while (found := alive(marker)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def alive(marker):
    """The processes whose command line or environment has this text, but for this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            said = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
        except OSError:
            continue
        if marker.encode() in said and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found
