"""One run of TLC on a model: the rows that tell of it, what it counted, and which property it found violated.

What a run of TLC counted: how often each action was taken, how many states each topology has, what was evaluated. TLC's
coverage tells all of it, and counts every expression for that, which is the dearest part of a check. Registers of the
model tell the same (:mod:`pyharness.models.counted_steps`); they count where they add up to TLC's own numbers, and
nowhere else.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pyharness.models.counted_steps import counted_steps
from pyharness.models.render import STEPS
from pyharness.models.table_rows import RunRow, TopologyRow, TraceRow
from pyharness.models.text_run import budget_of, run_texts
from pyharness.models.theorems import ASSUMED
from pyharness.models.tlc_verdict import meaning_of_row
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome, Simulation
from pyharness.tla.tlc.itf import itf_document, itf_line
from pyharness.tla.tlc.messages import MAX_OUTSIDE
from pyharness.tla.tlc.spec_problems import without_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pyharness.base.topology import Topology
    from pyharness.models.counted_steps import CountedSteps
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.render import Graph
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Progress, Result, Trace


_EVALUATED: Final = re.compile(r'"evaluated (\w+)"')
_STATES: Final = re.compile(r'<<"counted", (\d{1,18}), (\d{1,18}), \d+>>')
_TAKEN: Final = re.compile(r'<<"taken", (\d{1,18}), (\d{1,18})>>')
_FIRST: Final = re.compile(r'<<"first", (\d{1,18}), "([^"]*)", (\d{1,18})>>')
_VIOLATED: Final = re.compile(r"<<(\d{1,18})>>")
_ASKED: Final = re.compile(r"PROPERTY (\w+)")

SMALL: Final = 50_000
"""States of a run from which on Java's optimising compiler pays."""

