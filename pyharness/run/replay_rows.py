"""Replay the traces of a model on the implementation, as rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyharness.errors import HarnessError
from pyharness.replay import replay
from pyharness.systems import implementation_of
from pyharness.tla import Fn
from pyharness.tlc.itf import from_itf
from pyharness.topology import Topology

if TYPE_CHECKING:
    from pyharness.plan.model import Model
    from pyharness.systems import System
    from pyharness.tlc import Trace

__all__ = ["CORRECT", "replay_row", "without_history"]

CORRECT = "correct"


def replay_row(model: Model, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Replay the trace in a row of ``traces``: on the implementation and, for a mutant's, on the mutant too."""
    trace, _ = from_itf(row["itf"])
    topology = Topology.from_id(row["topology"])
    protocol = implementation_of(model.spec)
    if protocol is None:
        return []
    rows = []
    for mutant in dict.fromkeys((None, model.mutant)):
        name = mutant or CORRECT
        common = {"job": row["job"], "model": model.name, "kind": row["kind"], "index": row["index"]}
        try:
            system = model.system(topology, mutant)
            found = replay(trace if protocol == model.spec else without_history(trace, system), system)
        except HarnessError as error:
            rows.append(
                {**common, "implementation": name, "agreed": False, "steps": 0, "length": len(trace)}
                | {"violated": [], "divergence": str(error), "diverged_at": None}
            )
            continue
        rows.append(
            {
                **common,
                "implementation": name,
                "agreed": found.agreed,
                "steps": found.steps,
                "length": len(trace),
            }
            | {
                "violated": list(found.violated),
                "divergence": None if found.divergence is None else str(found.divergence)[:4000],
                "diverged_at": None if found.divergence is None else found.divergence.step,
            }
        )
    return rows


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
