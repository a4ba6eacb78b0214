"""A state as rows of text, a row for each process and channel of each variable; and what a step changes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.machines.explain.state_values import (
    channel_name,
    entries,
    id_name,
    is_channel,
    name_of,
    show,
    snapshot_ids,
)
from pyharness.tla.values import Fn, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyharness.machines.explain import Wording
    from pyharness.show.report.trace.events import Lane
    from pyharness.tla.tlc import Trace

MOST_CHARACTERS: Final = 2000
"""The length at which longer values are cut, with a note on their length."""

BY_PROCESS = frozenset(
    (
        "state",
        "recState",
        "task",
        "copies",
        "uploads",
        "staged",
        "open",
        "output",
        "committed",
        "aborts",
        "reports",
        "collected",
    )
)
"""Variables that are functions on processes, and so may look like sequences."""


_BY_ID = frozenset(("recState", "recChan", "closed", "whiteInRed", "redInWhite"))
"""Variables of ``Snapshots`` that are functions on the snapshots' ids."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a state: ``name`` is ``chan[C12]``, ``text`` the value as TLA+, ``words`` its meaning.

    ``lanes`` are the indices of the lanes it belongs to: a channel's row to both its ends, of none to all.
    """

    name: str
    text: str
    lanes: tuple[int, ...] = ()
    words: str | None = None


@dataclass(frozen=True, slots=True)
class RowChange:
    """A step's effect on a row: its text ``after`` the step, ``None`` for a row that is gone.

    ``words`` is the meaning of ``after``, if known. ``shown`` is whether the change is: not for a row split into others.
    """

    name: str
    after: str | None
    lanes: tuple[int, ...] = ()
    shown: bool = True
    words: str | None = None


def rows(
    state: Mapping[Value, Value], lanes: Sequence[Lane], wording: Wording | None = None
) -> tuple[Row, ...]:
    """Write a state as rows, in the order of its variables; with a ``wording``, in words too."""
    index = {lane.key: i for i, lane in enumerate(lanes) if lane.is_process}
    ids = snapshot_ids(Fn(state.items()))
    found: list[Row] = []
    for name, value in state.items():

        def gloss(part: Value, variable: str = str(name)) -> str | None:
            words = wording.row(variable, part) if wording is not None else None
            return None if words is None else clip(clean(words), MOST_CHARACTERS)

        named = {clean(str(name)): value}
        if ids and name in _BY_ID:
            named = {f"{name}[{id_name(n)}]": part for n, part in entries(value).items()}
        for row, part in named.items():
            by_process, nested = str(name) in BY_PROCESS, name == "acks"
            found += _parts(row, part, index, gloss, by_process=by_process, nested=nested)
    return tuple(found)


def changes(
    trace: Trace, lanes: Sequence[Lane], wording: Wording | None = None
) -> Iterator[tuple[RowChange, ...]]:
    """Return what each step changes; for the first state, all of its rows."""
    before: dict[str, Row] = {}
    for step in trace.steps:
        after = {row.name: row for row in rows(step.state, lanes, wording)}
        yield tuple(
            [
                RowChange(row.name, row.text, row.lanes, words=row.words)
                for row in after.values()
                if row.name not in before or before[row.name].text != row.text
            ]
            + [
                RowChange(row.name, None, row.lanes, not _split(row.name, after))
                for row in before.values()
                if row.name not in after
            ]
        )
        before = after


def _split(name: str, after: Mapping[str, Row]) -> bool:
    return any(other.startswith(f"{name}[") for other in after)


def _parts(
    name: str,
    value: Value,
    index: Mapping[Value, int],
    gloss: Callable[[Value], str | None],
    *,
    by_process: bool,
    nested: bool,
) -> Iterator[Row]:
    parts = entries(value)
    processes = set(parts) <= set(index) and (by_process or isinstance(value, Fn))
    channels = all(is_channel(key) for key in parts)
    if not parts or not (processes or channels or nested):
        yield Row(name, _text(value), words=gloss(value))
        return
    for key, item in parts.items():
        if nested:
            yield from _parts(f"{name}[{_text(key)}]", item, index, gloss, by_process=True, nested=False)
        elif channels and isinstance(key, tuple):
            ends = tuple(sorted(index[end] for end in key if end in index))
            yield Row(
                f"{name}[{clean(channel_name(key, large=len(index) > 9))}]", _text(item), ends, gloss(item)
            )
        else:
            yield Row(f"{name}[{clean(name_of(key))}]", _text(item), (index[key],), gloss(item))


def _text(value: Value) -> str:
    text = clean(show(value))
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}… ({len(text)} characters)"
