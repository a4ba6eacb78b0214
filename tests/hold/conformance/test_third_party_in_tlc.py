"""The formulas that are proved are held against TLC, and a rule that is broken on one side only is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import ConformanceError
from pyharness.base.toolchain.spec_files import SPECS, module_directories
from pyharness.base.topology import Topology, dataflows
from pyharness.hold.conformance.comparison import Conformance
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.prove import proof_catalogue
from pyharness.prove.first_order_system import FirstOrderSystem
from pyharness.prove.modules.at_least_once_barriers_proof import AtLeastOnceBarriers
from pyharness.prove.modules.chandy_lamport_proof import ChandyLamport
from pyharness.prove.proof_module import assumption
from pyharness.prove.third_party import Agreement, first_order_subject, hold, hold_together
from pyharness.tla.modules.library import Library

RING = Topology.of(2, [(1, 2), (2, 1)], [1])
(PIPELINE,) = dataflows("pipeline", 2)
(JOIN,) = dataflows("join", 3)
LIBRARY = Library(*module_directories(SPECS))


def model(spec="ChandyLamport", mutant=None, graph=RING, **more):
    return Model("tiny", spec, (graph,), items=1, mutant=mutant, **more)


def together(*arguments, mutant=None, **more):
    return hold_together(model(*arguments, **more), LIBRARY, find_tools(SPECS), mutant=mutant)


@pytest.mark.parametrize("python", [0, 1])
@pytest.mark.parametrize("formulas", [0, 1, None])
def test_three_parties_agree_only_if_both_others_agree_with_tlc(python, formulas):
    """The formulas may have refused a state of TLC's; then they were not compared."""
    found = Agreement(compared(python), None if formulas is None else compared(formulas), "", ())
    assert found.agreed == (python == formulas == 0)


def test_the_formulas_begin_where_their_own_initial_states_are(monkeypatch):
    """Those of the application in which no behaviour of the formulas begins would be taken for theirs."""
    subject = first_order_subject(model())
    assert len(subject.build().initial(RING)) == 1
    monkeypatch.setattr(FirstOrderSystem, "begins", lambda *_: False)
    assert subject.build().initial(RING) == {}


def compared(mismatches):
    return Conformance("tiny", "correct", 32, 37, mismatches, (), 0.0, 0.0)


def test_a_rule_that_is_broken_in_the_proof_is_seen(monkeypatch):
    class Broken(ChandyLamport):
        """A rule of the proof's module, broken by hand; nothing else is."""

        def recording(self, s, c, k, action):
            return action

    monkeypatch.setitem(proof_catalogue.MODULES, "ChandyLamport", Broken)
    found = together(graph=Topology.of(2, [(1, 2), (2, 1)], [1, 2]))
    assert found.python.agreed
    assert not found.agreed
    assert found.formulas.mismatches > 0
    assert found.formulas.rows[0].action == "Accept"


def test_a_rule_that_is_broken_in_tla_is_seen_by_both_others():
    broken = hold_together(model(mutant="MarkerPerMarker"), LIBRARY, find_tools(SPECS))
    assert broken.python.mismatches > 0
    assert not broken.agreed
    assert broken.formulas.mismatches > 0
    with pytest.raises(ConformanceError, match=r"mismatches with Python, .* with the proof"):
        hold(model(mutant="MarkerPerMarker"), LIBRARY, find_tools(SPECS))


AT_LEAST_ONCE = Model(
    "tiny", "AtLeastOnceBarriers", (JOIN,), application="Dataflow", constants={"Records": 1}
)


@pytest.fixture
def pipelines_only(monkeypatch):
    """A proof that assumes what joins are not."""
    assumed = assumption("Pipeline")(lambda self: self.pipeline())
    monkeypatch.setattr(AtLeastOnceBarriers, "pipelines_only", assumed, raising=False)


@pytest.mark.usefixtures("pipelines_only")
def test_what_was_held_counts_only_the_graphs_on_which_the_invariant_was_asked_for():
    both = replace(AT_LEAST_ONCE, topologies=(JOIN, PIPELINE))
    held = hold(both, LIBRARY, find_tools(SPECS))
    assert (held.graphs, held.asked) == (2, 1)
