"""What is recorded: each process's state, each channel's, and when. Of snapshots, and of numbered checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.explain.state_values import entries, id_name, show, snapshot_ids
from pyharness.report.trace.events import RED, WHITE, Cut, Kept
from pyharness.tla import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.report.trace.message_flow import Flow, Moved

_SNAPSHOT = 0
"""The number of the one cut of a protocol that takes one snapshot; checkpoints, and snapshots with ids, have others."""


class Recordings:
    """Watches what is recorded. ``lanes`` maps each process to the index of its lane; ``first`` is the first state."""

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

    def cuts(self) -> tuple[Cut, ...]:
        """Return the cuts, by number; those that nobody is part of are none."""
        return tuple(
            Cut(
                self._name(number),
                dict(sorted(at.items())),
                dict(sorted(self._states[number].items())),
                number,
            )
            for number, at in sorted(self._at.items())
            if at
        )

    def kept(self) -> tuple[Kept, ...]:
        """Return what was recorded of channels."""
        return tuple(self._kept)


def _of_ids(ids: Sequence[Value], state: Fn, variable: str) -> dict[tuple[int, Value], Value]:
    """Return what a variable has of each snapshot, by the snapshot's place among the ids, from 1, and the key there."""
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
    """Yield what tasks have recorded whole, durable or not yet, as checkpoint, process and the part."""
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
