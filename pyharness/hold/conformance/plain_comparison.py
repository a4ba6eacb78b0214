"""The comparison of a state graph in plain Python: the dump is read once, and what is kept are numbers in arrays.

Each state is decoded and expanded as its line comes; its id, its key, and the keys of its successors are kept, and so
are the ids of each step that TLC wrote. Then the steps are sorted by their source, and both sides are compared state
by state, exactly. A state costs some 150 bytes and a step some 50, whatever the state's own size.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ConformanceError, HarnessError, IncompleteError, ToolError
from pyharness.hold.conformance.graph_comparison import Paths, require_census, require_states
from pyharness.tla.tlc.dump import EDGE_LINE, FRAME_LINE, find_states, split_node

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from pyharness.hold.conformance.subject import Implementation, Subject
    from pyharness.tla.values import Fn

_EDGE: Final = re.compile(EDGE_LINE + r"\Z")
_FRAME: Final = re.compile(FRAME_LINE)
_PART: Final = 24 * 1024 * 1024
"""Bytes of a dump from which on a second process pays: starting it costs half a second."""

_MOST_NAMES: Final = 1 << 16


@dataclass
class _Names:
    """Numbers for the names of actions, in the order in which they were met."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        found = self.numbers.setdefault(name, len(self.numbers))
        if found >= _MOST_NAMES:
            raise ToolError(f"a graph with more than {_MOST_NAMES} names of actions")
        return found


def _longs() -> array[int]:
    return array("q")


def _shorts() -> array[int]:
    return array("H")


@dataclass
class _Part:
    """What a stretch of a dump holds.

    ``ids``, ``keys`` and ``steps`` are of its states: TLC's id, the key, the number of successors that the
    implementation has, whose actions and keys follow one another in ``own_actions`` and ``own_keys``. ``sources``,
    ``actions`` and ``targets`` are of the lines of steps. ``initial`` has topology, key and id of initial states.
    """

    ids: array[int] = field(default_factory=_longs)
    keys: array[int] = field(default_factory=_longs)
    steps: array[int] = field(default_factory=_longs)
    own_actions: array[int] = field(default_factory=_shorts)
    own_keys: array[int] = field(default_factory=_longs)
    sources: array[int] = field(default_factory=_longs)
    actions: array[int] = field(default_factory=_shorts)
    targets: array[int] = field(default_factory=_longs)
    initial: list[tuple[str, int, int]] = field(default_factory=list)
    names: _Names = field(default_factory=_Names)
    lines: int = 0
    opened: int = 0
    closed: int = 0
    unknown: str | None = None
    problem: tuple[int, str, bool] | None = None

    def append(self, other: _Part) -> None:
        """Add what the next stretch holds."""
        number = [self.names.number(name) for name in other.names.numbers]
        for name in ("ids", "keys", "steps", "own_keys", "sources", "targets"):
            getattr(self, name).extend(getattr(other, name))
        self.own_actions.extend(array("H", map(number.__getitem__, other.own_actions)))
        self.actions.extend(array("H", map(number.__getitem__, other.actions)))
        self.initial += other.initial
        self.lines += other.lines
        self.opened += other.opened
        self.closed += other.closed
        self.unknown = max(filter(None, (self.unknown, other.unknown)), default=None)
        self.problem = min(filter(None, (self.problem, other.problem)), default=None)


def _read(dump: Path, begin: int, end: int, subject: Subject) -> _Part:
    """Read the lines of a dump that begin from the byte ``begin`` up to ``end``."""
    part, implementation = _Part(), subject.build()
    tails: dict[str, int | None] = {}
    sources, actions, targets = part.sources, part.actions, part.targets
    with dump.open("rb") as file:
        file.seek(max(0, begin - 1))
        position = begin if begin == 0 else begin - 1 + len(file.readline())
        while position < end and (raw := file.readline()):
            position += len(raw)
            line = raw.decode(errors="replace").rstrip("\n")
            words = line.split(" ", 3)
            if len(words) == 4 and words[1] == "->":
                source, _, target, tail = words
                if tail not in tails:
                    tails[tail] = _action(f"0 -> 0 {tail}", part.names)
                action = tails[tail]
                if action is not None and _is_id(source) and _is_id(target):
                    sources.append(int(source))
                    actions.append(action)
                    targets.append(int(target))
                    continue
            _read_other(line, part, implementation)
    return part


def _action(line: str, names: _Names) -> int | None:
    edge = _EDGE.match(line)
    return names.number(edge[3].partition("(")[0]) if edge and edge[3] else None


