"""Tests that take long: more cases of what others show in few, and faults; `make test-long` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LONG = pytest.mark.long


def some(cases: Iterable[Any], first: int) -> list[Any]:
    """The first cases as they are, and the others as long ones; a tuple has a value for each name."""
    return [case if number < first else _long(case) for number, case in enumerate(cases)]


def long_but(cases: Iterable[Any], kept: Collection[Any]) -> list[Any]:
    """The kept cases as they are, and the others as long ones."""
    return [case if case in kept else _long(case) for case in cases]


def _long(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=LONG)
