"""A check in a run that writes the state graph too, for a comparison that needs the graph anyway.

TLC's coverage, which counts every expression, is the dearest part of a large check. What a verdict needs of it is in
the graph: how often each action was taken, and how many states each topology has. That each invariant was evaluated
TLC says itself, in the run: it prints the name of each one as that holds first.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.models.known_defects import defects_of
from pyharness.models.render import PROBES
from pyharness.models.table_rows import ActionRow, WitnessRow
from pyharness.models.tlc_runs import (
    asked_properties,
    evaluated_invariants,
    first_places,
    run_model,
    run_row,
    topology_row,
)
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.models.witness import probes_of
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.tlc.dump import EDGE_LINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result

_EDGE: Final = re.compile(EDGE_LINE + r"\n?\Z")
_NODE_BEGINS: Final = re.compile(r"(-?\d+) \[label=")
_TOPOLOGY: Final = re.compile(r'topo = \\"([^"\\]*)\\"')


@dataclass(frozen=True)
class GraphCounts:
    """What a state graph says of a check: the distinct ``states`` of each topology, the ``steps`` of each action."""

    states: Mapping[str, int]
    steps: Mapping[str, int]


@dataclass(frozen=True)
class GraphCheck:
    """A check that passed: its ``rows``, and the ``result`` of the run that wrote the graph."""

    rows: Sequence[TableRow]
    result: Result


def writes_graph(model: Model, library: Library) -> bool:
    """Tell whether a model is checked in one run that writes its whole state graph.

    Its graph is to be compared; it is to pass, on all its graphs at once; and none of its properties is about whole
    behaviours, for which TLC writes states again.
    """
    if not model.conform or model.expect != "pass" or model.mutant or model.fair or len(model.batches) != 1:
        return False
    try:
        for name in model.properties:
            library.formula(model.spec, name)
    except SpecError:
        return False
    return True


def check_with_graph(
    job: Job,
    library: Library,
    tools: Tools,
    work: Path,
    dump: Path,
) -> GraphCheck | None:
    """Check the model of a ``check`` job in one run that writes its state graph to ``dump``.

    ``None`` unless the check passed, and TLC is not known to evaluate such a spec wrongly: its rows are then those of
    a check without the graph.
    """
    model, probes = job.model, probes_of(job.model, library)
    result = run_model(
        model,
        library,
        tools,
        work,
        model.budget.seconds,
        topologies=model.topologies,
        probes=probes,
        dump=dump,
    )
    doubted = any(any(defects_of(library, name, result.tlc_version)) for name in model.modules)
    if meaning(result).verdict is not Verdict.PASS or doubted:
        return None
    counts = count_graph(dump)
    printed = evaluated_invariants(result)
    evaluated = [name for name in printed if name != PROBES]
    rows: list[TableRow] = [
        run_row(job, 0, result, None, len(model.topologies), evaluated, asked_properties(work, model))
    ]
    names = next_actions(library, model.spec)
    rows += [ActionRow(job.id, 0, name, counts.steps.get(name, 0)) for name in names]
    rows += [
        topology_row(job, topology, counts.states.get(topology.id, 0), result.outcome.value, None)
        for topology in model.topologies
    ]
    found = {name for name, _ in first_places(result, list(probes))}
    rows += [
        WitnessRow(job.id, model.name, name, formula, name in found)
        for name, formula in probes.items()
        if PROBES in printed
    ]
    return GraphCheck(rows, result)


def count_graph(dump: Path) -> GraphCounts:
    """Count the states and the steps of a graph dump, each once: TLC may write a step twice, those of a state together.

    What cannot be read is not counted; TLC's own counts tell of it.
    """
    seen: set[str] = set()
    source, leaving = "", set[tuple[str, str]]()
    states: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    with dump.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            words = line.split(" ", 3)
            if len(words) == 4 and words[1] == "->":
                if words[0] != source:
                    source, leaving = words[0], set()
                if (step := (words[2], words[3])) not in leaving:
                    leaving.add(step)
                    tails[words[3]] += 1
            elif (node := _NODE_BEGINS.match(line)) and node[1] not in seen:
                seen.add(node[1])
                if topology := _TOPOLOGY.search(line):
                    states[topology[1]] += 1
    steps: Counter[str] = Counter()
    for tail, count in tails.items():
        if (edge := _EDGE.match(f"0 -> 0 {tail}")) and edge[3]:
            steps[edge[3].partition("(")[0]] += count
    return GraphCounts(states, steps)
