"""Why a behaviour does not begin as what it should refine: its first state is none of the computation's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.explain.application_laws import law_broken

if TYPE_CHECKING:
    from pyharness.explain.behaviour_view import View
    from pyharness.tla import Value


def begins_otherwise(view: View) -> str | None:
    """E13, E7: say what is there before anything happened; ``None`` if that is as it should be.

    Of a trace whose first state an action led to nothing can be said.
    """
    if view.trace.steps[0].action not in (None, "Init"):
        return None
    first = view.trace.steps[0].state
    for process in view.entries("recState", first):
        return f"{view.process(process)} has recorded its state before anything happened"
    for name, how in (("recChan", "recorded of"), ("chan", "in")):
        for channel, queue in view.queues(name, first).items():
            if queue:
                what = ", ".join(map(view.words.element, queue))
                return f"{what} is {how} {view.channel(channel)} before anything happened"
    empty: dict[tuple[Value, ...], tuple[Value, ...]] = dict.fromkeys(view.queues("chan", first), ())
    broken = law_broken(view, view.entries("state", first), empty, recorded=False)
    return broken and f"before anything happened, {broken}"
