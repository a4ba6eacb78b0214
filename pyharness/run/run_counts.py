"""What a run of TLC counted: how often each action was taken, how many states each topology has, what was evaluated.

TLC's coverage tells all of it, and counts every expression for that, which is the dearest part of a check. Registers of
the model tell the same (:mod:`pyharness.plan.counted_steps`); they count where they add up to TLC's own numbers, and
nowhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.plan.counted_steps import counted_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.modules.library import Library
    from pyharness.plan.counted_steps import CountedSteps
    from pyharness.plan.model import Model
    from pyharness.tlc import Result
    from pyharness.topology import Topology

_EVALUATED: Final = re.compile(r'"evaluated (\w+)"')
_STATES: Final = re.compile(r'<<"counted", (\d+), (\d+), \d+>>')
_TAKEN: Final = re.compile(r'<<"taken", (\d+), (\d+)>>')


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
    result: Result,
    model: Model,
    library: Library,
    counted: CountedSteps,
    topologies: Sequence[Topology],
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
