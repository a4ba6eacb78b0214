"""The composed system of the collection: counts of TLC, its properties, and what its mutants violate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.machines.explain.collection_reasons import c_type_ok
from pyharness.machines.protocols import CollectorState, Items, Tasks
from pyharness.machines.protocols.collecting.collection import Reporter
from pyharness.machines.replay import explore
from pyharness.machines.replay.replay import liveness_violations
from pyharness.machines.systems import PROTOCOLS, build_system, violations
from pyharness.machines.systems.protocol_spec import seen

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
RING3 = Topology.of(3, [(1, 2), (2, 3), (3, 1)], [1])
CHAIN = Topology.of(2, [(1, 2)], [1])


def compose(topology, name="Terminated", tasks=None, mutant=None, enough=1):
    tasks = tasks or Tasks(1)
    return build_system(
        "Collection", topology, tasks, mutant=mutant, constants={"Enough": enough}, predicate=name
    )


def search(system):
    """Return all states."""
    seen = set(system.initial())
    level = list(seen)
    while level:
        state = level.pop()
        new = set() if system.over(state) else {action.after for action in system.actions(state)} - seen
        seen |= new
        level += new
    return seen


# Distinct states as TLC 2.15 counts them with ACTION_CONSTRAINT ~Concluded, one task, predicate Terminated.
@pytest.mark.parametrize(("topology", "distinct"), [(CHAIN, 165), (RING2, 539), (RING3, 4344)])
def test_counts_are_those_of_tlc(topology, distinct):
    assert explore(compose(topology)).distinct == distinct


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"s0": ((), ((), ()))}, None),
        ({"s0": ((1, 2), ((), ()))}, "S0 is there, and nobody has recorded"),
        ({"collector": CollectorState((), "perhaps")}, 'the verdict is "perhaps"'),
    ],
)
def test_what_is_no_state_of_a_collection_is_no_state_of_its_type(changes, said):
    system = compose(RING2)
    (state,) = list(system.initial())[:1]
    changed = state._replace(outside=state.outside._replace(**changes))
    assert c_type_ok(seen(system, changed)) == said
    assert ("CTypeOK" in violations(system, None, changed)) == (said is not None)


class OnlyInitiatorsReport(Reporter):
    """A process that did not initiate the snapshot does not report."""

    def may_report(self, state):
        return super().may_report(state) and self.is_initiator


@pytest.mark.parametrize(("process", "forever"), [(Reporter, False), (OnlyInitiatorsReport, True)])
def test_who_waits_for_a_report_for_ever_never_concludes(monkeypatch, process, forever):
    monkeypatch.setitem(PROTOCOLS, "Collection", replace(PROTOCOLS["Collection"], process=process))
    system = compose(CHAIN)
    stuck = [
        state
        for state in search(system)
        if not system.over(state) and "EventuallyConcluded" in liveness_violations(system, [state], 0)
    ]
    assert bool(stuck) is forever


def test_a_system_without_a_collector_tests_no_predicate():
    with pytest.raises(SpecError, match="no collector"):
        build_system("ChandyLamport", RING2, Items(1), predicate="Terminated")


def test_the_predicates_are_about_tasks():
    with pytest.raises(SpecError, match="about Tasks"):
        build_system("Collection", RING2, Items(1), predicate="Terminated")
