"""The formulas that are proved are a third party: in each state they give the successors that Python gives.

`pyharness hold python` finds that Python's successors are TLC's; here they are the first-order system's, action by action,
and its invariant holds in each state. That ties what is proved to the TLA+ modules: by a check, not by a proof.
"""

from __future__ import annotations

import pytest

from pyharness.base.errors import ConformanceError
from pyharness.base.topology.families import dataflows, family
from pyharness.machines.protocols import Items
from pyharness.machines.systems import build_system
from pyharness.prove.first_order_system import FirstOrderSystem
from pyharness.prove.proof_catalogue import system

RING, CHAIN = family("ring", 2), family("chain", 2)
JOIN, PIPE = next(dataflows("join", 3)), next(dataflows("pipeline", 3))

CASES = [
    ("WhiteRed", RING, 1, "event", 28),
    ("WhiteRed", RING, 1, "action", 36),
    ("ChandyLamport", RING, 1, "event", 32),
    ("ChandyLamport", CHAIN, 2, "event", None),
    ("StopTheWorld", RING, 1, "event", 40),
    ("StopTheWorld", RING, 1, "action", 42),
    ("AlignedBarriers", JOIN, 1, "event", 30),
    ("UnalignedBarriers", JOIN, 1, "event", 41),
    ("TimeoutBarriers", JOIN, 1, "event", 47),
    ("AtLeastOnceBarriers", PIPE, 1, "event", None),
    ("Snapshots", RING, 1, "event", 32),
]


def rows(steps):
    return {
        (name, tuple(sorted((k, str(v)) for k, v in after.items() if k != "topo"))) for name, after in steps
    }


def differences(protocol, topology, items, granularity, *, proof=None, mutant=None, constants=None):
    """Yield for each state what only Python does, and what only the formulas do; also conjuncts that do not hold."""
    application = Items(items, "spread")
    python = build_system(protocol, topology, application, granularity, mutant, constants=constants)
    formulas = FirstOrderSystem(proof or system(protocol), topology, application, granularity, constants)
    waiting = list(python.initial())
    seen = set(waiting)
    for state in waiting:
        actions = list(python.actions(state))
        variables = python.variables(state)
        one = rows((a.name, python.variables(a.after)) for a in actions)
        other = rows(formulas.successors(variables))
        yield one - other, other - one, formulas.broken(variables)
        new = [] if python.over(state) else [a.after for a in actions if a.after not in seen]
        seen.update(new)
        waiting += dict.fromkeys(new)


def held(protocol, topology, items, granularity, states, constants=None):
    found = list(differences(protocol, topology, items, granularity, constants=constants))
    assert [row for row in found if row != (set(), set(), [])] == []
    assert len(found) >= 10
    assert states in (None, len(found))


@pytest.mark.parametrize(("protocol", "topology", "items", "granularity", "states"), CASES)
def test_the_formulas_do_what_python_does(protocol, topology, items, granularity, states):
    held(protocol, topology, items, granularity, states)


@pytest.mark.parametrize("mutant", ["RecordsForOne", "SkipsNumber"])
def test_a_rule_that_is_broken_for_several_ids_only_is_seen(mutant):
    constants = {"Each": 3, "Overlap": 1}
    found = differences("Snapshots", RING, 1, "event", proof=system("Snapshots", mutant), constants=constants)
    assert any(one or other for one, other, _ in found)


@pytest.mark.parametrize(
    ("protocol", "mutant"), [("ChandyLamport", "MarkerPerMarker"), ("StopTheWorld", "ResumeEarly")]
)
def test_a_rule_that_is_broken_in_the_proof_only_is_seen(protocol, mutant):
    found = differences(protocol, RING, 1, "event", proof=system(protocol, mutant))
    assert any(one or other for one, other, _ in found)


@pytest.mark.parametrize(("protocol", "mutant"), [("ChandyLamport", "LateTurn"), ("WhiteRed", "NoGuard")])
def test_a_rule_that_is_broken_in_the_protocol_only_is_seen(protocol, mutant):
    found = differences(protocol, RING, 1, "event", mutant=mutant)
    assert any(one or other or broken for one, other, broken in found)


def test_a_state_that_no_proved_module_has_is_refused():
    python = build_system("ChandyLamport", RING, Items(1, "spread"))
    variables = dict(python.variables(next(python.initial())))
    variables["recChan"] = variables["recChan"].updated({(1, 2): (1,)})
    formulas = FirstOrderSystem(system("ChandyLamport"), RING, Items(1, "spread"))
    with pytest.raises(ConformanceError, match="neither accepted nor is in it"):
        formulas.broken(variables)
