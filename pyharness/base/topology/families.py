"""Named graphs: families with a parameter, dataflow graphs, worked examples with fixed labels, and seeded random ones.

Dataflow graphs: sources, operators, sinks; without cycles, or with marked back edges. Their labels matter: a channel to
a process of a greater number is regular, every other one is a back edge (``specs/Dataflow.tla``). So the processes are
numbered along the flow, and selections keep the labels. The sources, which have no inputs, are the initiators.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError
from pyharness.base.topology.digraph import MOST_PROCESSES, Topology

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from random import Random

    Channels = frozenset[tuple[int, int]]


_Channels = set[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Family:
    """A named family of graphs.

    ``summary`` describes it. ``least`` and ``most`` bound the number of processes n it is defined for.
    ``channels`` gives the channels for an n. A worked example has one size, and its labels matter because
    a text names its processes: selections keep them, where they make other graphs canonical.
    """

    summary: str
    channels: Callable[[int], _Channels]
    least: int = 1
    most: int = MOST_PROCESSES
    worked_example: bool = False

    @property
    def fixed_size(self) -> int | None:
        """The only number of processes it is defined for, or None if there are several."""
        return self.least if self.least == self.most else None


def _both_ways(channels: _Channels) -> _Channels:
    return channels | {(target, source) for source, target in channels}


def _chain(n: int) -> _Channels:
    return set(pairwise(range(1, n + 1)))


def _ring(n: int) -> _Channels:
    return _chain(n) | {(n, 1)}


def _clique(n: int) -> _Channels:
    return set(permutations(range(1, n + 1), 2))


def _spokes(n: int) -> _Channels:
    return {(1, process) for process in range(2, n + 1)}


def _line(n: int) -> _Channels:
    return _both_ways(_chain(n))


def _star(n: int) -> _Channels:
    return _both_ways(_spokes(n))


def _two_way_ring(n: int) -> _Channels:
    return _both_ways(_ring(n))


def _diamond(n: int) -> _Channels:
    middle = range(2, n)
    return {(1, process) for process in middle} | {(process, n) for process in middle}


def _four_channels(_: int) -> _Channels:
    return {(1, 2), (2, 1), (2, 3), (3, 1)}


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "ring": Family("1 → 2 → … → n → 1", _ring, least=2),
        "two-way-ring": Family("a ring with channels both ways", _two_way_ring, least=3),
        "clique": Family("a channel from every process to every other", _clique),
        "star": Family("process 1 in the middle, channels both ways", _star, least=2),
        "line": Family("1 ↔ 2 ↔ … ↔ n", _line, least=2),
        "chain": Family("1 → 2 → … → n; nothing comes back", _chain, least=2),
        "fan-out": Family("1 → each of 2..n; nothing comes back", _spokes, least=2),
        "diamond": Family("1 → each of 2..n-1 → n: a dataflow that splits and joins", _diamond, least=3),
        "four-channels": Family("channels 12 21 23 31", _four_channels, 3, 3, worked_example=True),
        "kuper": Family("three processes, all six channels", _clique, 3, 3, worked_example=True),
    }
)
"""The named graphs, by name."""


def family(name: str, processes: int | None = None, initiators: Iterable[int] = (1,)) -> Topology:
    """Make the graph of a family, labelled as the family's summary describes (not canonical).

    ``name`` is a key of :data:`FAMILIES`. ``processes`` is the number n, which a graph of one size need not
    be given. ``initiators`` are processes; none make it unrooted.

    Raises SpecError if there is no such family, if n is missing or outside what the family is defined for,
    or if an initiator is not a process.
    """
    if name not in FAMILIES:
        raise SpecError.unknown("`family`", name, FAMILIES)
    known = FAMILIES[name]
    if processes is None:
        processes = known.fixed_size
    if type(processes) is not int or not known.least <= processes <= known.most:
        bounds = known.fixed_size or f"{known.least} to {known.most}"
        raise SpecError(f"`processes` of family {name} is {bounds}, not {processes!r}")
    return Topology.of(processes, known.channels(processes), initiators)


def random_topology(
    processes: int, random: Random, initiators: Iterable[int] = (1,), channels_max: int | None = None
) -> Topology:
    """Draw a strongly connected graph without self-loops; every such graph can come up.

    It grows by ears: a path that leaves a process already placed, passes new processes, and ends at a
    process already placed. Then it gets a random number of further channels. ``processes`` is the number n.
    ``random`` is the source of chance: equal generators draw equal graphs. ``initiators`` are processes; none
    make it unrooted. ``channels_max`` bounds the number of channels, inclusive; no bound if None.

    Raises SpecError if n is out of range, if an initiator is not a process, or if ``channels_max`` is less
    than the n channels that it takes to connect n > 1 processes strongly.
    """
    Topology.of(processes, (), initiators)  # refuse a bad size or initiator before drawing
    possible = _clique(processes)
    most = len(possible) if channels_max is None else min(channels_max, len(possible))
    if processes > 1 and most < processes:
        raise SpecError(
            f"`channels_max` is {channels_max!r}, but it takes {processes} channels"
            f" to connect {processes} processes strongly"
        )
    channels = _random_ears(processes, random)
    while len(channels) > most:
        channels = _random_ears(processes, random)
    unused = sorted(possible - channels)
    extra = random.sample(unused, random.randint(0, most - len(channels)))
    return Topology.of(processes, channels.union(extra), initiators)


def _random_ears(processes: int, random: Random) -> _Channels:
    waiting = list(range(1, processes + 1))
    random.shuffle(waiting)
    placed = [waiting.pop()]
    channels: _Channels = set()
    while waiting:
        cut = random.randrange(len(waiting))
        ear, waiting = waiting[cut:], waiting[:cut]
        channels |= set(pairwise([random.choice(placed), *ear, random.choice(placed)]))
        placed += ear
    return channels


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
    """Return whether a graph is a dataflow: connected, with sources, which are its initiators, and sinks.

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
