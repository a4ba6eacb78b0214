"""A goal that says less than it did is seen: by what it no longer notices."""

from __future__ import annotations

import pytest

pytest.importorskip("cvc5")
pytest.importorskip("z3")

from pyharness.prove import goal_notices as noticing
from pyharness.prove.goal_notices import Notice, unnoticed
from pyharness.prove.logic import TRUE, equal, every, iff, implies
from pyharness.prove.modules.chandy_lamport_proof import ChandyLamport
from pyharness.prove.modules.coloured_proof import Coloured
from pyharness.prove.modules.snapshots_proof import Snapshots
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.proof_catalogue import MODULES
from pyharness.prove.refutation import refute


def same_but_for_the_record(self, a, b):
    """``WhiteRed.same`` without what is recorded of channels."""
    return every(lambda p: iff(a.red(p), b.red(p))) & every(
        lambda p: implies(a.red(p), equal(a.recState(p), b.recState(p)))
    )


HOLLOW = [
    (WhiteRed, "same", lambda *_: TRUE, "ChandyLamport", "RefinesWhiteRed"),
    (WhiteRed, "same", same_but_for_the_record, "UnalignedBarriers", "RefinesWhiteRed"),
    (WhiteRed, "same", lambda *_: TRUE, "Swapping", "RedThenWhite/SameOutcome"),
    (Coloured, "turns_red_once", Coloured.sent_before_accepted, "StopTheWorld", "TurnsRedOnce"),
    (ChandyLamport, "locally_complete", lambda *_: ~TRUE, "ChandyLamport", "LocallyFinal"),
    (ChandyLamport, "holds_nobody_up", lambda *_: TRUE, "ChandyLamport", "HoldsNobodyUp"),
    (Snapshots, "holds_nobody_up", lambda *_: TRUE, "Snapshots", "HoldsNobodyUp"),
]


@pytest.mark.parametrize(
    ("subject", "bug"), [("ChandyLamport", "HoldsStill"), ("Snapshots", "CappedChannel")]
)
def test_that_nobody_is_held_up_notices_who_is(subject, bug):
    assert f"{subject} HoldsNobodyUp rule {bug} -" in noticing.noticed()
    assert refute(subject, bug, ("cvc5", "z3")).obligation.name == "HoldsNobodyUp"


@pytest.mark.parametrize(("kind", "method", "less", "subject", "goal"), HOLLOW)
def test_a_hollow_goal_is_told(monkeypatch, kind, method, less, subject, goal):
    listed = [line for line in noticing.noticed() if line.startswith(f"{subject} {goal} ")]
    assert listed
    monkeypatch.setattr(noticing, "noticed", lambda: listed)
    monkeypatch.setattr(noticing, "_goals", lambda _: [goal])
    assert unnoticed([subject], workers=1) == []
    old = getattr(kind, method)
    if hasattr(old, "declares"):
        whole = less

        def less(self, *states):
            return whole(self, states[-1])

        less.declares = old.declares
    monkeypatch.setattr(kind, method, less)
    assert any(line.startswith(f"{subject} {goal}") for line in unnoticed([subject], workers=1))


def test_what_is_listed_of_a_goal_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr(
        noticing, "noticed", lambda: ["WhiteRed Gone red more Send", "WhiteRed WhiteBeforeRed no any Send"]
    )
    assert len([line for line in unnoticed(["WhiteRed"], workers=1) if "does not notice" in line]) == 2


def test_every_module_has_goals_that_notice_each_of_its_variables():
    for name, module in MODULES.items():
        seen = {Notice(*line.split()).variable for line in noticing.noticed() if line.startswith(f"{name} ")}
        assert seen - {"rule"} == {symbol.name for symbol in module.variables}
