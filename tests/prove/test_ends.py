"""That a snapshot ends, that the rule is sharp, that reports are final: and what breaks each of these."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.prove.counterexample import behaviour
from pyharness.prove.logic import FALSE, TRUE
from pyharness.prove.proof_catalogue import UNSEEN, system
from pyharness.prove.proving import subject
from pyharness.prove.refutation import refute
from pyharness.prove.theorems import collected, snapshot_ends
from pyharness.prove.theorems.collected import Collection

pytest.importorskip("cvc5")
pytest.importorskip("z3")


def unsat(obligation, seconds=20):
    from pyharness.prove.solvers import SOLVERS, ask

    return all(ask(solver, obligation.smtlib(), seconds).verdict == "unsat" for solver in SOLVERS)


def test_the_rule_is_sharp():
    from pyharness.prove.finite_search import smallest

    for obligation in subject("Sharp"):
        assert smallest(obligation.formula) if obligation.goal is None else unsat(obligation)


def test_as_long_as_a_snapshot_is_not_complete_something_helpful_is_to_be_done():
    named = {o.name: o for o in subject("SnapshotEnds")}
    assert unsat(named["ChandyLamport/SomethingIsHelpful"])
    assert unsat(named["CyclicBarriers/SomethingIsHelpful"])
    assert {name for name in named if name.startswith("Needed/CyclicBarriers")} == {
        "Needed/CyclicBarriers/NoRegularCycle",
        "Needed/CyclicBarriers/SourcesInitiate",
    }


def test_who_forgets_to_record_keeps_a_snapshot_from_ending():
    found = refute("AlignedBarriers", "ForgetToRecord", ["cvc5", "z3"])
    assert found.ok
    assert found.obligation.name == "AlignedBarriers/Aligns/AcceptBarrier"
    _, after = behaviour(found.obligation, found.structure).steps
    assert set(dict(after.state.get("chan").items()).values()) == {()}
    assert ("AlignedBarriers", "ForgetToRecord") not in UNSEEN


def test_as_long_as_one_of_several_snapshots_is_not_complete_something_helpful_is_to_be_done():
    named = {o.name: o for o in subject("SnapshotEnds")}
    assert unsat(named["Snapshots/MarkerIsHelpful"])
    assert unsat(named["Snapshots/BegunIsComplete"])
    assert unsat(named["Snapshots/SomethingIsHelpful"])
    assert not unsat(named["Needed/Snapshots/EveryoneReached"], 2)
    assert not unsat(named["Needed/Snapshots/InitiatorsOnly"], 2)


class Whitening:
    """An action after which all processes are white."""

    def __init__(self, action):
        self.name, self._action = action.name, action

    def __call__(self, s):
        step = self._action(s)
        return replace(step, after=step.after.but(red=lambda *_: FALSE))


@pytest.mark.parametrize(
    "name", ["ChandyLamport", "Snapshots", "AlignedBarriers", "TimeoutBarriers", "AtLeastOnceBarriers"]
)
def test_a_step_that_turns_somebody_white_is_noticed_though_no_seeded_bug_does_it(name, monkeypatch):
    module = system(name)
    whitening = [Whitening(action) for action in module.actions()]
    monkeypatch.setattr(type(module), "actions", lambda _: whitening)
    named = {o.name: o for o in snapshot_ends.of_module(module)}
    assert not unsat(named[f"{name}/NeverMore/White/Send"])


class ReportEarly(Collection):
    """Who has recorded reports, complete or not."""

    def may_report(self, s, p):
        return s.red(p) & ~s.collected(p)


class ForgetReportedChannels(Collection):
    """What was recorded of channels is left out of the report."""

    def in_report(self, s, c, k):
        return FALSE


class ConcludeEarly(Collection):
    """The collector concludes from what it has."""

    def may_conclude(self, s):
        return TRUE


@pytest.mark.parametrize(
    ("mutant", "breaks"),
    [
        (ReportEarly, "ReportsAreFinal/Report"),
        (ForgetReportedChannels, "ReportsAreFinal/Report"),
        (ConcludeEarly, "ConcludedWithAll/Conclude"),
    ],
)
def test_a_report_is_final_and_all_are_waited_for(mutant, breaks):
    from pyharness.prove.finite_search import smallest

    right = {o.name: o for o in subject("Collected")}[breaks]
    wrong = {o.name: o for o in collected.obligations(mutant())}[breaks]
    assert unsat(right)
    assert smallest(wrong.formula) is not None
