"""The theory's claims, the properties that state each (``specs/claims.toml``), and the features of models that it needs.

A closed vocabulary of features of models, which a claim may need to mean anything. A law about several inputs
means nothing on rings, and one about two crashes nothing where there is one. A feature is a fact of a graph
(:data:`GRAPH_FEATURES`), of a model's bounds (:data:`BOUND_FEATURES`), or of its runs: a state that is reached, and of
which TLC gives a witness (:data:`RUN_FEATURES`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import nearest
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.toml_tables import NAMES, TEXT, Kind, parse_table, value
from pyharness.machines.protocols import MODES
from pyharness.machines.systems import APPLICATIONS
from pyharness.models.witness import CHANNEL_STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from pyharness.base.toolchain.toml_tables import Table
    from pyharness.base.topology import Topology
    from pyharness.models.model import Model


def _processes(graph: Topology) -> range:
    return range(1, graph.processes + 1)


def _cycle(graph: Topology) -> bool:
    """Return whether there is a cycle through two processes or more."""
    channels = [(source, target) for source, target in graph.channels if source != target]
    return any(source in graph.reachable_from([target]) for source, target in channels)


def _self_loop(graph: Topology) -> bool:
    return any(source == target for source, target in graph.channels)


GRAPH_FEATURES: Final[Mapping[str, Callable[[Topology], bool]]] = {
    "three-processes": lambda graph: graph.processes >= 3,
    "two-inputs": lambda graph: any(len(graph.inputs(p)) >= 2 for p in _processes(graph)),
    "two-outputs": lambda graph: any(len(graph.outputs(p)) >= 2 for p in _processes(graph)),
    "three-inputs": lambda graph: any(len(graph.inputs(p)) >= 3 for p in _processes(graph)),
    "three-outputs": lambda graph: any(len(graph.outputs(p)) >= 3 for p in _processes(graph)),
    "two-initiators": lambda graph: len(graph.initiators) >= 2,
    "cycle": _cycle,
    "acyclic": lambda graph: not _cycle(graph) and not _self_loop(graph),
    "self-loop": _self_loop,
    "unreachable-process": lambda graph: not graph.everyone_reachable,
    "pipeline": lambda graph: all(len(graph.inputs(p)) <= 1 for p in _processes(graph)),
}
"""The features of graphs by name; ``two-inputs``: a process with two input channels at least."""


def _at_least(constant: str, least: int) -> Callable[[Model], bool]:
    def holds(model: Model) -> bool:
        value = {**model.defaults, **model.constants}.get(constant, 0)
        return isinstance(value, int) and value >= least

    return holds


def _items(least: int) -> Callable[[Model], bool]:
    return lambda model: APPLICATIONS[model.application].items and model.items >= least


def _mode(name: str) -> Callable[[Model], bool]:
    return lambda model: model.constants.get("Mode") == name


BOUND_FEATURES: Final[Mapping[str, Callable[[Model], bool]]] = {
    "two-items": _items(2),
    "three-items": _items(3),
    "whole-actions": lambda model: model.granularity == "action",
    "two-records": _at_least("Records", 2),
    "three-records": _at_least("Records", 3),
    "two-sends": _at_least("MaxSends", 2),
    "two-checkpoints": _at_least("MaxCheckpoints", 2),
    "three-checkpoints": _at_least("MaxCheckpoints", 3),
    "overlap": _at_least("Overlap", 1),
    "in-order": _at_least("Overlap", 2),
    "uploads": _at_least("Uploads", 1),
    "a-crash": _at_least("MaxCrashes", 1),
    "three-crashes": _at_least("MaxCrashes", 3),
    "a-decline": _at_least("MaxDeclines", 1),
    "three-declines": _at_least("MaxDeclines", 3),
    "an-end": _at_least("Ends", 1),
    **{mode: _mode(mode) for mode in MODES},
    "goes-on": lambda model: not model.stop,
}
"""The features of a model's bounds by name; ``goes-on``: behaviours are followed beyond the end of the
snapshot; ``whole-actions``: an action may accept and send several messages; a mode is that of a model with modes."""

RUN_FEATURES: Final[Mapping[str, str]] = {
    "channel-state-not-empty": CHANNEL_STATE,
    "two-pending-checkpoints": "TwoPending",
    "durable-late": "DurableLate",
    "acknowledged-waits": "AcknowledgedWaits",
    "restored-checkpoint": "RestoredCheckpoint",
    "two-crashes": "TwoCrashes",
    "recorded-in-recovery": "RecordedInRecovery",
    "complete-after-abort": "CompleteAfterAbort",
}
"""The features that a model's states may reach, with the witness of each (see :mod:`pyharness.models.witness`)."""

