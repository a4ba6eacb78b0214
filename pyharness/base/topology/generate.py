"""Every strongly connected directed graph of a size, one of each isomorphism class.

Graphs are built channel by channel: the graphs with m channels are those with m-1 channels and one more, up
to isomorphism; beyond half of the possible channels they are the complements of those already known. So the
sparse graphs of a size come first and cheaply, and labelled graphs are never enumerated. Rooted graphs are
the unrooted ones with initiators chosen in every way, again up to isomorphism.

Generated graphs are canonical and have no self-loops.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from math import comb, factorial
from typing import TYPE_CHECKING, Literal

from pyharness.base.errors import SpecError
from pyharness.base.topology.digraph import MOST_PROCESSES, Topology, listing_key

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CLASSES = 200_000
"""A request that must build more isomorphism classes of unrooted graphs than this is refused."""


def generate(
    processes: int,
    *,
    initiators: int | Literal["any"] = 1,
    channels_min: int = 0,
    channels_max: int | None = None,
) -> Iterator[Topology]:
    """Yield every strongly connected topology of a size, canonical, each isomorphism class once, in the order of ``listing_key``.

    ``processes`` is their number n. ``initiators`` is how many there are, 0 (unrooted) to n, or ``"any"`` for every non-empty set.
    ``channels_min`` and ``channels_max`` bound the number of channels, both inclusive; no maximum if None.

    Lazy: the graphs with m channels are built when the first of them is asked for.

    Raises SpecError, before the first graph, if a number is out of range, or if there are too many graphs to build
    (:data:`MOST_CLASSES`).
    """
    _require_number("processes", processes, 1, MOST_PROCESSES)
    _require_number("channels_min", channels_min, 0, None)
    if channels_max is not None:
        _require_number("channels_max", channels_max, channels_min, None)
    if initiators != "any":
        _require_number("initiators", initiators, 0, processes)

    possible = processes * (processes - 1)
    most = possible if channels_max is None else min(channels_max, possible)
    at_least = sum(comb(possible, m) for m in range(most + 1)) // factorial(processes)
    if at_least > MOST_CLASSES:
        raise SpecError(
            f"there are more than {at_least:,} graphs of {processes} processes and up to {most} channels",
            hint="lower `channels_max` or `processes`, or take random graphs or a family",
        )
    sizes = range(1, processes + 1) if initiators == "any" else (initiators,)
    return (
        topology
        for channels in range(channels_min, most + 1)
        for topology in _level(processes, channels, tuple(sizes))
    )


def _level(processes: int, channels: int, sizes: tuple[int, ...]) -> list[Topology]:
    """All topologies with this many channels and one of these numbers of initiators, in listing order."""
    graphs = [graph for graph in _unrooted(processes, channels) if graph.strongly_connected]
    rooted = {
        Topology(processes, graph.channels, initiators).canonical()
        for graph in graphs
        for size in sizes
        for initiators in combinations(range(1, processes + 1), size)
    }
    return sorted(rooted, key=listing_key)


@cache
def _unrooted(processes: int, channels: int) -> frozenset[Topology]:
    """Every unrooted graph with this many channels, canonical."""
    pairs = frozenset(permutations(range(1, processes + 1), 2))
    complement = len(pairs) - channels
    if channels == 0:
        return frozenset({Topology(processes, ())})
    if complement < channels:
        labelled = (pairs.difference(graph.channels) for graph in _unrooted(processes, complement))
    else:
        labelled = (
            frozenset((*graph.channels, pair))
            for graph in _unrooted(processes, channels - 1)
            for pair in pairs.difference(graph.channels)
        )
    return frozenset(Topology.of(processes, edges).canonical() for edges in labelled)


def _require_number(field: str, value: object, least: int, most: int | None) -> None:
    bounds = f"from {least} on" if most is None else f"from {least} to {most}"
    if type(value) is not int or value < least or (most is not None and value > most):
        raise SpecError(f"`{field}` is a whole number {bounds}, not {value!r}")
