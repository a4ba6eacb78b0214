"""Changes of properties, and the TLA+ that watches them: in which group of states each is first violated, in one run of TLC.

A group is a mutant, or a graph. Where a property of a group is violated, each of its changes is evaluated, until that is
violated as well. TLC's register for a formula and a group notes that it was printed already.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.tla.plain_models.plain_model import OWN, ROOT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

VIOLATED, HOLDS, FOLLOWED = "violated", "holds", "holds in a state that is followed"
"""Where something is first seen of a formula; the last two are of a change, where the property is violated."""

OTHER_LAW: Final = "OtherLaw"
"""The name of a changed law of global states."""

ITSELF: Final = -1
"""The index of a property itself, beside those of its changes."""

Formula = tuple[str, int]
"""A property by its name, and the index of a change of it."""

_FRAME: Final = re.compile(rf"[Ll]ine (\d{{1,18}}), column \d+ to line (\d{{1,18}}), column \d+ in {ROOT}\b")
_SEEN: Final = re.compile(rf'<<"{OWN}Seen", (\d{{1,18}}), (\d{{1,18}}), (\d{{1,18}})>>')


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """A change of a property, or of the law that it speaks of: ``formula`` stands for the property then.

    ``key`` names the text that is changed, and ``change``, its name among those of that text, describes how. ``law``
    defines the operator that ``formula`` has in the place of a law; ``fairness`` is the other fairness of the spec.
    """

    key: str
    change: str
    formula: str
    law: str = ""
    fairness: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """A property with ``changes`` that weaken it, and are evaluated where it is violated.

    ``key`` is the module that defines it and its name; ``kind`` is ``state``, ``step`` or ``behaviour``, and ``formula``
    what a state or a step violates, or the property of behaviours. Stronger changes are evaluated ``everywhere``.
    ``temporal`` is true if it is about behaviours, too, and ``left_out`` is why it, or a part of it, has no change.
    """

    key: str
    kind: str
    formula: str
    changes: tuple[PropertyChange, ...]
    everywhere: bool = False
    temporal: bool = False
    left_out: str = ""

    @property
    def name(self) -> str:
        """The name of the property."""
        return self.key.partition(".")[2]


def each_once(changes: Iterable[PropertyChange]) -> tuple[PropertyChange, ...]:
    """Return the changes that make another formula, each of these once, and each change under a name of its own."""
    found: dict[tuple[str, str], PropertyChange] = {}
    for each in changes:
        number, name = 1, each.change
        while (other := found.get((each.key, name))) and replace(other, change=each.change) != each:
            number += 1
            name = f"{each.change} ({number})"
        found[each.key, name] = replace(each, change=name)
    return tuple(found.values())


class Sighting(NamedTuple):
    """The first state, or step, of a group at which something was ``seen`` of a formula; ``level`` is how deep it is."""

    formula: Formula
    seen: str
    group: int
    level: int


class Watching:
    """The definitions and the lines that watch properties and some of their changes.

    ``definitions`` have a line each, and a number below zero for the formula. ``states`` and ``steps`` are lines
    of a conjunction that is always true, ``followed`` those of one that is evaluated in each state that is followed.
    ``registers`` are the first and the last register.
    """

    def __init__(
        self,
        asked: Sequence[tuple[Changed, Collection[int]]],
        group: str,
        groups: int,
        first: int,
        *,
        closely: bool = False,
        skipped: Mapping[str, str] | None = None,
    ) -> None:
        """Watch ``closely``: see also where a change holds.

        ``skipped`` has by property a formula of states or steps in which it is not evaluated.
        """
        self.definitions: list[tuple[str, int | None]] = []
        self.states: list[str] = []
        self.steps: list[str] = []
        self.followed: list[str] = []
        self._meanings: list[tuple[Formula, str]] = []
        self._group, self._groups, self._first = group, groups, first
        self._closely = closely
        for changed, indices in asked:
            self._watch(changed, indices, (skipped or {}).get(changed.name, ""))

    @property
    def registers(self) -> tuple[int, int]:
        """The first register that is needed, and the last."""
        return self._first, self._first + self._groups * len(self._meanings)

    def formula(self, number: int) -> Formula | None:
        """Return the formula of a number, if it is one of a change or a property."""
        return self._meanings[number - 1][0] if 0 < number <= len(self._meanings) else None

    def number(self, formula: Formula) -> int:
        """Return the number of a formula, by which its definition is named."""
        return self._meanings.index((formula, VIOLATED)) + 1

    def blamed(self, complaint: str, of_line: Mapping[int, int]) -> list[Formula]:
        """Return the formulas in whose definitions TLC was as it could not evaluate something; each has a line.

        ``of_line`` has the numbers of definitions by the lines of the root. The places that TLC names are within each
        other.
        """
        lines = {int(a) for a, b in _FRAME.findall(complaint) if a == b}
        numbers = (-number for line, number in of_line.items() if line in lines)
        return sorted({found for number in numbers if (found := self.formula(number))})

    def read(self, lines: Iterable[str]) -> Iterator[Sighting]:
        """Yield the sightings in the lines that TLC printed."""
        for line in lines:
            if found := _SEEN.fullmatch(line):
                yield Sighting(*self._meanings[int(found[2]) - 1], int(found[1]), int(found[3]))

    def was_seen(self, formula: Formula) -> str:
        """Return a formula that is true if this one was seen to be violated in the group."""
        return f"{OWN}WasSeen({self._base(self.number(formula))}, {self._group})"

    def _base(self, number: int) -> int:
        return self._first + self._groups * (number - 1)

    def _seen(self, number: int) -> str:
        return f"{OWN}Seen({self._base(number)}, {self._group}, {number})"

    def _watch(self, changed: Changed, indices: Collection[int], skipped: str) -> None:
        name, of_states = changed.name, changed.kind == "state"
        number = self._number((name, ITSELF), VIOLATED)
        itself = f"{OWN}Whole{number}"
        self.definitions.append((f"{itself} == {changed.formula}", -number))
        asked, held = [], []
        for index in indices:
            own = self._number((name, index), VIOLATED)
            self.definitions += _definitions(own, changed.changes[index])
            asked.append(self._asked(own, (name, index)))
            if self._closely and of_states and not changed.everywhere:
                also = self._number((name, index), FOLLOWED)
                held.append(
                    f"({OWN}WasSeen({self._base(also)}, {self._group}) \\/ ~{OWN}Weak{own} \\/ {self._seen(also)})"
                )
        seen, rows = self._seen(number), self.states if of_states else self.steps
        skip = f"{skipped} \\/ " if skipped else ""
        if changed.everywhere:
            rows += [f"  /\\ {itself} \\/ {seen}", *(f"  /\\ ({each})" for each in asked)]
        else:
            rows.append(f"  /\\ {skip}{itself} \\/ ({all_of([seen, *asked])})")
        if held:
            self.followed.append(f"  /\\ {itself} \\/ ({all_of(held)})")

    def _asked(self, number: int, formula: Formula) -> str:
        base, rest = self._base(number), f"{self._group}, {number}, {OWN}Weak{number}"
        if not self._closely:
            return f"{OWN}Asked({base}, {rest})"
        return f"{OWN}Watched({base}, {self._base(self._number(formula, HOLDS))}, {rest})"

    def _number(self, formula: Formula, seen: str) -> int:
        self._meanings.append((formula, seen))
        return len(self._meanings)


def all_of(formulas: Iterable[str]) -> str:
    """Return the conjunction of some formulas, on one line."""
    return " /\\ ".join(formulas)


def _definitions(number: int, change: PropertyChange) -> Iterator[tuple[str, int]]:
    """Yield the definition of a change, on one line; that of the law in it has a name of its own."""
    law = f"{OTHER_LAW}{number}"
    if change.law:
        yield change.law.replace(OTHER_LAW, law, 1).replace("\n", "  "), -number
    formula = change.formula.replace(OTHER_LAW, law) if change.law else change.formula
    yield f"{OWN}Weak{number} == {formula}", -number
