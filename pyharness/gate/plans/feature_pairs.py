"""Pairs of features: models that have two features only apart cannot find a defect that needs both.

For each spec that is compared state by state, every pair of features that it can have is to be had by one graph of a
model that is compared, in one of the plans of a directory. A pair that makes no sense is listed with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import nearest
from pyharness.base.toolchain.toml_tables import NAMES, WORDS, read_table
from pyharness.gate.plans.claims import FEATURES, features_on
from pyharness.gate.plans.plan import Plan, read_plan
from pyharness.machines.protocols import MODES
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pyharness.base.toolchain.toml_tables import Table
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library

FILE: Final = "feature-pairs.toml"
"""The file, beside the specs, with the pairs that make no sense."""

FORMAT: Final = "pyharness-feature-pairs/1"

_OF_GRAPHS: Final = ("three-inputs", "three-outputs", "self-loop", "cycle", "two-initiators")
_OF_BOUNDS: Final[Mapping[str, str]] = {
    "three-records": "Records",
    "overlap": "Overlap",
    "in-order": "Overlap",
    "uploads": "Uploads",
    "three-checkpoints": "MaxCheckpoints",
    "three-declines": "MaxDeclines",
    "three-crashes": "MaxCrashes",
    "an-end": "Ends",
    **dict.fromkeys(MODES, "Mode"),
}
"""The features that constants give, each with its constant: at least three of each, which includes two."""

Pair = tuple[str, str]
"""Two features, in the order of :data:`_OF_GRAPHS`, items, actions, :data:`_OF_BOUNDS`."""


@dataclass(frozen=True)
class PairTable:
    """The pairs of a spec, each with the names of the models that have it, and of those that none has the reasons.

    A model has it in ``every`` state of a graph, or in those that walks reached.
    """

    spec: str
    features: tuple[str, ...]
    every: Mapping[Pair, tuple[str, ...]]
    walked: Mapping[Pair, tuple[str, ...]]
    senseless: Mapping[Pair, str]

    @property
    def holes(self) -> tuple[Pair, ...]:
        """The pairs that no model has, and that no reason is given for."""
        return tuple(p for p in self.every if not (self.every[p] or self.walked[p] or p in self.senseless))


def _features(spec: str, library: Library) -> tuple[str, ...]:
    """Return the features of a spec's models that are paired, in their order."""
    application = APPLICATIONS[PROTOCOLS[spec].application]
    constants = {**application.constants, **PROTOCOLS[spec].constants}
    items = ("three-items",) if application.items else ()
    actions = ("whole-actions",) if library.defines(spec, "Exchange") else ()
    return (
        *_OF_GRAPHS,
        *items,
        *actions,
        *(n for n, constant in _OF_BOUNDS.items() if constant in constants),
    )


def pair_table(
    spec: str, models: Iterable[Model], library: Library, senseless: Sequence[Senseless]
) -> PairTable:
    """Return the pairs of a spec, and which of the models that are compared with it has each."""
    features = _features(spec, library)
    pairs = [p for p in combinations(features, 2) if _OF_BOUNDS.get(p[0]) != _OF_BOUNDS.get(p[1], "")]
    every: dict[Pair, dict[str, None]] = {pair: {} for pair in pairs}
    walked: dict[Pair, dict[str, None]] = {pair: {} for pair in pairs}
    for model in models:
        if model.spec != spec or not model.conform or model.mutant or (model.depth and not model.wander):
            continue
        for graph in model.topologies:
            had = set(features_on(model, graph))
            for pair in pairs:
                if had.issuperset(pair):
                    (walked if model.wander else every)[pair][model.name] = None
    return PairTable(
        spec,
        features,
        {pair: tuple(names) for pair, names in every.items()},
        {pair: tuple(names) for pair, names in walked.items()},
        {
            pair: entry.why
            for entry in senseless
            for pair in pairs
            if entry.covers(spec, pair) and not every[pair] and not walked[pair]
        },
    )


@dataclass(frozen=True)
class Senseless:
    """Features that models of some ``specs`` cannot have: of one, none with any other; of two, none with both."""

    specs: tuple[str, ...]
    features: tuple[str, ...]
    why: str

    def covers(self, spec: str, pair: Pair) -> bool:
        """Return whether this entry applies to a pair of a spec."""
        return spec in self.specs and set(pair).issuperset(self.features)


def read_senseless(path: Path) -> tuple[Senseless, ...]:
    """Read the list of pairs that make no sense.

    Raises SpecError for a file that is not such a list, an unknown spec or feature, and an entry without a reason.
    """
    table = read_table(path, FORMAT)
    found = tuple(_senseless(entry) for entry in table.tables("senseless"))
    table.close()
    return found


def _senseless(entry: Table) -> Senseless:
    one = entry.read(Senseless, {"specs": NAMES, "features": NAMES, "why": WORDS})
    for spec in one.specs:
        if spec not in PROTOCOLS:
            raise entry.error(f"no spec {spec}", "specs", nearest(spec, PROTOCOLS))
    for feature in one.features:
        if feature not in FEATURES:
            raise entry.error(f"no feature {feature}", "features", nearest(feature, FEATURES))
    if not one.specs or len(one.features) not in {1, 2}:
        raise entry.error("an entry has specs, and one feature or two", "features")
    return one


def pair_tables(plans: Sequence[Plan], senseless: Sequence[Senseless]) -> tuple[PairTable, ...]:
    """Return a table for each spec that is compared, from the models of some plans."""
    models = [model for plan in plans for model in plan.models]
    compared = [spec for spec in PROTOCOLS if any(model.spec == spec and model.conform for model in models)]
    return tuple(pair_table(spec, models, plans[0].library, senseless) for spec in compared)


def wrong_in_pairs(tables: Iterable[PairTable], senseless: Iterable[Senseless]) -> tuple[str, ...]:
    """Return in words which pairs no model has, and which entries of the list concern no remaining pair."""
    tables = tuple(tables)
    holes = [
        f"{table.spec}: no model that is compared has both {', '.join(map(' and '.join, table.holes))}, and {FILE}"
        " has no reason"
        for table in tables
        if table.holes
    ]
    needed = [
        entry
        for entry in senseless
        if any(entry.covers(table.spec, pair) for table in tables for pair in table.senseless)
    ]
    stale = [
        f"{FILE}: {' and '.join(entry.features)} in {', '.join(entry.specs)}: there is such a model, or no such pair"
        for entry in senseless
        if entry not in needed
    ]
    return (*holes, *stale)


def tables_beside(plan: Plan) -> tuple[tuple[PairTable, ...], tuple[Senseless, ...]]:
    """Return the tables of all plans in a plan's directory, and the list beside the specs.

    Raises SpecError for one that cannot be read.
    """
    directory = plan.path.resolve().parent
    own = plan.path.resolve() if plan.complete else None
    others = [
        plan if path == own else read_plan(path, directory.parent)
        for path in sorted(directory.glob("*.toml"))
    ]
    senseless = read_senseless(directory.parent / FILE)
    return pair_tables(others, senseless), senseless


def not_paired(plan: Plan) -> tuple[str, ...]:
    """Return in words the pairs of features that no plan beside a complete one has, if it checks all claims of its specs."""
    return () if plan.strength is None or not plan.complete else wrong_in_pairs(*tables_beside(plan))
