"""A behaviour as a table of text: a row for each variable, a column for each step, what a step changed with a star.

A variable that is a function of few arguments has a row for each. The steps that do not fit beside each other follow
below. A value that is too long is cut in the table, and stands beneath it, as much of it as can be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.tla.values import Fn, Value, to_tla

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.tla.tlc import Trace

_MOST_ARGUMENTS: Final = 9
_WIDEST: Final = 30
_LONGEST: Final = 1_000
_ABSENT: Final = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A row's cell at a step: its ``text``, empty where there is nothing, and whether the step ``changed`` it."""

    text: str
    changed: bool


def cells_of(trace: Trace) -> dict[str, list[Cell]]:
    """Return the rows of a behaviour by name, ``x`` or ``x[a]``, each with a cell for every state."""
    names = list(dict.fromkeys(str(name) for step in trace.steps for name in step.state))
    rows: dict[str, list[str]] = {}
    for name in names:
        values = [step.state.get(name) for step in trace.steps]
        arguments = arguments_of(values)
        if arguments is None:
            rows[name] = [value_text(value) for value in values]
        else:
            for argument in arguments:
                row = f"{name}[{value_text(argument)}]"
                rows[row] = [value_text(_applied(value, argument)) for value in values]
    return {
        name: [Cell(text, number > 0 and text != texts[number - 1]) for number, text in enumerate(texts)]
        for name, texts in rows.items()
    }


def arguments_of(values: Sequence[Value | None]) -> list[Value] | None:
    """Return the arguments by which a variable is shown row by row: it is a function of the same few in all states."""
    first = function_of(values[0])
    if first is None or not 1 < len(first) <= _MOST_ARGUMENTS:
        return None
    for value in values:
        other = function_of(value)
        if other is None or list(other) != list(first):
            return None
    return list(first)


def function_of(value: Value | None) -> dict[Value, Value] | None:
    """Return a value as a function, if it is one: a sequence is a function of its places, from 1."""
    if isinstance(value, Fn):
        return dict(value.items())
    if isinstance(value, tuple):
        return dict(enumerate(value, start=1))
    return None


def _applied(value: Value | None, argument: Value) -> Value | None:
    return (function_of(value) or {}).get(argument)


def value_text(value: Value | None) -> str:
    """Write a value as TLA+, fit to be shown; :data:`_ABSENT` for one that is absent."""
    if value is None:
        return _ABSENT
    try:
        return clean(to_tla(value))
    except SpecError:  # a string that TLA+ cannot write
        return clean(str(value))


MOST_STEPS: Final = 60
"""The number of steps that a terminal shows."""


def left_out(count: int, most: int | None) -> tuple[range, str]:
    """Return the steps in the middle that are left out if there are more than ``most``, and the line in their place."""
    gap = range(0) if most is None or count <= most else range(most // 4, count - most + most // 4)
    return gap, f"... steps {gap.start + 1} to {gap.stop} of {count} are left out here ..."


def table_lines(trace: Trace, width: int = 100, most: int | None = None) -> Iterator[str]:
    """Yield the lines of the table, at most ``width`` characters wide where that can be, of at most ``most`` steps."""
    rows = cells_of(trace)
    gap, notice = left_out(len(trace.steps), most)
    heads = heads_of(trace)
    shown = {name: [_shown(cell) for cell in cells] for name, cells in rows.items()}
    first = max([len(name) for name in rows] + [4])
    widths = [
        max(len(heads[number][0]), len(heads[number][1]), *(len(texts[number]) for texts in shown.values()))
        for number in range(len(trace.steps))
    ]
    begin = 0
    while begin < len(widths):
        if begin in gap:
            yield from (notice, "")
            begin = gap.stop
        end, room = begin + 1, width - first - 2 - widths[begin]
        while end < len(widths) and end not in gap and room >= widths[end] + 2:
            room -= widths[end] + 2
            end += 1
        columns = range(begin, end)
        for line in (0, 1):
            yield _row("", first, [(heads[n][line], widths[n]) for n in columns])
        for name, texts in shown.items():
            yield _row(name, first, [(texts[n], widths[n]) for n in columns])
        yield ""
        begin = end
    yield from _long_values(rows, gap)
    if trace.lasso is not None:
        yield f"and back to step {trace.lasso + 1}, forever"
    elif trace.stuttering:
        yield "and nothing happens ever after"


def heads_of(trace: Trace) -> list[tuple[str, str]]:
    """Return the head of the column of each step: its number from 1, and its action."""
    return [_head(trace, number) for number in range(len(trace.steps))]


def _head(trace: Trace, number: int) -> tuple[str, str]:
    step = trace.steps[number]
    arguments = f"({step.arguments})" if step.arguments else ""
    action = clean(f"{step.action or ''}{arguments}")
    return str(number + 1), action or ("a step" if number else "Initial state")


def _shown(cell: Cell) -> str:
    text = cell.text if len(cell.text) <= _WIDEST else cell.text[: _WIDEST - 1] + "…"
    return f"*{text}" if cell.changed else f" {text}"


def _row(name: str, first: int, cells: Sequence[tuple[str, int]]) -> str:
    inner = "  ".join(text.ljust(width) for text, width in cells)
    return f"{name.ljust(first)}  {inner}".rstrip()


def _long_values(rows: dict[str, list[Cell]], gap: range) -> Iterator[str]:
    for name, cells in rows.items():
        for number, cell in enumerate(cells):
            if number not in gap and len(cell.text) > _WIDEST and (cell.changed or not number):
                yield f"{name} at {number + 1}: {clip(cell.text, _LONGEST)}"
