"""``specs/Collection.tla``: Chandy and Lamport's system with reports and a collector, and its properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.machines.explain.collection_reasons import assembled_is_sss, c_type_ok
from pyharness.machines.protocols import (
    FAILS,
    HOLDS,
    PENDING,
    ChandyLamport,
    CollectorState,
    Report,
    Reporter,
    Snapshot,
    Tasks,
    never,
    predicate_of,
)
from pyharness.machines.protocols.snapshot_mutants import COLLECTION_MUTANTS
from pyharness.machines.systems.chandy_lamport_system import CHANDY_LAMPORT, ChandyLamportSystem
from pyharness.machines.systems.protocol_spec import ProtocolSpec, unless
from pyharness.machines.systems.system import Action, GlobalState, messages_in
from pyharness.machines.systems.white_red_system import begins_otherwise
from pyharness.tla.values import function, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.machines.protocols import Application, Collector, Predicate
    from pyharness.machines.systems.system import System
    from pyharness.tla.values import Value


_Colourless = tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]
"""A global state of the computation: local states by process, messages by channel, in their orders."""


class CollectionState(NamedTuple):
    """The collection's part of the state: the reports under way, the collector, and the ghost S0 (``None`` before it)."""

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
        """The actions that are fair: processes that may report do, reports arrive, the collector concludes. TLA+: CFairness."""
        computation = {(f"C{name}", place) for name, place in super().fair_actions()}
        return self.at_processes("Report", "Collect") | computation | {("Conclude", "")}

    def over(self, state: GlobalState) -> bool:
        """Return whether the verdict is in. TLA+: Concluded."""
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


def stable_predicate(system: System, state: GlobalState) -> bool:
    """E19: the predicate y(S0) implies y(SSS), and y(SSS) implies y(S1)."""
    collection = _collection(system)
    verdict, s0 = state.outside.collector.verdict, state.outside.s0
    if verdict == PENDING:
        return True
    before = s0 is not None and _holds(collection, s0)
    return (verdict == HOLDS or not before) and (
        verdict == FAILS or _holds(collection, collection.computation(state))
    )


def predicate_is_stable(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E19: once the predicate is true, it stays true."""
    collection = _collection(system)
    return not _holds(collection, collection.computation(before)) or _holds(
        collection, collection.computation(after)
    )


def refines_chandy_lamport(system: System, before: GlobalState, after: GlobalState) -> bool:
    """The collection only watches: without it, every step is one of ChandyLamport, or none."""
    old, new = before._replace(outside=()), after._replace(outside=())
    if begins_otherwise(system, before):
        return False
    if old == new:
        return True
    abstract = system.as_another(ChandyLamportSystem, ChandyLamport)
    return any(action.after == new for action in abstract.actions(old))


def eventually_concluded(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E15, E18: at some time the verdict is in."""
    return any(system.over(state) for state in path)


def eventually_detected(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E15, E18, E19: in the end the verdict is that y holds, if it held when the snapshot began."""
    collection = _collection(system)
    outside = (state.outside for state in loop)
    return all(o.s0 is None or o.collector.verdict == HOLDS or not _holds(collection, o.s0) for o in outside)


def _collection(system: System) -> CollectionSystem:
    assert isinstance(system, CollectionSystem)  # noqa: S101 - it is that protocol's
    return system


def _holds(system: CollectionSystem, seen: tuple[tuple[object, ...], tuple[tuple[object, ...], ...]]) -> bool:
    return bool(system.collector.holds(system.snapshot(seen)))


def _options(
    constants: Mapping[str, int | str], predicate: str | None, application: Application
) -> Mapping[str, Any]:
    if predicate is None:
        return {}
    if not isinstance(application, Tasks):
        raise SpecError(
            "the predicates are about Tasks", where="predicate", hint='take the application "Tasks"'
        )
    return {"predicate": predicate_of(predicate, application, int(constants.get("Enough", 1)))}


COLLECTION = ProtocolSpec(
    name="Collection",
    system=CollectionSystem,
    process=Reporter,
    application="Tasks",
    mutants=COLLECTION_MUTANTS,
    options=_options,
    tests_predicates=True,
    predicate_holds=lambda system, state: _holds(system, system.computation(state)),
    stop="Concluded",
    state_properties={
        **CHANDY_LAMPORT.state_properties,
        "CTypeOK": unless(c_type_ok),
        "AssembledIsSSS": unless(assembled_is_sss, lambda system, state: system.over(state)),
        "StablePredicate": stable_predicate,
    },
    step_properties={
        **CHANDY_LAMPORT.step_properties,
        "PredicateIsStable": predicate_is_stable,
        "RefinesChandyLamport": refines_chandy_lamport,
    },
    liveness={
        **CHANDY_LAMPORT.liveness,
        "EventuallyConcluded": eventually_concluded,
        "EventuallyDetected": eventually_detected,
    },
)
