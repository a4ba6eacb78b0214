"""Files that others wrote, read within bounds: regular ones, so large at most, and nothing that makes a reader wait."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST_MODULE_BYTES", "MOST_TOML_BYTES", "read_bytes", "read_utf8"]

MOST_MODULE_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of a module of TLA+ that are read."""

MOST_TOML_BYTES: Final = 1024 * 1024
"""The most bytes of a plan, a schedule or a list in TOML that are read."""

_STREAMS: Final = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What is named like this may be a pipe: whoever names it feeds it."""


def read_bytes(path: Path, most: int) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes, or of what is piped to ``/dev/stdin``.

    Raises SpecError, naming the file, for one that cannot be read, is larger, or is no file: a directory, a device, or
    a pipe of the file system, for which a reader would wait.
    """
    where, stream = str(path), str(path).startswith(_STREAMS)
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if stream else os.O_NONBLOCK))
        with os.fdopen(number, "rb") as file:
            if not stream and not stat.S_ISREG(os.fstat(number).st_mode):
                raise SpecError(
                    "no regular file", where=where, hint="pipe it to /dev/stdin, or name a copy of it"
                )
            data = file.read(most + 1)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", where=where[:300]) from None
    except ValueError:
        raise SpecError("cannot be read: no file has such a name", where=repr(where[:300])) from None
    if len(data) > most:
        raise SpecError(f"more than {most} bytes", where=where)
    return data


def read_utf8(path: Path, most: int) -> str:
    """Return the text of a file as :func:`read_bytes` does, with the line ends of Unix.

    Raises SpecError, naming the file, as that does, and for what is no UTF-8.
    """
    try:
        text = read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError:
        raise SpecError("not UTF-8 text", where=str(path)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
