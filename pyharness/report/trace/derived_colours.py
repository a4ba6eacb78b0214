"""Colours that are not in a trace's states, but follow from what was recorded when.

The checkpoints of ``specs/Checkpoints.tla`` have no colours, and neither has a computation that was reordered. With a
cut they do: what happens at a process before the cut is white, and what happens there from it on is red.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyharness.explain.state_values import entries, members, show
from pyharness.report.trace.events import RED, WHITE, Cut, Diagram, Event, Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.tlc import Trace


def crossing(message: str | None, before: str | None, after: str | None) -> str | None:
    """Tell how a message of a colour crosses the cut that is accepted by a process of these colours."""
    if message == RED and before == after == WHITE:
        return "red in white"
    if message == WHITE and before == RED:
        return "white in red"
    return None


def coloured_by_checkpoints(diagram: Diagram, trace: Trace) -> Diagram:
    """Colour a run with checkpoints: red from the first that the process recorded since the start or a crash.

    A checkpoint that was aborted colours nothing: it is no snapshot.
    """
    crashes = [event.index for event in diagram.events if event.crash]
    ends = [0, *crashes, len(diagram.events)]
    red_from: dict[int, list[tuple[int, int]]] = {i: [] for i in range(len(diagram.lanes))}
    for start, end in pairwise(ends):
        dropped = members(trace.steps[end - 1].state.get("aborted"))
        for cut in diagram.cuts:
            for lane, at in cut.at.items():
                if start <= at < end and cut.number not in dropped:
                    red_from[lane].append((int(at), end))

    def colour(lane: int, time: float) -> str:
        return RED if any(start <= time < end for start, end in red_from[lane]) else WHITE

    return _coloured(diagram, colour)


def coloured_by_sss(diagram: Diagram, trace: Trace, sss: Any) -> Diagram:
    """Colour a reordered computation: white before the state with the index ``sss``, which is SSS, and red from it on.

    A diagram that has a cut stays as it is, as it does when ``sss`` is no index.
    """
    if diagram.cuts or type(sss) is not int or not 0 <= sss < len(diagram.events):
        return diagram
    processes = {lane.key: i for i, lane in enumerate(diagram.lanes) if lane.is_process}
    states = entries(trace.steps[sss].state.get("state"))
    cut = Cut(
        "snapshot",
        dict.fromkeys(processes.values(), sss + 0.5),
        {processes[key]: show(value) for key, value in states.items() if key in processes},
    )
    diagram = replace(diagram, cuts=(cut,))
    return _coloured(diagram, lambda _, time: RED if time > sss else WHITE)


def _coloured(diagram: Diagram, colour: Callable[[int, float], str]) -> Diagram:
    """Colour events and messages; ``colour`` gives a lane's colour at a time, an event's after it."""

    def event_coloured(event: Event) -> Event:
        lanes = [lane for lane in event.lanes if diagram.lanes[lane].is_process]
        if not lanes:
            return event
        before = tuple(colour(lane, event.index - 0.25) for lane in lanes)
        return replace(event, before=before, after=tuple(colour(lane, event.index) for lane in lanes))

    def message_coloured(message: Message) -> Message:
        if message.is_control:
            return message
        own = colour(message.source, message.sent)
        if message.accepted is None:
            return replace(message, colour=own)
        at = message.accepted
        met = crossing(own, colour(message.target, at - 0.25), colour(message.target, at))
        return replace(message, colour=own, crossing=met)

    return replace(
        diagram,
        events=tuple(map(event_coloured, diagram.events)),
        messages=tuple(map(message_coloured, diagram.messages)),
    )
