"""Bags of records, as the sinks of a dataflow count them."""

from __future__ import annotations

from typing import Any

Bag = tuple[tuple[int, ...], ...]
"""How often each record was there: by source, and then by number from 1."""


def put(bag: Bag, record: Any) -> Bag:
    """Return a bag with one more record in it."""
    row = bag[record[0] - 1]
    row = (*row[: record[1] - 1], row[record[1] - 1] + 1, *row[record[1] :])
    return (*bag[: record[0] - 1], row, *bag[record[0] :])


def nothing_in(bag: Bag) -> Bag:
    """Return an empty bag for the records of ``bag``. TLA+: Nothing."""
    return tuple((0,) * len(row) for row in bag)


def together(some: Bag, more: Bag) -> Bag:
    """Return two bags as one. TLA+: Together."""
    return tuple(
        tuple(a + b for a, b in zip(old, new, strict=True)) for old, new in zip(some, more, strict=True)
    )
