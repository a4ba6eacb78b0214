"""A property of whole behaviours has the reason that its last states show, and not that of another protocol."""

from __future__ import annotations

import pytest

from pyharness.base.topology import Topology
from pyharness.machines.explain import why
from pyharness.machines.protocols import Items
from pyharness.machines.systems import build_system
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn

RING = Topology.from_id("n2-6-i1")


@pytest.mark.parametrize(
    ("closed", "reason"),
    [
        (frozenset({(1, 2)}), "although the marker of C12 has arrived"),
        (frozenset(), "no marker ever comes to it"),
    ],
)
def test_a_process_that_never_records_is_told_by_its_own_markers(closed, reason):
    system = build_system("ChandyLamport", RING, Items(1))
    state = system.variables(next(iter(system.initial())))
    state |= {"closed": closed, "recState": (frozenset(),)}  # process 1 alone has recorded
    steps = (TraceStep(None, Fn(state.items())),)
    said = why("EventuallyAllRed", Trace(steps, stuttering=True), {"spec": "ChandyLamport"})
    assert said is not None
    assert reason in said
