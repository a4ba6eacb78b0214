"""Logs of simulated runs, right ones and wrong ones: what judges others' logs is judged by them first."""

from __future__ import annotations

import json
from collections import deque
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pyharness.hold.logs.log_events import FORMAT
from pyharness.hold.logs.rules import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_BALANCE: Final = 1000


class Simulation:
    """A run of a bank by a protocol on a graph: ``step`` does something at random, and ``lines`` is the log so far.

    Processes are 1..n, ``channels`` pairs of them. ``bug`` is ``""``, or ``late-marker``, with which a message goes out
    ahead of the marker now and then, or ``early-resume``, with which who has recorded does not wait for the others.
    """

    def __init__(
        self,
        protocol: str,
        processes: int,
        channels: Sequence[tuple[int, int]],
        seed: int = 0,
        *,
        bug: str = "",
    ) -> None:
        self.protocol, self.rules = protocol, PROTOCOLS[protocol]
        self.processes, self.channels, self.bug = range(1, processes + 1), list(channels), bug
        self._random = Random(seed)
        self._balance = dict.fromkeys(self.processes, _BALANCE)
        self._queue: dict[tuple[int, int], deque[tuple[str, Any, int]]] = {c: deque() for c in channels}
        self._sent, self._got = dict.fromkeys(channels, 0), dict.fromkeys(channels, 0)
        self._inputs = {p: [c for c in channels if c[1] == p] for p in self.processes}
        self._outputs = {p: [c for c in channels if c[0] == p] for p in self.processes}
        self._recorded: dict[str, dict[int, int]] = {}
        self._closed: dict[str, set[tuple[int, int]]] = {}
        self._kept: dict[tuple[str, tuple[int, int]], list[Any]] = {}
        self._done: dict[str, set[int]] = {}
        self._positions: dict[tuple[str, tuple[int, int]], int] = {}
        self._stopping: list[str] = []
        self._paused: set[int] = set()
        self._marker = "barrier" if self.rules.begin else "marker"
        self.lines: dict[int, list[dict[str, Any]]] = {
            p: [
                {
                    "format": FORMAT,
                    "process": p,
                    "protocol": protocol,
                    "channels": [list(c) for c in channels],
                    "state": _BALANCE,
                    **({"sum": _BALANCE * processes} if self.rules.exact else {}),
                }
            ]
            for p in self.processes
        }

    def _log(self, process: int, **event: Any) -> None:
        self.lines[process].append(event)

    def snapshot(self, name: str) -> None:
        """Begin a snapshot: at a process drawn by lot, at all without input, or at all at once."""
        self._recorded[name], self._closed[name], self._done[name] = {}, set(), set()
        if self.rules.stops and (self.bug or self._random.random() < 0.5):
            self._stopping.append(name)
        elif self.rules.stops:
            for process in self.processes:
                self._record(process, name)
        elif self.rules.begin:
            for process in self.processes:
                if not self._inputs[process]:
                    self._record(process, name)
        else:
            self._record(self._random.choice(self.processes), name)

    def step(self) -> None:
        """Let one message be sent, or the first of a channel be received."""
        full = [c for c in self.channels if self._queue[c] and not self._blocked(c)]
        free = [c for c in self.channels if c[0] not in self._paused]
        if full and self._random.random() < 0.55:
            self._take(self._random.choice(full))
        elif self._stopping and (not free or self._random.random() < 0.3):
            self._stop(self._stopping[0])
        else:
            self._send(self._random.choice(free))

    def _stop(self, name: str) -> None:
        """Do the next thing that a world does that is to be stopped: pause, drain, record, resume."""
        recorded = self._recorded.get(
            name, dict.fromkeys(self.processes, 0)
        )  # those of one that is complete are gone
        running = [p for p in self.processes if p not in self._paused and p not in recorded]
        full = [c for c in self.channels if self._queue[c]]
        waiting = [p for p in self.processes if p not in recorded]
        if running:
            self._paused.add(running[0])
            self._log(running[0], e="pause", id=name)
        elif full and not self.bug:
            self._take(full[0])
        elif waiting:
            self._record(waiting[0], name)
            if self.bug:
                self._resume(waiting[0], name)
        else:
            self._resume(min(self._paused), name)
        if not self._paused and name not in self._recorded:
            self._stopping.remove(name)

    def _resume(self, process: int, name: str) -> None:
        self._paused.discard(process)
        self._log(process, e="resume", id=name)

    def drain(self) -> None:
        """Receive all that is in the channels, and write the end."""
        while full := [c for c in self.channels if self._queue[c] and not self._blocked(c)]:
            self._take(self._random.choice(full))
        while self._stopping:
            self._stop(self._stopping[0])
        for process in self.processes:
            self._log(process, e="end")

    def _blocked(self, channel: tuple[int, int]) -> bool:
        return self.rules.blocks and any(
            channel in closed and channel[1] not in self._recorded[name]
            for name, closed in self._closed.items()
        )

    def _send(self, channel: tuple[int, int], amount: int | None = None) -> None:
        source = channel[0]
        if amount is None:
            amount = self._random.randint(0, self._balance[source])
        self._balance[source] -= amount
        self._sent[channel] += 1
        self._queue[channel].append(("message", amount, self._sent[channel]))
        self._log(source, e="send", c=list(channel), m=self._sent[channel], d=amount, s=self._balance[source])

    def _take(self, channel: tuple[int, int]) -> None:
        target, queue = channel[1], self._queue[channel]
        if self.rules.overtakes:
            for at, (kind, name, _) in enumerate(queue):
                if kind == "marker" and self._random.random() < 0.3:
                    self._accept_marker(channel, name, at)
                    return
        kind, value, number = queue[0]
        if kind == "marker":
            self._accept_marker(channel, value, 0)
            return
        queue.popleft()
        if not self.rules.markers and not self.rules.stops:
            for name, recorded in list(self._recorded.items()):
                sent = recorded.get(channel[0])
                if sent is not None and target not in recorded and self._is_red(name, channel, number):
                    self._record(target, name)
        self._balance[target] += value
        self._got[channel] += 1
        self._log(target, e="receive", c=list(channel), m=number, d=value, s=self._balance[target])
        for name, recorded in list(self._recorded.items()):
            if (
                self._records(name, channel)
                and target in recorded
                and not self._is_red(name, channel, number)
            ):
                self._kept[name, channel].append(value)
            if not self.rules.markers:
                self._finish(target, name)

    def _records(self, name: str, channel: tuple[int, int]) -> bool:
        recording = (name, channel) in self._kept and channel not in self._closed[name]
        return recording and self.rules.exact and not self.rules.stops

    def _is_red(self, name: str, channel: tuple[int, int], number: int) -> bool:
        position = self._positions.get((name, channel))
        return position is not None and number > position

    def _record(self, process: int, name: str) -> None:
        self._recorded[name][process] = self._balance[process]
        self._log(process, e="record", id=name, s=self._balance[process])
        for channel in self._inputs[process]:
            found = [value for _, value, _ in self._queue[channel]] if self.rules.stops else []
            self._kept.setdefault((name, channel), found)
        for channel in self._outputs[process]:
            self._positions[name, channel] = self._sent[channel]
            if self.rules.markers:
                if self.bug == "late-marker" and self._random.random() < 0.5:
                    self._send(channel, 0)
                self._queue[channel].append(("marker", name, 0))
                self._log(process, e=f"{self._marker}-out", c=list(channel), id=name)
        self._finish(process, name)

    def _accept_marker(self, channel: tuple[int, int], name: str, at: int) -> None:
        target, queue = channel[1], self._queue[channel]
        overtaken = [value for kind, value, _ in list(queue)[:at] if kind == "message"]
        if any(kind == "marker" for kind, _, _ in list(queue)[:at]):
            return
        del queue[at]
        self._log(target, e=self._marker, c=list(channel), id=name)
        self._closed[name].add(channel)
        if target not in self._recorded[name] and (
            not self.rules.all_inputs or self._closed[name].issuperset(self._inputs[target])
        ):
            self._record(target, name)
        if self.rules.exact:
            self._kept.setdefault((name, channel), []).extend(overtaken)
        self._finish(target, name)

    def _finish(self, process: int, name: str) -> None:
        if process not in self._recorded.get(name, ()) or process in self._done[name]:
            return
        for channel in self._inputs[process]:
            if self.rules.markers:
                if channel not in self._closed[name]:
                    return
            elif self.rules.stops:
                break
            elif self._positions.get((name, channel), self._got[channel] + 1) > self._got[channel]:
                return
        self._done[name].add(process)
        kept = [[list(c), self._kept.get((name, c), [])] for c in self._inputs[process]]
        self._log(process, e="done", id=name, s=self._recorded[name][process], chans=kept)
        if len(self._done[name]) == len(self.processes):
            del self._recorded[name], self._closed[name]
            self._kept = {key: values for key, values in self._kept.items() if key[0] != name}


RING: Final = [(1, 2), (2, 1), (2, 3), (3, 2), (3, 1), (1, 3)]
_DATAFLOW: Final = [(1, 3), (2, 3), (3, 4), (1, 4)]


def simulated(
    protocol: str, seed: int = 1, *, steps: int = 300, snapshots: int = 4, bug: str = ""
) -> Simulation:
    """Return a run by a protocol, with some snapshots at once, all of them complete."""
    dataflow = PROTOCOLS[protocol].begin
    run = Simulation(protocol, 4 if dataflow else 3, _DATAFLOW if dataflow else RING, seed, bug=bug)
    for step in range(steps):
        if step % (steps // (snapshots + 1)) == 20:
            run.snapshot(f"1.{step}")
        run.step()
    run.drain()
    return run


def write_log(directory: Path, lines: dict[int, list[dict[str, Any]]]) -> Path:
    """Write the log of a run, a file of each process, into a directory that is made; return it."""
    directory.mkdir(parents=True, exist_ok=True)
    for process, events in lines.items():
        text = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
        (directory / f"p{process}.jsonl").write_text(text, encoding="utf-8")
    return directory
