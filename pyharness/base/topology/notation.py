"""Graphs as text: a notation on one line, the same wherever a command or a plan names a topology, and as they are shown.

============ ==================================================================================
``n3-0aa-i1`` the graph with this id, as it is labelled
``3``         all rooted strongly connected graphs of three processes
``ring:4``    the graph of a family, as the family numbers its processes (of a plan, which compares graphs, canonical);
              ``kuper``, which has one size, needs no number
``join:3``    the dataflow graphs of a shape
``1>2,2>1@1`` any graph by its channels; after the ``@`` its initiators, ``1,2`` if there are two;
              a process without channels stands among them as a bare number
============ ==================================================================================

``diamond`` is the dataflow graph, whose labels give the direction of the records.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, nearest
from pyharness.base.topology.digraph import Topology
from pyharness.base.topology.families import DATAFLOWS, FAMILIES
from pyharness.base.topology.select import distinct, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


NOTATION: Final = "ID|N|FAMILY[:N]|DATAFLOW:N|1>2,2>1@1"
"""The notation in short, as commands show it."""

_GRAPH: Final = re.compile(r"N(?:>N)?(?:,N(?:>N)?)*(?:@N(?:,N)*)?".replace("N", r"\d{1,9}"), re.ASCII)
_NAMED: Final = re.compile(r"([a-z][a-z-]*)(?::(\d{1,9}))?", re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
_ID: Final = re.compile(r"n\d+-", re.ASCII)


def parse_topologies(texts: str | Iterable[str], *, where: str = "topology") -> tuple[Topology, ...]:
    """Read graphs from their notation, each once, in the order in which they are named.

    Raises SpecError, naming ``where``, for a text that is not a graph, with the nearest family or dataflow.
    """
    given = [texts] if isinstance(texts, str) else list(texts)
    return tuple(dict.fromkeys(topology for text in given for topology in _read(text, where)))


def parse_topology(text: str, *, where: str = "topology") -> Topology:
    """Read one graph. Raises SpecError for a notation of none, or of several."""
    found = parse_topologies(text, where=where)
    if len(found) != 1:
        raise SpecError(f"{text!r} names {len(found)} graphs, and one is asked for", where=where)
    return found[0]


def choose_topologies(
    given: Sequence[str | Mapping[str, object]], *, where: str = "topologies"
) -> tuple[Topology, ...]:
    """Choose graphs as the list of a plan does, by notations and by tables of :mod:`pyharness.base.topology.select`.

    No two are isomorphic. Raises SpecError, naming the entry, for one that is wrong, or if there is none.
    """
    if not given:
        raise SpecError("no topologies are given", where=where)
    found: list[Topology] = []
    for index, entry in enumerate(given):
        place = f"{where}[{index}]"
        found += _read(entry, place, labelled=False) if isinstance(entry, str) else select(entry, where=place)
    return distinct(found)


def _read(text: str, where: str, *, labelled: bool = True) -> tuple[Topology, ...]:
    if _NUMBER.fullmatch(text):
        return select({"processes": int(text)}, where=where)
    if _ID.match(text):
        return (Topology.from_id(text),)
    if _GRAPH.fullmatch(text):
        return (_graph(text, where),)
    named = _NAMED.fullmatch(text)
    name, size = (named[1], named[2]) if named else (text.partition(":")[0], None)
    if not size and (name in DATAFLOWS or (name in FAMILIES and FAMILIES[name].fixed_size is None)):
        raise SpecError(f"{name} needs a number of processes", where=where, hint=f"such as {name}:4")
    if name in DATAFLOWS:
        return select({"dataflow": name, "processes": int(size or 0)}, where=where)
    if name in FAMILIES:
        sized = {"processes": int(size)} if size else {}
        return select({"family": name, "labelled": labelled, **sized}, where=where)
    hint = nearest(name, [*FAMILIES, *DATAFLOWS])
    raise SpecError(f"{text[:80]!r} is not a graph", where=where, hint=f"{hint}; write {NOTATION}")


def _graph(text: str, where: str) -> Topology:
    channels, _, initiators = text.partition("@")
    parts = [tuple(map(int, part.split(">"))) for part in channels.split(",")]
    begin = [int(part) for part in initiators.split(",")] if initiators else []
    try:
        edges = [(part[0], part[1]) for part in parts if len(part) > 1]
        return Topology.of(max(number for part in parts for number in part), edges, begin)
    except SpecError as error:
        raise SpecError(f"{text!r} is not a graph: {error.message}", where=where, hint=error.hint) from None


def adjacency(topology: Topology) -> str:
    """Write a line for each process, such as ``P1* -> P2 P3``; a star marks initiators, a dash no outputs."""
    lines = []
    for process in range(1, topology.processes + 1):
        star = "*" if process in topology.initiators else " "
        targets = " ".join(topology.process_name(target) for _, target in topology.outputs(process))
        lines.append(f"{topology.process_name(process)}{star} -> {targets or '-'}")
    return "\n".join(lines)
