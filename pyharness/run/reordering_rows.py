"""Reordered traces as rows: white before red by the implementation, accepted by TLC as a computation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyharness.errors import HarnessError
from pyharness.replay.reorder import follow, reorder_path, stuck_pairs
from pyharness.run.replay_rows import without_history
from pyharness.run.walks import Walk, walk_traces
from pyharness.systems import implementation_of
from pyharness.tlc.itf import from_itf, to_itf
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.plan.model import Model
    from pyharness.replay.reorder import Reordering
    from pyharness.run.machine_tools import Tools

__all__ = ["accept_rows", "itf_of", "reorder_row"]

_FOUND = (
    "complete",
    "agreed",
    "actions",
    "whites",
    "swaps",
    "stuck",
    "occurred",
    "reason",
    "accepted",
    "itf",
)


def reorder_row(model: Model, row: Mapping[str, Any]) -> dict[str, Any]:
    """Reorder the trace in a row of ``traces``, and return its row of ``reorderings``.

    ``complete`` tells whether the trace's snapshot is, and is null where the implementation does not follow it. Of
    one that is not complete there is nothing to reorder, and ``agreed`` is null. Else ``agreed`` tells whether all
    laws of E9 and E10 hold, and ``reason`` why not. ``actions`` are those of the computation, ``stuck`` counts
    their adjacent pairs, of any colours, that do not swap. ``itf`` is the reordered trace, and ``accepted`` null:
    see :func:`accept_rows`.
    """
    result = {key: row[key] for key in ("job", "model", "kind", "index", "topology")} | dict.fromkeys(_FOUND)
    try:
        system = model.system(Topology.from_id(row["topology"]))
        trace, _ = from_itf(row["itf"])
        if implementation_of(model.spec) != model.spec:
            trace = without_history(trace, system)
        path = follow(trace, system)
        result["complete"] = system.complete(path[-1])
        if not result["complete"]:
            return result
        found = reorder_path(path, system)
    except HarnessError as error:
        return result | {"agreed": False, "reason": str(error)}
    return result | {
        "agreed": True,
        "actions": len(found.actions),
        "whites": found.whites,
        "swaps": len(found.swaps),
        "stuck": len(stuck_pairs(found)),
        "occurred": found.occurred,
        "itf": json.dumps(
            json.loads(itf_of(found, model.setting)), separators=(",", ":"), ensure_ascii=False
        ),
    }


def accept_rows(model: Model, rows: Sequence[Mapping[str, Any]], tools: Tools) -> list[dict[str, Any]]:
    """Have TLC walk the reordered traces among a model's rows of ``reorderings``, in one run; give all rows anew.

    ``accepted`` becomes true, or false with the place where TLC stopped in ``reason``. It stays null in a row
    without a reordered trace, and in all when the run does not finish, with the reason.
    """
    walked = [index for index, row in enumerate(rows) if row["itf"] is not None]
    result = [dict(row) for row in rows]
    if not walked:
        return result
    try:
        application = model.system(Topology.from_id(rows[walked[0]]["topology"])).application
        traces = [from_itf(rows[index]["itf"])[0] for index in walked]
        walks = walk_traces(traces, application, model.granularity, tools, timeout=model.budget.seconds)
    except HarnessError as error:
        for index in walked:
            result[index]["reason"] = str(error)
        return result
    for index, walk in zip(walked, walks, strict=True):
        result[index] |= _said(walk)
    return result


def _said(walk: Walk) -> dict[str, Any]:
    return {"accepted": True} if walk.accepted else {"accepted": False, "reason": str(walk)}


def itf_of(reordering: Reordering, setting: Mapping[str, Any] | None = None) -> str:
    """Write the reordered trace as ITF; its meta tells the index of the state that is SSS.

    ``setting`` is what the original trace says of its application (see ``Model.setting``).
    """
    system = reordering.computation
    meta = {"title": "White before red", "spec": system.protocol, "granularity": system.granularity}
    return to_itf(reordering.trace, {**meta, **(setting or {}), "sss": reordering.whites})
