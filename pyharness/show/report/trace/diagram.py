"""From a trace to its diagram: :func:`diagram_of`.

Colours that are not in a trace's states, but follow from what was recorded when. The checkpoints of
``specs/Checkpoints.tla`` have no colours, and neither has a computation that was reordered. With a cut they do: an
event at a process before the cut is white, and one there from it on is red.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyharness.machines.explain.readable_values import Wording
from pyharness.machines.explain.state_values import entries, members, name_of, show, words
from pyharness.show.report.trace.events import RED, WHITE, Diagram, DrawnCut, DrawnEvent, DrawnMessage, Lane
from pyharness.show.report.trace.recordings import Flow, Recordings, channels_of
from pyharness.show.report.trace.state_rows import BY_PROCESS
from pyharness.tla.values import Fn, Value, same, sort_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyharness.show.report.trace.recordings import Moved
    from pyharness.tla.tlc import Trace, TraceStep


def crossing(message: str | None, before: str | None, after: str | None) -> str | None:
    """Return how a message of a colour crosses the cut that is accepted by a process of these colours."""
    if message == RED and before == after == WHITE:
        return "red in white"
    if message == WHITE and before == RED:
        return "white in red"
    return None


def coloured_by_checkpoints(diagram: Diagram, trace: Trace) -> Diagram:
    """Colour a run with checkpoints: red from the first that the process recorded since the start or a crash.

    A checkpoint that was aborted colours nothing: it is not a snapshot.
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

    A diagram that has a cut stays as it is, as it does when ``sss`` is not an index.
    """
    if diagram.cuts or type(sss) is not int or not 0 <= sss < len(diagram.events):
        return diagram
    processes = {lane.key: i for i, lane in enumerate(diagram.lanes) if lane.is_process}
    states = entries(trace.steps[sss].state.get("state"))
    cut = DrawnCut(
        "snapshot",
        dict.fromkeys(processes.values(), sss + 0.5),
        {processes[key]: show(value) for key, value in states.items() if key in processes},
    )
    diagram = replace(diagram, cuts=(cut,))
    return _coloured(diagram, lambda _, time: RED if time > sss else WHITE)


def _coloured(diagram: Diagram, colour: Callable[[int, float], str]) -> Diagram:
    """Colour events and messages; ``colour`` gives a lane's colour at a time, an event's after it."""

    def event_coloured(event: DrawnEvent) -> DrawnEvent:
        lanes = [lane for lane in event.lanes if diagram.lanes[lane].is_process]
        if not lanes:
            return event
        before = tuple(colour(lane, event.index - 0.25) for lane in lanes)
        return replace(event, before=before, after=tuple(colour(lane, event.index) for lane in lanes))

    def message_coloured(message: DrawnMessage) -> DrawnMessage:
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


_LOCAL = BY_PROCESS - {"output", "collected"}
"""Where these change, the process acts: a sink's output changes with another variable, and the collector collects."""

_SETS = ("paused", "ended")
"""Variables that are sets of processes."""

_GHOSTS = (("redInWhite", "red in white"), ("whiteInRed", "white in red"))
"""Variables that only watch which messages cross the cut."""


def diagram_of(trace: Trace, meta: Mapping[str, Any] | None = None) -> Diagram:
    """Derive the diagram of a trace.

    ``meta`` is its document's: ``title``, ``violated``, ``violated_at`` (an index, else it is the last
    step), ``sss`` (the index of the state that is the snapshot).
    """
    return _Derivation(trace, meta or {}).diagram()


def with_places(trace: Trace, meta: Mapping[str, Any]) -> Trace:
    """Return a trace whose actions have their subjects as arguments: ``Initiate(P1)``, ``Accept(C12, 1)``."""
    diagram = diagram_of(trace, meta)
    places = [
        ", ".join(
            event.detail.split(" ", 1) if event.detail else (diagram.lanes[n].name for n in event.lanes)
        )
        for event in diagram.events
    ]
    steps = [
        replace(step, arguments=step.arguments or place)
        for step, place in zip(trace.steps, places, strict=True)
    ]
    return replace(trace, steps=tuple(steps))


def has_processes(trace: Trace) -> bool:
    """Return whether the diagram of a trace would have a lane of a process."""
    return bool(_processes(trace))


