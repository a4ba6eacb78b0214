"""The handler's state graph as TLC explored it, and every step of it taken by the operator and by Flink's handler.

The graph is that of ``HandlerSteps`` in the specs, read from TLC's own dump. Each of its steps becomes a sequence of
events, with the spec's effects at the last of them. It is a comparison of three parties: TLC's effects of a step
are compared with the operator's, and the operator's with Flink's.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.base.errors import IncompleteError
from pyharness.hold.flink.event_sequences import event_text, record_name
from pyharness.hold.flink.expected_differences import find_expected
from pyharness.hold.flink.handler_comparison import NOT_SEEN
from pyharness.machines.explain.state_values import entries
from pyharness.machines.protocols.checkpoints.operator import END, OF_MODE, Barrier, Cancel
from pyharness.machines.protocols.checkpoints.operator_drive import (
    GO_ON,
    TIMEOUT,
    Effect,
    Overtaking,
    Queued,
    drive,
)
from pyharness.models.machine_tools import find_tools
from pyharness.models.render import Rendered
from pyharness.models.text_run import run_texts
from pyharness.models.tlc_verdict import require_success
from pyharness.tla.tlc import load_graph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.hold.flink.event_sequences import Event
    from pyharness.hold.flink.handler_comparison import Comparer, Deviation
    from pyharness.machines.protocols.checkpoints.operator_drive import Reaction
    from pyharness.tla.tlc import DumpGraph


_MODULE = "HandlerSteps"
_SECONDS = 600.0
"""The seconds after which TLC is stopped; the graphs take a few."""

_CONFIG = """\
SPECIFICATION Spec
CONSTANTS
  Mode = "{mode}"
  AfterEnds = {after_ends}
  MostPending = 50
  NumInputs = {inputs}
  MaxId = {ids}
  OwnAlignment = {own_alignment}
INVARIANTS TypeOK NoneWaitsForNothing
"""

_AT_ONCE = {"OvertakesNow", "Follows"}
"""The actions that follow an event without another one."""


class Stated(NamedTuple):
    """The spec's effects at an event, in their order, the blocked inputs, and how long each log is.

    Records have no names there.
    """

    effects: tuple[Effect, ...]
    blocked: frozenset[int]
    logs: dict[int, tuple[int, ...]]


class TourStep(NamedTuple):
    """A step of the graph: a shortest sequence of events that ends with it, and the spec's effects at that end."""

    events: tuple[Event, ...]
    stated: Stated


class Walks(NamedTuple):
    """The number of states in which a task waits for an event, and every step from one of them to another."""

    states: int
    steps: tuple[TourStep, ...]


def explore_handler(
    mode: str, inputs: int, ids: int, *, own_alignment: bool = False, after_ends: bool = True
) -> DumpGraph:
    """Let TLC explore the handler of a mode, and return its state graph.

    ``own_alignment`` is whether barriers may carry their own alignment, and be queued after a record. Raises
    SpecError or ToolError where TLC finds an error, IncompleteError where it does not finish.
    """
    tools = find_tools()
    with tempfile.TemporaryDirectory(prefix="pyharness-flink-") as directory:
        work = Path(directory)
        root = f"---- MODULE Root ----\nEXTENDS {_MODULE}\n====\n"
        config = _CONFIG.format(
            mode=mode, inputs=inputs, ids=ids, own_alignment=int(own_alignment), after_ends=int(after_ends)
        )
        dump = work / "graph.dot"
        result = run_texts(Rendered("Root", root, config), tools, work, timeout=_SECONDS, dump=dump)
        require_success(result, f"{_MODULE}, mode {mode}", "take fewer inputs or ids")
        graph = load_graph(dump)
    if len(graph.states) != result.distinct:
        raise IncompleteError(
            f"{len(graph.states)} states in the graph, {result.distinct} counted",
            where=_MODULE,
            hint="run it again",
        )
    return graph


def walks_of(graph: DumpGraph, mode: str) -> Walks:
    """Return every step of a graph from one state that waits for an event to the next, with a shortest way there.

    A step is a state of the task and its queues, and an event; the immediate consequences belong to it.
    """
    begun: dict[int, list[int]] = defaultdict(list)
    at_once: dict[int, int] = {}
    for edge in graph.edges:
        if edge.action in _AT_ONCE:
            at_once[edge.source] = edge.target
        else:
            begun[edge.source].append(edge.target)
    ways: dict[Any, tuple[Event, ...]] = {}
    steps: dict[Any, TourStep] = {}
    waiting = deque(graph.initial)
    for node in graph.initial:
        ways[_place(graph.states[node])] = ()
    while waiting:
        node = waiting.popleft()
        place = _place(graph.states[node])
        found: dict[Event, int] = {}
        for target in begun[node]:
            while target in at_once:
                target = at_once[target]  # noqa: PLW2901
            event = _event(graph.states[target]["step"], mode, record_name(len(ways[place])))
            found[event] = target
        for event in sorted(found, key=event_text):
            events = (*ways[place], event)
            steps[place, event] = TourStep(events, _effects_of(graph.states[found[event]], mode))
            after = _place(graph.states[found[event]])
            if after not in ways:
                ways[after] = events
                waiting.append(found[event])
    return Walks(len(ways), tuple(steps.values()))


