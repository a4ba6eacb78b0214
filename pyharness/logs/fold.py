"""Decide a run's snapshots by counting: one pass over its events, a few steps for each.

Snapshot n is a consistent cut if, of each channel, the target had received no more before it recorded than the source
had sent before it did (EWD864a E4); the channel's state is the messages between the two numbers (E6). A marker that is
last among what was sent before the record, and a target that records no later than it accepts one, keep that (E11-E13).
What the fold refuses is the first line that is wrong given those before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.logs.conserved_sum import moved, sum_of, told_apart
from pyharness.logs.log_events import RefusedError, channel_of
from pyharness.logs.said_values import UNKNOWN, same, shown
from pyharness.logs.snapshot_fold import SnapshotFold

if TYPE_CHECKING:
    from pyharness.logs.log_events import Event


class Fold(SnapshotFold):
    """The pass over a run's events: give it each, in an order of :meth:`RunLog.merged`, before it has happened."""

    def take(self, event: Event) -> None:
        """Take the next event. Raises RefusedError if it is wrong, SpecError for a value that is none."""
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
        """Require of what there is in the beginning that it is the run's sum, if all of it is told."""
        parts = [*self.state.values(), *(m for channel in self.run.channels.values() for m in channel.kept)]
        if self.run.total is None or not self.rules.exact or any(part is UNKNOWN for part in parts):
            return
        total = sum_of(parts, lambda: self.run.beginning)
        if told_apart(total, self.run.total):
            raise RefusedError(
                f"the states and messages that the run begins with add up to {total}, and its sum is {self.run.total}",
                where=self.run.beginning,
                rule="the sum of what there is does not change (E7)",
            )

    def _send(self, event: Event, _: str | None) -> None:
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

    def _receive(self, event: Event, _: str | None) -> None:
        channel = channel_of(event)
        number = channel.got + 1
        if event.number != number:
            raise self.wrong(
                event,
                f"message {event.number} of {channel.name} is received after {channel.got}",
                "a channel is first in, first out",
            )
        carried = channel.carried(number)
        said = event.said.get("d", UNKNOWN)
        if said is UNKNOWN or carried is UNKNOWN:
            self.unchecked.add("what is received is what was sent: an event send or receive has no d")
        elif not same(said, carried):
            raise self.wrong(
                event,
                f"message {number} of {channel.name} carries {shown(said)}, and was sent with "
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
                        f"message {number} of {channel.name} was sent by who had recorded {snapshot.id}, and is "
                        "received by who has not",
                        "no red message is accepted in a white action (E4)",
                        snapshot.id,
                    )
                if number == sent:
                    self.close(channel, snapshot)
        self._account(event, 1)
        for snapshot in [] if self.rules.markers else [*self.open.values()]:
            self.settle(event, snapshot)
        self.forget(channel, number)

    def _internal(self, event: Event, _: str | None) -> None:
        self.pauses.act(event, "something happens")
        self._account(event, 0)

    def _restore(self, event: Event, _: str | None) -> None:
        self.state[event.process] = event.said.get("s", UNKNOWN)

    def _end(self, event: Event, _: str | None) -> None:
        """Nothing follows, which the reader sees to: no marker, either."""
        for channel in self.outputs[event.process]:
            if owed := self.owed.get(channel):
                raise self.wrong(
                    event,
                    f"nothing follows, and the marker of {min(owed)} is not sent on {channel.name}",
                    "who has recorded sends markers (E11)",
                    min(owed),
                )

    def _account(self, event: Event, sign: int) -> None:
        """Note the state after an event; of a run that conserves a sum it is what the event has made of it."""
        process, said = event.process, event.said
        before, after = self.state[process], said.get("s", UNKNOWN)
        if self.run.total is not None and after is not UNKNOWN:
            known = before is not UNKNOWN and (not sign or "d" in said)
            if known and not moved(before, said.get("d"), sign, after, lambda: self.run.at(event)):
                raise self.wrong(
                    event,
                    f"{process} had {shown(before)}, and has {shown(after)} after this",
                    "the sum of what there is does not change (E7)",
                )
        self.state[process] = after
