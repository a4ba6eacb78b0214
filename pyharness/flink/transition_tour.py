"""Every step of the handler's state graph, as TLC explored it, taken by the operator and by Flink's handler.

Three parties to one comparison: what TLC says of a step is held against the operator, and the operator against Flink.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pyharness.flink.expected_differences import find_expected
from pyharness.flink.handler_comparison import NOT_SEEN
from pyharness.flink.handler_steps import Said, explore_handler, walks_of
from pyharness.protocols.checkpoints.operator_drive import drive

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.flink.event_sequences import Event
    from pyharness.flink.handler_comparison import Comparer, Difference
    from pyharness.flink.handler_steps import Step, Walks
    from pyharness.protocols.checkpoints.operator_drive import Moment

_SAY_EVERY = 200


class Apart(NamedTuple):
    """A step at which the operator does something else than TLC says: the events, and both at the last of them."""

    events: tuple[Event, ...]
    spec: Said
    operator: Said


@dataclass
class Tour:
    """What came of it: ``states`` and ``transitions`` of TLC's graph, by what Flink does at each.

    ``same`` were taken by Flink with the same effect; ``expected`` show a known difference, and ``behind`` cannot be
    reached but by a sequence that has one before; ``unexpected`` are all others. ``apart`` are those at which the
    operator differs from the spec already.
    """

    mode: str
    version: str
    states: int = 0
    transitions: int = 0
    same: int = 0
    expected: int = 0
    behind: int = 0
    unexpected: list[Difference] = field(default_factory=list)
    apart: list[Apart] = field(default_factory=list)

    @property
    def agreed(self) -> bool:
        """Tell whether there was a graph, and nothing in it that is not expected."""
        return self.same > 0 and not self.unexpected and not self.apart


def take_every_transition(
    comparer: Comparer,
    inputs: int,
    ids: int,
    say: Callable[[str], None] = lambda _: None,
    *,
    own_alignment: bool = False,
) -> Tour:
    """Let TLC explore the handler's spec, and the operator and Flink take every transition; compare.

    With ``own_alignment`` barriers say of their own how they are aligned, and are announced while they are queued.
    """
    mode = comparer.mode
    say("TLC explores")
    graph = explore_handler(mode, inputs, ids, own_alignment=own_alignment, after_ends=comparer.after_ends)
    return tour_of(comparer, inputs, walks_of(graph, mode), say)


def tour_of(
    comparer: Comparer, inputs: int, walks: Walks, say: Callable[[str], None] = lambda _: None
) -> Tour:
    """Let the operator and Flink take every step of these walks."""
    tour = Tour(comparer.mode, comparer.flink.version, walks.states)
    for step in walks.steps:
        tour.transitions += 1
        _hold_against_spec(tour, comparer, inputs, step)
        _judge(tour, comparer, comparer.compare(step.events, inputs), len(step.events))
        if tour.transitions % _SAY_EVERY == 0:
            say(f"{tour.transitions:,} transitions")
    return tour


def _hold_against_spec(tour: Tour, comparer: Comparer, inputs: int, step: Step) -> None:
    moments = drive(step.events, inputs, comparer.mode, kind=comparer.kind, after_ends=comparer.after_ends)
    done = _as_said(moments[-1])
    if done != step.said:
        tour.apart.append(Apart(step.events, step.said, done))


def _as_said(moment: Moment) -> Said:
    """Return a moment of the operator as the spec says it: without the records' names."""
    effects = tuple(
        effect._replace(record=None)
        for effect in moment.effects
        if effect.kind not in {*NOT_SEEN, "finished"}
    )
    return Said(effects, moment.blocked, {n: tuple(map(len, log)) for n, log in moment.pending.items()})


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