def _is_id(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()


def _read_other(line: str, part: _Part, implementation: Implementation) -> None:
    head, _, rest = line.partition(" ")
    if rest.startswith("[label=") and _is_id(head):
        part.lines += 1
        try:
            _read_state(line, int(head), part, implementation)
        except HarnessError as error:
            problem = (int(head), str(error), isinstance(error, ConformanceError))
            part.problem = min(part.problem or problem, problem)
    elif _FRAME.match(line):
        part.opened += line.count("{")
        part.closed += line.count("}")
    else:
        part.unknown = max(part.unknown or line, line)


def _read_state(line: str, number: int, part: _Part, implementation: Implementation) -> None:
    node = split_node(line)
    if node is None:
        raise ToolError(f"not a line of a graph dump: {line[:80]!r}")
    topology, key, successors = implementation.expand_texts(node.lines)
    part.ids.append(number)
    part.keys.append(key)
    before = len(part.own_keys)
    for name, keys in successors.items():
        part.own_keys.extend(keys)
        part.own_actions.extend([part.names.number(name)] * len(keys))
    part.steps.append(len(part.own_keys) - before)
    if node.initial:
        part.initial.append((topology, key, number))


class PlainComparison:
    """TLC's state graph held against the implementation; states are named by TLC's ids.

    ``distinct`` is the number of distinct states that TLC reports. With a ``depth`` the states at that depth are
    expanded on neither side. At most ``processes`` read the dump at the same time.

    Raises IncompleteError for a dump that was cut off, has another number of states or a step to a state that is not
    there, ToolError for what is no dump, ConformanceError for a state that the implementation cannot be in.
    """

    def __init__(
        self, dump: Path, subject: Subject, *, distinct: int | None, depth: int | None, processes: int = 1
    ) -> None:
        self._dump = dump
        self.name = dump.name
        self._part = part = _read_all(dump, subject, processes)
        require_census(self.name, opened=part.opened, closed=part.closed, unknown=part.unknown)
        self._place = {number: place for place, number in reversed(list(enumerate(part.ids)))}
        _, problem, of_spec = part.problem or (0, None, False)
        require_states(
            self.name,
            problem=problem,
            of_spec=of_spec,
            lines=part.lines,
            read=len(part.ids),
            ids=len(self._place),
            keys=len(set(part.keys)),
            distinct=distinct,
        )
        self._names = list(part.names.numbers)
        self.states = len(self._place)
        self.initial: dict[str, dict[int, int]] = {}
        for topology, key, number in part.initial:
            self.initial.setdefault(topology, {})[key] = number
        self._last = frozenset[int]()
        if depth is not None:
            self._last = frozenset(state for state, at in self._paths.depth.items() if at >= depth)
        self.transitions = 0
        self.pairs: list[tuple[int, str]] = []
        self._compare()

    def paths(self) -> Paths:
        """Return the shortest ways to all states."""
        return self._paths

    @cached_property
    def _paths(self) -> Paths:
        initial = [number for ids in self.initial.values() for number in ids.values()]
        part = self._part
        names = map(self._names.__getitem__, part.actions)
        return Paths(initial, zip(part.sources, names, part.targets, strict=True))

    def following(self, sources: Collection[int]) -> dict[tuple[int, str], set[int]]:
        """Return the successors of some states in TLC's graph, by state and action."""
        found: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
        wanted, part = set(sources), self._part
        for source, action, target in zip(part.sources, part.actions, part.targets, strict=True):
            if source in wanted:
                found[source, self._names[action]].add(target)
        return dict(found)

    def find(self, ids: Iterable[int]) -> dict[int, Fn]:
        """Return some states by their ids."""
        return find_states(self._dump, ids)

    def _compare(self) -> None:
        """Compare the successors by each action of each state, exactly and both ways."""
        part, place, keys = self._part, self._place, self._part.keys
        order, begins, strangers = self._by_source()
        own_begins = [0, *accumulate(part.steps)]
        missing = False
        for at, (begin, end) in enumerate(pairwise(begins)):
            number = part.ids[at]
            if place[number] != at:
                continue  # a state that is told twice
            theirs = set()
            for step in order[begin:end]:
                target = place.get(part.targets[step])
                if target is None:
                    missing = True
                else:
                    theirs.add((part.actions[step], keys[target]))
            self.transitions += len(theirs)
            own = slice(own_begins[at], own_begins[at + 1])
            ours = set(zip(part.own_actions[own], part.own_keys[own], strict=True))
            if number in self._last:
                ours = set()
            if theirs != ours:
                self.pairs += [
                    (number, self._names[action])
                    for action in sorted({action for action, _ in theirs ^ ours})
                ]
        self.pairs += strangers
        if missing:
            raise IncompleteError("a step leads to a state that is not there", where=self.name)

    def _by_source(self) -> tuple[array[int], array[int], list[tuple[int, str]]]:
        """Sort the steps by the place of their source: their order, where each place's begin, and those of no state."""
        part, place = self._part, self._place
        begins = array("q", bytes(8 * (len(part.ids) + 1)))
        strangers = set()
        for step, source in enumerate(part.sources):
            at = place.get(source)
            if at is None:
                strangers.add((source, self._names[part.actions[step]]))
            else:
                begins[at + 1] += 1
        begins = array("q", accumulate(begins))
        order, following = array("q", bytes(8 * begins[-1])), begins[:]
        for step, source in enumerate(part.sources):
            at = place.get(source)
            if at is not None:
                order[following[at]] = step
                following[at] += 1
        return order, begins, sorted(strangers)


def _read_all(dump: Path, subject: Subject, processes: int) -> _Part:
    size = dump.stat().st_size
    count = max(1, min(processes, size // _PART))
    bounds = list(pairwise([size * number // count for number in range(count + 1)]))
    if count == 1:
        return _read(dump, 0, size, subject)
    whole = _Part()
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        for part in pool.map(_read_stretch, [(dump, *pair, subject) for pair in bounds]):
            whole.append(part)
    return whole


def _read_stretch(given: tuple[Path, int, int, Subject]) -> _Part:
    return _read(*given)
