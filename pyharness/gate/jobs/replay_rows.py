"""Replay the traces of a model on the implementation, as rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.base.errors import HarnessError
from pyharness.base.topology import Topology
from pyharness.machines.replay import replay
from pyharness.machines.systems import has_twin, implementation_of
from pyharness.models.table_rows import CORRECT, ReplayRow
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from pyharness.machines.systems import System
    from pyharness.models.model import Model
    from pyharness.models.table_rows import TraceRow
    from pyharness.tla.tlc import Trace


def replay_row(model: Model, row: TraceRow) -> list[ReplayRow]:
    """Replay the trace in a row of ``traces`` on the implementation, and on the mutant if it has a twin in Python."""
    trace, _ = from_itf(row.itf)
    protocol = implementation_of(model.spec)
    if protocol is None:
        return []
    twin = [model.mutant] if has_twin(protocol, model.mutant) else []
    return [_replayed(model, row, trace, mutant) for mutant in (None, *twin)]


def _replayed(model: Model, row: TraceRow, trace: Trace, mutant: str | None) -> ReplayRow:
    """Replay a trace on the implementation, or on its mutant; an error in it counts as a disagreement."""
    nothing = ReplayRow(
        job=row.job,
        model=model.name,
        kind=row.kind,
        index=row.index,
        implementation=mutant or CORRECT,
        agreed=False,
        steps=0,
        length=len(trace),
        violated=(),
    )
    try:
        system = model.system(Topology.from_id(row.topology), mutant)
        same = implementation_of(model.spec) == model.spec
        found = replay(trace if same else without_history(trace, system), system)
    except HarnessError as error:
        return replace(nothing, divergence=str(error))
    result = replace(nothing, agreed=found.agreed, steps=found.steps, violated=tuple(found.violated))
    if found.divergence is None:
        return result
    return replace(result, divergence=str(found.divergence)[:4000], diverged_at=found.divergence.step)


def without_history(trace: Trace, system: System) -> Trace:
    """Return the trace of a spec with histories as one of the spec without: no variables of theirs, no H in actions."""
    known = set(system.variables(next(system.initial())))
    steps = tuple(
        replace(
            step,
            action=step.action.removeprefix("H") if step.action else None,
            state=Fn((name, value) for name, value in step.state.items() if name in known),
        )
        for step in trace.steps
    )
    return replace(trace, steps=steps)
