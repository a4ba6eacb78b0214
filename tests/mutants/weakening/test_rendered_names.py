"""What is made for TLC defines no name that a spec, an application or a mutant has: TLC would refuse it."""

from __future__ import annotations

import re

import pytest

from pyharness.mutants.weakening.model_probing import Watched, probe_module
from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings
from tests.shipped_plans import shipped_plan

QUICK = shipped_plan("quick")
MUTANTS = {(m.spec, m.application): m for m in QUICK.models if m.mutant and not m.fair}


def names(text):
    return set(re.findall(r"^([A-Za-z_]\w*)(?:\([^()]*\))? ==", text, re.MULTILINE))


@pytest.mark.parametrize("model", MUTANTS.values(), ids=lambda model: model.name)
def test_what_is_made_for_a_mutant_clashes_with_nothing(model):
    library = QUICK.library
    defined = {name for module in library.closures(model.modules).values() for name in module.definitions}
    rendered = model.render(library, firsts=True)
    assert "TallyViolations" in names(rendered.tla)
    assert not names(rendered.tla) & defined
    maker = PlanWeakenings(QUICK)
    subject = next(s for s in maker.subjects(model) if s.kind != "behaviour")
    graphs = [graph.id for graph in model.topologies]
    base = model.render(library, properties=())
    probe = probe_module(
        base, library.prefix(model.spec), graphs, [Watched(subject, maker.altered(model, subject))]
    )
    assert not names(probe.rendered.tla) & (defined | names(base.tla))
