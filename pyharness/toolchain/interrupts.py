"""What ends a command from outside: Ctrl-C, and what a CI system, ``timeout`` or a terminal that is closed sends."""

from __future__ import annotations

import signal
from typing import Final

__all__ = ["INTERRUPTS", "end_as_interrupted"]

INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_as_interrupted() -> None:
    """Let each of them raise KeyboardInterrupt, so that what was begun is ended, removed and said.

    One that is ignored stays so: ``nohup``, and a shell that starts a program in the background, ask for that.
    """
    for number in INTERRUPTS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
