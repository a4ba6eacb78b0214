"""Traces that show where spec and implementation diverge: a step that the latter refuses, or steps that differ."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.models.table_rows import TraceRow
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.values import Fn, parse_value, same, to_tla

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.models.table_rows import MismatchRow, ReplayRow

CONFORMANCE: Final = "Conformance"
"""The name that such a trace gives as its violated property."""

_MOST: Final = 3
"""The number of successors of each side that are reported at most."""


def refused_trace(row: TraceRow, replay: ReplayRow) -> TraceRow:
    """Return a trace with the step that the implementation refuses, and how the two states differ there."""
    at = None if replay.diverged_at is None else replay.diverged_at - 1
    return replace(row, itf=_with_refusal(row.itf, replay.divergence or "", at))


def mismatch_trace(row: MismatchRow) -> TraceRow | None:
    """Return the trace to a state in which the steps differ, with the differences; ``None`` for a row without a trace."""
    if row.itf is None:
        return None
    message = "\n".join(
        [f"step {row.depth + 1}: spec and implementation differ by {row.action}", *_differences(row)]
    )
    itf = _with_refusal(row.itf, message, row.depth - 1)
    return TraceRow("", row.model, "mismatch", 0, row.topology, row.depth, CONFORMANCE, itf)


def _with_refusal(itf: str, message: str, at: int | None) -> str:
    document = json.loads(itf)
    place = {} if at is None else {"violated_at": at}
    document["#meta"] = {**document.get("#meta", {}), "violated": CONFORMANCE, "refused": message, **place}
    return json.dumps(document, ensure_ascii=False)


def _differences(row: MismatchRow) -> Iterator[str]:
    """Yield lines on how the states after the step differ: by variable where each side has one successor of its own."""
    spec, ours = (sorted(set(a) - set(b)) for a, b in ((row.tlc, row.python), (row.python, row.tlc)))
    if len(spec) == len(ours) == 1:
        yield from _by_variable(_state(spec[0]), _state(ours[0]))
        return
    before = from_itf(row.itf or "")[0].steps[-1].state
    for side, other, texts in (("spec", "implementation", spec), ("implementation", "spec", ours)):
        yield from _only(side, other, row.action, before, texts)


def _by_variable(spec: Fn, ours: Fn) -> Iterator[str]:
    for name, value in spec.items():
        if name not in ours or not same(value, ours[name]):
            other = to_tla(ours[name]) if name in ours else "nothing"
            yield f"  {name}: the spec has {to_tla(value)}, the implementation {other}"


def _only(side: str, other: str, action: str, before: Fn, texts: Sequence[str]) -> Iterator[str]:
    for text in texts[:_MOST]:
        changed = [
            f"{name} = {to_tla(value)}"
            for name, value in _state(text).items()
            if name not in before or not same(value, before[name])
        ]
        difference = ", ".join(changed) or "the same state"
        yield f"  the {other} cannot take {action} to what the {side} takes it to: {difference}"
    if len(texts) > _MOST:
        yield f"  and {len(texts) - _MOST} more that only the {side} has"


def _state(text: str) -> Fn:
    """Read a state. Raises SpecError for any other value."""
    state = parse_value(text)
    if not isinstance(state, Fn):
        raise SpecError("a successor is not a state")
    return state
