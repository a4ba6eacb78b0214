"""The rows of a run's tables, and their checked conversion to plain values and back.

There is a class for each table, and its fields are the table's columns. A field's type is its column's: ``str``, ``int``,
``float``, ``bool``, ``tuple[str, ...]``, an enumeration, which is kept by name, or one of these and ``None``, which is
null, for a value that is not known. The class's docstring describes a row and its fields.
"""

from __future__ import annotations

import hashlib
import types
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from pyharness.models.verdicts import Verdict  # noqa: TC001 - the types of columns are read at run time
from pyharness.tla.tlc import Outcome  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


CORRECT: Final = "correct"
"""The name, in a row, of the implementation without a seeded bug."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of TLC, or a check made of several runs; ``run`` counts those of a job.

    ``verdict`` and ``reason`` give its meaning, regardless of what the plan expects, and ``detail`` is TLC's text of an
    error. A run that is ``complete`` ended by itself. If the property that is ``violated`` has no name, the column has the
    outcome of the run, such as ``deadlock``. ``evaluated`` names the invariants that were evaluated, and the other
    properties that TLC checked; for a module without graphs, all its properties, each after the module that defines it
    and a dot. ``asks`` is a digest of all that such a module is asked.
    """

    job: str
    model: str
    kind: str
    run: int
    outcome: Outcome
    verdict: Verdict
    reason: str
    detail: str
    violated: str | None
    topologies: int
    complete: bool
    distinct: int | None = None
    generated: int | None = None
    depth: int | None = None
    seconds: float | None = None
    tlc: str | None = None
    evaluated: tuple[str, ...] = ()
    asks: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TopologyRow:
    """One topology of a model."""

    job: str
    model: str
    topology: str
    outcome: str
    violated: str | None


@dataclass(frozen=True, slots=True)
class ActionRow:
    """The number of times an action was taken in a run."""

    job: str
    run: int
    action: str
    total: int


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A counterexample or a simulated behaviour, as ITF."""

    job: str
    model: str
    kind: str
    index: int
    topology: str
    length: int
    violated: str | None
    itf: str


@dataclass(frozen=True, slots=True)
class KillRow:
    """A property that caught a mutant on a topology, the length of the shortest trace, and the number of violating states.

    States are counted for properties of states only.
    """

    job: str
    model: str
    spec: str
    mutant: str
    property: str | None
    topology: str
    processes: int | None
    channels: int | None
    length: int
    states: int | None


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """The replay of a trace on an implementation."""

    job: str
    model: str
    kind: str
    index: int
    implementation: str
    agreed: bool
    steps: int
    length: int
    violated: tuple[str, ...]
    divergence: str | None = None
    diverged_at: int | None = None


@dataclass(frozen=True, slots=True)
class ReorderingRow:
    """A trace, reordered with white before red, and whether TLC accepts the result as a computation."""

    job: str
    model: str
    kind: str
    index: int
    topology: str
    complete: bool | None = None
    agreed: bool | None = None
    actions: int | None = None
    whites: int | None = None
    swaps: int | None = None
    stuck: int | None = None
    occurred: bool | None = None
    reason: str | None = None
    accepted: bool | None = None
    itf: str | None = None


@dataclass(frozen=True, slots=True)
class ConformanceRow:
    """The result of comparing a model with the implementation in every state; ``actions`` are those of the steps."""

    job: str
    model: str
    implementation: str
    states: int | None = None
    transitions: int | None = None
    mismatches: int | None = None
    first: str | None = None
    error: str | None = None
    tlc_seconds: float | None = None
    seconds: float | None = None
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WitnessRow:
    """A state or a step that a model must reach, as a formula, and whether it is ``reached``."""

    job: str
    model: str
    witness: str
    formula: str
    reached: bool


@dataclass(frozen=True, slots=True)
class MismatchRow:
    """A state in which TLC and the implementation differ by one action.

    States and sets of successors are TLA+ text, the trace that reaches the state is ITF; ``depth`` counts that trace's
    states, and is 0 where the initial states differ.
    """

    model: str
    implementation: str
    topology: str
    action: str
    depth: int
    state: str
    tlc: tuple[str, ...]
    python: tuple[str, ...]
    itf: str | None


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """A worked example of the literature."""

    example: str
    verdict: str
    message: str


@dataclass(frozen=True, slots=True)
class LogRow:
    """The log of a real run, compared with a spec; counts are null where it could not be read.

    ``crossing`` counts messages that crossed the cuts of its snapshots, ``behind`` those sent after one, ``walked``
    the snapshots that TLC walked to their end; ``refused`` is the line that is wrong, ``unchecked`` are the checks for
    which the log lacks data.
    """

    log: str
    directory: str
    protocol: str
    verdict: str
    message: str
    processes: int | None
    events: int | None
    crossing: int | None
    behind: int | None
    walked: int | None
    refused: str | None
    unchecked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """A snapshot of a log; ``walked`` is null if TLC did not check it."""

    log: str
    snapshot: str
    complete: bool
    walked: bool | None
    refused: bool


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """The verdict of a model or a log, and the reasons if it is not a pass."""

    model: str
    verdict: str
    expected: str
    reasons: tuple[str, ...]


TableRow = (
    RunRow
    | TopologyRow
    | ActionRow
    | TraceRow
    | KillRow
    | ReplayRow
    | ReorderingRow
    | ConformanceRow
    | WitnessRow
    | MismatchRow
    | ExampleRow
    | LogRow
    | SnapshotRow
    | VerdictRow
)
"""A row of any table of a run."""

TABLES: Final[Mapping[str, type[TableRow]]] = {
    "runs": RunRow,
    "topologies": TopologyRow,
    "actions": ActionRow,
    "traces": TraceRow,
    "kills": KillRow,
    "replays": ReplayRow,
    "reorderings": ReorderingRow,
    "conformances": ConformanceRow,
    "witnesses": WitnessRow,
    "conformance": MismatchRow,
    "examples": ExampleRow,
    "logs": LogRow,
    "snapshots": SnapshotRow,
    "verdicts": VerdictRow,
}
"""The class of each table's rows, by the table's name."""

Row = TypeVar("Row", bound=TableRow)


def rows_of(kind: type[Row], rows: Iterable[TableRow]) -> list[Row]:
    """Return the rows of one table, whose class is ``kind``, in their order."""
    return [row for row in rows if isinstance(row, kind)]


def table_of(row: TableRow) -> str:
    """Return the name of a row's table."""
    return next(name for name, kind in TABLES.items() if type(row) is kind)


