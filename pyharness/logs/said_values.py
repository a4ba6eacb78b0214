"""The values that a log tells: any JSON, told apart as JSON does, or nothing told at all."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from pyharness.toolchain.clean_text import one_line


class _Unknown(Enum):
    """A member of an enumeration: a copy of it is itself."""

    UNKNOWN = "unknown"


UNKNOWN: Final = _Unknown.UNKNOWN
"""What a log does not tell, such as a process's state. ``null`` is told."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are one in JSON, where ``true`` is no number; 1 and 1.0 are one number."""
    return a == b and _of_one_kind(a, b)


def _of_one_kind(a: Any, b: Any) -> bool:
    """Whether values that are equal in Python are so in JSON."""
    if isinstance(a, list):
        return all(map(_of_one_kind, a, b))
    if isinstance(a, dict):
        return all(_of_one_kind(value, b[name]) for name, value in a.items())
    return isinstance(a, bool) == isinstance(b, bool)


def shown(value: Any) -> str:
    """Write a value so that it can be shown in a line."""
    try:
        return one_line("nothing" if value is UNKNOWN else repr(value), 80)
    except ValueError:  # Python does not write integers of thousands of digits
        return "a number of many digits"
