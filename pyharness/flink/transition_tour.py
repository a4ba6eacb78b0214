"""Every transition of the operator's state graph, taken by Flink's handler.

The graph is that of the :class:`~pyharness.protocols.Operator`, whose steps ``pyharness conform`` compares with
those of ``BarrierHandler`` in the specs. Its states are reached by shortest sequences, with ids in any order, and a
log with no more than one record for each input, so that it is finite.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.flink.event_sequences import record_name
from pyharness.flink.expected_differences import find_expected
from pyharness.protocols.checkpoints.operator import END, Barrier, Cancel, Operator
from pyharness.protocols.checkpoints.operator_drive import TIMEOUT, Overtaking, Timeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.flink.event_sequences import Event
    from pyharness.flink.handler_comparison import Comparer, Difference
    from pyharness.protocols.checkpoints.operator import Handled, OperatorState

__all__ = ["Tour", "take_every_transition", "transitions"]

_SAY_EVERY = 200


@dataclass
class Tour:
    """What came of it: ``states`` and ``transitions`` of the graph, by what Flink does at each.

    ``same`` were taken by Flink with the same effect; ``expected`` show a known difference, and ``behind`` cannot be
    reached but by a sequence that has one before; ``unexpected`` are all others.
    """

    mode: str
    version: str
    states: int = 0
    transitions: int = 0
    same: int = 0
    expected: int = 0
    behind: int = 0
    unexpected: list[Difference] = field(default_factory=list)

    @property
    def agreed(self) -> bool:
        """Tell whether there was a graph, and nothing in it that is not expected."""
        return self.same > 0 and not self.unexpected


def transitions(operator: Operator, ids: int) -> Iterator[tuple[OperatorState, tuple[Event, ...]]]:
    """Yield each transition: the state it leads to, and a shortest sequence that ends with it."""
    begin = operator.initial()
    seen = {begin}
    waiting: deque[tuple[OperatorState, tuple[Event, ...]]] = deque([(begin, ())])
    while waiting:
        state, path = waiting.popleft()
        for event in _events(operator, state, ids, record_name(len(path))):
            handled = _handle(operator, state, event)
            if handled is None:
                continue
            after = _without_names(handled.state)
            yield after, (*path, event)
            if after not in seen:
                seen.add(after)
                waiting.append((after, (*path, event)))


def take_every_transition(
    comparer: Comparer, inputs: int, ids: int, say: Callable[[str], None] = lambda _: None
) -> Tour:
    """Let Flink take every transition of the operator's state graph, and compare."""
    tour = Tour(comparer.mode, comparer.flink.version)
    states = set()
    for state, events in transitions(Operator(inputs, comparer.mode, first=1), ids):
        states.add(state)
        tour.transitions += 1
        _judge(tour, comparer, comparer.compare(events, inputs), len(events))
        if tour.transitions % _SAY_EVERY == 0:
            say(f"{comparer.mode}: {tour.transitions:,} transitions")
    tour.states = len(states | {Operator(inputs, comparer.mode, first=1).initial()})
    return tour


def _judge(tour: Tour, comparer: Comparer, found: Difference | None, length: int) -> None:
    if found is None:
        tour.same += 1
        return
    if not find_expected(comparer, found):
        tour.unexpected.append(comparer.minimise(found))
    elif len(found.events) < length:
        tour.behind += 1
    else:
        tour.expected += 1


def _events(operator: Operator, state: OperatorState, ids: int, name: str) -> Iterator[Event]:
    for source in sorted(operator.inputs):
        free = not any(pending.log[source] for pending in state.pending)
        if free:
            yield source, name
        for number in range(1, ids + 1):
            yield source, Barrier(number)
            yield source, Cancel(number)
            if free:
                yield source, Overtaking(Barrier(number), (name,))
        yield source, END
    yield 0, TIMEOUT


def _handle(operator: Operator, state: OperatorState, event: Event) -> Handled | None:
    source, element = event
    if isinstance(element, Timeout):
        return operator.time_out(state)
    if isinstance(element, Overtaking):
        handled = operator.overtake(state, source or 0, element.barrier, element.records)
        return None if handled is None else _with_overtaken(operator, handled, source or 0, element)
    return operator.handle(state, source or 0, element)


def _with_overtaken(operator: Operator, handled: Handled, source: int, element: Overtaking) -> Handled:
    """Let the records that were overtaken come, as they do at once."""
    for record in element.records:
        handled = operator.handle(handled.state, source, record) or handled
    return handled


def _without_names(state: OperatorState) -> OperatorState:
    """Give all records in the logs one name: which they are makes no difference."""
    named = (p._replace(log=tuple(tuple("record" for _ in log) for log in p.log)) for p in state.pending)
    return state._replace(pending=tuple(named))
