"""Read the behaviours TLC writes with ``-simulate file=…``, one file each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import IncompleteError, ToolError
from pyharness.tla import StateReader
from pyharness.tlc.trace import Trace, TraceBuilder

if TYPE_CHECKING:
    from pathlib import Path

_START: Final = re.compile(r"-+ MODULE .* -+\n")
_END: Final = re.compile(r"\n=+\n\Z")
_STATE: Final = re.compile(r"(?:\\\* <([^\n]*)>\n)?STATE_(\d+) == *\n")


def read_simulation(path: Path, reader: StateReader | None = None) -> Trace:
    """Read one behaviour.

    Newer builds write the actions as comments; 2.15 does not, and its steps have no ``action``. ``reader`` keeps
    what it learns, share one between files.

    Raises ``IncompleteError`` if the file is cut off, ``ToolError`` if it is not such a file.
    """
    return parse_simulation(path.read_text(encoding="utf-8"), str(path), reader)


def is_simulation(text: str) -> bool:
    """Whether ``text`` begins like such a file, and not like any other module."""
    start = _START.match(text)
    return start is not None and _STATE.match(text, start.end()) is not None


def parse_simulation(text: str, where: str, reader: StateReader | None = None) -> Trace:
    """Read one behaviour from the text of such a file, as :func:`read_simulation` does."""
    start, end = _START.match(text), _END.search(text)
    if not end or not start:
        raise IncompleteError("the behaviour is cut off", where=where, hint="run TLC again, to its end")
    builder = TraceBuilder(reader or StateReader())
    before, *parts = _STATE.split(text[start.end() : end.start()])
    actions, numbers, bodies = parts[::3], parts[1::3], parts[2::3]
    if before.strip() or [int(number) for number in numbers] != list(range(1, len(numbers) + 1)):
        raise ToolError("not a behaviour that TLC wrote", where=where)
    for action, body in zip(actions, bodies, strict=True):
        builder.add(action, body)
    trace = builder.trace()
    if trace is None:
        raise ToolError("the behaviour has no state", where=where)
    return trace