_FEW: Final = 5


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The distinct ``states`` of each topology, the ``steps`` of each action, and the invariants ``evaluated``.

    The initial predicate is among the actions, with the initial states.
    """

    states: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)
    evaluated: tuple[str, ...] = ()


def evaluated_invariants(result: Result) -> tuple[str, ...]:
    """Return the invariants that TLC says it has evaluated, in a run that was told to say so."""
    said = map(_EVALUATED.fullmatch, result.output.splitlines())
    return tuple(dict.fromkeys(match[1] for match in said if match))


def steps_to_count(model: Model, library: Library) -> CountedSteps | None:
    """Return the relation that the check of a model counts, whose registers are read when it has passed.

    ``None`` for one that is not to pass, one whose relation is not what its spec says, and one of another form.
    """
    overridden = {name for name, _ in model.overrides_for(library)}
    if model.expect != "pass" or library.relation(model.spec) in overridden:
        return None
    return counted_steps(library, model.spec)


def counts_of_registers(
    result: Result, model: Model, library: Library, counted: CountedSteps, topologies: Sequence[Topology]
) -> RunCounts | None:
    """Read what a run that ``counted`` printed last; ``None`` unless it adds up to what TLC says of the same run."""
    lines = result.output.splitlines()
    states = {int(match[1]): int(match[2]) for match in map(_STATES.fullmatch, lines) if match}
    taken = {int(match[1]): int(match[2]) for match in map(_TAKEN.fullmatch, lines) if match}
    whole = set(states) == set(range(len(topologies))) and set(taken) == set(
        range(1, len(counted.actions) + 1)
    )
    begun = result.initial_states
    if not whole or begun is None or sum(states.values()) != result.distinct:
        return None
    if begun + sum(taken.values()) != result.generated:
        return None
    steps = {name: taken[number] for number, name in enumerate(counted.actions, start=1)}
    return RunCounts(
        {topology.id: states[at] for at, topology in enumerate(topologies)},
        {f"{library.prefix(model.spec)}Init": begun, **steps},
        evaluated_invariants(result),
    )


def counts_of_coverage(
    result: Result, model: Model, library: Library, topologies: Sequence[Topology]
) -> RunCounts:
    """Read what TLC's coverage says, which is nothing of a run without: the states are how often Tally's parts were."""
    if result.coverage is None:
        return RunCounts()
    rendered = model.render(library, tuple(topologies))
    states = {}
    for number, line in enumerate(rendered.tla.split("\n"), start=1):
        for topology in topologies:
            if f'topo = "{topology.id}" -> ' in line:
                first, last = line.index("Len(topo)") + 1, len(line)
                place = f"line {number}, col {first} to line {number}, col {last} of module {rendered.module}"
                count = result.coverage.count("Tally", place, part=True)
                if count is not None:
                    states[topology.id] = count
    steps = {name: count.total for name, count in result.coverage.actions.items()}
    return RunCounts(states, steps, tuple(result.coverage.properties))


def run_model(
    model: Model,
    library: Library,
    tools: Tools,
    work: Path,
    seconds: float,
    *,
    topologies: tuple[Topology, ...],
    properties: tuple[str, ...] | None = None,
    progress: Callable[[Progress], None] | None = None,
    simulation: Simulation | None = None,
    firsts: bool = False,
    probes: Mapping[str, str] | None = None,
    workers: int = 1,
    dump: Path | None = None,
    counted: CountedSteps | None = None,
) -> Result:
    """Run TLC on a model, in the directory ``work``, for at most so many seconds.

    ``firsts`` and ``probes`` are those of :meth:`Model.render`; read what such a run found with :func:`first_places`.
    With ``dump`` the state graph is written there, instead of TLC's coverage: see :mod:`pyharness.models.graph_check`.
    With ``counted`` registers count instead: read them with :func:`~pyharness.models.tlc_runs.counts_of_registers`.
    """
    rendered = model.render(
        library,
        topologies,
        properties,
        firsts=firsts,
        probes=probes,
        watched=dump is not None,
        told=dump is not None or counted is not None,
        counted=counted,
    )
    settings = budget_of(model) | {"timeout": max(seconds, 0.1)}
    return run_texts(
        rendered,
        tools,
        work,
        on_progress=progress,
        **settings,
        workers=workers,
        coverage=simulation is None and model.mutant is None and dump is None and counted is None,
        dump=dump,
        go_on=firsts,
        simulation=simulation,
        seed=model.simulate.seed if simulation and model.simulate else None,
        quick_jvm=simulation is not None or is_small(model, len(topologies)),
    )


def is_small(model: Model, topologies: int) -> bool:
    """Tell whether a run on so many of a model's topologies ends before Java's optimising compiler pays.

    Where nothing is pinned, the number of topologies decides; a run that ends at violations is small.
    """
    if model.pins is None:
        return topologies < _FEW or model.expect != "pass"
    return model.pins.distinct * topologies <= SMALL * len(model.topologies)


def asked_properties(work: Path, model: Model) -> tuple[str, ...]:
    """Return the properties of steps and behaviours that the run of ``model`` in ``work`` was told to check.

    TLC does not say of them, as it does of invariants, that it has evaluated them: a run whose configuration names none
    ends with the same words, the same states and the same status. So it is read off the file that TLC read.
    """
    lines = [line for file in work.glob("*.cfg") for line in file.read_text(encoding="utf-8").splitlines()]
    asked = (property_named(model, m[1]) for m in map(_ASKED.fullmatch, lines) if m)
    return tuple(name for name in asked if name in model.properties)


def property_named(model: Model, name: str) -> str:
    """Return the property of a model that TLC knows by a name, which may be that of its form in steps."""
    return name if name in model.properties else name.removeprefix(STEPS)


def first_places(result: Result, names: Sequence[str]) -> dict[tuple[str, str], int]:
    """Read what a run with ``firsts`` or ``probes`` printed: by name and topology, the length of the shortest trace.

    What is printed is the number of steps to it, the violating one included.
    """
    found = (_FIRST.fullmatch(line) for line in result.output.splitlines())
    return {(names[int(m[1]) - 1], m[2]): int(m[3]) + 1 for m in found if m}


def violating_states(
    output: str, topologies: Sequence[Graph], *, room: int = MAX_OUTSIDE
) -> dict[tuple[int, str], int] | None:
    """Count in what a run with ``firsts`` printed the states that are followed and violate each property of states.

    It is by the property's number and the topology; ``None`` if the output fills the ``room`` and may be cut off.
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
    evaluated: Iterable[str] = (),
    asked: Iterable[str] = (),
) -> RunRow:
    """Return the row of ``runs`` of one run of TLC, with the invariants that were ``evaluated``.

    Beside them are the properties that it was ``asked`` to check (:func:`asked_properties`).
    """
    return RunRow(
        job=job.id,
        model=job.model.name,
        kind=job.kind,
        run=attempt,
        outcome=result.outcome,
        detail=_detail(result)[:2000],
        missing="; ".join(result.missing),
        violated=violated,
        topologies=topologies,
        finished=result.finished,
        exit_status=result.exit_status,
        distinct=result.distinct,
        generated=result.generated,
        depth=result.depth,
        seconds=result.seconds,
        evaluated=tuple(sorted(name for name in {*evaluated, *asked} if not name.startswith(ASSUMED))),
        tlc=result.tlc_version,
    )


