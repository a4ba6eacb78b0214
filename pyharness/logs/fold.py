"""Decide a run's snapshots by counting: one pass over its events, a few steps for each.

Snapshot n is a consistent cut if, of each channel, the target had received no more before it recorded than the source
had sent before it did (EWD864a E4); the channel's state is the messages between the two numbers (E6). A marker that is
last among what was sent before the record, and a target that records no later than it accepts one, keep that (E11-E13).
What the fold refuses is the first line that is wrong given those before it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.logs.log_events import Channel, Event, RefusedError, channel_of, id_of, parts_of
from pyharness.logs.rules import PROTOCOLS, Snapshot
from pyharness.toolchain.clean_text import one_line

if TYPE_CHECKING:
    from pyharness.logs.run_log import RunLog

__all__ = ["Fold"]

_UNKNOWN: Final = object()
"""The state of a process that its log does not tell."""


class Fold:
    """The pass over a run's events: give it each, in an order of :meth:`RunLog.merged`, before it has happened.

    ``complete`` counts the snapshots that all processes have done, ``crossing`` the messages that crossed their cuts,
    ``behind`` those sent by who had recorded, before such a snapshot was complete. ``unchecked`` says what the log did
    not let it decide.
    """

    def __init__(self, run: RunLog, protocol: str) -> None:
        self.run, self.rules, self.protocol = run, PROTOCOLS[protocol], protocol
        self.complete: list[str] = []
        self.crossing = self.behind = self.events = 0
        self.unchecked: set[str] = set()
        self._open: dict[str, Snapshot] = {}
        self._ended: set[str] = set()
        all_of = run.channels.values()
        self._inputs = {p: [c for c in all_of if c.target == p] for p in run.processes}
        self._outputs = {p: [c for c in all_of if c.source == p] for p in run.processes}
        self._must: dict[str, str] = {}
        """Of a process: the snapshot that its next event must record."""
        self._owed: dict[Channel, set[str]] = {}
        """Of a channel: the snapshots whose marker must come before the next message."""
        self._blocked: Counter[Channel] = Counter()
        self._state: dict[str, Any] = {p: run.header(p).get("state", _UNKNOWN) for p in run.processes}

    @property
    def incomplete(self) -> list[str]:
        """The ids of the snapshots that were begun and not completed."""
        return list(self._open)

    def take(self, event: Event) -> None:
        """Take the next event. Raises RefusedError if it is wrong, SpecError for a value that is none."""
        self.events += 1
        kind = event.kind
        must = self._must.pop(event.process, None)
        if must is not None and (kind != "record" or event.id != must):
            which = "the last" if self.rules.all_inputs else "the first"
            raise self._wrong(
                event,
                f"{which} marker of {must} was accepted, and the next event is {kind}",
                "to record in the action that accepts the marker (E13)",
                must,
            )
        getattr(self, f"_{kind.replace('-', '_')}")(event, must)

    def _wrong(self, event: Event, message: str, rule: str, snapshot: str | None = None) -> RefusedError:
        """Return the refusal of an event by a rule of the protocol, if it is of a snapshot, or else of the log."""
        return RefusedError(
            message, where=self.run.at(event), rule=rule, snapshot=snapshot, protocol=snapshot is not None
        )

    # The computation

    def _send(self, event: Event, _: str | None) -> None:
        channel = channel_of(event)
        if event.number != channel.sent + 1:
            raise self._wrong(
                event,
                f"message {event.number} is sent on {channel.name} after {channel.sent}",
                "messages of a channel are numbered from 1",
            )
        owed = self._owed.get(channel)
        if owed:
            raise self._wrong(
                event,
                f"a message is sent on {channel.name} ahead of the marker of {min(owed)}",
                "the marker goes out before anything else (E11)",
                min(owed),
            )
        self._account(event, -1)

    def _receive(self, event: Event, _: str | None) -> None:
        channel = channel_of(event)
        number = channel.got + 1
        if event.number != number:
            raise self._wrong(
                event,
                f"message {event.number} of {channel.name} is received after {channel.got}",
                "a channel is first in, first out",
            )
        carried = channel.carried(number)
        if "d" in event.said and carried is not None and event.said["d"] != carried:
            raise self._wrong(
                event,
                f"message {number} of {channel.name} carries {_show(event.said['d'])}, and was sent "
                f"with {_show(carried)}",
                "what is received is what was sent",
            )
        if channel.markers and channel.markers[0][1] < number:
            passed = channel.markers[0][0]
            raise self._wrong(
                event,
                f"message {number} of {channel.name} is received, and the marker of {passed}, which was "
                "sent before it, is not accepted",
                "a marker is ahead of what is sent behind it (E12)",
                passed,
            )
        if self._blocked[channel]:
            blocking = next(
                s for s in self._open.values() if channel in s.closed and event.process not in s.states
            )
            raise self._wrong(
                event,
                f"a message is received on {channel.name}, where the barrier of {blocking.id} has come, "
                "before those of all inputs have",
                "alignment: an input is blocked from its barrier on",
                blocking.id,
            )
        if not self.rules.markers:
            for snapshot in self._open.values():
                sent = snapshot.sent.get(channel)
                if sent is not None and number > sent and event.process not in snapshot.states:
                    raise self._wrong(
                        event,
                        f"message {number} of {channel.name} was sent by who had recorded {snapshot.id}, and is "
                        "received by who has not",
                        "no red message is accepted in a white action (E4)",
                        snapshot.id,
                    )
        self._account(event, 1)
        self._forget(channel, number)

    def _internal(self, event: Event, _: str | None) -> None:
        self._account(event, 0)

    def _restore(self, event: Event, _: str | None) -> None:
        self._state[event.process] = event.said.get("s", _UNKNOWN)

    def _end(self, event: Event, _: str | None) -> None:
        """Nothing follows, which the reader sees to."""

    def _account(self, event: Event, sign: int) -> None:
        """Note the state after an event; of a run that conserves a sum it is what the event has made of it."""
        before, after = self._state[event.process], event.said.get("s", _UNKNOWN)
        if self.run.total is not None and after is not _UNKNOWN:
            change = sign * _number(self, event, event.said["d"]) if sign and "d" in event.said else 0
            known = before is not _UNKNOWN and (not sign or "d" in event.said)
            if known and _number(self, event, after) != _number(self, event, before) + change:
                raise self._wrong(
                    event,
                    f"{event.process} had {_show(before)}, and has {_show(after)} after this",
                    "the sum of what there is does not change (E7)",
                )
        self._state[event.process] = after

    # The snapshot

    def _record(self, event: Event, must: str | None) -> None:
        process, name = event.process, id_of(event)
        if name in self._ended:
            raise self._wrong(
                event, f"snapshot {name} is complete, and {process} records for it", "each records once (E1)"
            )
        snapshot = self._open.setdefault(name, Snapshot(name))
        if process in snapshot.states:
            raise self._wrong(
                event, f"{process} records for {name} a second time", "each records once (E1)", name
            )
        if must is None and self.rules.markers:
            begins = (
                not self._inputs[process]
                if self.rules.begin
                else self.run.header(process).get("initiator") is not False
            )
            if not begins:
                raise self._wrong(
                    event,
                    f"{process} begins {name}, and is none of those that may",
                    "who begins a snapshot (E16)",
                    name,
                )
        was, state = self._state[process], event.said.get("s", _UNKNOWN)
        if state is not _UNKNOWN and was is not _UNKNOWN and state != was:
            raise self._wrong(
                event,
                f"{process} records {_show(state)}, and its state is {_show(was)}",
                "what is recorded is the state (E6)",
            )
        snapshot.states[process] = state if state is not _UNKNOWN else was
        for channel in self._outputs[process]:
            snapshot.sent[channel] = channel.sent
            if self.rules.markers:
                self._owed.setdefault(channel, set()).add(name)
        for channel in self._inputs[process]:
            snapshot.got[channel] = channel.got
            if self.rules.blocks:
                self._blocked[channel] -= channel in snapshot.closed
        if snapshot.early and len(snapshot.states) == len(self.run.processes):
            early, snapshot.early = snapshot.early, []
            for done, got in early:
                self._require_final(done, snapshot, got)

    def _marker_out(self, event: Event, _: str | None) -> None:
        channel, name = channel_of(event), id_of(event)
        snapshot = self._open.get(name)
        if name in channel.marked:
            raise self._wrong(
                event,
                f"a second marker of {name} goes out on {channel.name}",
                "one marker on each channel (E11)",
            )
        if snapshot is None or event.process not in snapshot.states:
            raise self._wrong(
                event,
                f"a marker of {name} goes out on {channel.name}, and {event.process} has not recorded",
                "who has recorded sends markers (E11)",
                name,
            )
        self._owed[channel].discard(name)

    def _marker(self, event: Event, _: str | None) -> None:
        channel, name, process = channel_of(event), id_of(event), event.process
        position = next((at for other, at in channel.markers if other == name), None)
        snapshot = self._open.get(name)
        if position is None or snapshot is None:
            raise self._wrong(
                event,
                f"a second marker of {name} is accepted on {channel.name}",
                "one marker on each channel (E11)",
            )
        if position > channel.got and not self.rules.overtakes:
            raise self._wrong(
                event,
                f"the marker of {name} is accepted on {channel.name}, and message {channel.got + 1}, which was "
                "sent before it, is not received",
                "a channel is first in, first out (E12)",
                name,
            )
        if channel.markers[0][0] != name:
            raise self._wrong(
                event,
                f"the marker of {name} is accepted on {channel.name} before that of {channel.markers[0][0]}",
                "a channel is first in, first out",
            )
        snapshot.closed.add(channel)
        if process in snapshot.states:
            return
        if not self.rules.all_inputs or snapshot.closed.issuperset(self._inputs[process]):
            self._must[process] = name
        if self.rules.blocks:
            self._blocked[channel] += 1

    def _done(self, event: Event, _: str | None) -> None:
        process, name = event.process, id_of(event)
        snapshot = self._open.get(name)
        if snapshot is None or process not in snapshot.states:
            raise self._wrong(
                event,
                f"{process} is done with {name}, and has not recorded",
                "who is done has recorded (E15)",
                name,
            )
        if process in snapshot.done or any(process == other.process for other, _ in snapshot.early):
            raise self._wrong(event, f"{process} is done with {name} a second time", "each is done once")
        state = event.said.get("s", _UNKNOWN)
        if state is not _UNKNOWN and snapshot.states[process] not in (_UNKNOWN, state):
            raise self._wrong(
                event,
                f"{process} says that it recorded {_show(state)}, and it was {_show(snapshot.states[process])}",
                "what is recorded is the state (E6)",
            )
        got = {channel: channel.got for channel in self._inputs[process]}
        if self.rules.markers:
            for channel in got:
                if channel not in snapshot.closed:
                    raise self._wrong(
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

    def _require_final(self, event: Event, snapshot: Snapshot, got: dict[Channel, int]) -> None:
        """Require of who is done without markers that it had received all that was sent before the records."""
        for channel, number in got.items():
            if snapshot.sent[channel] > number:
                raise self._wrong(
                    event,
                    f"{event.process} is done with {snapshot.id}, and message {number + 1} of {channel.name}, "
                    "which was sent before its source recorded, is not received",
                    "what is recorded is final (E15)",
                    snapshot.id,
                )
        self._end_part(event, snapshot)

    def _end_part(self, event: Event, snapshot: Snapshot) -> None:
        self._compare(event, snapshot, event.process)
        snapshot.done.add(event.process)
        for channel in self._inputs[event.process]:
            self._forget(channel, channel.got, snapshot)
        if len(snapshot.done) == len(self.run.processes):
            self._finish(event, snapshot)

    def _compare(self, event: Event, snapshot: Snapshot, process: str) -> None:
        """Compare what a process says it recorded of its inputs with the messages that crossed the cut (E6)."""
        said = event.said.get("chans")
        if said is None and self._inputs[process]:
            self.unchecked.add("the channels' states: an event done has no chans")
        named = dict(parts_of(event, self.run.at(event)))
        for channel in self._inputs[process]:
            crossed = self._crossed(channel, snapshot)
            messages = named.pop((channel.source, channel.target), [])
            snapshot.recorded[channel] = crossed
            if said is None:
                continue
            if len(messages) != len(crossed) or any(
                a != b for a, b in zip(messages, crossed, strict=True) if b is not None
            ):
                raise self._wrong(
                    event,
                    f"{process} recorded {_show(messages)} of {channel.name}, and {_show(crossed)} crossed the cut",
                    "what is recorded of a channel is what crossed the cut (E6)",
                    snapshot.id,
                )
            if None in crossed:
                self.unchecked.add("what recorded messages carry: an event send has no d")
        if named:
            raise self._wrong(
                event,
                f"{process} recorded {next(iter(named))}, which is none of its inputs",
                "what is recorded of a channel is recorded by its target",
            )

    def _crossed(self, channel: Channel, snapshot: Snapshot) -> list[Any]:
        if not self.rules.exact:
            return []
        first, last = snapshot.got[channel] + 1, snapshot.sent[channel]
        return [channel.carried(number) for number in range(first, last + 1)]

    def _finish(self, event: Event, snapshot: Snapshot) -> None:
        self.crossing += sum(map(len, snapshot.recorded.values()))
        self.behind += sum(channel.sent - sent for channel, sent in snapshot.sent.items())
        del self._open[snapshot.id]
        self._ended.add(snapshot.id)
        self.complete.append(snapshot.id)
        if self.run.total is None or not self.rules.exact:
            return
        parts = [*snapshot.states.values(), *(m for messages in snapshot.recorded.values() for m in messages)]
        if any(part is _UNKNOWN or part is None for part in parts):
            self.unchecked.add("the sum of a snapshot: not all states and messages are told")
            return
        total = sum(_number(self, event, part) for part in parts)
        if total != self.run.total:
            raise self._wrong(
                event,
                f"snapshot {snapshot.id} has {total}, and the run {self.run.total}",
                "a snapshot conserves what the run conserves (E7)",
            )

    def _forget(self, channel: Channel, number: int, ended: Snapshot | None = None) -> None:
        """Forget what messages up to a number carried, as far as no open snapshot may ask for it."""
        for snapshot in self._open.values():
            if snapshot is not ended and channel in snapshot.got and channel.target not in snapshot.done:
                number = min(number, snapshot.got[channel])
        while channel.first <= number and channel.kept:
            channel.kept.popleft()
            channel.first += 1


def _show(value: Any) -> str:
    return one_line("nothing" if value is _UNKNOWN else repr(value), 80)


def _number(fold: Fold, event: Event, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpecError(f"the log has a sum, and {_show(value)} is no number", where=fold.run.at(event))
    return value
