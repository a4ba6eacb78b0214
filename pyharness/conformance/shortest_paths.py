"""Shortest ways through a state graph, from its initial states."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Paths:
    """The shortest way to each state of a graph: ``steps`` are (source, action, target), by the states' ids.

    Of several ways the same one is taken, whatever the order of the steps.

    Holds the whole graph in memory, about 0.5 kB for a state with four steps.
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
        """Return the way to a reachable state: each state's id with the action to it, the initial one first."""
        way: list[tuple[str | None, int]] = []
        at = state
        while at in self._before:
            action, source = self._before[at]
            way.append((action, at))
            at = source
        return [(None, at), *reversed(way)]