def _detail(result: Result) -> str:
    """Return what TLC says is wrong; of a violation without the place of the property, which has a name."""
    if result.outcome.is_violation:
        return without_places(result.error_text)
    return result.complaint if result.outcome.is_spec_error else result.error_text


def passed_states(runs: Iterable[RunRow]) -> tuple[int, int] | None:
    """Sum the distinct and the generated states of the checks that passed; ``None`` without one."""
    ended = [run for run in runs if run.kind == "check" and meaning_of_row(run).verdict is Verdict.PASS]
    if not ended:
        return None
    return sum(run.distinct or 0 for run in ended), sum(run.generated or 0 for run in ended)


def trace_row(job: Job, kind: str, index: int, trace: Trace, model: Model, violated: str | None) -> TraceRow:
    """Return the row of ``traces`` of a counterexample or a simulated behaviour."""
    meta = {
        "title": f"{model.name}: {violated or kind}",
        "spec": model.spec,
        "mutant": model.mutant,
        "granularity": model.granularity,
        "violated": violated,
        **model.setting,
    }
    topo = trace.steps[0].state.get("topo")
    return TraceRow(
        job=job.id,
        model=model.name,
        kind=kind,
        index=index,
        topology=topo if isinstance(topo, str) else "",
        length=len(trace),
        violated=violated,
        itf=itf_line(itf_document(trace, meta)),
    )


def topology_row(
    job: Job, topology: Topology, distinct: int | None, outcome: str, violated: str | None
) -> TopologyRow:
    """Return the row of ``topologies`` of what a model came to on one of them."""
    return TopologyRow(job.id, job.model.name, topology.id, distinct, outcome, violated)


def violated_property(
    model: Model,
    library: Library,
    tools: Tools,
    work: Path,
    result: Result,
    topologies: tuple[Topology, ...],
    until: float,
) -> str | None:
    """Name the property that a run of ``model`` violated first, or give ``None`` where that cannot be told.

    Where several properties share the place that TLC gives, it is asked again on ``topologies``, with one after the
    other, in the directory ``work`` and until the clock (``time.monotonic``) shows ``until``.
    """
    if not result.violations:
        return None
    first = result.violations[0]
    if first.outcome is Outcome.ASSERTION:
        return None  # it is false whatever is checked
    if first.name is not None:
        return property_named(model, first.name)
    assumed = [
        each.name
        for each in model.assumed(library, (*model.invariants, *model.properties))
        if each.kind == "behaviour"
    ]
    candidates = (*model.properties, *assumed)
    if first.outcome is Outcome.TEMPORAL and len(candidates) == 1:
        return candidates[0]
    if first.location:
        words = first.location.replace(",", "").split()
        line, module = int(words[1]), words[-1]
        named = _defined_in(work / f"{module}.tla", line) or library.property_at(
            model.spec, model.properties, line, module
        )
        if named:
            return property_named(model, named)
    if not topologies or len(candidates) == 1:
        return None
    if first.trace is not None and first.outcome is Outcome.ACTION_PROPERTY:
        length = len(first.trace)  # the state space may be endless; what was found lies in its first states
        model = replace(model, depth=min(model.depth or length, length))
    model = replace(model, stated=False)
    for name in model.properties:
        seconds = until - time.monotonic()
        alone = run_model(model, library, tools, work, seconds, topologies=topologies, properties=(name,))
        if alone.violations and alone.violations[0].name is None:
            return name
    return assumed[0] if len(assumed) == 1 else None


def _defined_in(rendered: Path, line: int) -> str | None:
    """Name the property that a line (from 1) of what was rendered defines; ``None`` for a place in another module."""
    if not rendered.is_file():
        return None
    return rendered.read_text(encoding="utf-8").split("\n")[line - 1].partition(" == ")[0]
