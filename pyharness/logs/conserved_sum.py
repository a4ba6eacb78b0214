"""The application's law, if a log says one: states are numbers, messages carry numbers, and their sum is conserved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.logs.said_values import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST: Final = 2.0**53
"""Numbers from here on are not added exactly by everybody who reads JSON."""

_NEAR: Final = 1e-9


def moved(before: Any, carried: Any, sign: int, after: Any, where: Callable[[], str]) -> bool:
    """Whether a process that had ``before`` has ``after`` once it has sent (-1) or received (1) what is carried.

    Raises SpecError for a value that is no number; ``where`` is asked then.
    """
    if type(before) is int and type(after) is int and (type(carried) is int or not sign):
        return before + (sign * carried if sign else 0) == after
    change = sign * _number(carried, where) if sign else 0
    return not told_apart(_number(before, where) + change, _number(after, where))


def sum_of(parts: Iterable[Any], where: Callable[[], str]) -> float:
    """Return the sum of states and messages. Raises SpecError for one that is no number."""
    return sum(_number(part, where) for part in parts)


def told_apart(a: float, b: float) -> bool:
    """Whether two sums are two: whole numbers if they differ at all, others by more than what rounding does."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return not math.isclose(a, b, rel_tol=_NEAR, abs_tol=_NEAR)


def _number(value: Any, where: Callable[[], str]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpecError(f"the log has a sum, and {shown(value)} is no number", where=where())
    if not -_MOST < value < _MOST:
        raise SpecError(
            f"the log has a sum, and {shown(value)} is too large to be added exactly", where=where()
        )
    return value
