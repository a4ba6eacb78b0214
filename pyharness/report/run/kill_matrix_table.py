"""The kill matrix as a table for each spec: a row for each mutant, a column for each property."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.judge.kill_matrix import KillMatrix, MutantRow


@dataclass(frozen=True, slots=True)
class KillRow:
    """A mutant: the page of its trace, if there is one, and for each property the shortest trace's length."""

    mutant: str
    model: str
    page: str | None
    topology: str | None
    lengths: tuple[int | None, ...]

    @property
    def shortest(self) -> int | None:
        """The length of the shortest of its traces, in states."""
        return min((length for length in self.lengths if length is not None), default=None)

    @property
    def caught(self) -> int:
        """How many properties catch it."""
        return sum(length is not None for length in self.lengths)


@dataclass(frozen=True, slots=True)
class KillTable:
    """The mutants of a spec by its properties; ``idle`` are the properties that must catch one and do not."""

    spec: str
    properties: tuple[str, ...]
    idle: frozenset[str]
    rows: tuple[KillRow, ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """The mutants that nothing catches."""
        return tuple(row.mutant for row in self.rows if row.shortest is None)


def kill_tables(
    matrix: KillMatrix,
    models: Mapping[tuple[str, str], str],
    pages: Mapping[tuple[str, str], str],
) -> tuple[KillTable, ...]:
    """Make a table for each spec that has mutants, in the matrix's order.

    ``models`` and ``pages`` give a model's name and the file of the shortest trace by spec and mutant.
    """
    return tuple(
        _table(spec, matrix, models, pages) for spec in dict.fromkeys(row.spec for row in matrix.mutants)
    )


def _table(
    spec: str,
    matrix: KillMatrix,
    models: Mapping[tuple[str, str], str],
    pages: Mapping[tuple[str, str], str],
) -> KillTable:
    mutants = [row for row in matrix.mutants if row.spec == spec]
    demanded = [row for row in matrix.properties if row.spec == spec]
    names = dict.fromkeys(
        [row.name for row in demanded] + [kill.property for row in mutants for kill in row.kills]
    )
    catches = {name: sum(any(k.property == name for k in row.kills) for row in mutants) for name in names}
    properties = tuple(sorted(names, key=lambda name: -catches[name]))
    rows = tuple(
        KillRow(
            row.name,
            models.get((spec, row.name), ""),
            pages.get((spec, row.name)),
            row.kills[0].topology if row.kills else None,
            _lengths(row, properties),
        )
        for row in mutants
    )
    return KillTable(spec, properties, frozenset(row.name for row in demanded if not row.kills), rows)


def _lengths(row: MutantRow, properties: tuple[str, ...]) -> tuple[int | None, ...]:
    lengths = {kill.property: kill.length for kill in row.kills}
    return tuple(lengths.get(name) for name in properties)
