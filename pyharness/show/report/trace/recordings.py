"""The messages, followed from state to state through each channel, and the recorded parts of them and of each process."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pyharness.machines.explain.state_values import (
    channel_name,
    entries,
    id_name,
    is_channel,
    show,
    snapshot_ids,
)
from pyharness.show.report.trace.events import RED, WHITE, DrawnCut, DrawnMessage, Kept
from pyharness.tla.values import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.machines.explain.readable_values import Wording


_Channel = tuple[Value, ...]


def channels_of(state: Mapping[Value, Value], variable: str = "chan") -> dict[_Channel, tuple[Value, ...]]:
    """Return the queue of each channel, of a variable that maps pairs of processes to sequences; else nothing."""
    found: dict[_Channel, tuple[Value, ...]] = {}
    for key, queue in entries(state.get(variable)).items():
        if not isinstance(key, tuple) or not is_channel(key) or not isinstance(queue, tuple):
            return {}
        found[key] = queue
    return found


@dataclass
class Moved:
    """The messages moved in one step: ids by channel."""

    sent: dict[_Channel, list[int]] = field(default_factory=lambda: defaultdict(list))
    accepted: dict[_Channel, list[int]] = field(default_factory=lambda: defaultdict(list))
    lost: list[int] = field(default_factory=list)


class Flow:
    """Follows messages. ``lanes`` maps each process to the index of its lane, ``wording`` names their contents.

    An element of a queue has no name, so two equal ones are distinguished by their places: a missing one is taken for
    the foremost that it can be.
    """

    def __init__(self, lanes: Mapping[Value, int], wording: Wording) -> None:
        self._lanes = lanes
        self._wording = wording
        self._large = len(lanes) > 9
        self._drafts: list[DrawnMessage] = []
        self._payloads: list[Value] = []
        self._queues: dict[_Channel, list[int]] = {}

    @property
    def messages(self) -> tuple[DrawnMessage, ...]:
        """All messages so far."""
        return tuple(self._drafts)

    def name(self, channel: _Channel) -> str:
        """Return the name of a channel."""
        return channel_name(channel, large=self._large)

    def payload(self, number: int) -> Value:
        """Return a message's content, without its colour."""
        return self._payloads[number]

    def message(self, number: int) -> DrawnMessage:
        """Return one message, as it is known so far."""
        return self._drafts[number]

    def queue(self, channel: _Channel) -> tuple[int, ...]:
        """Return the ids of the messages in a channel now, first to be accepted first."""
        return tuple(self._queues.get(channel, ()))

    def step(
        self,
        index: int,
        after: Mapping[_Channel, tuple[Value, ...]],
        before: Mapping[_Channel, tuple[Value, ...]],
        *,
        crash: bool = False,
    ) -> Moved:
        """Follow the step with this index; ``crash`` means that the elements of channels are lost or put back."""
        moved = Moved()
        for channel, queue in after.items():
            if not all(end in self._lanes for end in channel):
                continue
            old = before.get(channel, ())
            if crash or index == 0:
                moved.lost += self._queues.get(channel, [])
                self._queues[channel] = []
                self._append(moved, channel, queue, index, restored=crash)
            elif not same(old, queue):
                self._follow(moved, channel, old, queue, index)
        self._settle(moved, index)
        return moved

    def _follow(
        self, moved: Moved, channel: _Channel, old: Sequence[Value], new: Sequence[Value], index: int
    ) -> None:
        ids = self._queues.setdefault(channel, [])
        kept = _kept(old, new)
        gone = [ids[i] for i in range(len(old)) if i not in set(kept)]
        if gone:
            moved.accepted[channel] += gone
        if kept and gone and ids.index(gone[0]) > kept[0]:
            self._drafts[gone[0]] = replace(self._drafts[gone[0]], overtakes=True)
        self._queues[channel] = [ids[i] for i in kept]
        self._append(moved, channel, new[len(kept) :], index)

    def _append(
        self,
        moved: Moved,
        channel: _Channel,
        elements: Sequence[Value],
        index: int,
        *,
        restored: bool = False,
    ) -> None:
        for element in elements:
            kind, colour, payload = _read(element)
            label = self._wording.element(element) if kind != "message" else self._wording.label(payload)
            source, target = (self._lanes[end] for end in channel)
            number = len(self._drafts)
            self._drafts.append(
                DrawnMessage(
                    number,
                    kind,
                    self.name(channel),
                    source,
                    target,
                    label,
                    colour,
                    index,
                    restored=restored,
                    raw=_raw(payload, label),
                )
            )
            self._payloads.append(payload)
            self._queues.setdefault(channel, []).append(number)
            moved.sent[channel].append(number)

    def _settle(self, moved: Moved, index: int) -> None:
        """Separate an accepted message from a lost one: an action accepts one per input, at one process."""
        targets = {channel[1] for channel in moved.accepted}
        if len(targets) > 1 or any(len(gone) > 1 for gone in moved.accepted.values()):
            moved.lost += [number for gone in moved.accepted.values() for number in gone]
            moved.accepted.clear()
        for number in moved.lost:
            self._drafts[number] = replace(self._drafts[number], lost=index)
        for gone in moved.accepted.values():
            for number in gone:
                self._drafts[number] = replace(self._drafts[number], accepted=index)

    def change(self, number: int, **changes: object) -> None:
        """Note more of a message: any of its fields."""
        self._drafts[number] = replace(self._drafts[number], **changes)  # type: ignore[arg-type]

    def add(self, kind: str, source: int, target: int, label: str, sent: int) -> int:
        """Add a message that travels outside the channels, a report or a trigger, and return its id."""
        number = len(self._drafts)
        self._drafts.append(DrawnMessage(number, kind, "", source, target, label, None, sent))
        self._payloads.append(())
        return number


