"""TLC's state graph as numbers in arrays: the dump is read once, each state as the key of its variables' values.

A state costs some 100 bytes and a step some 50, independent of the state's own size.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import HarnessError, IncompleteError, ToolError
from pyharness.machines.systems.state_keys import summed, variable_digest
from pyharness.tla.plain_models.counted_relation import TAKES
from pyharness.tla.tlc.dump import EDGE_LINE, FRAME_LINE, find_states, read_variable, split_node
from pyharness.tla.values import StateReader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from pyharness.tla.values import Fn, Value

_EDGE: Final = re.compile(EDGE_LINE + r"\Z")
_FRAME: Final = re.compile(FRAME_LINE)
_MOST_NAMES: Final = 1 << 16
_MOST_TEXTS: Final = 400_000
_AGAIN: Final = "run TLC again, to its end"


def _is_id(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()


class Paths:
    """The shortest way to each state of a graph: ``steps`` are (source, action, target), by the states' ids.

    Of several shortest ways the same one is taken for any order of the steps.

    Holds all of the graph in memory, about 0.5 kB for a state with four steps.
    """

    def __init__(self, initial: Iterable[int], steps: Iterable[tuple[int, str, int]]) -> None:
        following: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        for source, action, target in steps:
            following[source].append((action, target))
        self.depth: dict[int, int] = dict.fromkeys(sorted(initial), 1)
        self._before: dict[int, tuple[str, int]] = {}
        level = list(self.depth)
        while level:
            found = []
            for source in level:
                for action, target in sorted(following.get(source, ())):
                    if target not in self.depth:
                        self.depth[target] = self.depth[source] + 1
                        self._before[target] = (action, source)
                        found.append(target)
            level = found

    def to(self, state: int) -> list[tuple[str | None, int]]:
        """Return the path to a state, the initial one first: for each state the action before it, and its id."""
        path: list[tuple[str | None, int]] = []
        while state in self._before:
            action, source = self._before[state]
            path.append((action, state))
            state = source
        return [(None, state), *reversed(path)]


class DumpedGraph:
    """A state graph in the file ``dump``, of which TLC reports a number of ``distinct`` states, named by TLC's ids.

    ``initial`` has the ids of the initial states by topology and key, ``ids`` the id of each key.

    Raises IncompleteError for a dump that was cut off, has another number of states or a step to a state that is not
    there, ToolError for a file of another kind.
    """

    def __init__(self, dump: Path, *, distinct: int | None) -> None:
        self._dump = dump
        self.name = dump.name
        self.initial: dict[str, dict[int, int]] = {}
        self._keys: dict[int, int] = {}
        self._sources, self._targets, self._actions = array("q"), array("q"), array("H")
        self._numbers, self._written = dict[str, int](), dict[str, str]()
        self._reader, self._digests = StateReader(), dict[str, int]()
        self._lines = self._read_lines = self._opened = self._closed = 0
        self._unknown: str | None = None
        self._problem: tuple[int, str] | None = None
        self._read()
        self._require(distinct)
        self.ids = {key: number for number, key in self._keys.items()}
        self._names = list(self._numbers)
        self._order, self._begins = self._by_source()

    @property
    def states(self) -> int:
        """The number of distinct states."""
        return len(self._keys)

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions that label a step."""
        return tuple(self._names)

    @cached_property
    def paths(self) -> Paths:
        """The shortest ways to all states."""
        initial = [number for ids in self.initial.values() for number in ids.values()]
        names = map(self._names.__getitem__, self._actions)
        return Paths(initial, zip(self._sources, names, self._targets, strict=True))

    @cached_property
    def transitions(self) -> int:
        """The number of different steps: a source, an action and a target."""
        return sum(len(self.after(number)) for number in self._keys)

    def after(self, number: int) -> set[tuple[str, int]]:
        """Return the successors of a state: action and key of each."""
        begin, end = self._begins[number]
        steps = self._order[begin:end]
        return {(self._names[self._actions[step]], self._keys[self._targets[step]]) for step in steps}

    def find(self, ids: Collection[int]) -> dict[int, Fn]:
        """Return some states by their ids."""
        return find_states(self._dump, ids)

    # -- reading the file ----------------------------------------------------------------------------------

    def _read(self) -> None:
        tails: dict[str, int | None] = {}
        with self._dump.open(encoding="utf-8", errors="replace", newline="\n") as file:
            for raw in file:
                line = raw.rstrip("\n")
                words = line.split(" ", 3)
                if len(words) == 4 and words[1] == "->":
                    source, _, target, tail = words
                    if tail not in tails:
                        tails[tail] = self._action(f"0 -> 0 {tail}")
                    action = tails[tail]
                    if action is not None and _is_id(source) and _is_id(target):
                        self._sources.append(int(source))
                        self._actions.append(action)
                        self._targets.append(int(target))
                        continue
                self._read_other(line)

    def _action(self, line: str) -> int | None:
        edge = _EDGE.match(line)
        if not edge or not edge[3]:
            return None
        written = edge[3].partition("(")[0]
        name = written.removeprefix(TAKES)
        if self._written.setdefault(name, written) != written:
            raise ToolError(f"{written} and {self._written[name]} are two actions", where=self.name)
        found = self._numbers.setdefault(name, len(self._numbers))
        if found >= _MOST_NAMES:
            raise ToolError(f"a graph with more than {_MOST_NAMES} names of actions")
        return found

    def _read_other(self, line: str) -> None:
        head, _, rest = line.partition(" ")
        if rest.startswith("[label=") and _is_id(head):
            self._lines += 1
            try:
                self._read_state(line, int(head))
            except HarnessError as error:
                self._problem = min(self._problem or (int(head), str(error)), (int(head), str(error)))
        elif _FRAME.match(line):
            self._opened += line.count("{")
            self._closed += line.count("}")
        else:
            self._unknown = max(self._unknown or line, line)

    def _read_state(self, line: str, number: int) -> None:
        node = split_node(line)
        if node is None:
            raise ToolError(f"not a line of a graph dump: {line[:80]!r}")
        key = summed(map(self._digest, node.lines))
        self._read_lines += 1
        if self._keys.setdefault(number, key) != key:
            raise ToolError(f"state {number} is written twice, in two ways")
        if node.initial:
            self.initial.setdefault(self._topology(node.lines), {})[key] = number

    def _digest(self, text: str) -> int:
        digest = self._digests.get(text)
        if digest is None:
            if len(self._digests) >= _MOST_TEXTS:
                self._digests.clear()
            digest = self._digests[text] = variable_digest(*self._variable(text))
        return digest

    def _variable(self, text: str) -> tuple[str, Value]:
        return read_variable(text, self._reader)

    def _topology(self, texts: Iterable[str]) -> str:
        return str(next((value for name, value in map(self._variable, texts) if name == "topo"), ""))

    def _require(self, distinct: int | None) -> None:
        """Require that the file was written to its end, that each state was read, and that each has its own key."""
        if not self._opened or self._opened != self._closed:
            raise IncompleteError("the graph is cut off", where=self.name, hint=_AGAIN)
        if self._unknown is not None:
            raise ToolError(f"not a line of a graph dump: {self._unknown[:80]!r}", where=self.name)
        if self._problem is not None:
            raise ToolError(self._problem[1], where=self.name)
        if self._read_lines != self._lines or self.states != distinct or not self.states:
            raise IncompleteError(
                f"{self.states} states instead of {distinct}, on {self._read_lines} lines of {self._lines}",
                where=self.name,
                hint=_AGAIN,
            )
        if (keys := len(set(self._keys.values()))) != self.states:
            raise ToolError(
                f"{self.states} states have {keys} keys", where=self.name, hint="report this graph"
            )
        if not all(number in self._keys for number in self._steps_ends()):
            raise IncompleteError("a step leads from or to a state that is not there", where=self.name)

    def _steps_ends(self) -> Iterator[int]:
        yield from self._sources
        yield from self._targets

    def _by_source(self) -> tuple[array[int], dict[int, tuple[int, int]]]:
        """Sort the steps by their source: their order, and by state where its steps begin and end."""
        place = {number: at for at, number in enumerate(self._keys)}
        counts = array("q", bytes(8 * (len(place) + 1)))
        for source in self._sources:
            counts[place[source] + 1] += 1
        begins = array("q", accumulate(counts))
        order, following = array("q", bytes(8 * begins[-1])), begins[:]
        for step, source in enumerate(self._sources):
            at = place[source]
            order[following[at]] = step
            following[at] += 1
        return order, {number: (begins[at], begins[at + 1]) for number, at in place.items()}
