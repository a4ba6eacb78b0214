"""The composed system of ``specs/Collection.tla``: Chandy and Lamport's, with reports under way and a collector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.protocols import PENDING, CollectorState, Report, Snapshot, never
from pyharness.systems.chandy_lamport_system import ChandyLamportSystem
from pyharness.systems.system import Action, GlobalState, messages_in
from pyharness.tla.values import function, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyharness.protocols import Collector, Predicate
    from pyharness.tla.values import Value

_Colourless = tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]
"""A global state of the computation: local states by process, messages by channel, in their orders."""


class CollectionState(NamedTuple):
    """What the collection adds: the reports under way, the collector, and the ghost S0 (``None`` before it)."""

    reports: tuple[Report, ...]
    collector: CollectorState
    s0: _Colourless | None


class CollectionSystem(ChandyLamportSystem):
    """``specs/Collection.tla``: reports travel on links of their own, in any order, to a collector."""

    protocol = "Collection"

    def __init__(self, *arguments: Any, predicate: Predicate = never, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.collector: Collector = self.processes[0].collector(self.topology, predicate)

    # -- behaviours ----------------------------------------------------------------------------------------

    def initial(self) -> Iterator[GlobalState]:
        """Yield the initial states. TLA+: CInit."""
        for state in super().initial():
            yield state._replace(outside=CollectionState((), self.collector.initial(), None))

    def actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield every enabled action with its result. TLA+: CNext."""
        for name, detail, after in super().actions(state):
            begins = name == "Initiate" and not self.recorded_states(state)
            yield Action(f"C{name}", detail, _with(after, s0=self.computation(state)) if begins else after)
        yield from self._reports(state)
        yield from self._collects(state)
        concluded = self.collector.conclude(state.outside.collector)
        if concluded is not None:
            yield Action("Conclude", "", _with(state, collector=concluded))

    def _reports(self, state: GlobalState) -> Iterator[Action]:
        reports, collector, _ = state.outside
        reported = {report.process for report in (*reports, *collector.collected)}
        for number, machine in enumerate(self.processes):
            under_way, own = reports, None
            if machine.identity in reported:
                own = machine.after_verdict(state.local[number]) if self.over(state) else None
            elif done := machine.report(state.local[number]):
                own, report = done
                under_way = tuple(sorted((*reports, report), key=lambda r: r.process))
            if own is not None:
                local = (*state.local[:number], own, *state.local[number + 1 :])
                after = _with(state._replace(local=local), reports=under_way)
                yield Action("Report", self.topology.process_name(machine.identity), after)

    def _collects(self, state: GlobalState) -> Iterator[Action]:
        reports, collector, _ = state.outside
        for report in reports:
            rest = tuple(other for other in reports if other is not report)
            after = _with(state, reports=rest, collector=self.collector.collect(collector, report))
            yield Action("Collect", self.topology.process_name(report.process), after)

    def fair_actions(self) -> frozenset[tuple[str, str]]:
        """Who may report does, reports arrive, and the collector concludes. TLA+: CFairness."""
        names = [self.topology.process_name(number) for number in range(1, self.topology.processes + 1)]
        computation = {(f"C{name}", place) for name, place in super().fair_actions()}
        collection = {(action, name) for action in ("Report", "Collect") for name in names}
        return frozenset(computation | collection | {("Conclude", "")})

    def over(self, state: GlobalState) -> bool:
        """Tell whether the verdict is in. TLA+: Concluded."""
        return bool(state.outside.collector.verdict != PENDING)

    # -- reading a state -----------------------------------------------------------------------------------

    def computation(self, state: GlobalState) -> _Colourless:
        """Return the global state of the computation, without colours and markers. TLA+: S1."""
        queues = (tuple(message.msg for message in messages_in(queue)) for queue in state.queues)
        return tuple(local.app for local in state.local), tuple(queues)

    def snapshot(self, seen: _Colourless) -> Snapshot:
        """Return a global state of the computation as a predicate takes it."""
        states, channels = seen
        return Snapshot(dict(enumerate(states, start=1)), dict(zip(self.channels, channels, strict=True)))

    def variables(self, state: GlobalState) -> dict[str, Value]:
        """Return ChandyLamport's variables and the spec's four own."""
        reports, collector, s0 = state.outside
        states, channels = s0 or ((), ())
        return {
            **super().variables(state),
            "reports": _by_process(reports),
            "collected": _by_process(collector.collected),
            "verdict": collector.verdict,
            "S0": record(states=states, channels=self.by_channel(channels) if s0 else ()),
        }


def _with(state: GlobalState, **changes: Any) -> GlobalState:
    return state._replace(outside=state.outside._replace(**changes))


def _by_process(reports: Iterable[Report]) -> Value:
    return function(
        (report.process, record(state=report.state, channels=function(report.channels)))  # type: ignore[arg-type]
        for report in reports
    )
