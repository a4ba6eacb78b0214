"""TLA+ values: their form in Python, how they are read from TLC's text and written as TLA+."""

from __future__ import annotations

from pyharness.tla.values.parse import Memo, StateReader, parse_value
from pyharness.tla.values.print import is_identifier, to_tla
from pyharness.tla.values.values import (
    UNDEFINED,
    Fn,
    ModelValue,
    Value,
    function,
    record,
    same,
    set_of,
    sort_key,
)

__all__ = [
    "UNDEFINED",
    "Fn",
    "Memo",
    "ModelValue",
    "StateReader",
    "Value",
    "function",
    "is_identifier",
    "parse_value",
    "record",
    "same",
    "set_of",
    "sort_key",
    "to_tla",
]
