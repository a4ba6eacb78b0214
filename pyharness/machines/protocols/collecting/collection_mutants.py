"""Seeded bugs of the collection: each overrides one decision of a reporter, or of the collector it reports to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyharness.machines.protocols.collecting.collection import Collector, CollectorState, Report, Reporter
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.process import RED
from pyharness.machines.protocols.markers.chandy_lamport_mutants import LeftOver

if TYPE_CHECKING:
    from pyharness.machines.protocols.collecting.predicates import Snapshot
    from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamportState


class ForgetReportedChannels(Reporter):
    """A report leaves out the states of the channels (E19)."""

    def report_of(self, state: ChandyLamportState) -> Report:
        """The process's own state."""
        return super().report_of(state)._replace(channels=())


class ReportEarly(Reporter):
    """A process reports while its channels are still being recorded (E15)."""

    def may_report(self, state: ChandyLamportState) -> bool:
        """As soon as it has recorded its state."""
        return self.colour(state) == RED


class OnlyInitiatorsReport(Reporter):
    """Those who did not initiate the snapshot do not report."""

    def may_report(self, state: ChandyLamportState) -> bool:
        """If it is an initiator."""
        return super().may_report(state) and self.is_initiator


class DiscardReported(Reporter):
    """A process that has reported discards what it recorded of its channels."""

    def after_report(self, state: ChandyLamportState) -> ChandyLamportState:
        """With nothing recorded of them."""
        return state._replace(rec_chan=((),) * len(self.inputs))


class RestoreConcluded(Reporter):
    """Once the collector has concluded, a process may go back to the state that it recorded (E19)."""

    def after_verdict(self, state: ChandyLamportState) -> ChandyLamportState | None:
        """The recorded one, for the application."""
        return None if state.recorded is None else state._replace(app=state.recorded.state)


class _EarlyCollector(Collector):
    def may_conclude(self, state: CollectorState) -> bool:
        return bool(state.collected)


class _ProcessesOnly(Collector):
    def holds(self, snapshot: Snapshot) -> bool:
        return super().holds(snapshot._replace(channels=dict.fromkeys(snapshot.channels, ())))


class IgnoreChannels(Reporter):
    """The predicate is tested on the processes' states alone, as if nothing were in transit (E19)."""

    collector: ClassVar[type[Collector]] = _ProcessesOnly


class ConcludeEarly(Reporter):
    """The collector concludes from the first report that arrives (E19)."""

    collector: ClassVar[type[Collector]] = _EarlyCollector


class ReportNow(Reporter):
    """A process reports its state as it is by then, and not the one that it recorded (E15, E19)."""

    def report_of(self, state: ChandyLamportState) -> Report:
        """With the present state."""
        return super().report_of(state)._replace(state=state.app)


class ReportBackwards(Reporter):
    """A report has the messages of each channel in reverse order (E5, E19)."""

    def report_of(self, state: ChandyLamportState) -> Report:
        """The last first."""
        report = super().report_of(state)
        return report._replace(channels=tuple((c, messages[::-1]) for c, messages in report.channels))


class _TrustingCollector(Collector):
    def collect(self, state: CollectorState, report: Report) -> CollectorState:
        return state._replace(collected=tuple(sorted((*state.collected, report), key=lambda r: r.process)))

    def assembled(self, state: CollectorState) -> Snapshot:
        own = ((c, q) for report in state.collected for c, q in report.channels if c[1] == report.process)
        return super().assembled(state)._replace(channels=dict(own))


class ReportOutputs(Reporter):
    """A report has a process's outputs too, of which the process knows nothing, as empty (E19)."""

    collector: ClassVar[type[Collector]] = _TrustingCollector

    def report_of(self, state: ChandyLamportState) -> Report:
        """With all outputs that are no inputs."""
        report = super().report_of(state)
        outputs = tuple((c, ()) for c in self.outputs if c not in self.inputs)
        return report._replace(channels=(*report.channels, *outputs))


class _LeftOver(LeftOver, Reporter):
    """The seeded bug of the same name, of a process that reports."""


COLLECTION_MUTANTS: dict[str, Mutant] = {
    "LeftOver": {"process": _LeftOver},
    **mutants_of(
        "process",
        ForgetReportedChannels,
        IgnoreChannels,
        ConcludeEarly,
        ReportEarly,
        OnlyInitiatorsReport,
        DiscardReported,
        ReportNow,
        ReportBackwards,
        ReportOutputs,
        RestoreConcluded,
    ),
}
"""The seeded bugs by name."""
