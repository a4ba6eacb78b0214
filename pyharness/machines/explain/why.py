"""Explain why a behaviour violates a property, in one sentence made from the states that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import HarnessError
from pyharness.machines.explain import checkpoint_reasons, coloured_reasons, snapshot_reasons, step_reasons
from pyharness.machines.explain.behaviour_view import (
    View,
    ids_of,
    markers_ascend,
    of_snapshot,
    one_at_a_time,
    seen_through,
    strangers,
)
from pyharness.machines.explain.checkpoint_reasons import CHECKPOINT_REASONS
from pyharness.machines.explain.collection_reasons import COLLECTION_REASONS
from pyharness.machines.explain.endless_reasons import ENDLESS_REASONS
from pyharness.machines.explain.history_reasons import HISTORY_REASONS
from pyharness.machines.explain.snapshot_reasons import SNAPSHOT_REASONS
from pyharness.machines.explain.step_reasons import FUNCTION_REASONS, STEP_REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.tla.tlc.trace import Trace


def _type_ok(view: View) -> str | None:
    return checkpoint_reasons.type_ok(view) if "acks" in view.after else snapshot_reasons.type_ok(view)


def _recorded_is_sss(view: View) -> str | None:
    own = coloured_reasons.recorded_is_sss if "whites" in view.after else snapshot_reasons.recorded_is_sss
    return own(view)


def _refines_white_red(view: View) -> str | None:
    own = coloured_reasons.refines_white_red if "whites" in view.after else step_reasons.refines_white_red
    return own(view)


_OF_ALL_IDS: Final = {
    "MarkersAscend": markers_ascend,
    "OneAtATime": one_at_a_time,
    "HoldsNobodyUp": SNAPSHOT_REASONS["HoldsNobodyUp"],
}
"""The properties that are explained for all snapshots together."""

REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    **SNAPSHOT_REASONS,
    **STEP_REASONS,
    **HISTORY_REASONS,
    **FUNCTION_REASONS,
    **CHECKPOINT_REASONS,
    **COLLECTION_REASONS,
    **ENDLESS_REASONS,
    "TypeOK": _type_ok,
    **_OF_ALL_IDS,
    "RecordedIsSSS": _recorded_is_sss,
    "RefinesWhiteRed": _refines_white_red,
}
"""The explaining function of each property, by its name in the specs; a test requires that none is missing."""


def _of_some(name: str, ids: Sequence[Any], trace: Trace, meta: Mapping[str, Any]) -> str | None:
    """Explain a property for the first snapshot for which it fails, or for all of them; ``None`` without a reason."""
    if name in _OF_ALL_IDS:
        return _OF_ALL_IDS[name](View(trace, meta))
    for snapshot in ids:
        if reason := REASONS[name](View(seen_through(trace, snapshot), meta)):
            return f"of {of_snapshot(snapshot)}: {reason}"
    return strangers(View(trace, meta)) if name == "TypeOK" else None


def why(name: str, trace: Trace, meta: Mapping[str, Any] | None = None) -> str | None:
    """Explain why a behaviour violates the property ``name``, as one sentence; ``None`` if the reason is not known.

    The property is violated by the last state, the last step or, if it is a liveness property, the endless end; or by
    the state whose index is ``meta["violated_at"]``. ``meta`` is the description in the trace's document: ``application``
    and ``predicate`` help. The result is ``None`` for a behaviour whose variables are not those of our specs.

    >>> from pyharness.tla.values import Fn
    >>> from pyharness.tla.tlc.trace import Trace, TraceStep
    >>> state = Fn({"recState": (frozenset(),), "recChan": (), "state": (frozenset({1}),)}.items())
    >>> why("SnapshotConserves", Trace((TraceStep(None, state),)))
    'The snapshot is complete, and item 1 is in no recorded state and in no recorded channel.'
    """
    reason = REASONS.get(name)
    if reason is None or not trace.steps:
        return None
    try:
        text = (
            reason(View(trace, meta or {}))
            if not (ids := ids_of(trace))
            else _of_some(name, ids, trace, meta or {})
        )
    except (HarnessError, AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None  # a trace of another tool: its variables have our names, and other shapes
    return f"{text[0].upper()}{text[1:]}." if text else None
