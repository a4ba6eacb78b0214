"""Read files that others wrote, within bounds: only regular files of a limited size, and none that makes a reader wait."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from pathlib import Path

MOST_MODULE_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of a module of TLA+ that are read."""

MOST_KEPT_BYTES: Final = 64 * 1024 * 1024
"""The most bytes of a file of results that this tool kept for a later command, that are read."""

MOST_TOML_BYTES: Final = 1024 * 1024
"""The most bytes of a plan, a schedule or a list in TOML that are read."""

_LONGEST_LINE: Final = 20_000
_BITS: Final = 64
_PART: Final = r"""(?:[\w-]{1,200}|"(?:[^"\\\n]|\\.){0,200}"|'[^'\n]{0,200}')"""
_DEEP_KEY: Final = re.compile(rf"(?:{_PART}[ \t]*\.[ \t]*){{32}}")
"""The greatest number of parts of a key: Python takes time and memory with their square."""

_STREAMS: Final = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""The directories in which a name may be a pipe: the user who names it feeds it."""


def require_own_kind(path: Path, suffix: str) -> None:
    """Require that a link leads to a file of the same kind: errors quote the content, which may be a secret."""
    if os.path.islink(path) and path.resolve().suffix != suffix:  # noqa: PTH114 - no file has a name that is too long
        raise SpecError(f"a link, and not to a {suffix}", where=str(path))


def read_bytes(path: Path, most: int) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes, or the input piped to ``/dev/stdin``.

    Raises SpecError, naming the file, if it cannot be read, is larger, or is not a file: a directory, a device, or
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
    """Return the text of a file as :func:`read_bytes` does, with the line ends of Unix and no byte order mark.

    Raises SpecError, naming the file, as that does, and for bytes that are not UTF-8.
    """
    try:
        text = read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError("not UTF-8 text", where=str(path)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the content of a TOML text.

    Raises SpecError, naming ``where``, for a text that is not TOML, or is larger, longer or nested deeper than any of ours,
    and for a number of more than 64 bits: Python would not print one of thousands of digits.
    """
    if len(text) > MOST_TOML_BYTES:
        raise SpecError(f"more than {MOST_TOML_BYTES} characters", where=where)
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > _LONGEST_LINE:
            raise SpecError(f"a line of more than {_LONGEST_LINE} characters", where=f"{where}:{number}")
        if _DEEP_KEY.search(line):
            raise SpecError("a key of more than 32 parts", where=f"{where}:{number}")
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise SpecError("not TOML: nested too deep", where=where) from None
    except ValueError as error:  # also of a number with too many digits
        raise SpecError(f"not TOML: {error}", where=where) from None
    _require_small_numbers(document, where)
    return document


def _require_small_numbers(document: dict[str, Any], where: str) -> None:
    left: list[tuple[str, Any]] = list(document.items())
    while left:
        key, value = left.pop()
        if isinstance(value, dict):
            left += value.items()
        elif isinstance(value, list):
            left += ((key, each) for each in value)
        elif isinstance(value, int) and value.bit_length() >= _BITS:
            raise SpecError(f"a number of more than {_BITS} bits", where=f"{where}, {key}")
