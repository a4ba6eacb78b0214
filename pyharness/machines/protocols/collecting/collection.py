"""The collection of a snapshot (``specs/Collection.tla``): reports, and the collector that assembles them.

A process whose part of the snapshot is complete reports it, over a link that has nothing to do with the
computation's channels, to a central point: the collector, at an initiator for instance. Reports may take arbitrarily
long and come in any order. When all have come the collector has the snapshot SSS, and tests a predicate on it
(EWD864a E15, E19; K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1), 1985, sections 1 and 4.2).

Theory of operation
===================

A :class:`Reporter` is a process of Chandy and Lamport's algorithm, with all that its driver has to do, and one handler
more: :meth:`~Reporter.report` returns ``None`` until the process's part is complete, and from then on always the same
report. A driver asks after each step that accepted a marker or initiated, sends the report to the collector when there
is one, and may send it again as often as its link needs: nothing about a report is FIFO, timely or unique.

The :class:`Collector` is one machine, wherever it runs, and its driver keeps its state. It hands in each report that
arrives, in any order, with :meth:`~Collector.collect`; a copy of a report that is known changes nothing, one with
other content is refused. After each it asks :meth:`~Collector.conclude`, which returns ``None`` until all processes
have reported, then once the state with the verdict, and ``None`` again ever after.

The meaning of the verdict depends on the predicate. If it is stable, ``holds`` means that it is true *now* and forever,
``fails`` that it was false when the snapshot began, and nothing of now. If it is not stable, neither has a meaning.

Two processes; the second can send nothing to the first, which initiates, holding items a and b:

>>> from pyharness.machines.protocols import MARKER, Collector, Items, Reporter
>>> from pyharness.base.topology import Topology
>>> chain = Topology.of(2, [(1, 2)], initiators=[1])
>>> p1, p2 = (Reporter(n, chain, Items("ab")) for n in (1, 2))
>>> s1, s2 = p1.initial(frozenset("ab")), p2.initial(frozenset())
>>> s1, (sent,) = p1.send(s1, (1, 2), "a")[:2]
>>> s1, (marker,) = p1.initiate(s1)[:2]
>>> s1, first = p1.report(s1)
>>> first
Report(process=1, state=frozenset({'b'}), channels=())

The message was sent before the marker, so it is accepted, and is a part of process 2's state, when the marker comes:

>>> s2 = p2.accept(s2, (1, 2), sent[0]).state
>>> p2.report(s2) is None
True
>>> s2 = p2.accept_marker(s2, (1, 2)).state
>>> s2, second = p2.report(s2)

A predicate of your own, stable because nothing ever comes back to process 1, and a collector:

>>> def gone(snapshot):
...     return "a" not in snapshot.states[1] and not snapshot.channels[1, 2]
>>> collector = Collector(chain, gone)
>>> state = collector.collect(collector.initial(), second)
>>> collector.conclude(state) is None
True
>>> state = collector.collect(state, first)
>>> collector.assembled(state)
Snapshot(states={1: frozenset({'b'}), 2: frozenset({'a'})}, channels={(1, 2): ()})
>>> collector.conclude(state).verdict
'holds'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pyharness.base.errors import DriverError, PeerError
from pyharness.machines.protocols.collecting.predicates import Snapshot
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport

if TYPE_CHECKING:
    from pyharness.base.topology import Topology
    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.collecting.predicates import Predicate
    from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamportState

PENDING = "pending"
HOLDS = "holds"
FAILS = "fails"

_HERE = "collector"


class Report(NamedTuple):
    """A process's report to the collector: its identity, its recorded state, and the recorded states of its inputs."""

    process: int
    state: Value
    channels: tuple[tuple[Channel, tuple[Value, ...]], ...]


class CollectorState(NamedTuple):
    """A collector: the reports that have arrived, in the order of the processes, and the verdict.

    The verdict is ``PENDING`` until it concludes, and then ``HOLDS`` or ``FAILS``.
    """

    collected: tuple[Report, ...]
    verdict: str


