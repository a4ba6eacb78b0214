"""The rows of one run of TLC on a model that has graphs."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from pyharness.models.table_rows import RunRow, TraceRow
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc.itf import itf_document, itf_line
from pyharness.tla.tlc.messages import MAX_OUTSIDE
from pyharness.tla.tlc.spec_problems import without_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.models.job import Job
    from pyharness.models.model import Model
    from pyharness.models.render import Graph
    from pyharness.tla.tlc import Result, Trace


_FIRST: Final = re.compile(r'<<"first", (\d{1,18}), "([^"]*)", (\d{1,18})>>')
_VIOLATED: Final = re.compile(r"<<(\d{1,18})>>")

SMALL: Final = 50_000
"""The states of a run above which Java's optimising compiler pays."""

_FEW: Final = 5


def is_small(model: Model, topologies: int | None = None) -> bool:
    """Return whether a run on this number of a model's topologies, or on all, ends before Java's optimising compiler pays.

    If no counts are pinned, the number of topologies decides; a run that ends at violations is small.
    """
    if topologies is None:
        topologies = len(model.topologies)
    if model.pins is None:
        return topologies < _FEW or model.expect != "pass"
    return model.pins.distinct * topologies <= SMALL * len(model.topologies)


def first_places(result: Result, names: Sequence[str]) -> dict[tuple[str, str], int]:
    """Return the length in states of the shortest trace to a violation, by name and topology, of a run of mutants.

    The run prints the number of steps to the violation, the violating one included.
    """
    found = (_FIRST.fullmatch(line) for line in result.output.splitlines())
    return {(names[int(m[1]) - 1], m[2]): int(m[3]) + 1 for m in found if m}


def violating_states(
    output: str, topologies: Sequence[Graph], *, room: int = MAX_OUTSIDE
) -> dict[tuple[int, str], int] | None:
    """Count the states that violate each property of states, in the output of a run of mutants.

    Counts are by the property's number and the topology; ``None`` if the output fills the ``room`` and may be cut off.
    """
    if len(output) >= room:
        return None
    registers = (int(m[1]) for m in map(_VIOLATED.fullmatch, output.splitlines()) if m)
    places = (divmod(register, len(topologies)) for register in registers)
    return dict(Counter((number, topologies[graph].id) for number, graph in places))


def run_row(
    job: Job,
    attempt: int,
    result: Result,
    violated: str | None,
    topologies: int,
) -> RunRow:
    """Return the row of ``runs`` of one run of TLC on a mutant, or of behaviours that are simulated."""
    detail = detail_of(result)
    found = meaning(result, violated, detail)
    return RunRow(
        job=job.id,
        model=job.model.name,
        kind=job.kind,
        run=attempt,
        outcome=result.outcome,
        verdict=found.verdict,
        reason=found.reason,
        detail=detail,
        violated=violated,
        topologies=topologies,
        complete=found.complete,
        distinct=result.distinct,
        generated=result.generated,
        depth=result.depth,
        seconds=result.seconds,
        tlc=result.tlc_version,
    )


def detail_of(result: Result) -> str:
    """Return TLC's message for an error or a violation, cut to 2000 characters; without places for a violation."""
    if result.outcome.is_violation:
        return without_places(result.error_text)[:2000]
    return (result.complaint if result.outcome.is_spec_error else result.error_text)[:2000]


def passed_states(runs: Iterable[RunRow]) -> tuple[int, int] | None:
    """Sum the distinct and the generated states of the checks that passed; ``None`` without one."""
    ended = [run for run in runs if run.kind == "check" and run.verdict is Verdict.PASS]
    if not ended:
        return None
    return sum(run.distinct or 0 for run in ended), sum(run.generated or 0 for run in ended)


def trace_row(job: Job, kind: str, index: int, trace: Trace, model: Model, violated: str | None) -> TraceRow:
    """Return the row of ``traces`` of a counterexample or a simulated behaviour."""
    facts = model.trace_facts(f"{model.name}: {violated or kind}", violated)
    topo = trace.steps[0].state.get("topo")
    return TraceRow(
        job=job.id,
        model=model.name,
        kind=kind,
        index=index,
        topology=topo if isinstance(topo, str) else "",
        length=len(trace),
        violated=violated,
        itf=itf_line(itf_document(trace, facts)),
    )