def _kept(old: Sequence[Value], new: Sequence[Value]) -> tuple[int, ...]:
    """Return the positions in ``old`` of the longest beginning of ``new`` that is left of it, the last there are."""
    for size in range(min(len(old), len(new)), 0, -1):
        places: list[int] = []
        at = len(old)
        for element in reversed(new[:size]):
            at -= 1
            while at >= 0 and not same(old[at], element):
                at -= 1
            if at < 0:
                break
            places.append(at)
        if len(places) == size:
            return tuple(reversed(places))
    return ()


def _read(element: Value) -> tuple[str, str | None, Value]:
    """Read an element of a queue: its kind, colour, and payload."""
    if isinstance(element, Fn) and "msg" in element:
        colour = element.get("colour")
        return "message", colour if isinstance(colour, str) else None, element["msg"]
    if isinstance(element, Fn) and isinstance(element.get("control"), str):
        return str(element["control"]), None, element
    return "message", None, element


def _raw(payload: Value, label: str) -> str:
    """Return a payload as TLA+ where its label is not that already; "" for a control, which is its label."""
    if isinstance(payload, str | Fn) or label == show(payload).replace(", ", ","):
        return ""
    return show(payload)


_SNAPSHOT = 0
"""The number of the one cut of a protocol that takes one snapshot; checkpoints, and snapshots with ids, have others."""


