"""Dataflow graphs: sources, operators, sinks; without cycles, or with marked back edges.

Their labels matter: a channel to a process of a greater number is regular, every other one is a back edge
(``specs/Dataflow.tla``). So the processes are numbered along the flow, and selections keep the labels. The sources,
which have no inputs, are the initiators.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from pyharness.errors import SpecError
from pyharness.topology.digraph import Topology

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    Channels = frozenset[tuple[int, int]]

MOST_OPERATORS = 5
"""Dataflow graphs are listed by trying all sets of channels, so there are few processes."""

DATAFLOWS = ("pipeline", "join", "funnel", "diamond", "loop", "acyclic", "cyclic")
"""The shapes: 1 → … → n; 1..n-1 → n; 1..n-2 → n-1 → n; 1 → 2..n-1 → n; 1 → 2 ⇄ … → n; all without cycles; all with
back edges."""


def dataflows(shape: str, processes: int) -> Iterator[Topology]:
    """Yield the dataflow graphs of a shape and size, each isomorphism class once, those with few channels first.

    ``acyclic`` and ``cyclic`` are all connected ones with a source and a sink; of the latter, every process is reached
    from the sources without back edges, and a back edge leads to where its source was reached from.

    Raises SpecError for a shape that does not exist or a size that it does not have.
    """
    if shape not in DATAFLOWS:
        raise SpecError.unknown("dataflow", shape, DATAFLOWS)
    least = {"join": 3, "funnel": 4, "diamond": 4, "loop": 4, "cyclic": 4}.get(shape, 2)
    if not least <= processes <= MOST_OPERATORS:
        raise SpecError(f"a dataflow {shape} has {least} to {MOST_OPERATORS} processes, not {processes}")
    n = processes
    if shape in {"acyclic", "cyclic"}:
        yield from _all(n, cyclic=shape == "cyclic")
    else:
        chain = set(pairwise(range(1, n + 1)))
        middle = range(2, n)
        yield _rooted(
            n,
            frozenset(
                {
                    "pipeline": chain,
                    "join": {(p, n) for p in range(1, n)},
                    "funnel": {(p, n - 1) for p in range(1, n - 1)} | {(n - 1, n)},
                    "diamond": {(1, p) for p in middle} | {(p, n) for p in middle},
                    "loop": chain | {(n - 1, 2)},
                }[shape]
            ),
        )


@cache
def _all(n: int, *, cyclic: bool) -> tuple[Topology, ...]:
    forward = list(combinations(range(1, n + 1), 2))
    backward = [(target, source) for source, target in forward]
    found: dict[Topology, Topology] = {}
    for size in range(n - 1, len(forward) + len(backward) + 1 if cyclic else len(forward) + 1):
        for chosen in combinations(forward + backward if cyclic else forward, size):
            channels = frozenset(chosen)
            topology = _rooted(n, channels)
            if is_dataflow(topology) and any(t < s for s, t in channels) == cyclic:
                found.setdefault(topology.canonical(), topology)
    return tuple(found.values())


def _rooted(n: int, channels: Channels) -> Topology:
    return Topology.of(n, channels, set(range(1, n + 1)) - {target for _, target in channels})


def random_dataflow(processes: int, random: Random, *, cyclic: bool = False) -> Topology:
    """Draw a dataflow graph of some processes; with ``cyclic`` it has back edges, if there is room for them.

    ``random`` is the source of chance: equal generators draw equal graphs. Raises SpecError if n is less than 2.
    """
    if processes < 2:
        raise SpecError(f"a dataflow has 2 processes or more, not {processes!r}")
    while True:
        sources = random.randint(1, processes - 1)
        inner = range(sources + 1, processes + 1)
        channels = {(random.randrange(1, target), target) for target in inner}
        channels |= {(source, random.choice(inner)) for source in range(1, sources + 1)}
        more = [c for c in combinations(range(1, processes + 1), 2) if c[1] in inner]
        channels |= set(random.sample(more, random.randint(0, min(len(more), processes // 2))))
        regular = frozenset(channels)
        back = [(s, t) for t in inner for s in sorted(_reached(regular, {t})) if s != t]
        if cyclic and back:
            channels |= set(random.sample(back, min(len(back), random.randint(1, 2))))
        topology = _rooted(processes, frozenset(channels))
        if is_dataflow(topology):
            return topology


def is_dataflow(topology: Topology) -> bool:
    """Tell whether a graph is as a dataflow's: connected, with sources, which are its initiators, and sinks.

    Each process is reached from the sources without back edges, and a back edge leads to where its source was reached
    from.
    """
    n, channels = topology.processes, frozenset(topology.channels)
    everyone = set(range(1, n + 1))
    sources = everyone - {target for _, target in channels}
    sinks = everyone - {source for source, _ in channels}
    regular = frozenset(c for c in channels if c[0] < c[1])
    both_ways = channels | {(target, source) for source, target in channels}
    return (
        bool(sources and sinks)
        and set(topology.initiators) == sources
        and _reached(both_ways, {1}) == everyone
        and _reached(regular, sources) == everyone
        and all(source in _reached(regular, {target}) for source, target in channels - regular)
    )


def _reached(channels: Channels, start: set[int]) -> set[int]:
    reached, waiting = set(start), list(start)
    while waiting:
        process = waiting.pop()
        for source, target in channels:
            if source == process and target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
