"""The properties of ``specs/Collection.tla`` over global states of the implementation, under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.errors import SpecError
from pyharness.explain.collection_reasons import assembled_is_sss, c_type_ok
from pyharness.protocols import FAILS, HOLDS, PENDING, ChandyLamport, Reporter, Tasks, predicate_of
from pyharness.protocols.collecting.collection_mutants import COLLECTION_MUTANTS
from pyharness.systems.chandy_lamport_system import CHANDY_LAMPORT, ChandyLamportSystem
from pyharness.systems.collection_decoding import CollectionDecoder
from pyharness.systems.collection_system import CollectionSystem
from pyharness.systems.protocol_spec import ProtocolSpec, unless
from pyharness.systems.white_red_system import begins_otherwise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from pyharness.protocols import Application
    from pyharness.systems.system import GlobalState, System


def stable_predicate(system: System, state: GlobalState) -> bool:
    """E19: y(S0) => y(SSS) and y(SSS) => y(S1)."""
    collection = _collection(system)
    verdict, s0 = state.outside.collector.verdict, state.outside.s0
    if verdict == PENDING:
        return True
    before = s0 is not None and _holds(collection, s0)
    return (verdict == HOLDS or not before) and (
        verdict == FAILS or _holds(collection, collection.computation(state))
    )


def predicate_is_stable(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E19: once true, y stays true."""
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
    abstract = ChandyLamportSystem(
        system.topology,
        system.application,
        process=ChandyLamport,
        network=system.network,
        granularity=system.granularity,
    )
    return any(action.after == new for action in abstract.actions(old))


def eventually_concluded(system: System, path: Sequence[GlobalState], loop: Sequence[GlobalState]) -> bool:
    """E15, E18: at some time the verdict is in."""
    return any(system.over(state) for state in path)


# -- the ways in which it can end ----------------------------------------------------------------------------


def _held_before(system: System, state: GlobalState) -> bool:
    """Concluded, and y held in S0."""
    s0 = state.outside.s0
    return system.over(state) and s0 is not None and _holds(_collection(system), s0)


def _came_to_hold(system: System, state: GlobalState) -> bool:
    """The snapshot shows y, which did not hold in S0."""
    return state.outside.collector.verdict == HOLDS and not _held_before(system, state)


def _missed(system: System, state: GlobalState) -> bool:
    """Y holds now, and the snapshot does not show it."""
    collection = _collection(system)
    return state.outside.collector.verdict == FAILS and _holds(collection, collection.computation(state))


def _not_yet(system: System, state: GlobalState) -> bool:
    """Y does not hold now either."""
    return state.outside.collector.verdict == FAILS and not _missed(system, state)


WITNESSES: dict[str, Callable[[System, GlobalState], bool]] = {
    "HeldBefore": _held_before,
    "CameToHold": _came_to_hold,
    "Missed": _missed,
    "NotYet": _not_yet,
}
"""The ways in which a collection can end; a check of StablePredicate shows something only if each is reached."""


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
    decoder=CollectionDecoder,
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
    liveness={**CHANDY_LAMPORT.liveness, "EventuallyConcluded": eventually_concluded},
)
