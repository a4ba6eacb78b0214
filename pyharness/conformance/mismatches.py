"""Mismatches between spec and implementation, as rows of the table ``conformance``."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from pyharness.errors import IncompleteError
from pyharness.run.replay_rows import CORRECT
from pyharness.run.table_rows import MismatchRow
from pyharness.tla import to_tla
from pyharness.tlc import Step, Trace
from pyharness.tlc.itf import itf_document, itf_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.conformance.graph_comparison import GraphComparison
    from pyharness.conformance.subject import Subject
    from pyharness.plan.model import Model
    from pyharness.tla import Fn

INITIAL: Final = "Init"
"""Stands for the action where the initial states differ."""

MOST_ROWS: Final = 100
"""So many mismatches of a model are described; all are counted."""


def initial_rows(model: Model, subject: Subject, graph: GraphComparison) -> list[MismatchRow]:
    """Describe the topologies on which the initial states differ.

    Raises IncompleteError for a topology on which there are none on either side: nothing was compared there.
    """
    rows = []
    implementation = subject.build()
    for topology in model.topologies:
        ours, theirs = implementation.initial(topology), graph.initial.get(topology.id, {})
        if not ours and not theirs:
            raise IncompleteError(f"no state of {topology.id} was compared", where=model.name)
        if set(ours) != set(theirs):
            states = graph.find(theirs.values())
            rows.append(
                MismatchRow(
                    model=model.name,
                    implementation=subject.mutant or CORRECT,
                    topology=topology.id,
                    action=INITIAL,
                    depth=0,
                    state="",
                    tlc=tuple(sorted(map(to_tla, states.values()))),
                    python=tuple(sorted(map(to_tla, ours.values()))),
                    itf=None,
                )
            )
    return rows


def mismatch_rows(model: Model, subject: Subject, graph: GraphComparison) -> list[MismatchRow]:
    """Describe those pairs of a state and an action that have the shortest traces, the shortest first.

    Raises IncompleteError when no initial state leads to one of the states.
    """
    paths = graph.paths()

    def nearest(pair: tuple[int, str]) -> tuple[int, int, str]:
        if pair[0] not in paths.depth:
            raise IncompleteError(f"no initial state leads to state {pair[0]}", where=graph.name)
        return (paths.depth[pair[0]], *pair)

    chosen = heapq.nsmallest(MOST_ROWS, graph.pairs, key=nearest)
    sources = sorted({source for source, _ in chosen})
    theirs = graph.following(sources)
    ways = {source: paths.to(source) for source in sources}
    states = graph.find(
        {i for way in ways.values() for _, i in way} | {i for ids in theirs.values() for i in ids}
    )
    implementation = subject.build()
    return [
        MismatchRow(
            model=model.name,
            implementation=subject.mutant or CORRECT,
            topology=str(states[source]["topo"]),
            action=action,
            depth=paths.depth[source],
            state=to_tla(states[source]),
            tlc=tuple(sorted(to_tla(states[i]) for i in theirs.get((source, action), ()))),
            python=tuple(sorted(map(to_tla, implementation.after(states[source], action).values()))),
            itf=_itf(model, subject, action, ways[source], states),
        )
        for source, action in chosen
    ]


def _itf(
    model: Model,
    subject: Subject,
    action: str,
    way: Sequence[tuple[str | None, int]],
    states: Mapping[int, Fn],
) -> str:
    trace = Trace(tuple(Step(name, states[number]) for name, number in way))
    meta = {
        "title": f"{model.name}: {action} differs in the last state",
        "spec": model.spec,
        "mutant": model.mutant or subject.mutant,
        "granularity": model.granularity,
    }
    return itf_line(itf_document(trace, meta))