def _place(state: Mapping[Any, Any]) -> tuple[Any, Any]:
    return state["task"], state["queue"]


def _event(step: Any, mode: str, name: str) -> Event:
    source = step["input"] - 1
    alignment = None if step["alignment"] == OF_MODE.get(mode, "aligned") else step["alignment"]
    barrier = Barrier(step["id"], alignment=alignment)
    elements = {
        "record": name,
        "barrier": barrier,
        "overtakes": Overtaking(barrier, (name,)),
        "queued": Queued(barrier, (name,)),
        "go on": GO_ON,
        "cancel": Cancel(step["id"]),
        "end": END,
    }
    return (0, TIMEOUT) if step["event"] == "timeout" else (source, elements[step["event"]])


def _effects_of(state: Mapping[Any, Any], mode: str) -> Stated:
    step, pending = state["step"], state["task"]["pending"]
    effects = []
    for did in step["did"]:
        alignment = did.get("alignment")
        effects.append(
            Effect(
                did["what"],
                input=did["input"] - 1 if "input" in did else None,
                id=did.get("id"),
                alignment=None if alignment == OF_MODE.get(mode, "aligned") else alignment,
            )
        )
    return Stated(
        tuple(effects),
        frozenset(source - 1 for source in step["blocked"]),
        {each["id"]: tuple(map(len, entries(each["log"]).values())) for each in pending},  # type: ignore[arg-type]
    )


class Apart(NamedTuple):
    """A step at which the operator's effects are not TLC's: the events, and both at the last of them."""

    events: tuple[Event, ...]
    spec: Stated
    operator: Stated


@dataclass
class Tour:
    """The result: ``states`` and ``transitions`` of TLC's graph, by Flink's effects at each.

    ``same`` were taken by Flink with the same effect; ``expected`` show a known difference, and ``after_expected`` can
    be reached only after one; ``unexpected`` are all others. ``apart`` are those at which the
    operator differs from the spec already.
    """

    mode: str
    version: str
    states: int = 0
    transitions: int = 0
    same: int = 0
    expected: int = 0
    after_expected: int = 0
    unexpected: list[Deviation] = field(default_factory=list)
    apart: list[Apart] = field(default_factory=list)

    @property
    def agreed(self) -> bool:
        """Return whether there was a graph, and nothing in it that is not expected."""
        return self.same > 0 and not self.unexpected and not self.apart


def take_every_transition(comparer: Comparer, inputs: int, ids: int, *, own_alignment: bool = False) -> Tour:
    """Let TLC explore the handler's spec, and the operator and Flink take every transition; compare.

    With ``own_alignment`` barriers carry their own alignment, and are announced while they are queued.
    """
    mode = comparer.mode
    graph = explore_handler(mode, inputs, ids, own_alignment=own_alignment, after_ends=comparer.after_ends)
    return tour_of(comparer, inputs, walks_of(graph, mode))


def tour_of(comparer: Comparer, inputs: int, walks: Walks) -> Tour:
    """Let the operator and Flink take every step of these walks."""
    tour = Tour(comparer.mode, comparer.flink.version, walks.states)
    for step in walks.steps:
        tour.transitions += 1
        _hold_against_spec(tour, comparer, inputs, step)
        _judge(tour, comparer, comparer.compare(step.events, inputs), len(step.events))
    return tour


def _hold_against_spec(tour: Tour, comparer: Comparer, inputs: int, step: TourStep) -> None:
    moments = drive(step.events, inputs, comparer.mode, kind=comparer.kind, after_ends=comparer.after_ends)
    done = _as_stated(moments[-1])
    if done != step.stated:
        tour.apart.append(Apart(step.events, step.stated, done))


def _as_stated(moment: Reaction) -> Stated:
    """Return a moment of the operator as the spec has it: without the records' names."""
    effects = tuple(
        effect._replace(record=None)
        for effect in moment.effects
        if effect.kind not in {*NOT_SEEN, "finished"}
    )
    return Stated(effects, moment.blocked, {n: tuple(map(len, log)) for n, log in moment.pending.items()})


def _judge(tour: Tour, comparer: Comparer, found: Deviation | None, length: int) -> None:
    if found is None:
        tour.same += 1
        return
    if not find_expected(comparer, found):
        tour.unexpected.append(comparer.minimise(found))
    elif len(found.events) < length:
        tour.after_expected += 1
    else:
        tour.expected += 1