class Recordings:
    """Follows the recordings of processes. ``lanes`` maps each process to the index of its lane; ``first`` is the first state."""

    def __init__(self, lanes: Mapping[Value, int], first: Fn) -> None:
        self._lanes = lanes
        self._ids = snapshot_ids(first)
        self._numbered = "acks" in first or bool(self._ids)
        self._knows = "recState" in first and not self._ids
        self._at: dict[int, dict[int, float]] = {}
        self._states: dict[int, dict[int, str]] = {}
        self._kept: list[Kept] = []
        self._red: frozenset[Value] = frozenset()

    def colour(self, process: Value) -> str | None:
        """Return the colour of a process; ``None`` if the trace has no snapshot."""
        return None if not self._knows else RED if process in self._red else WHITE

    def step(
        self, index: int, before: Fn | None, after: Fn, flow: Flow, moved: Moved, *, crash: bool
    ) -> tuple[Value, ...]:
        """Watch a step, and return the processes that record in it. ``flow`` has followed it already."""
        if self._numbered:
            recorded = self._checkpoints(index, before, after, crash=crash)
            logs = self._logs(after)
            old = self._logs(before) if before is not None else {}
        else:
            recorded = self._snapshot(index, before, after)
            logs = {(_SNAPSHOT, c): q for c, q in entries(after.get("recChan")).items()}
            old = (
                {}
                if before is None
                else {(_SNAPSHOT, c): q for c, q in entries(before.get("recChan")).items()}
            )
        if not crash:
            self._channels(index, old, logs, flow, moved)
        return tuple(recorded)

    def _snapshot(self, index: int, before: Fn | None, after: Fn) -> list[Value]:
        now = entries(after.get("recState"))
        was = entries(before.get("recState")) if before is not None else {}
        new = [p for p, value in now.items() if p not in was or not same(was[p], value)]
        for process in set(was) - set(now):
            for known in (self._at, self._states):
                known.get(_SNAPSHOT, {}).pop(self._lanes.get(process, -1), None)
        for process in new:
            self._record(_SNAPSHOT, process, index, now[process])
        self._red = frozenset(now)
        return new

    def _checkpoints(self, index: int, before: Fn | None, after: Fn, *, crash: bool) -> list[Value]:
        if crash:
            return []
        was = self._taken(before) if before is not None else {}
        new = {key: value for key, value in self._taken(after).items() if key not in was}
        for (number, process), value in new.items():
            if self._lanes.get(process) in self._at.get(number, {}):
                continue
            self._record(number, process, index, value)
        return [process for _, process in new]

    def _taken(self, state: Fn) -> dict[tuple[int, Value], Value]:
        return _of_ids(self._ids, state, "recState") if self._ids else _taken(state)

    def _logs(self, state: Fn) -> dict[tuple[int, Value], Value]:
        return _of_ids(self._ids, state, "recChan") if self._ids else _logs(state)

    def _name(self, number: int) -> str:
        if self._ids:
            return f"snapshot {id_name(self._ids[number - 1])}"
        return f"checkpoint {number}" if number else "snapshot"

    def _record(self, number: int, process: Value, index: int, value: Value) -> None:
        lane = self._lanes.get(process)
        if lane is not None:
            self._at.setdefault(number, {})[lane] = index
            self._states.setdefault(number, {})[lane] = show(value)

    def _channels(
        self,
        index: int,
        old: Mapping[tuple[int, Value], Value],
        new: Mapping[tuple[int, Value], Value],
        flow: Flow,
        moved: Moved,
    ) -> None:
        """Find the messages that were recorded: accepted in this step, or still in their channel."""
        for (number, channel), queue in new.items():
            known = old.get((number, channel), ())
            if not isinstance(queue, tuple) or not isinstance(channel, tuple) or same(queue, known):
                continue
            candidates = [*moved.accepted.get(channel, ()), *flow.queue(channel)]
            for value in queue[len(known) if isinstance(known, tuple) else 0 :]:
                found = next((i for i in candidates if same(flow.payload(i), value)), None)
                if found is not None:
                    candidates.remove(found)
                self._kept.append(Kept(self._name(number), flow.name(channel), show(value), index, found))

    def cuts(self) -> tuple[DrawnCut, ...]:
        """Return the cuts, by number, without those that no process is part of."""
        return tuple(
            DrawnCut(
                self._name(number),
                dict(sorted(at.items())),
                dict(sorted(self._states[number].items())),
                number,
            )
            for number, at in sorted(self._at.items())
            if at
        )

    def kept(self) -> tuple[Kept, ...]:
        """Return the recorded parts of channels' states."""
        return tuple(self._kept)


def _of_ids(ids: Sequence[Value], state: Fn, variable: str) -> dict[tuple[int, Value], Value]:
    """Return a variable's values for each snapshot, by the snapshot's place among the ids, from 1, and the key there."""
    by_id = entries(state.get(variable))
    return {
        (number, key): value
        for number, snapshot in enumerate(ids, start=1)
        for key, value in entries(by_id.get(snapshot)).items()
    }


def _taken(state: Fn) -> dict[tuple[int, Value], Value]:
    """Return the states that tasks have recorded, by checkpoint and process: acknowledged, or kept until they are."""
    found: dict[tuple[int, Value], Value] = {}
    for process, copies in entries(state.get("copies")).items():
        found |= {(int(n), process): value for n, value in entries(copies).items() if isinstance(n, int)}
    return found | {
        (number, process): part["state"] for number, process, part in _parts(state) if "state" in part
    }


def _parts(state: Fn) -> Iterator[tuple[int, Value, Fn]]:
    """Yield the complete recordings of tasks, durable or not yet, as checkpoint, process and the part."""
    uploads = [
        (number, process, part)
        for process, parts in entries(state.get("uploads")).items()
        for number, part in entries(parts).items()
    ]
    acks = [
        (number, process, part)
        for number, parts in entries(state.get("acks")).items()
        for process, part in entries(parts).items()
    ]
    for number, process, part in (*uploads, *acks):
        if isinstance(number, int) and isinstance(part, Fn):
            yield number, process, part


def _logs(state: Fn) -> dict[tuple[int, Value], Value]:
    """Return the records that tasks have logged as in flight, by checkpoint and channel."""
    found: dict[tuple[int, Value], Value] = {}
    for task in entries(state.get("task")).values():
        pending = task.get("pending") if isinstance(task, Fn) else None
        for checkpoint in pending if isinstance(pending, tuple) else ():
            number = checkpoint.get("id") if isinstance(checkpoint, Fn) else None
            if isinstance(checkpoint, Fn) and isinstance(number, int):
                found |= {(number, c): q for c, q in entries(checkpoint.get("log")).items()}
    for number, _, part in _parts(state):
        found |= {(number, c): q for c, q in entries(part.get("log")).items()}
    return found
