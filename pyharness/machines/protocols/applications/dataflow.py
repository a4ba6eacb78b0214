"""A stream processor: sources emit records, operators fold them and pass them on (``specs/Dataflow.tla``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols.applications.application import Channel, Value

Record: TypeAlias = tuple[int, int, int]
"""A record: its source, its number there (from 1), and how often it took a back edge."""

Visits: TypeAlias = dict[tuple[int, int, int], int]
"""The number of visits of a source's record to a process: by process, source and number."""


class FoldState(NamedTuple):
    """A local state, given out as a plain tuple in this order, as in the spec.

    ``offset`` is the number of records a source has emitted; ``folded`` has by process, and then by number from 1, the
    number of times that source's record came; ``outbox`` holds the record to be passed on, if any; ``forward`` and ``back`` are the
    outputs, by the order of their targets.
    """

    offset: int
    folded: tuple[tuple[int, ...], ...]
    outbox: tuple[Record, ...]
    forward: tuple[Channel, ...]
    back: tuple[Channel, ...]


class Dataflow:
    """Each source emits ``records`` records, and they go to one of several outputs by their number (keyed streams).

    A process without inputs is a source, one without outputs a sink. A record takes a back edge once, at the first
    process that has one.
    """

    def __init__(self, records: int) -> None:
        self.records = records

    def initial_states(self, topology: Topology) -> Iterator[tuple[Value, ...]]:
        """Yield the one way to begin."""
        processes = range(1, topology.processes + 1)
        sources = [p for p in processes if not topology.inputs(p)]
        nothing = tuple((0,) * self.records if p in sources else () for p in processes)
        yield tuple(
            tuple(
                FoldState(
                    0 if p in sources else self.records,
                    nothing,
                    (),
                    tuple(c for c in topology.outputs(p) if c[1] > c[0]),
                    tuple(c for c in topology.outputs(p) if c[1] <= c[0]),
                )
            )
            for p in processes
        )

    def sendable(self, process: int, channel: Channel, state: Value) -> Iterable[Value]:
        """The record in the outbox, or a source's next one, on the output it goes to (TLA+ ``DataflowSendable``)."""
        hop = self._ahead(process, _fold(state))
        return (hop[1],) if hop is not None and hop[0] == channel else ()

    def after_send(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Empty the outbox, or go on to the next offset."""
        own = _fold(state)
        return tuple(own._replace(outbox=()) if own.outbox else own._replace(offset=own.offset + 1))

    def acceptable(self, process: int, channel: Channel, state: Value, message: Value) -> bool:
        """A record is passed on before the next one is accepted."""
        return not _fold(state).outbox

    def after_accept(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Fold the record, and keep it if it is to be passed on."""
        own, record = _fold(state), _record(message)
        source, number = record[0] - 1, record[1] - 1
        row = own.folded[source]
        row = (*row[:number], row[number] + 1, *row[number + 1 :])
        folded = (*own.folded[:source], row, *own.folded[source + 1 :])
        return tuple(own._replace(folded=folded, outbox=(record,) if _hop(own, record) else ()))

    def internals(self, process: int, state: Value) -> Iterable[Value]:
        """Yield nothing: a dataflow has no internal action."""
        return ()

    def conserved(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """A1: states, with what is coming to them, are the fold of exactly the records up to the offsets."""
        visits, expected = self.accounts(states, channels)
        return visits == expected

    def nothing_lost(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """A4: states are the fold of at least the records up to the offsets. TLA+: NothingLost."""
        visits, expected = self.accounts(states, channels)
        return all(visits[key] >= count for key, count in expected.items() if count)

    def accounts(
        self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]
    ) -> tuple[Visits, Visits]:
        """Count the visits of each record to each process, made or to come, and those that there should be.

        ``channels`` has the records in each channel, in the order of the channels.
        """
        local = [_fold(state) for state in states]
        names = sorted(c for own in local for c in (*own.forward, *own.back))
        visits: Visits = {}
        expected: Visits = {}
        for p, own in enumerate(local, start=1):
            for q, row in enumerate(own.folded, start=1):
                for n, count in enumerate(row, start=1):
                    visits[p, q, n] = count
                    expected[p, q, n] = 0
        for channel, queue in zip(names, channels, strict=True):
            for message in queue:
                self._visit(visits, local, channel[1], _record(message))
        for p, own in enumerate(local, start=1):
            if own.outbox:
                self._onward(visits, local, p, own.outbox[0])
            for n in range(1, own.offset + 1 if own.folded[p - 1] else 1):
                self._onward(expected, local, p, (p, n, 0))
        return visits, expected

    def _visit(self, visits: Visits, local: Sequence[FoldState], process: int, record: Record) -> None:
        visits[process, record[0], record[1]] += 1
        self._onward(visits, local, process, record)

    def _onward(self, visits: Visits, local: Sequence[FoldState], process: int, record: Record) -> None:
        hop = _hop(local[process - 1], record)
        if hop is not None:
            self._visit(visits, local, hop[0][1], hop[1])

    def _ahead(self, process: int, state: FoldState) -> tuple[Channel, Record] | None:
        if state.outbox:
            return _hop(state, state.outbox[0])
        return _hop(state, (process, state.offset + 1, 0)) if state.offset < self.records else None


def _hop(state: FoldState, record: Record) -> tuple[Channel, Record] | None:
    """Return the channel that a record takes next, and the record with its laps there. TLA+: Hop."""
    source, number, laps = record
    outputs, laps = (state.back, 1) if state.back and laps == 0 else (state.forward, laps)
    return (outputs[(number - 1) % len(outputs)], (source, number, laps)) if outputs else None


def _fold(state: Value) -> FoldState:
    return FoldState(*state)  # type: ignore[misc]


def _record(message: Value) -> Record:
    return message  # type: ignore[return-value]
