"""Named graphs: families with a parameter, worked examples with fixed labels, and seeded random graphs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyharness.errors import SpecError
from pyharness.topology.digraph import MOST_PROCESSES, Topology

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from random import Random

_Channels = set[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Family:
    """A named family of graphs.

    ``summary`` says what it is. ``least`` and ``most`` bound the number of processes n it is defined for.
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
    """Make the graph of a family, labelled as the family's summary says (not canonical).

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
