"""The kill matrix: which properties catch which mutants. A survivor, or an idle property, fails the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.table_rows import KillRow


@dataclass(frozen=True, slots=True)
class Kill:
    """One property catching one mutant: on the smallest topology, by the shortest trace there (in states)."""

    property: str
    topology: str
    length: int


@dataclass(frozen=True, slots=True)
class MutantRow:
    """A mutant of a spec with what catches it; ``kills`` has one for each property, the best first."""

    name: str
    spec: str
    kills: tuple[Kill, ...]


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """A property that a model of a spec checks, with the mutants of that spec that it catches."""

    name: str
    spec: str
    kills: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KillMatrix:
    """All mutants and all properties of a plan."""

    mutants: tuple[MutantRow, ...]
    properties: tuple[PropertyRow, ...]
    unheld_properties: tuple[str, ...] = ()
    """The properties of mutants' models that no model of the spec itself checks, as ``Spec.Property``."""

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that nothing catches, as ``Spec:Mutant``."""
        return tuple(f"{row.spec}:{row.name}" for row in self.mutants if not row.kills)

    @property
    def idle_properties(self) -> tuple[str, ...]:
        """The properties that catch nothing, as ``Spec.Property``."""
        return tuple(f"{row.spec}.{row.name}" for row in self.properties if not row.kills)


def kill_matrix(plan: Plan, kills: Iterable[KillRow]) -> KillMatrix:
    """Make the matrix of a plan from rows of ``kills``.

    Its mutants are those of the plan's models, its properties those that a model of the plan checks and expects to
    hold.
    """
    rows = list(kills)
    mutants = dict.fromkeys((m.spec, m.mutant) for m in plan.models if m.mutant is not None)
    properties = dict.fromkeys(
        (m.spec, name) for m in plan.models if m.expect == "pass" for name in (*m.invariants, *m.properties)
    )
    of_mutants = dict.fromkeys(
        (m.spec, name) for m in plan.models if m.mutant for name in (*m.invariants, *m.properties)
    )
    return KillMatrix(
        tuple(MutantRow(str(name), spec, _best(rows, spec, name)) for spec, name in mutants),
        tuple(
            PropertyRow(
                name,
                spec,
                tuple(dict.fromkeys(r.mutant for r in rows if r.spec == spec and r.property == name)),
            )
            for spec, name in properties
        ),
        tuple(f"{spec}.{name}" for spec, name in of_mutants if (spec, name) not in properties),
    )


def _best(rows: Sequence[KillRow], spec: str, mutant: str | None) -> tuple[Kill, ...]:
    own = [(row.property, row) for row in rows if row.spec == spec and row.mutant == mutant and row.property]
    own.sort(key=lambda kill: (kill[1].processes or 0, kill[1].channels or 0, kill[1].length, kill[0]))
    first: dict[str, Kill] = {}
    for name, row in own:
        first.setdefault(name, Kill(name, row.topology, row.length))
    return tuple(first.values())
