"""Choose topologies as a plan file asks: TOML tables in, whose every field is checked, a tuple of topologies out.

A table is one of five kinds, known by its key ``ids``, ``family``, ``random`` or ``dataflow``; with none of
these it asks for all graphs of some sizes. ``processes`` is a number or a list of numbers everywhere.

========== =============== ===================================================================
kind       key             meaning
========== =============== ===================================================================
all graphs processes       how many processes, strongly connected
..         rooted          false: no initiators; default true
..         initiators      how many (default 1), or ``"any"``: every non-empty set
..         channels_min    the least number of channels
..         channels_max    the greatest number of channels
..         limit           the number of graphs to take, spread evenly over the list, the first and
                           the last included
family     family          name of the family or worked example
..         processes       how many processes; may be left out if the family has one size
..         initiators      list of processes; default ``[1]``
..         rooted          false: no initiators; default true
..         labelled        true: the processes have the family's numbers; default false
random     random          how many graphs, strongly connected, no two isomorphic, of each size
..         processes, seed how many processes; the seed, an integer from 0 on
..         rooted          false: no initiators; default true
..         initiators      how many; default 1
..         channels_max    the greatest number of channels
dataflow   dataflow        shape of a dataflow graph: ``pipeline``, ``join``, ``funnel``, ``diamond``, ``loop``, or all
                           that are ``acyclic`` or ``cyclic``
..         processes       how many processes
..         limit           as for all graphs
by id      ids             list of ids
..         labelled        true: the processes keep their numbers, as those of a dataflow must; default false
========== =============== ===================================================================

The result never holds two isomorphic topologies, and is in the order of
:func:`~pyharness.base.topology.digraph.listing_key`. Topologies are canonical, under any labels that a family or an id
gives them, except the worked examples, the dataflow graphs, and ``labelled`` graphs: these keep their labels, and are
kept in place of an isomorphic topology that another table chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from random import Random
from typing import TYPE_CHECKING, Literal

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.toml_tables import FLAG, Kind, Table, are_texts, integer, one_of, value
from pyharness.base.topology.digraph import Topology, listing_key
from pyharness.base.topology.families import DATAFLOWS, FAMILIES, dataflows, family, random_topology
from pyharness.base.topology.generate import generate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Selection(Table):
    """A table that asks for topologies. It may come from a command line, too, so errors have its keys in backquotes."""

    def error(self, message: str, key: str | None = None, hint: str | None = None) -> SpecError:
        """Make an error about a key."""
        return SpecError(f"`{key}` {message}", where=self.where, hint=hint)

    def require_keys(self, kind: str) -> None:
        """Raise SpecError for a key that does not go with ``kind``, the one that decides which others may be there."""
        takes = f"with `{kind}`, these keys go: {', '.join(sorted(_KINDS[kind] - {kind}))}"
        for key in [key for key in self.left if key not in _KINDS[kind]]:
            if key in _KEYS:
                raise self.error(f"does not go with `{kind}`", key, takes)
            close = get_close_matches(key, _KEYS, 1)
            raise self.error("is not a known key", key, f"did you mean `{close[0]}`?" if close else takes)


def _integer(least: int) -> Kind[int]:
    return integer(least, words="a whole number")


def _sizes(table: Table, key: str) -> tuple[int, ...]:
    """Take one integer from 1 on, or a list of them that is not empty; ascending, each once."""
    given = table.given(key)
    items = given if isinstance(given, list) else [given]
    if not items or any(type(item) is not int or item < 1 for item in items):
        raise table.error(f"must be a whole number from 1 on or a list of them, not {given!r}", key)
    return tuple(sorted(set(items)))


def _number_or_any(table: Table) -> int | Literal["any"]:
    if table.left.get("initiators") == "any":
        return "any"
    return table.take("initiators", _integer(1), 1)


_IDS = value("a list of texts", list, lambda given: given and are_texts(given))

_KINDS = {
    "ids": {"ids", "labelled"},
    "family": {"family", "processes", "initiators", "rooted", "labelled"},
    "random": {"random", "processes", "seed", "initiators", "rooted", "channels_max"},
    "dataflow": {"dataflow", "processes", "limit"},
    "processes": {
        *("processes", "rooted", "initiators", "channels_min", "channels_max", "limit"),
    },
}
"""The keys of each kind of table, by the key that decides the kind; the first kind that fits counts."""

_KEYS = frozenset().union(*_KINDS.values())

_DRAWS_PER_GRAPH = 500
"""The number of draws without a new isomorphism class after which there is taken to be none."""


def select(spec: Mapping[str, object], *, where: str = "topologies") -> tuple[Topology, ...]:
    """Choose the topologies that one table asks for; the module describes tables and results.

    ``where`` names the table in messages. Raises SpecError, naming the field, for an unknown key, a wrong
    type or value, keys that contradict each other, or a table that asks for no graph at all.
    """
    return distinct(_chosen(spec, where))


def distinct(topologies: Iterable[Topology]) -> tuple[Topology, ...]:
    """Return one topology of each isomorphism class, in listing order; labels that are not canonical win."""
    kept: dict[Topology, Topology] = {}
    for topology in topologies:
        canonical = topology.canonical()
        if kept.get(canonical, canonical) == canonical:
            kept[canonical] = topology
    return tuple(sorted(kept.values(), key=listing_key))


def _chosen(spec: Mapping[str, object], where: str) -> list[Topology]:
    if not isinstance(spec, Mapping):
        raise SpecError(f"a selection of topologies is a table, not {spec!r}", where=where)
    table = Selection({**spec}, where)
    kind = next((key for key in _KINDS if key in spec), "processes")
    table.require_keys(kind)
    choose = {
        "ids": _by_id,
        "family": _of_family,
        "random": _at_random,
        "dataflow": _dataflows,
        "processes": _all_graphs,
    }[kind]
    try:
        chosen = list(choose(table))
    except SpecError as error:
        raise SpecError(error.message, where=where, hint=error.hint) from error
    if not chosen:
        asked = ", ".join(f"`{key}` = {value!r}" for key, value in spec.items())
        raise SpecError(f"no topology fits {asked}", where=where)
    return chosen


def _by_id(table: Table) -> Iterator[Topology]:
    labelled = table.take("labelled", FLAG, default=False)
    for text in table.take("ids", _IDS):
        try:
            topology = Topology.from_id(text)
            yield topology if labelled else topology.canonical()
        except SpecError as error:
            raise table.error(f"holds a wrong id: {error.message}", "ids") from error


def _of_family(table: Table) -> Iterator[Topology]:
    name = table.take("family", one_of(FAMILIES))
    labelled = table.take("labelled", FLAG, default=False)
    initiators = table.take("initiators", _sizes, (1,)) if _rooted(table) else ()
    size = FAMILIES[name].fixed_size
    for processes in table.take("processes", _sizes, (size,)) if size else table.take("processes", _sizes):
        _require_processes(table, initiators, processes)
        topology = family(name, processes, initiators)
        yield topology if labelled or FAMILIES[name].worked_example else topology.canonical()


def _at_random(table: Table) -> Iterator[Topology]:
    count = table.take("random", _integer(1))
    seed = table.take("seed", _integer(0))
    initiators = tuple(range(1, table.take("initiators", _integer(1), 1) + 1)) if _rooted(table) else ()
    channels_max = table.take("channels_max", _integer(0), None)
    for processes in table.take("processes", _sizes):
        _require_processes(table, initiators, processes)
        random = Random(seed)  # noqa: S311 - a reproducible sample, not a secret
        found: set[Topology] = set()
        draws_left = _DRAWS_PER_GRAPH
        while len(found) < count:
            topology = random_topology(processes, random, initiators, channels_max).canonical()
            draws_left = draws_left - 1 if topology in found else _DRAWS_PER_GRAPH
            found.add(topology)
            if not draws_left:
                raise table.error(f"is {count}, but only {len(found)} such graphs were found", "random")
        yield from found


def _all_graphs(table: Table) -> Iterable[Topology]:
    how_many = _number_or_any(table) if _rooted(table) else 0
    channels_min = table.take("channels_min", _integer(0), 0)
    channels_max = table.take("channels_max", _integer(channels_min), None)
    graphs = (
        topology
        for processes in table.take("processes", _sizes)
        for topology in generate(
            processes,
            initiators=how_many,
            channels_min=channels_min,
            channels_max=channels_max,
        )
    )
    return _limited(table, graphs)


def _dataflows(table: Table) -> Iterable[Topology]:
    shape = table.take("dataflow", one_of(DATAFLOWS))
    return _limited(table, (t for size in table.take("processes", _sizes) for t in dataflows(shape, size)))


def _limited(table: Table, graphs: Iterable[Topology]) -> Iterable[Topology]:
    return _sample(list(graphs), table.take("limit", _integer(1))) if "limit" in table else graphs


def _sample(topologies: list[Topology], limit: int) -> list[Topology]:
    """Take ``limit`` of an ordered list: evenly spread with the first and the last."""
    if limit >= len(topologies):
        return topologies
    if limit == 1:
        return topologies[:limit]
    return [topologies[place * (len(topologies) - 1) // (limit - 1)] for place in range(limit)]


def _rooted(table: Table) -> bool:
    rooted = table.take("rooted", FLAG, default=True)
    if not rooted and "initiators" in table:
        raise table.error("contradicts `rooted` = false", "initiators")
    return rooted


def _require_processes(table: Table, initiators: tuple[int, ...], processes: int) -> None:
    if initiators and initiators[-1] > processes:
        raise table.error(f"reaches {initiators[-1]}, but the processes are 1..{processes}", "initiators")