FEATURES: Final = (*GRAPH_FEATURES, *BOUND_FEATURES, *RUN_FEATURES)
"""The names of all features, those of graphs first."""


@cache
def graph_features(graph: Topology) -> frozenset[str]:
    """Return the features that a graph has by itself."""
    return frozenset(name for name, has in GRAPH_FEATURES.items() if has(graph))


def features_of(model: Model, reached: Collection[str]) -> tuple[str, ...]:
    """Return the features of a model, in their order; ``reached`` are the witnesses that its runs reach.

    Of the graphs, those that some graph of the model has.
    """
    of_graphs = frozenset().union(*map(graph_features, model.topologies))
    graphs = [name for name in GRAPH_FEATURES if name in of_graphs]
    bounds = [name for name, has in BOUND_FEATURES.items() if has(model)]
    return (*graphs, *bounds, *(name for name, witness in RUN_FEATURES.items() if witness in reached))


def features_on(model: Model, graph: Topology) -> tuple[str, ...]:
    """Return the features of a model on one of its graphs, those that need no run."""
    return (
        *(name for name in GRAPH_FEATURES if name in graph_features(graph)),
        *(name for name, has in BOUND_FEATURES.items() if has(model)),
    )


def graphs_with(model: Model, needs: Collection[str]) -> tuple[Topology, ...]:
    """Return the graphs of a model that have, each by itself, all features of graphs among ``needs``."""
    asked = {name for name in needs if name in GRAPH_FEATURES}
    return tuple(graph for graph in model.topologies if asked <= graph_features(graph))


FORMAT = "pyharness-claims/2"
_FIELDS: Final = ("granularity", "placement", "application", "predicate", "stop", "fair", "items")


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a claim in words, and the properties that state it (see ``specs/claims.toml``).

    ``where`` are fields of a model, or constants, with the values that a model must have to count; ``needs`` are
    features (:mod:`pyharness.gate.plans.claims`).
    """

    says: str
    properties: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    harness: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()

    def concerns(self, model: Model) -> bool:
        """Return whether a model has the values of the part's ``where``."""
        constants = {**model.defaults, **model.constants}
        return all(
            (getattr(model, key) if key in _FIELDS else constants.get(key)) == value
            for key, value in self.where.items()
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: its number, its words, its parts, and the names of its proofs."""

    id: str
    says: str
    parts: tuple[Part, ...] = ()
    proved: tuple[str, ...] = ()
    proved_part: str = ""

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that must hold, of all parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.properties))

    @property
    def refuted(self) -> tuple[str, ...]:
        """The properties that must be violated, of all parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.refuted))

    @property
    def harness(self) -> tuple[str, ...]:
        """The stages of the harness that check something for every trace, of all parts."""
        return tuple(dict.fromkeys(part.harness for part in self.parts if part.harness))


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Read the claims. Raises SpecError for a file that cannot be read or has other keys."""
    return _read(read_utf8(path, MOST_TOML_BYTES), path.name)


@lru_cache(maxsize=4)
def _read(text: str, file: str) -> tuple[Claim, ...]:
    """Read the text of a file of claims; the same text once, as each page of a trace asks for the claim it is of."""
    table = parse_table(text, file, FORMAT)
    claims = tuple(_claim(each) for each in table.tables("claim"))
    table.close()
    if not claims:
        raise table.error("there are no [[claim]] tables")
    return claims


def _claim(table: Table) -> Claim:
    parts = tuple(_part(part) for part in table.tables("part"))
    kinds = {"id": TEXT, "says": TEXT, "proved": NAMES, "proved_part": TEXT}
    claim = table.read(partial(Claim, parts=parts), kinds)
    if not parts:
        raise table.error("nothing states this claim", hint="add [[claim.part]] tables")
    return claim


_PART: Final[Mapping[str, Kind[Any]]] = {
    **dict.fromkeys(("says", "harness"), TEXT),
    **dict.fromkeys(("properties", "refuted", "needs", "mutants"), NAMES),
    "where": value("a table of a model's fields or constants", dict),
}


def _part(table: Table) -> Part:
    part = table.read(Part, _PART)
    if not part.properties and not part.refuted and not part.harness:
        raise table.error("nothing states this part", hint="give properties, refuted or harness")
    for name in part.needs:
        if name not in FEATURES:
            raise table.error(f"no feature {name!r}", "needs", nearest(name, FEATURES))
    for name in (*part.properties, *part.refuted):
        if name.count(".") != 1:
            raise table.error(f"{name!r} must be Spec.Property")
    return part
