"""A program under test as a process: lines in, lines out, within bounds, and nothing left running.

A program may harm its tester: end, hang, never read, never end a line, flood either output, close its pipes, leave
processes running. Each is a :class:`~pyharness.base.errors.ProgramError` or passed over, and none costs more than
:class:`Limits` allows.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ProgramError, SilentError, SpecError
from pyharness.base.toolchain.clean_text import one_line
from pyharness.base.toolchain.interrupts import interrupts_wait

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.hold.programs.group_keeper import GroupKeeper

_AT_ONCE: Final = 1 << 16
_STDERR_KEPT: Final = 2000


@dataclass(frozen=True)
class Limits:
    """The limits of a program: ``seconds`` for an answer, ``line`` bytes for a line, ``lines`` before an answer."""

    seconds: float = 10.0
    line: int = 1 << 20
    lines: int = 10_000


class ChildProcess:
    """A program in a process group of its own. ``name`` is the process that it plays, for errors.

    Raises SpecError if it cannot be started.
    """

    def __init__(self, command: Sequence[str], name: str, limits: Limits, keeper: GroupKeeper) -> None:
        self.name = name
        self._limits, self._keeper = limits, keeper
        # A Python program of the user's finds the modules beside it, though none of ours looks there.
        own = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
        with interrupts_wait():
            try:
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    bufsize=0,
                    env=own,
                )
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else "no program has such a name"
                raise SpecError(
                    f"cannot be started: {reason}",
                    where=one_line(command[0], 200),
                    hint="name a program, and give it execute permission: pyharness hold -- ./program",
                ) from None
            keeper.keep(self._process.pid)
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno() if pipe is not None else -1
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        for number in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(number, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._unsent = b""
        self._part = b""
        self._lines: deque[bytes] = deque()
        self._stderr_tail = b""
        self._ended = False

    def write(self, data: bytes) -> None:
        """Write this, as far as the program reads; the rest goes out while its answers are read."""
        self._unsent += data
        self._send()

    def read_until(self, last: Callable[[bytes], bool]) -> None:
        """Hand ``last`` each line of the program's, until it returns true. Raises ProgramError if that never comes."""
        until = time.monotonic() + self._limits.seconds
        for _ in range(self._limits.lines):
            while not self._lines:
                self._wait(until)
            if last(self._lines.popleft()):
                return
        raise self.failure(f"more than {self._limits.lines:,} lines, and no answer among them")

    def failure(self, message: str, kind: type[ProgramError] = ProgramError) -> ProgramError:
        """Return the error with this message about the program, and the end of its standard error."""
        lines = self._stderr_tail.decode("utf-8", "replace").strip()[-600:].splitlines()
        tail = "\n    ".join(one_line(line, 200) for line in lines if line.strip())
        return kind(
            one_line(message, 500), where=self.name, hint=f"on standard error: {tail}" if tail else None
        )

    def close(self) -> None:
        """Kill its process group. The process is reaped last: until then no other one gets its number."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()
        self._keeper.forget(self._process.pid)

    # -- helpers -------------------------------------------------------------------------------------------

    def _send(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            self._poll.register(self._stdin, select.POLLOUT)
            return
        except OSError:  # it reads no more: its output may still hold the answer
            self._unsent = b""
        with suppress(KeyError):
            self._poll.unregister(self._stdin)

    def _wait(self, until: float) -> None:
        """Wait for something to read or room to write."""
        left = until - time.monotonic()
        ready = self._poll.poll(max(0.0, left) * 1000)
        if left <= 0 and not any(number == self._stdout for number, _ in ready):
            raise self.failure(f"no answer in {self._limits.seconds:g} s", SilentError)
        for number, _ in ready:
            if number == self._stdin:
                self._send()
            elif number == self._stderr:
                self._listen()
            else:
                self._read()

    def _read(self) -> None:
        data = os.read(self._stdout, _AT_ONCE)
        if not data:
            self._listen()
            raise self.failure(self._how_it_ended())
        *complete, self._part = (self._part + data).split(b"\n") if b"\n" in data else (self._part + data,)
        self._lines += complete
        if len(self._part) > self._limits.line:
            raise self.failure(f"a line of more than {self._limits.line:,} bytes")

    def _listen(self) -> None:
        """Keep the end of the standard error."""
        with suppress(BlockingIOError):
            data = os.read(self._stderr, _AT_ONCE)
            self._stderr_tail = (self._stderr_tail + data)[-_STDERR_KEPT:]
            if not data:
                with suppress(KeyError):
                    self._poll.unregister(self._stderr)

    def _how_it_ended(self) -> str:
        """Describe how the program ended, or that it closed its output; it is not reaped here."""
        if not hasattr(os, "waitid"):  # macOS
            return "ended, or closed its output, before it answered"
        for _ in range(20):
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is not None:
                how = "exit status" if found.si_code == os.CLD_EXITED else "signal"
                return f"ended with {how} {found.si_status} before it answered"
            time.sleep(0.01)
        return "closed its output before it answered"
