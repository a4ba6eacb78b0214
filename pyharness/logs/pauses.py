"""The rules of a world that stops for a snapshot: nobody acts while it is paused, and nothing is in a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.logs.log_events import id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.logs.log_events import Channel, Event, RefusedError
    from pyharness.logs.rules import Snapshot


class Pauses:
    """Who is paused, and what the spec StopTheWorld says of them; ``wrong`` makes the refusal of an event.

    A snapshot without any pause is one of all processes in one instant: its channels are recorded as found. No log
    tells of an instant, so what is asked is whether the processes may have recorded in one: whether it is a cut.
    """

    def __init__(self, wrong: Callable[[Event, str, str, str | None], RefusedError]) -> None:
        self._wrong = wrong
        self._paused: dict[str, list[str]] = {}

    @property
    def used(self) -> bool:
        """Whether the world was stopped by pausing: then its channels are empty as one records, by rule."""
        return bool(self._paused)

    def act(self, event: Event, what: str) -> None:
        """Require that who does something is not paused."""
        if paused := self._paused.get(event.process):
            raise self._wrong(
                event,
                f"{what}, and {event.process} is paused for {paused[0]}",
                "nobody acts while paused: Pause",
                paused[0],
            )

    def pause(self, event: Event, snapshot: Snapshot) -> None:
        """Let a process pause for a snapshot for which nobody has recorded without."""
        process, name = event.process, snapshot.id
        if process in snapshot.paused:
            raise self._wrong(
                event, f"{process} pauses for {name} a second time", "each pauses once: Pause", name
            )
        unpaused = next((other for other in snapshot.states if other not in snapshot.paused), None)
        if unpaused is not None:
            raise self._wrong(
                event,
                f"{process} pauses for {name}, and {unpaused} has recorded without",
                "all are paused before one records: Record",
                name,
            )
        snapshot.paused[process] = event
        self._paused.setdefault(process, []).append(name)

    def record(
        self, event: Event, snapshot: Snapshot, inputs: Sequence[Channel], outputs: Sequence[Channel]
    ) -> None:
        """Require of who records, if others are paused, that it is, and that its channels are empty by then."""
        process = event.process
        if not snapshot.paused:
            return
        if process not in snapshot.paused:
            raise self._wrong(
                event,
                f"{process} records for {snapshot.id} and is not paused, as {next(iter(snapshot.paused))} is",
                "all are paused before one records: Record",
                snapshot.id,
            )
        full = [c for c in inputs if snapshot.sent.get(c, c.got) != c.got]
        full += [c for c in outputs if snapshot.got.get(c, c.sent) != c.sent]
        if full:
            raise self._wrong(
                event,
                f"{process} records for {snapshot.id}, and {full[0].name} was not empty as both its ends did",
                "the channels are drained before one records: Record",
                snapshot.id,
            )

    def resume(self, event: Event, snapshot: Snapshot | None) -> None:
        """Let a process that has paused and recorded go on; ``snapshot`` is None if it is complete, or never was."""
        process, name = event.process, id_of(event)
        lacks = "paused" if name not in self._paused.get(process, ()) else ""
        if snapshot is not None and process not in snapshot.states:
            lacks = lacks or "recorded"
        if lacks:
            raise self._wrong(
                event,
                f"{process} resumes after {name}, and has not {lacks}",
                "who resumes has paused and recorded: Resume",
                name if snapshot is not None else None,
            )
        self._paused[process].remove(name)
        if snapshot is not None:
            snapshot.resumed[process] = event

    def finish(self, unrecorded: Iterable[Snapshot]) -> None:
        """Require that nobody has resumed of snapshots for which not all have recorded, by the end of the log."""
        for snapshot in unrecorded:
            if snapshot.resumed:
                event = next(iter(snapshot.resumed.values()))
                raise self._wrong(
                    event,
                    f"{event.process} resumes after {snapshot.id}, and not all have recorded, by the whole log",
                    "all have recorded before one resumes: Resume",
                    snapshot.id,
                )
