"""Reordered traces as rows: white before red by the implementation, accepted by TLC as a computation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyharness.errors import HarnessError
from pyharness.replay.reorder import follow, reorder_path, stuck_pairs
from pyharness.run.replay_rows import without_history
from pyharness.run.table_rows import ReorderingRow
from pyharness.run.walks import walk_traces
from pyharness.systems import implementation_of
from pyharness.tlc.itf import from_itf, itf_document, itf_line
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.plan.model import Model
    from pyharness.replay.reorder import Reordering
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import TraceRow


def reorder_row(model: Model, row: TraceRow) -> ReorderingRow:
    """Reorder the trace in a row of ``traces``, and return its row of ``reorderings``.

    ``complete`` tells whether the trace's snapshot is, and is null where the implementation does not follow it. Of
    one that is not complete there is nothing to reorder, and ``agreed`` is null. Else ``agreed`` tells whether all
    laws of E9 and E10 hold, and ``reason`` why not. ``actions`` are those of the computation, ``stuck`` counts
    their adjacent pairs, of any colours, that do not swap. ``itf`` is the reordered trace, and ``accepted`` null:
    see :func:`accept_rows`.
    """
    result = ReorderingRow(row.job, row.model, row.kind, row.index, row.topology)
    try:
        system = model.system(Topology.from_id(row.topology))
        trace, _ = from_itf(row.itf)
        if implementation_of(model.spec) != model.spec:
            trace = without_history(trace, system)
        path = follow(trace, system)
        result = replace(result, complete=system.complete(path[-1]))
        if not result.complete:
            return result
        found = reorder_path(path, system)
    except HarnessError as error:
        return replace(result, agreed=False, reason=str(error))
    return replace(
        result,
        agreed=True,
        actions=len(found.actions),
        whites=found.whites,
        swaps=len(found.swaps),
        stuck=len(stuck_pairs(found)),
        occurred=found.occurred,
        itf=itf_line(itf_document_of(found, model.setting)),
    )


def accept_rows(model: Model, rows: Sequence[ReorderingRow], tools: Tools) -> list[ReorderingRow]:
    """Have TLC walk the reordered traces among a model's rows of ``reorderings``, in one run; give all rows anew.

    ``accepted`` becomes true, or false with the place where TLC stopped in ``reason``. It stays null in a row
    without a reordered trace, and in all when the run does not finish, with the reason.
    """
    written = [(index, row.topology, row.itf) for index, row in enumerate(rows) if row.itf is not None]
    result = list(rows)
    if not written:
        return result
    try:
        application = model.system(Topology.from_id(written[0][1])).application
        traces = [from_itf(itf)[0] for _, _, itf in written]
        walks = walk_traces(traces, application, model.granularity, tools, timeout=model.budget.seconds)
    except HarnessError as error:
        for index, _, _ in written:
            result[index] = replace(result[index], reason=str(error))
        return result
    for (index, _, _), walk in zip(written, walks, strict=True):
        row = result[index]
        result[index] = replace(
            row, accepted=walk.accepted, reason=row.reason if walk.accepted else str(walk)
        )
    return result


def itf_document_of(reordering: Reordering, setting: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the reordered trace as an ITF document; its meta tells the index of the state that is SSS.

    ``setting`` is what the original trace says of its application (see ``Model.setting``).
    """
    system = reordering.computation
    meta = {"title": "White before red", "spec": system.protocol, "granularity": system.granularity}
    return itf_document(reordering.trace, {**meta, **(setting or {}), "sss": reordering.whites})
