"""Decide a run's snapshots by counting: one pass over its events, a few steps for each.

Snapshot n is a consistent cut if, of each channel, the target had received no more before it recorded than the source
had sent before it did (EWD864a E4); the channel's state is the messages between the two numbers (E6). A marker that is
last among what was sent before the record, and a target that records no later than it accepts one, keep that (E11-E13).
The fold refuses the first line that is wrong given those before it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.hold.logs.log_events import (
    KINDS,
    SAME,
    UNKNOWN,
    Channel,
    LogEvent,
    RefusedError,
    channel_of,
    id_of,
    parts_of,
    same,
    shown,
)
from pyharness.hold.logs.rules import PROTOCOLS, LogSnapshot, Pauses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyharness.hold.logs.run_log import RunLog


_MOST: Final = 2.0**53
"""Numbers from here on are not added exactly by all readers of JSON."""

_NEAR: Final = 1e-9


def moved(before: Any, carried: Any, sign: int, after: Any, where: Callable[[], str]) -> bool:
    """Return whether a process in state ``before`` is in ``after`` once it sent (-1) or received (1) what is ``carried``.

    Raises SpecError for a value that is not a number; ``where`` is called then.
    """
    if type(before) is int and type(after) is int and (type(carried) is int or not sign):
        return before + (sign * carried if sign else 0) == after
    change = sign * _number(carried, where) if sign else 0
    return not differs(_number(before, where) + change, _number(after, where))


def sum_of(parts: Iterable[Any], where: Callable[[], str]) -> float:
    """Return the sum of states and messages. Raises SpecError for one that is not a number."""
    return sum(_number(part, where) for part in parts)


def differs(a: float, b: float) -> bool:
    """Return whether two sums differ: integers at all, others by more than rounding does."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return not math.isclose(a, b, rel_tol=_NEAR, abs_tol=_NEAR)