Plain = TypeVar("Plain")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its ``name``, the type of a value (of an element, if ``many``), and whether it may be null."""

    name: str
    kind: type
    many: bool = False
    nullable: bool = False

    def plain(self, value: Any) -> Any:
        """Return a value of this column as a number, a text, a list of them, or ``None``.

        Raises TypeError for a value of another type.
        """
        self._require(value)
        if isinstance(value, Enum):
            return value.name
        return list(value) if self.many and value is not None else value

    def value(self, plain: Any) -> Any:
        """Return the value that :meth:`plain` wrote. Raises TypeError or ValueError if it cannot have written that."""
        value = plain
        if self.many and isinstance(plain, list):
            value = tuple(plain)
        elif issubclass(self.kind, Enum) and isinstance(plain, str):
            if plain not in self.kind.__members__:
                raise ValueError(f"{self.name} is not of {self.kind.__name__}: {plain!r}")
            value = self.kind[plain]
        elif self.kind is float and type(plain) is int:
            value = float(plain)
        self._require(value)
        return value

    def _require(self, value: Any) -> None:
        if value is None and self.nullable:
            return
        given = value if self.many and isinstance(value, tuple) else (value,)
        if (self.many and not isinstance(value, tuple)) or any(type(item) is not self.kind for item in given):
            raise TypeError(f"{self.name} is {value!r}, and should be {self}")

    def __str__(self) -> str:
        """The type of its values in words: ``str``, ``list of str``, ``int or null``."""
        words = f"list of {self.kind.__name__}" if self.many else self.kind.__name__
        return f"{words} or null" if self.nullable else words


def columns(kind: type[Any]) -> tuple[Column, ...]:
    """Return the columns of a class of rows, in order.

    Raises TypeError for a field whose type no column can have.
    """
    return _columns(kind)  # type: ignore[arg-type] # mypy does not know that classes are hashable


@cache
def _columns(kind: Any) -> tuple[Column, ...]:
    hints = get_type_hints(kind)
    return tuple(_column(field.name, hints[field.name]) for field in fields(kind))


def _column(name: str, hint: Any) -> Column:
    nullable = get_origin(hint) in {Union, types.UnionType}
    inner = [part for part in get_args(hint) if part is not type(None)] if nullable else [hint]
    many = get_origin(inner[0]) is tuple and get_args(inner[0])[1:] == (...,)
    kind = get_args(inner[0])[0] if many else inner[0]
    known = kind in {str, int, float, bool} or (isinstance(kind, type) and issubclass(kind, Enum))
    if len(inner) != 1 or not known:
        raise TypeError(f"no column can have the type of {name}: {hint}")
    return Column(name, kind, many, nullable)


def to_plain(row: Any) -> dict[str, Any]:
    """Return a row as plain values by column: numbers, texts, lists of them, and ``None``.

    Raises TypeError for a value that is not of its column's type.
    """
    return {column.name: column.plain(getattr(row, column.name)) for column in columns(type(row))}


def from_plain(kind: type[Plain], plain: Mapping[str, Any]) -> Plain:
    """Return the row that has these plain values, which must have every column and no other key.

    Raises TypeError or ValueError, naming the column, for values that no row of ``kind`` can have.
    """
    named = columns(kind)
    if set(plain) != {column.name for column in named}:
        differ = sorted(set(plain) ^ {column.name for column in named})
        raise ValueError(f"not the columns of {kind.__name__}: {', '.join(map(str, differ))}")
    return kind(**{column.name: column.value(plain[column.name]) for column in named})


@cache
def rows_version() -> str:
    """Return a digest of all tables' columns, which changes when the form of a row changes."""
    shape = repr([(name, [(c.name, str(c)) for c in columns(kind)]) for name, kind in TABLES.items()])
    return hashlib.sha256(shape.encode()).hexdigest()[:16]
