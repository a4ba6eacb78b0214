"""A seeded bug, on either side, is a difference; that an implementation does what its spec says, shows the gate."""

from __future__ import annotations

import pytest

from pyharness.hold.conformance.comparison import conform_model
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.tla.tlc.itf import from_itf
from tests.hold.conformance.places import LIBRARY, RING2
from tests.long import some

pytestmark = pytest.mark.tlc


@pytest.mark.parametrize(
    ("in_tla", "in_python"), some([("LateTurn", "LateTurn"), (None, "LateTurn"), ("LateTurn", None)], 2)
)
def test_a_seeded_bug_is_a_difference_but_from_the_same_bug(in_tla, in_python):
    model = Model("m", "ChandyLamport", (RING2,), items=1, granularity="action", mutant=in_tla, depth=7)
    found = conform_model(model, LIBRARY, find_tools(), implementation=in_python)
    assert found.agreed == (in_tla == in_python)
    traces = [from_itf(row.itf) for row in found.rows if row.itf]
    assert {meta["mutant"] for _, meta in traces} == (set() if found.agreed else {"LateTurn"})
    assert any(row.tlc for row in found.rows) == any(row.python for row in found.rows) == (not found.agreed)
