"""The counts of TLC's ``-coverage``: how often actions were taken and expressions evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.tla.tlc.codes import Code
from pyharness.tla.tlc.trace import LOCATION, split_action

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.tla.tlc.messages import TlcMessage

_ENDS: Final = frozenset({Code.TLC_COVERAGE_END, Code.TLC_COVERAGE_END_OVERHEAD})

_HEAD: Final = re.compile(r"\s*<(.*?)(?: \(\d+ \d+ \d+ \d+\))?>(?:: (\d{1,18})(?::(\d{1,18}))?)?\s*\Z")
"""Where a definition has several parts that are actions, TLC writes which one, in brackets: they are counted together."""
_VALUE: Final = re.compile(rf"[\s|]*({LOCATION}): (\d{{1,18}})")
_PLACE: Final = re.compile(r"line (\d{1,18}), .* of module (\S+)")


@dataclass(frozen=True, slots=True)
class ActionCount:
    """The counts of an action: the ``distinct`` new states and the ``total`` states it led to; 0 and 0 if never taken.

    ``module`` and ``line`` are where it is defined, and ``location`` is the full place as text. ``initial`` means that
    it is a part of the initial predicate.
    """

    distinct: int
    total: int
    module: str
    line: int
    location: str
    initial: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """The last complete coverage report of a run.

    ``actions`` are the initial predicate and the actions by name; a second definition of the same name has the
    key ``Name@line``. ``expressions`` maps the name of an action, invariant or property to counts by location
    (``line 6, col 8 to line 6, col 12 of module Ok``), summed if an expression is reached in several ways.
    ``properties`` are the locations of the definitions of the invariants and properties by name.

    TLC evaluates an invariant once in each distinct state, and besides at each step to a state that a CONSTRAINT
    excludes: without a constraint, the count of ``B`` in the invariant ``A => B`` is the number of states with ``A``.
    """

    actions: Mapping[str, ActionCount] = field(default_factory=dict)
    expressions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)


class CoverageReader:
    """Collects coverage messages; :attr:`last` is the last report that was printed to its end, or ``None``."""

    def __init__(self) -> None:
        self.last: Coverage | None = None
        self._start()

    def _start(self) -> None:
        self._actions: dict[str, ActionCount] = {}
        self._expressions: dict[str, dict[str, int]] = {}
        self._properties: dict[str, str] = {}
        self._owner = ""

    def add(self, message: TlcMessage) -> None:
        """Take a message; those that do not belong to a coverage report are ignored."""
        code = message.code
        if code == Code.TLC_COVERAGE_START:
            self._start()
        elif code in {Code.TLC_COVERAGE_VALUE, Code.TLC_COVERAGE_VALUE_COST}:
            self._add_value(message.text)
        elif code in {
            Code.TLC_COVERAGE_NEXT,
            Code.TLC_COVERAGE_INIT,
            Code.TLC_COVERAGE_PROPERTY,
            Code.TLC_COVERAGE_CONSTRAINT,
        }:
            self._add_head(code, message.text)
        elif code in _ENDS:
            self.last = Coverage(self._actions, self._expressions, self._properties)
            self._start()

    def _add_value(self, text: str) -> None:
        if match := _VALUE.match(text):
            counts = self._expressions.setdefault(self._owner, {})
            counts[match[1]] = counts.get(match[1], 0) + int(match[2])

    def _add_head(self, code: int, text: str) -> None:
        match = _HEAD.match(text)
        name, _, location = split_action(match[1]) if match else ("", None, None)
        place = _PLACE.match(location or "")
        if not match or not place or location is None:
            self._owner = ""
            return
        self._owner = name
        if code not in {Code.TLC_COVERAGE_NEXT, Code.TLC_COVERAGE_INIT}:
            self._properties.setdefault(name, location)
            return
        known = self._actions.get(name)
        if known and known.location != location:
            self._owner = name = f"{name}@{place[1]}"
            known = self._actions.get(name)
        distinct, total = int(match[2] or 0), int(match[3] or match[2] or 0)
        if known:
            distinct, total = distinct + known.distinct, total + known.total
        initial = code == Code.TLC_COVERAGE_INIT
        self._actions[name] = ActionCount(distinct, total, place[2], int(place[1]), location, initial)
