"""The signals that end a command from outside: Ctrl-C, and those of a CI system, ``timeout`` or a closed terminal."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_as_interrupted() -> None:
    """Let each of them raise KeyboardInterrupt, so that running work is ended, removed and reported.

    One that is ignored stays so: ``nohup``, and a shell that starts a program in the background, ask for that.
    """
    for number in INTERRUPTS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Delay an interrupt until the process that is being started can be ended: otherwise it would be left running."""
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
