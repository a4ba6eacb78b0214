"""Compare a program with a spec: self-test, all small graphs, random walks; or an operator's events.

>>> from pyharness.hold.programs import HoldPlan, hold
>>> found = hold(["python3", "snapshot.py"], HoldPlan("ChandyLamport"))     # doctest: +SKIP
>>> assert not found.difference, found.difference                       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.base.topology import Topology, dataflows, parse_topologies, select
from pyharness.hold.programs.case_runs import minimise, repeat
from pyharness.hold.programs.child_process import Limits
from pyharness.hold.programs.difference import Difference
from pyharness.hold.programs.operators import (
    OPERATOR,
    OperatorCase,
    OperatorDifference,
    hold_operator,
    repeat_operator,
)
from pyharness.hold.programs.program_self_test import self_test
from pyharness.hold.programs.program_walks import ProductWalk, RandomWalks, Walked, random_walks
from pyharness.hold.programs.team import Programs
from pyharness.hold.programs.vocabulary import find_held
from pyharness.hold.programs.watched_machine import watched_system
from pyharness.machines.protocols import Items

if TYPE_CHECKING:
    from pyharness.hold.flink.operator_comparison import Comparison
    from pyharness.hold.programs.difference import ProgramCase
_Report = Callable[[str], None]


@dataclass(frozen=True)
class HoldPlan:
    """The spec that a program is compared with, and the extent of the comparison.

    On each of ``graphs`` (by default :func:`default_graphs`) there are ``items`` items (by default one, of a dataflow
    two), spread over the processes; no walk has more than ``max_states`` pairs. ``walks`` random ones follow, from a
    ``seed``; of an operator of a ``mode`` with ``inputs`` inputs they are random lists of events.
    """

    protocol: str = "ChandyLamport"
    graphs: tuple[Topology, ...] = ()
    items: int | None = None
    max_states: int = 200_000
    walks: int = 100
    seed: int = 1
    mode: str = "aligned"
    inputs: int = 2
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class HoldResult:
    """The result: the tests of the self-test, how far each part got, and the first difference, made small.

    It is true without a difference. ``pure`` is whether the program hands its state out; ``asked`` counts the events
    that programs were given.
    """

    plan: HoldPlan
    tested: tuple[str, ...] = ()
    pure: bool = False
    graphs: tuple[tuple[str, Walked], ...] = ()
    walks: RandomWalks | None = None
    operator: Comparison | None = None
    difference: Difference | OperatorDifference | None = None
    asked: int = 0

    def __bool__(self) -> bool:
        return self.difference is None

    @property
    def items(self) -> int:
        """The number of items on the graphs that were walked."""
        return _items(self.plan)

    def total(self, name: str) -> int:
        """Return the sum of a count of :class:`Walked` over the graphs."""
        return sum(getattr(walked, name) for _, walked in self.graphs)


def default_graphs(protocol: str) -> tuple[Topology, ...]:
    """Return the graphs that are walked if none is named: all of two and three processes that the protocol is for.

    They are strongly connected, and one process may begin; or they are dataflows without cycles, and a diamond. Beside
    them are some where two processes may begin, one has a channel to itself, or one has three inputs.
    """
    held = find_held(protocol)
    if held.dataflow:
        small = (*dataflows("acyclic", 2), *dataflows("acyclic", 3), *dataflows("diamond", 4))
        return (*small, *parse_topologies(["join:4"]))
    further = ["1>2,2>1@1,2", "1>1,1>2,2>1@1", _THREE_INPUTS]
    return (*select({"processes": [2, 3]}), *parse_topologies(further[: 2 if held.constants else 3]))


_THREE_INPUTS: Final = "2>1,3>1,4>1,1>2,2>3,3>4@1,2"
"""Four processes, of which one that may begin has three inputs: too large where several snapshots are taken at once."""


def hold(
    command: Sequence[str], plan: HoldPlan, report: _Report = lambda _: None, *, test_only: bool = False
) -> HoldResult:
    """Compare the program that a command line starts with a spec.

    ``report`` is called with lines of text. Raises SpecError if it cannot be started or the plan is wrong, ProgramError
    if it does not pass the self-test, IncompleteError without a verdict: a walk has more pairs than allowed, or no answer
    came in time and that did not happen again.
    """
    with Programs(command, plan.limits) as programs:
        tested = self_test(programs, plan.protocol, plan.mode)
        report(f"self-test: {', '.join(tested)}")
        held = HoldResult(plan, tested, pure="it hands its state out" in tested)
        if not test_only:
            held = (
                _of_graphs(held, programs, report)
                if plan.protocol != OPERATOR
                else _of_operator(held, programs)
            )
        return replace(held, asked=programs.requests())


def hold_again(
    command: Sequence[str], case: ProgramCase | OperatorCase, limits: Limits
) -> Difference | OperatorDifference | None:
    """Ask a program a case once more: return how it differs, or None if it does what the spec does.

    Raises SpecError if it cannot be started, or for a case that the spec has not.
    """
    with Programs(command, limits) as programs:
        if isinstance(case, OperatorCase):
            return repeat_operator(case, programs)
        return repeat(case, programs)


def _of_operator(held: HoldResult, programs: Programs) -> HoldResult:
    plan = held.plan
    found = hold_operator(programs, plan.mode, inputs=plan.inputs, runs=plan.walks, seed=plan.seed)
    if isinstance(found, OperatorDifference):
        return replace(held, difference=found)
    return replace(held, operator=found)


def _of_graphs(held: HoldResult, programs: Programs, report: _Report) -> HoldResult:
    plan, spec = held.plan, find_held(held.plan.protocol)
    items = Items(held.items, "spread")
    graphs = plan.graphs or default_graphs(plan.protocol)
    for number, graph in enumerate(graphs, start=1):
        system = watched_system(spec, graph, items)
        walk = ProductWalk(system, programs.team(graph.processes), max_states=plan.max_states, seed=plan.seed)
        walked = walk.run()
        if isinstance(walked, Difference):
            return replace(held, difference=_smallest(walked.met_at(f"walk of {graph.id}"), programs, report))
        held = replace(held, graphs=(*held.graphs, (graph.id, walked)))
        report(
            f"{number} of {len(graphs)}, {graph.id}: {walked.states:,} states, {walked.transitions:,} transitions"
        )
    walks = random_walks(spec, programs, plan.walks, seed=plan.seed)
    if isinstance(walks, Difference):
        return replace(held, difference=_smallest(walks, programs, report))
    report(f"{walks.walks} random walks, {walks.steps:,} steps")
    return replace(held, walks=walks)


def _items(plan: HoldPlan) -> int:
    return plan.items or (2 if plan.protocol != OPERATOR and find_held(plan.protocol).dataflow else 1)


def _smallest(found: Difference, programs: Programs, report: _Report) -> Difference:
    """Repeat a difference with new processes, and make it small if it comes again.

    Raises IncompleteError if it is that no answer came in time, and does not come again.
    """
    report(f"a difference ({found.found}); making it smaller")
    programs.renew()
    again = repeat(found.case, programs)
    if again is None and found.silent:
        raise IncompleteError(
            f"{found.mismatches[0].program} once, and in time when it was asked again",
            hint="is the machine busy? give it more by --timeout",
        )
    if again is None or not again.fields <= found.fields:
        return replace(found, again=False)
    return minimise(again.met_at(found.found), programs)