class _Derivation:
    """One trace on its way to a diagram."""

    def __init__(self, trace: Trace, meta: Mapping[str, Any]) -> None:
        self._trace, self._meta = trace, meta
        self._first: Fn = trace.steps[0].state
        self._lanes = [Lane(name_of(process), process) for process in _processes(trace)]
        self._index = {lane.key: i for i, lane in enumerate(self._lanes)}
        self._outside: int | None = None
        self._wording = Wording(trace, self._meta)
        self._flow = Flow(self._index, self._wording)
        self._recordings = Recordings(self._index, self._first)
        self._events: list[DrawnEvent] = []
        self._under_way: dict[Value, int] = {}
        self._triggers: dict[Value, int] = {}
        if "triggered" in self._first:
            self._outsider()

    def diagram(self) -> Diagram:
        before: TraceStep | None = None
        for index, step in enumerate(self._trace.steps):
            self._step(index, before, step)
            before = step
        endless = self._trace.lasso is not None or self._trace.stuttering
        violated = self._text("violated")
        diagram = Diagram(
            self._text("title") or "A trace",
            tuple(self._lanes),
            tuple(self._events),
            self._flow.messages,
            self._recordings.cuts(),
            self._recordings.kept(),
            violated,
            None if endless or violated is None else self._violated_at(),
            self._trace.lasso,
            self._trace.stuttering,
        )
        if "acks" in self._first:
            return coloured_by_checkpoints(diagram, self._trace)
        return coloured_by_sss(diagram, self._trace, self._meta.get("sss"))

    def _text(self, key: str) -> str | None:
        value = self._meta.get(key)
        return value if isinstance(value, str) and value else None

    def _violated_at(self) -> int:
        """Return the event that violates the property: the one that ``meta`` names, or else the last."""
        index = self._meta.get("violated_at")
        last = len(self._events) - 1
        return index if type(index) is int and 0 <= index <= last else last

    def _outsider(self) -> int:
        """Return the lane of the outsider; there is one once something happens there."""
        if self._outside is None:
            self._outside = len(self._lanes)
            name = (
                "coordinator"
                if "triggered" in self._first
                else "collector"
                if "collected" in self._first
                else "observer"
                if self._lanes
                else "system"
            )
            self._lanes.append(Lane(name))
        return self._outside

    # -- one step --------------------------------------------------------------------------------------------

    def _step(self, index: int, previous: TraceStep | None, step: TraceStep) -> None:
        before = previous.state if previous is not None else None
        after = step.state
        crash = before is not None and _grew(before, after, "crashes")
        colours = {process: self._recordings.colour(process) for process in self._index}
        queues = [channels_of(state) if state is not None else {} for state in (after, before)]
        moved = self._flow.step(index, *queues, crash=crash)
        recorded = self._recordings.step(index, before, after, self._flow, moved, crash=crash)
        if before is None:
            self._events.append(DrawnEvent(0, step.action, "init"))
            return
        acting = list(self._index) if crash else self._actors(step, before, moved)
        if "acks" not in after:
            acting += [process for process in recorded if process in self._index and process not in acting]
        self._cross(before, after, moved, colours)
        lanes = tuple(sorted(self._index[p] for p in acting if p in self._index))
        self._reports(index, before, after)
        self._trigger(index, before, after, acting, crash=crash)
        prefixed = "collected" in self._first
        keys = [self._lanes[lane].key for lane in lanes]
        self._events.append(
            DrawnEvent(
                index,
                step.action,
                self._label(index) + (words(step.action, prefixed=prefixed) if step.action else "a step"),
                "" if crash else self._detail(before, step, moved, lanes),
                lanes or (self._outsider(),),
                tuple(colours[key] for key in keys) or (None,),
                tuple(self._recordings.colour(key) for key in keys) or (None,),
                tuple(sorted(self._index[p] for p in recorded if p in acting and p in self._index)),
                crash,
                (*_notes(before, after), *(self._restored(moved) if crash else ())),
            )
        )

    def _label(self, index: int) -> str:
        """Return the name that the source of a worked example has for the event of a step: "A: "."""
        labels = self._meta.get("labels")
        return f"{labels[index]}: " if isinstance(labels, dict) and index in labels else ""

    def _restored(self, moved: Moved) -> Iterable[str]:
        for channel, ids in moved.sent.items():
            labels = ", ".join(self._flow.message(number).label for number in ids)
            if labels:
                yield f"put back into {self._flow.name(channel)}: {labels}"

    def _actors(self, step: TraceStep, before: Fn, moved: Moved) -> list[Value]:
        found = {channel[1] for channel, ids in moved.accepted.items() if ids}
        found |= {channel[0] for channel, ids in moved.sent.items() if ids}
        found |= self._named(step)
        if found:
            return list(found)
        for name in _LOCAL:
            was, now = entries(before.get(name)), entries(step.state.get(name))
            found |= {p for p in now if p not in was or not same(was[p], now[p])}
            if name != "reports":
                found |= {p for p in was if p not in now}
        for name in _SETS:
            found |= members(before.get(name)) ^ members(step.state.get(name))
        return [process for process in found if process in self._index]

    def _named(self, step: TraceStep) -> set[Value]:
        """Find the processes that the arguments name, as worked examples do: ``P2``, or an end of ``C12``."""
        names = {part.strip() for part in (step.arguments or "").split(",")}
        found = {process for process, i in self._index.items() if self._lanes[i].name in names}
        action = step.action or ""
        end = 1 if action.startswith("Accept") else 0 if action.startswith("Send") else None
        if end is not None:
            found |= {
                channel[end] for channel in channels_of(step.state) if self._flow.name(channel) in names
            }
        return found

    def _cross(self, before: Fn, after: Fn, moved: Moved, colours: Mapping[Value, str | None]) -> None:
        """Colour the sent messages as their senders, and mark the messages that cross the cut.

        The ghosts of a spec know that, if there are any; else the colours decide.
        """
        for channel, sent in moved.sent.items():
            for number in sent:
                message = self._flow.message(number)
                if message.colour is None and not message.is_control:
                    self._flow.change(number, colour=colours[channel[0]])
        for channel, accepted in moved.accepted.items():
            was, now = colours[channel[1]], self._recordings.colour(channel[1])
            for number in accepted:
                message = self._flow.message(number)
                if message.is_control:
                    continue
                met = crossing(message.colour, was, now)
                if "redInWhite" in after:
                    met = next(
                        (words for name, words in _GHOSTS if _longer(before, after, name, channel)), None
                    )
                self._flow.change(number, crossing=met)

    def _detail(self, before: Fn, step: TraceStep, moved: Moved, lanes: tuple[int, ...]) -> str:
        """Return the subject of a step: its arguments, or the channels and messages, or else where it happens."""
        if step.arguments:
            return self._wording.detail(step.arguments)
        parts = []
        for channels in (moved.accepted, moved.sent):
            for channel, ids in sorted(channels.items(), key=lambda pair: sort_key(pair[0])):
                found = [self._flow.message(number) for number in ids]
                labels = [message.label for message in found if not message.is_control]
                if labels or (channels is moved.accepted and ids):
                    numbers = [
                        message.label.removeprefix(message.kind).strip()
                        for message in found
                        if message.is_control
                    ]
                    parts.append(" ".join([self._flow.name(channel), *labels, *numbers]).strip())
        if not parts and not lanes:
            was, now = entries(before.get("recChan")), entries(step.state.get("recChan"))
            parts = [self._flow.name(c) for c in now if isinstance(c, tuple) and c not in was]
        return ", ".join(parts) or ", ".join(self._lanes[lane].name for lane in lanes)

    # -- what travels outside the channels ---------------------------------------------------------------------

    def _reports(self, index: int, before: Fn, after: Fn) -> None:
        if "collected" not in after:
            return
        was, now = entries(before.get("reports")), entries(after.get("reports"))
        for process in now:
            if process not in was and process in self._index:
                self._under_way[process] = self._flow.add(
                    "report", self._index[process], self._outsider(), "report", index
                )
        for process in was:
            if process not in now and process in self._under_way:
                self._flow.change(self._under_way.pop(process), accepted=index)

    def _trigger(self, index: int, before: Fn, after: Fn, acting: Iterable[Value], *, crash: bool) -> None:
        """Follow the coordinator's triggers to the sources; one that is superseded or lost unheard is not drawn."""
        if "triggered" not in after:
            return
        if crash or _grew(before, after, "triggered"):
            self._triggers.clear()
        if _grew(before, after, "triggered"):
            targets = {channel[1] for channel in channels_of(after)}
            self._triggers = {p: index for p in self._index if p not in targets}
        last = {p: task.get("last") for p, task in entries(after.get("task")).items() if isinstance(task, Fn)}
        for process in acting:
            heard = process in self._triggers and last.get(process) == after["triggered"]
            if heard:
                number = self._flow.add(
                    "trigger",
                    self._outsider(),
                    self._index[process],
                    f"trigger {show(after['triggered'])}",
                    self._triggers.pop(process),
                )
                self._flow.change(number, accepted=index)


def _processes(trace: Trace) -> list[Value]:
    """Find the processes: those that have a state, and the ends of channels."""
    found: set[Value] = set()
    state = trace.steps[0].state
    found |= set(entries(state.get("state")))
    for channel in channels_of(state):
        found |= set(channel)
    return sorted(found, key=sort_key)


def _grew(before: Fn, after: Fn, name: str) -> bool:
    was, now = before.get(name), after.get(name)
    return isinstance(was, int) and isinstance(now, int) and now > was


def _longer(before: Fn, after: Fn, name: str, channel: Value) -> bool:
    was, now = (entries(state.get(name)).get(channel) for state in (before, after))
    return isinstance(was, tuple) and isinstance(now, tuple) and len(now) > len(was)


def _notes(before: Fn, after: Fn) -> Iterable[str]:
    for name, result in (("completed", "is complete"), ("aborted", "is aborted")):
        for number in sorted(members(after.get(name)) - members(before.get(name)), key=sort_key):
            yield f"checkpoint {show(number)} {result}"
    verdict = after.get("verdict")
    if isinstance(verdict, str) and verdict != before.get("verdict"):
        yield f"verdict: the predicate {verdict}" if verdict in ("holds", "fails") else f"verdict: {verdict}"
