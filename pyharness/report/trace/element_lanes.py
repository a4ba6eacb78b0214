"""A behaviour by the elements of a set: where several variables are functions of the same few, each has a lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.report.trace.counterexample_table import arguments_of, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.report.trace.counterexample_table import Cell
    from pyharness.tlc import Trace

REST: Final = ""
"""The element of the lane of all that belongs to no element."""

_FEWEST: Final = 2
"""One function alone is seen well enough in its own rows."""


class Lane(NamedTuple):
    """An ``element``, with what each step changes there: names and texts; the first state has all."""

    element: str
    steps: tuple[tuple[tuple[str, str], ...], ...]


def lanes_of(trace: Trace, rows: Mapping[str, Sequence[Cell]]) -> Iterator[list[Lane]]:
    """Yield lanes for each set of elements of which several variables are functions; ``rows`` are the table's."""
    domains: dict[tuple[str, ...], list[str]] = {}
    for name in map(str, trace.steps[0].state):
        arguments = arguments_of([step.state.get(name) for step in trace.steps])
        if arguments is not None:
            domains.setdefault(tuple(map(value_text, arguments)), []).append(name)
    for elements, names in domains.items():
        if len(names) < _FEWEST:
            continue
        own = {element: {name: f"{name}[{element}]" for name in names} for element in elements}
        taken = {row for of in own.values() for row in of.values()}
        rest = {row: row for row in rows if row not in taken}
        lanes = own | ({REST: rest} if rest else {})
        yield [Lane(element, tuple(_steps(rows, of))) for element, of in lanes.items()]


def _steps(
    rows: Mapping[str, Sequence[Cell]], of: Mapping[str, str]
) -> Iterator[tuple[tuple[str, str], ...]]:
    for number in range(len(next(iter(rows.values())))):
        cells = ((name, rows[row][number]) for name, row in of.items())
        yield tuple((name, cell.text) for name, cell in cells if cell.changed or not number)