class Collector:
    """The central point. Mutants override one of its decisions.

    ``topology`` determines whose reports there will be, ``predicate`` is evaluated in the snapshot. Like a process it
    holds what never changes; its state is handed in and given back.
    """

    def __init__(self, topology: Topology, predicate: Predicate) -> None:
        self.topology = topology
        self.predicate = predicate

    def initial(self) -> CollectorState:
        """Begin with nothing collected."""
        return CollectorState((), PENDING)

    def may_conclude(self, state: CollectorState) -> bool:
        """Return whether it may conclude: when all reports have arrived. TLA+: MayConclude."""
        return len(state.collected) == self.topology.processes

    def holds(self, snapshot: Snapshot) -> bool:
        """Test the predicate on a global state, channels and all. TLA+: Holds."""
        return self.predicate(snapshot)

    def collect(self, state: CollectorState, report: Report) -> CollectorState:
        """Take a report that arrived. TLA+: Collect. One that comes again, as a copy, changes nothing.

        Raises PeerError for a value that is not a report, the report of a process that is not in the topology, or on a channel
        that is not its input, and for one that differs from an earlier one.
        """
        if not isinstance(report, Report):
            raise PeerError(f"{report!r} is not a report", where=_HERE, hint="hand it a `Report`")
        if not 1 <= report.process <= self.topology.processes:
            raise PeerError(
                f"no process {report.process}", where=_HERE, hint=f"they are 1 to {self.topology.processes}"
            )
        for channel, _ in report.channels:
            if channel not in (inputs := self.topology.inputs(report.process)):
                names = ", ".join(map(self.topology.channel_name, inputs)) or "none"
                raise PeerError(
                    f"process {report.process} reports on {channel}",
                    where=_HERE,
                    hint=f"its inputs are {names}",
                )
        known = next((old for old in state.collected if old.process == report.process), None)
        if known is None:
            return state._replace(
                collected=tuple(sorted((*state.collected, report), key=lambda r: r.process))
            )
        if known != report:
            raise PeerError(
                f"process {report.process} reported before, and otherwise",
                where=_HERE,
                hint="a report is final: it may be repeated, and not changed",
            )
        return state

    def assembled(self, state: CollectorState) -> Snapshot:
        """Put together what has arrived: the snapshot SSS when all has. TLA+: Assembled."""
        return Snapshot(
            {report.process: report.state for report in state.collected},
            {channel: messages for report in state.collected for channel, messages in report.channels},
        )

    def conclude(self, state: CollectorState) -> CollectorState | None:
        """Test the predicate, once and when it is time. TLA+: Conclude."""
        if state.verdict != PENDING or not self.may_conclude(state):
            return None
        return state._replace(verdict=HOLDS if self.holds(self.assembled(state)) else FAILS)


class Reporter(ChandyLamport):
    """A process of Chandy and Lamport's algorithm that reports its part. Mutants override one of its decisions.

    ``collector`` is the kind of collector it reports to.
    """

    collector: ClassVar[type[Collector]] = Collector

    def may_report(self, state: ChandyLamportState) -> bool:
        """Return whether it is time to report: its part is complete (E15). TLA+: MayReport."""
        return self.locally_complete(state)

    def report_of(self, state: ChandyLamportState) -> Report:
        """Return what there is to report: the recorded states of this process and of its inputs. TLA+: SendReport."""
        if state.recorded is None:
            raise DriverError(
                "nothing is recorded", where=self._place(), hint="`report` returns None until then"
            )
        channels = tuple(zip(self.inputs, state.rec_chan, strict=True))
        return Report(self.identity, state.recorded.state, channels)

    def after_report(self, state: ChandyLamportState) -> ChandyLamportState:
        """Return the state after reporting: as before. TLA+: SendReport."""
        return state

    def after_verdict(self, state: ChandyLamportState) -> ChandyLamportState | None:
        """Return the state that it takes once the collector has concluded: it does no more. TLA+: MayReport."""
        return None

    def report(self, state: ChandyLamportState) -> tuple[ChandyLamportState, Report] | None:
        """Return the report when it is time, and the state after it. TLA+: Report.

        The report is final: its carrier sends it once, or again where links may fail.
        """
        return (self.after_report(state), self.report_of(state)) if self.may_report(state) else None
