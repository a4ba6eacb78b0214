"""Directed graphs with distinguished initiators: validity, structure, the canonical form, and the id.

A :class:`Topology` is what ``specs/Digraph.tla`` calls a graph, as an immutable value. Two things about it
are promises to the rest of the project:

- *The id* spells out all of the graph, so a graph can be rebuilt from a file name, a report or a plan years
  later. Its format is documented at :attr:`Topology.id` and never changes.
- *The canonical form* is one representative of all the relabellings of a graph. It is computed by BLISS
  (through igraph), so a graph and its relabellings agree on it within one version of igraph; tests pin the
  canonical ids of all small graphs so that a version that chooses other representatives does not go
  unnoticed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from igraph import GraphBase, VertexSeq

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PROCESSES = 24
"""The most processes a topology may have: with more, an id would not fit in a file name."""

Ends = TypeVar("Ends", int, tuple[int, int])

_ID = re.compile(
    r"n(?P<processes>[1-9]\d?)-(?P<bits>[0-9a-f]+)(-i(?P<initiators>\d{1,2}(_\d{1,2})*))?", re.ASCII
)


@dataclass(frozen=True, slots=True, order=True)
class Topology:
    """A directed graph and its initiators.

    ``processes`` is their number n, 1 to :data:`MOST_PROCESSES`; the processes are 1..n.
    ``channels`` are the edges (source, target), sorted and without duplicates; self-loops are legal.
    ``initiators`` are the processes that may start a snapshot, sorted and without duplicates; the graph is
    *unrooted* if there are none.

    Making one that breaks these rules raises SpecError; :meth:`of` sorts and removes duplicates first.
    """

    processes: int
    channels: tuple[tuple[int, int], ...]
    initiators: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if type(self.processes) is not int or not 1 <= self.processes <= MOST_PROCESSES:
            raise SpecError(
                f"a topology has 1 to {MOST_PROCESSES} processes, not {self.processes!r}",
            )
        if type(self.channels) is not tuple or type(self.initiators) is not tuple:
            raise SpecError(
                f"a topology's channels and initiators are tuples, not {self.channels!r} and {self.initiators!r}",
                hint="Topology.of() accepts any iterables",
            )
        for channel in self.channels:
            if type(channel) is not tuple or len(channel) != 2:
                raise SpecError(f"a channel is a pair (source, target), not {channel!r}")
            for end in channel:
                self._require_process(end, f"an end of channel {channel!r}")
        for initiator in self.initiators:
            self._require_process(initiator, "an initiator")
        if (self.channels, self.initiators) != (_ascending(self.channels), _ascending(self.initiators)):
            raise SpecError(
                "a topology's channels and initiators are sorted, each given once,"
                f" unlike {self.channels!r} and {self.initiators!r}",
                hint="Topology.of() sorts them and drops duplicates",
            )

    def _require_process(self, process: object, role: str) -> None:
        if type(process) is not int or not 1 <= process <= self.processes:
            raise SpecError(f"{role} is {process!r}, which is not a process: they are 1..{self.processes}")

    @classmethod
    def of(
        cls, processes: int, channels: Iterable[tuple[int, int]], initiators: Iterable[int] = ()
    ) -> Topology:
        """Make the topology with these channels and initiators, given in any order and any number of times.

        Raises SpecError if an end of a channel or an initiator is not a process.
        """
        pairs = ((source, target) for source, target in channels)
        return cls(processes, _ascending(pairs), _ascending(initiators))

    # Names

    @property
    def id(self) -> str:
        """The graph as a short text of ``[a-z0-9_-]``, fit for file names and TLA+ strings.

        The format, which never changes, is ``n<processes>-<bits>[-i<initiators>]``:

        - ``processes``: n in decimal;
        - ``bits``: the n*n adjacency matrix read row by row, row = source, column = target, 1 for a channel,
          as one binary number with the first entry most significant, in lower-case hexadecimal, padded with
          leading zeros to the digits that n*n bits need;
        - ``initiators``: in decimal, ascending, joined by ``_``; left out, with its ``-i``, if unrooted.

        So ``n3-0aa-i1`` has the matrix 010 101 010: channels 12, 21, 23, 32, initiator 1.
        """
        n = self.processes
        bits = sum(1 << (n * n - 1 - _matrix_index(n, channel)) for channel in self.channels)
        root = f"-i{'_'.join(map(str, self.initiators))}" if self.initiators else ""
        return f"n{n}-{bits:0{_hex_digits(n)}x}{root}"

    @classmethod
    def from_id(cls, text: str) -> Topology:
        """Rebuild the topology whose :attr:`id` is ``text``, with exactly its labels, canonical or not.

        Raises SpecError if ``text`` is not the id of any topology; each topology has one id only.
        """
        match = _ID.fullmatch(text)
        if match is None:
            raise _not_an_id(text, "it does not have the form n<processes>-<bits>[-i<initiators>]")
        n = int(match["processes"])
        if n > MOST_PROCESSES:
            raise _not_an_id(text, f"a topology has at most {MOST_PROCESSES} processes")
        if len(match["bits"]) != _hex_digits(n):
            raise _not_an_id(text, f"{n} processes take {_hex_digits(n)} hexadecimal digits")
        bits = int(match["bits"], 16)
        if bits >> n * n:
            raise _not_an_id(text, f"its number has more than the {n * n} bits of the matrix")
        pairs = ((source, target) for source in range(1, n + 1) for target in range(1, n + 1))
        channels = tuple(pair for pair in pairs if bits >> (n * n - 1 - _matrix_index(n, pair)) & 1)
        try:
            topology = cls(n, channels, _numbers(match["initiators"]))
        except SpecError as error:
            raise _not_an_id(text, error.message) from error
        if topology.id != text:
            raise _not_an_id(text, f"this graph is written {topology.id}")
        return topology

    def process_name(self, process: int) -> str:
        """Name of a process, such as ``P1``. Raises SpecError if it is not a process of this topology."""
        self._require_process(process, "a process")
        return f"P{process}"

    def channel_name(self, channel: tuple[int, int]) -> str:
        """Name of a channel: ``C12``, or ``C1_12`` in a topology of more than nine processes.

        Raises SpecError if it is not a channel of this topology.
        """
        if channel not in self.channels:
            raise SpecError(f"{channel!r} is not a channel of {self.id}")
        return ("C{}_{}" if self.processes > 9 else "C{}{}").format(*channel)

    # Structure

    def inputs(self, process: int) -> tuple[tuple[int, int], ...]:
        """List the channels into a process, ascending. Raises SpecError if it is not a process."""
        self._require_process(process, "a process")
        return tuple(channel for channel in self.channels if channel[1] == process)

    def outputs(self, process: int) -> tuple[tuple[int, int], ...]:
        """List the channels out of a process, ascending. Raises SpecError if it is not a process."""
        self._require_process(process, "a process")
        return tuple(channel for channel in self.channels if channel[0] == process)

    def reachable_from(self, processes: Iterable[int]) -> frozenset[int]:
        """Collect the processes that some of ``processes`` reach along channels, themselves included.

        Raises SpecError if one of them is not a process.
        """
        start = frozenset(processes)
        for process in start:
            self._require_process(process, "a process")
        return _closure(start, self.channels)

    @property
    def strongly_connected(self) -> bool:
        """Whether every process reaches every process; true of a single process."""
        backwards = tuple((target, source) for source, target in self.channels)
        start = frozenset({1})
        return len(_closure(start, self.channels)) == len(_closure(start, backwards)) == self.processes

    @property
    def everyone_reachable(self) -> bool:
        """Whether every process is reachable from an initiator; false if there are no initiators."""
        return len(_closure(frozenset(self.initiators), self.channels)) == self.processes

    # Relabelling

    def relabelled(self, label: Iterable[int]) -> Topology:
        """Rename process 1 to the first of ``label``, process 2 to the second, and so on.

        ``label`` is a permutation of 1..n; anything else raises SpecError.
        """
        new = (0, *label)
        if sorted(new) != list(range(self.processes + 1)):
            raise SpecError(f"{new[1:]!r} is not a permutation of the processes 1..{self.processes}")
        channels = ((new[source], new[target]) for source, target in self.channels)
        return Topology.of(self.processes, channels, (new[process] for process in self.initiators))

    def canonical(self) -> Topology:
        """Choose the canonical relabelling: equal for two topologies exactly if they are isomorphic.

        Isomorphisms keep initiators. The initiators of the result are 1..k.
        """
        edges = [(source - 1, target - 1) for source, target in self.channels]
        colours = [0 if process in self.initiators else 1 for process in range(1, self.processes + 1)]
        graph = GraphBase(self.processes, edges, directed=True)
        VertexSeq(graph)["colour"] = colours
        # permute_vertices knows what the numbers of canonical_permutation mean, which depends on igraph's version.
        canonical = graph.permute_vertices(graph.canonical_permutation(color=colours))
        initiators_first = sorted(range(self.processes), key=VertexSeq(canonical)["colour"].__getitem__)
        label = {vertex: place for place, vertex in enumerate(initiators_first, start=1)}
        channels = ((label[source], label[target]) for source, target in canonical.get_edgelist())
        return Topology.of(self.processes, channels, range(1, len(self.initiators) + 1))


def listing_key(topology: Topology) -> tuple[int, int, str]:
    """Sort key of every list of topologies: number of processes, then number of channels, then id."""
    return topology.processes, len(topology.channels), topology.id


def _ascending(items: Iterable[Ends]) -> tuple[Ends, ...]:
    return tuple(sorted(set(items)))


def _closure(start: frozenset[int], channels: tuple[tuple[int, int], ...]) -> frozenset[int]:
    reached = start
    while more := {target for source, target in channels if source in reached} - reached:
        reached |= more
    return reached


def _matrix_index(processes: int, channel: tuple[int, int]) -> int:
    source, target = channel
    return (source - 1) * processes + target - 1


def _hex_digits(processes: int) -> int:
    return -(-processes * processes // 4)


def _not_an_id(text: str, why: str) -> SpecError:
    shown = text if len(text) <= 80 else text[:80] + "…"
    return SpecError(
        f"{shown!r} is not the id of a topology: {why}",
        hint="an id looks like n3-0aa-i1; `pyharness topologies 3` lists some",
    )


def _numbers(text: str | None) -> tuple[int, ...]:
    return tuple(map(int, text.split("_"))) if text else ()
