"""What ends a command from outside: Ctrl-C, and what a CI system, ``timeout`` or a terminal that is closed sends."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_as_interrupted() -> None:
    """Let each of them raise KeyboardInterrupt, so that what was begun is ended, removed and said.

    One that is ignored stays so: ``nohup``, and a shell that starts a program in the background, ask for that.
    """
    for number in INTERRUPTS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let an interrupt wait until what is begun can be ended: a process that nobody knows yet would be left behind."""
    heard = [number for number in INTERRUPTS if callable(signal.getsignal(number))]
    if not heard or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