def _number(value: Any, where: Callable[[], str]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpecError(f"the log has a sum, and {shown(value)} is not a number", where=where())
    if not -_MOST < value < _MOST:
        raise SpecError(
            f"the log has a sum, and {shown(value)} is too large to be added exactly", where=where()
        )
    return value


class SnapshotFold:
    """The part of :class:`~pyharness.hold.logs.fold.Fold` for snapshots: the rules for records, markers and dones.

    ``complete`` has the complete snapshots, ``crossing`` the messages that crossed their cuts, ``behind``
    those that were sent after a record, and before the same process's next. ``unchecked`` lists what the log did not
    let it decide, ``unfinished`` the reports that are missing though their process's log has ended.
    """

    def __init__(self, run: RunLog, protocol: str) -> None:
        self.run, self.rules, self.protocol = run, PROTOCOLS[protocol], protocol
        run.rules = self.rules
        self.complete: list[str] = []
        self.crossing = self.behind = self.events = 0
        self.unchecked: set[str] = set()
        self.unfinished: list[str] = []
        self.ended_processes: set[str] = set()
        self.begun = False
        """Whether there was an event other than those that restore."""
        self.forgets = True
        """Whether the contents of messages are forgotten once no check can need them."""
        self.open: dict[str, LogSnapshot] = {}
        self.settled: dict[str, LogSnapshot] = {}
        """The snapshots of which nothing is open, and of which a process has yet to report that it is done."""
        self._ended: set[str] = set()
        self._latest: dict[str, LogSnapshot] = {}
        """The snapshot that a process recorded last, by process."""
        self.inputs: dict[str, list[Channel]] = {process: [] for process in run.processes}
        self.outputs: dict[str, list[Channel]] = {process: [] for process in run.processes}
        for channel in run.channels.values():
            self.inputs[channel.target].append(channel)
            self.outputs[channel.source].append(channel)
        self.must: dict[str, str] = {}
        """The snapshot that a process's next event must record, by process."""
        self.owed: dict[Channel, set[str]] = {}
        """The snapshots whose marker must come before the next message, by channel."""
        self.blocked: Counter[Channel] = Counter()
        self.pauses = Pauses(self.wrong)
        self.state: dict[str, Any] = {p: run.header(p).get("state", UNKNOWN) for p in run.processes}
        foreign = [() if self.rules.markers else ("marker", "marker-out")]
        foreign += [() if self.rules.stops else ("pause", "resume")]
        self.handlers: dict[str, Callable[[LogEvent, str | None], None]] = {
            kind: getattr(self, f"_{kind.replace('-', '_')}") for kind in KINDS if kind not in SAME
        }
        self.foreign = {kind for kinds in foreign for kind in kinds}

    @property
    def incomplete(self) -> list[str]:
        """The ids of the snapshots that were begun and not completed."""
        return [*self.open, *self.settled]

    def finish(self) -> None:
        """End the pass: the log has no more events. Raises RefusedError if an event is missing.

        A snapshot of which nothing is open is complete, too, if no process reports that it is done with it.
        """
        self.pauses.finish(self.open.values())
        for process in self._latest:
            self._count_behind(process)
        for snapshot in [*self.open.values(), *self.settled.values()]:
            reported = snapshot.done.union(event.process for event, _ in snapshot.early)
            for process in sorted(self.ended_processes.intersection(snapshot.states) - reported):
                known = snapshot.id in self.settled or snapshot.closed.issuperset(self.inputs[process])
                if known and (reported or self.complete):
                    self.unfinished.append(
                        f"{process} is never done with {snapshot.id}, and its log has ended"
                    )
        for snapshot in [s for s in self.settled.values() if not s.done and s.last is not None]:
            self.unchecked.add("what was recorded of channels, and that it was final: there is no event done")
            self._finish(snapshot.last, snapshot)  # type: ignore[arg-type]

    def wrong(self, event: LogEvent, message: str, rule: str, snapshot: str | None = None) -> RefusedError:
        """Return the refusal of an event by a rule of the protocol, if it is of a snapshot, or else of the log."""
        return RefusedError(
            message, where=self.run.at(event), rule=rule, snapshot=snapshot, protocol=snapshot is not None
        )

    def _record(self, event: LogEvent, must: str | None) -> None:
        process, name = event.process, id_of(event)
        snapshot = self._begun(event)
        if process in snapshot.states:
            raise self.wrong(
                event, f"{process} records for {name} a second time", "each records once (E1)", name
            )
        if must is None and self.rules.markers:
            waits = [channel for channel in self.inputs[process] if channel not in snapshot.closed]
            if 0 < len(waits) < len(self.inputs[process]):
                raise self.wrong(
                    event,
                    f"{process} records for {name}, and its marker on {waits[0].name} is not accepted",
                    "to record in the action that accepts the marker (E13)",
                    name,
                )
            begins = (
                not self.inputs[process]
                if self.rules.begin
                else self.run.header(process).get("initiator") is not False
            )
            if not begins:
                raise self.wrong(
                    event,
                    f"{process} begins {name}, and is not one of those that may",
                    "who begins a snapshot (E16)",
                    name,
                )
        was, state = self.state[process], event.content.get("s", UNKNOWN)
        if was is UNKNOWN:
            self.unchecked.add("that what is recorded is the state: an event ahead of a record has no s")
        elif state is not UNKNOWN and not same(state, was):
            raise self.wrong(
                event,
                f"{process} records {shown(state)}, and its state is {shown(was)}",
                "what is recorded is the state (E6)",
            )
        self.pauses.record(event, snapshot, self.inputs[process], self.outputs[process])
        self.open[name] = snapshot
        snapshot.states[process] = state if state is not UNKNOWN else was
        if state is not UNKNOWN:
            snapshot.reported.add(process)
        self._count_behind(process)
        self._latest[process] = snapshot
        for channel in self.outputs[process]:
            snapshot.sent[channel] = channel.sent
            if self.rules.markers:
                self.owed.setdefault(channel, set()).add(name)
            elif channel.got == channel.sent:
                self.close(channel, snapshot)
        for channel in self.inputs[process]:
            snapshot.got[channel] = channel.got
            if channel in snapshot.closed:
                self.close(channel, snapshot)
                self.blocked[channel] -= self.rules.blocks
        self.settle(event, snapshot)
        if len(snapshot.states) == len(self.run.processes):
            early, snapshot.early = snapshot.early, []
            for done, got in early:
                self._require_final(done, snapshot, got)

    def _begun(self, event: LogEvent) -> LogSnapshot:
        """Return the snapshot that an event is about, a new one if it is the first. Raises RefusedError."""
        name = id_of(event)
        if name in self._ended:
            raise self.wrong(
                event,
                f"snapshot {name} is complete, and {event.process} begins it again",
                "each records once (E1)",
            )
        return self.open.get(name) or self.settled.get(name) or LogSnapshot(name)

    def _pause(self, event: LogEvent, _: str | None) -> None:
        snapshot = self._begun(event)
        self.pauses.pause(event, snapshot)
        self.open.setdefault(snapshot.id, snapshot)

    def _resume(self, event: LogEvent, _: str | None) -> None:
        self.pauses.resume(event, self.open.get(id_of(event)) or self.settled.get(id_of(event)))

    def _count_behind(self, process: str) -> None:
        """Count the messages that a process has sent after its latest record."""
        if (latest := self._latest.get(process)) is None:
            return
        count = sum(channel.sent - latest.sent[channel] for channel in self.outputs[process])
        if latest.id in self._ended:
            self.behind += count
        else:
            latest.behind += count

    def close(self, channel: Channel, snapshot: LogSnapshot) -> None:
        """Note that all messages of a channel that were sent before the record are known to its target."""
        snapshot.closed.add(channel)
        if channel in snapshot.got:
            snapshot.recorded[channel] = self._crossed(channel, snapshot)

    def settle(self, event: LogEvent, snapshot: LogSnapshot) -> None:
        """If nothing is open of a snapshot, keep what crossed its cut, and no more."""
        closed = len(snapshot.closed) == len(self.run.channels) or self.rules.stops
        if not closed or len(snapshot.states) < len(self.run.processes):
            return
        snapshot.last = event
        for channel in self.run.channels.values():
            if channel not in snapshot.recorded:
                snapshot.recorded[channel] = self._crossed(channel, snapshot)
        self.settled[snapshot.id] = self.open.pop(snapshot.id)

    def _marker_out(self, event: LogEvent, _: str | None) -> None:
        channel, name = channel_of(event), id_of(event)
        snapshot = self.open.get(name)
        if name in channel.marked:
            raise self.wrong(
                event,
                f"a second marker of {name} goes out on {channel.name}",
                "one marker on each channel (E11)",
            )
        if snapshot is None or event.process not in snapshot.states:
            raise self.wrong(
                event,
                f"a marker of {name} goes out on {channel.name}, and {event.process} has not recorded",
                "who has recorded sends markers (E11)",
                name,
            )
        self.owed[channel].discard(name)

    def _marker(self, event: LogEvent, _: str | None) -> None:
        channel, name, process = channel_of(event), id_of(event), event.process
        position = next((at for other, at in channel.markers if other == name), None)
        snapshot = self.open.get(name)
        if position is None and name in channel.marked:
            raise self.wrong(
                event,
                f"a second marker of {name} is accepted on {channel.name}",
                "one marker on each channel (E11)",
            )
        full = channel.sent > channel.got
        if full and (position is None or position > channel.got) and not self.rules.overtakes:
            raise self.wrong(
                event,
                f"the marker of {name} is accepted on {channel.name}, and message {channel.got + 1}, which was "
                "sent before it, is not received",
                "a channel is first in, first out (E12)",
                name,
            )
        if snapshot is None or channel.markers[0][0] != name:
            raise self.wrong(
                event,
                f"the marker of {name} is accepted on {channel.name} before that of {channel.markers[0][0]}",
                "a channel is first in, first out",
            )
        self.close(channel, snapshot)
        if process in snapshot.states:
            self.settle(event, snapshot)
            return
        if not self.rules.all_inputs or snapshot.closed.issuperset(self.inputs[process]):
            self.must[process] = name
        if self.rules.blocks:
            self.blocked[channel] += 1

    def _done(self, event: LogEvent, _: str | None) -> None:
        process, name = event.process, id_of(event)
        if name in self._ended:
            raise self.wrong(event, f"{process} is done with {name}, which is complete", "each is done once")
        snapshot = self.open.get(name) or self.settled.get(name)
        if snapshot is None or process not in snapshot.states:
            raise self.wrong(
                event,
                f"{process} is done with {name}, and has not recorded",
                "who is done has recorded (E15)",
                name,
            )
        if process in snapshot.done or any(process == other.process for other, _ in snapshot.early):
            raise self.wrong(event, f"{process} is done with {name} a second time", "each is done once")
        state = event.content.get("s", UNKNOWN)
        if state is not UNKNOWN:
            snapshot.reported.add(process)
        recorded = snapshot.states[process]
        if state is not UNKNOWN and recorded is not UNKNOWN and not same(state, recorded):
            raise self.wrong(
                event,
                f"{process} reports that it recorded {shown(state)}, and it was {shown(recorded)}",
                "what is recorded is the state (E6)",
            )
        got = {channel: channel.got for channel in self.inputs[process]}
        if self.rules.markers:
            for channel in got:
                if channel not in snapshot.closed:
                    raise self.wrong(
                        event,
                        f"{process} is done with {name}, and its marker on {channel.name} is not accepted",
                        "who is done has all its markers (E15)",
                        name,
                    )
            self._end_part(event, snapshot)
        elif len(snapshot.states) == len(self.run.processes):
            self._require_final(event, snapshot, got)
        else:
            snapshot.early.append((event, got))

    def _require_final(self, event: LogEvent, snapshot: LogSnapshot, got: dict[Channel, int]) -> None:
        """Require that a process that is done without markers had received all that was sent before the records."""
        for channel, number in got.items() if not self.rules.stops else ():
            if snapshot.sent[channel] > number:
                raise self.wrong(
                    event,
                    f"{event.process} is done with {snapshot.id}, and message {number + 1} of {channel.name}, "
                    "which was sent before its source recorded, is not received",
                    "what is recorded is final (E15)",
                    snapshot.id,
                )
        self._end_part(event, snapshot)

    def _end_part(self, event: LogEvent, snapshot: LogSnapshot) -> None:
        self._compare(event, snapshot, event.process)
        snapshot.done.add(event.process)
        if len(snapshot.done) == len(self.run.processes):
            self._finish(event, snapshot)

    def _compare(self, event: LogEvent, snapshot: LogSnapshot, process: str) -> None:
        """Compare a process's reported records of its inputs with the messages that crossed the cut (E6)."""
        reported = event.content.get("chans")
        if reported is None and self.inputs[process]:
            self.unchecked.add("the channels' states: an event done has no chans")
        named = dict(parts_of(event, self.run.at(event)))
        for channel in self.inputs[process]:
            crossed = snapshot.recorded[channel]
            messages = named.pop((channel.source, channel.target), [])
            if reported is None:
                continue
            if len(messages) != len(crossed) or any(
                not same(a, b) for a, b in zip(messages, crossed, strict=True) if b is not UNKNOWN
            ):
                raise self.wrong(
                    event,
                    f"{process} recorded {shown(messages)} of {channel.name}, and {shown(crossed)} crossed the cut",
                    "what is recorded of a channel is what crossed the cut (E6)",
                    snapshot.id,
                )
            if any(message is UNKNOWN for message in crossed):
                self.unchecked.add("what recorded messages carry: an event send has no d")
        if named:
            raise self.wrong(
                event,
                f"{process} recorded {next(iter(named))}, which is not one of its inputs",
                "what is recorded of a channel is recorded by its target",
            )

    def _crossed(self, channel: Channel, snapshot: LogSnapshot) -> list[Any]:
        if not self.rules.exact:
            return []
        first, last = snapshot.got[channel] + 1, snapshot.sent[channel]
        return [channel.carried(number) for number in range(first, last + 1)]

    def _finish(self, event: LogEvent, snapshot: LogSnapshot) -> None:
        self.crossing += sum(map(len, snapshot.recorded.values()))
        self.behind += snapshot.behind
        del self.settled[snapshot.id]
        self._ended.add(snapshot.id)
        self.complete.append(snapshot.id)
        if len(snapshot.reported) < len(self.run.processes):
            self.unchecked.add("what was recorded of states: neither record nor done has s")
        if self.run.total is None or not self.rules.exact:
            return
        parts = [*snapshot.states.values(), *(m for messages in snapshot.recorded.values() for m in messages)]
        if any(part is UNKNOWN for part in parts):
            self.unchecked.add("the sum of a snapshot: not all states and messages are given")
            return
        total = sum_of(parts, lambda: self.run.at(event))
        if differs(total, self.run.total):
            raise self.wrong(
                event,
                f"snapshot {snapshot.id} has {total}, and the run {self.run.total}",
                "a snapshot conserves what the run conserves (E7)",
            )

    def forget(self, channel: Channel, number: int) -> None:
        """Forget what messages up to a number carried, as far as no open snapshot may ask for it."""
        for snapshot in self.open.values():
            if channel in snapshot.got and channel not in snapshot.recorded:
                number = min(number, snapshot.got[channel])
        while self.forgets and channel.first <= number and channel.kept:
            channel.kept.popleft()
            channel.first += 1


class Fold(SnapshotFold):
    """The pass over a run's events: it takes each before it has happened, in an order of :meth:`RunLog.merged`."""

    def take(self, event: LogEvent) -> None:
        """Take the next event. Raises RefusedError if it is wrong, SpecError for a malformed value."""
        self.events += 1
        kind = event.kind
        if not self.begun and kind != "restore":
            self._begin()
            self.begun = True
        if kind in self.foreign:
            self.unchecked.add(f"the events {kind}: {self.protocol} has none")
            return
        must = self.must.get(event.process)
        if must is not None:
            if kind != "record" or event.id != must:
                which = "the last" if self.rules.all_inputs else "the first"
                raise self.wrong(
                    event,
                    f"{which} marker of {must} was accepted, and the next event is {kind}",
                    "to record in the action that accepts the marker (E13)",
                    must,
                )
            del self.must[event.process]
        self.handlers[kind](event, must)

    def _begin(self) -> None:
        """Require that the initial states make the run's sum, if all of them are given."""
        parts = [*self.state.values(), *(m for channel in self.run.channels.values() for m in channel.kept)]
        if self.run.total is None or not self.rules.exact:
            return
        if any(part is UNKNOWN for part in parts):
            self.unchecked.add("the sum of what the run begins with: not all states and messages are given")
            return
        total = sum_of(parts, lambda: self.run.beginning)
        if differs(total, self.run.total):
            raise RefusedError(
                f"the states and messages that the run begins with add up to {total}, and its sum is {self.run.total}",
                where=self.run.beginning,
                rule="the sum of what there is does not change (E7)",
            )

    def _send(self, event: LogEvent, _: str | None) -> None:
        channel = channel_of(event)
        if event.number != channel.sent + 1:
            raise self.wrong(
                event,
                f"message {event.number} is sent on {channel.name} after {channel.sent}",
                "messages of a channel are numbered from 1",
            )
        owed = self.owed.get(channel)
        if owed:
            raise self.wrong(
                event,
                f"a message is sent on {channel.name} ahead of the marker of {min(owed)}",
                "the marker goes out before anything else (E11)",
                min(owed),
            )
        self.pauses.act(event, f"a message is sent on {channel.name}")
        self._account(event, -1)

    def _receive(self, event: LogEvent, _: str | None) -> None:
        channel = channel_of(event)
        number = channel.got + 1
        if event.number != number:
            raise self.wrong(
                event,
                f"message {event.number} of {channel.name} is received after {channel.got}",
                "a channel is first in, first out",
            )
        carried = channel.carried(number)
        received = event.content.get("d", UNKNOWN)
        if received is UNKNOWN or carried is UNKNOWN:
            self.unchecked.add("what is received is what was sent: an event send or receive has no d")
        elif not same(received, carried):
            raise self.wrong(
                event,
                f"message {number} of {channel.name} carries {shown(received)}, and was sent with "
                f"{shown(carried)}",
                "what is received is what was sent",
            )
        if channel.markers and channel.markers[0][1] < number and self.rules.markers:
            passed = channel.markers[0][0]
            raise self.wrong(
                event,
                f"message {number} of {channel.name} is received, and the marker of {passed}, which was "
                "sent before it, is not accepted",
                "a marker is ahead of what is sent behind it (E12)",
                passed,
            )
        if self.blocked[channel]:
            blocking = next(
                s for s in self.open.values() if channel in s.closed and event.process not in s.states
            )
            raise self.wrong(
                event,
                f"a message is received on {channel.name}, where the barrier of {blocking.id} has come, "
                "before those of all inputs have",
                "alignment: an input is blocked from its barrier on",
                blocking.id,
            )
        if not self.rules.markers:
            for snapshot in self.open.values():
                sent = snapshot.sent.get(channel)
                if sent is None:
                    continue
                if number > sent and event.process not in snapshot.states:
                    raise self.wrong(
                        event,
                        f"message {number} of {channel.name} was sent after its sender recorded {snapshot.id}, "
                        "and is received before its receiver does",
                        "no red message is accepted in a white action (E4)",
                        snapshot.id,
                    )
                if number == sent:
                    self.close(channel, snapshot)
        self._account(event, 1)
        for snapshot in [] if self.rules.markers else [*self.open.values()]:
            self.settle(event, snapshot)
        self.forget(channel, number)

    def _internal(self, event: LogEvent, _: str | None) -> None:
        self.pauses.act(event, "something happens")
        self._account(event, 0)

    def _restore(self, event: LogEvent, _: str | None) -> None:
        self.state[event.process] = event.content.get("s", UNKNOWN)
        if event.id is None:
            self.unchecked.add(
                "that all processes are restored from one snapshot: an event restore has no id"
            )

    def _end(self, event: LogEvent, _: str | None) -> None:
        """Do nothing: the reader itself requires that no event follows the end of a log."""
        self.ended_processes.add(event.process)
        for channel in self.outputs[event.process]:
            if owed := self.owed.get(channel):
                raise self.wrong(
                    event,
                    f"nothing follows, and the marker of {min(owed)} is not sent on {channel.name}",
                    "who has recorded sends markers (E11)",
                    min(owed),
                )

    def _account(self, event: LogEvent, sign: int) -> None:
        """Note the state after an event; in a run that conserves a sum, require that the event accounts for it."""
        process, content = event.process, event.content
        before, after = self.state[process], content.get("s", UNKNOWN)
        if self.run.total is not None and after is not UNKNOWN:
            known = before is not UNKNOWN and (not sign or "d" in content)
            if known and not moved(before, content.get("d"), sign, after, lambda: self.run.at(event)):
                raise self.wrong(
                    event,
                    f"{process} had {shown(before)}, and has {shown(after)} after this",
                    "the sum of what there is does not change (E7)",
                )
        self.state[process] = after
