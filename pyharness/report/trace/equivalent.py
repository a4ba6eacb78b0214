"""The equivalent computation of a trace, for its page: white before red, or the reason why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import HarnessError
from pyharness.plan.trace_system import coloured_system
from pyharness.replay.reorder import reorder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.replay.reorder import Reordering
    from pyharness.tlc import Trace

MOST_STEPS = 120
"""Longer traces are not reordered for a page: the number of swaps grows with the square of the length."""


def equivalent(trace: Trace, meta: Mapping[str, Any]) -> Reordering | str | None:
    """Reorder a trace, with the mutant that took it; or return the reason why that cannot be done.

    ``None`` for a trace without a recorded state, and one that is of no protocol of ours: nothing is to be said of it.
    """
    if "recState" not in trace.steps[0].state:
        return None
    if len(trace) > MOST_STEPS:
        return f"It has more than {MOST_STEPS} steps: `pyharness reorder` sorts it, swap by swap."
    spec, mutant = meta.get("spec"), meta.get("mutant")
    protocol = f"{spec}:{mutant}" if isinstance(spec, str) and isinstance(mutant, str) else None
    try:
        system = coloured_system(trace, meta, protocol)
    except HarnessError:
        return None
    try:
        return reorder(trace, system)
    except HarnessError as error:
        return str(error.message)
