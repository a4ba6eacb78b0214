"""A behaviour of any spec as a page: a table of its variables and steps, without a script."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.show.report.trace.counterexample_table import cells_of, heads_of
from pyharness.show.report.trace.trace_page import render
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.outcome import NO_DEADLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.tla.tlc import Trace


MOST_COLUMNS: Final = 200
"""The most steps that a page has: the last ones."""

_LONGEST: Final = 2000
_PLACE: Final = re.compile(r"line (\d+), .* of module (\w+)")


class _Column(NamedTuple):
    """A step by its ``number`` from 1, with the action that led to it, and where that is in the spec."""

    number: int
    action: str
    place: str
    violated: bool
    loops: bool


def to_table_page(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Write a behaviour as a page; ``meta`` is its document's. The same trace gives the same text."""
    meta = meta or {}
    first = max(0, len(trace) - MOST_COLUMNS)
    columns = list(_columns(trace, meta, first))
    rows = cells_of(_shown(trace, first))
    notes = meta.get("notes")
    return render(
        "table.html.jinja",
        also=table_style(),
        title=_meta(meta, "title", 200) or "A behaviour",
        facts=[(key, _meta(meta, key, 200)) for key in ("module", "configuration") if _meta(meta, key, 200)],
        violated=_meta(meta, "violated", 200),
        violated_at=next((column.number for column in columns if column.violated), None),
        formula=_meta(meta, "formula", _LONGEST),
        reason=_meta(meta, "reason", _LONGEST),
        notes=[clip(clean(str(note)), _LONGEST) for note in notes] if isinstance(notes, list) else [],
        first=first,
        columns=columns,
        looped=sum(column.loops for column in columns),
        stuck=_is_stuck(trace, meta),
        trace=trace,
        rows=[
            (name, [(clip(cell.text, _LONGEST), cell.changed) for cell in cells])
            for name, cells in rows.items()
        ],
    )


@cache
def table_style() -> str:
    """Return the style of tables of variables and steps."""
    return (Path(__file__).parent / "templates" / "table.css").read_text(encoding="utf-8")


def _meta(meta: Mapping[str, Any], key: str, most: int) -> str:
    text = meta.get(key)
    return clip(clean(text), most) if isinstance(text, str) else ""


def _is_stuck(trace: Trace, meta: Mapping[str, Any]) -> bool:
    """Return whether no step leads on from the last state."""
    deadlock = meta.get("violated") == NO_DEADLOCK or meta.get("outcome") == Outcome.DEADLOCK.value
    return deadlock and trace.lasso is None and not trace.stuttering


def _shown(trace: Trace, first: int) -> Trace:
    """Return the steps that are shown, and of a loop, after them, the state that it goes back to."""
    again = () if trace.lasso is None else (trace.steps[trace.lasso],)
    return replace(trace, steps=(*trace.steps[first:], *again))


def _columns(trace: Trace, meta: Mapping[str, Any], first: int) -> Iterator[_Column]:
    violated_at, last = meta.get("violated_at"), len(trace) - 1
    if not meta.get("violated") or trace.lasso is not None or trace.stuttering:
        violated_at = None
    elif type(violated_at) is not int or not 0 <= violated_at <= last:
        violated_at = last
    for index, (number, action) in enumerate(heads_of(trace)):
        if index >= first:
            place = _PLACE.match(trace.steps[index].location or "") if index else None
            yield _Column(
                int(number),
                clip(action, _LONGEST),
                f"{place[2]}.tla:{place[1]}" if place else "",
                index == violated_at,
                trace.lasso is not None and index >= trace.lasso,
            )
