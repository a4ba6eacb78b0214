"""What TLC must have printed of a counterexample to induction, line by line, so that it is one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.prove import induction_in_tlc
from pyharness.prove.induction_in_tlc import OutsideTlaError, _cases, _verdict, in_tlc
from pyharness.prove.refutation import Refuted
from pyharness.tla.tlc import Outcome, Result

FOUND = SimpleNamespace(mutant="Bug", breaks="C/A", conjuncts=("TypeOK", "C"))
HOLDS = [("holds", "1", "1", "TRUE"), ("holds", "1", "2", "TRUE")]
BROKEN = ("broken", "1", "TRUE", "TRUE")
OTHERS = [("holds", "3", "1", "FALSE"), ("broken", "3", "TRUE", "FALSE"), ("broken", "4", "TRUE", "TRUE")]
"""What is said of another counterexample, which does not count here."""


def verdict(*said):
    seeded, as_it_is = _cases([FOUND])
    assert (seeded.number, as_it_is.number) == (1, 2)
    return _verdict("M", seeded, as_it_is, [*said, *OTHERS])


def test_all_that_is_asked_must_be_said():
    found = verdict(*HOLDS, BROKEN, ("broken", "1", "FALSE", "TRUE"), ("broken", "2", "FALSE", "FALSE"))
    assert (found.ok, found.why, found.breaks) == (True, "", "C/A")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ((), "does not satisfy TypeOK, C"),
        ((HOLDS[0], BROKEN), "does not satisfy C"),
        ((HOLDS[0], ("holds", "1", "2", "FALSE"), BROKEN), "does not satisfy C"),
        ((HOLDS[0], ("holds", "2", "2", "TRUE"), BROKEN), "does not satisfy C"),
        (HOLDS, "does not take the step"),
        ((*HOLDS, ("broken", "1", "FALSE", "TRUE")), "does not take the step"),
        ((*HOLDS, ("broken", "1", "FALSE", "TRUE"), ("broken", "1", "TRUE", "FALSE")), "breaks nothing"),
        ((*HOLDS, ("broken", "2", "TRUE", "TRUE")), "does not take the step"),
        ((*HOLDS, BROKEN, ("broken", "2", "TRUE", "TRUE")), "with the rule as it is, too"),
        ((*HOLDS, BROKEN, ("broken", "2", "FALSE", "TRUE")), "with the rule as it is, too"),
    ],
)
def test_what_is_not_said_is_no_verdict(said, why):
    found = verdict(*said)
    assert not found.ok
    assert found.why.endswith(why)


SAID = '<<"holds", 1, 1, TRUE>>\n<<"holds", 1, 2, TRUE>>\nnoise\n<<"broken", 1, TRUE, TRUE>>\n'
SUCCESS = Result(Outcome.SUCCESS, 0, finished=True, output=SAID)
REFUTED = Refuted("M", "Bug", SimpleNamespace(name="C/A"), None, "", ok=True)
TOOLS = SimpleNamespace(java=None, jar=None, jvm_options=(), specs=())


@pytest.fixture
def asked(monkeypatch):
    """Return a function that gives a counterexample to a TLC that comes to a result."""

    def ask(result, as_tla=lambda _: FOUND):
        monkeypatch.setattr(induction_in_tlc, "as_tla", as_tla)
        monkeypatch.setattr(induction_in_tlc, "render_counterexamples", lambda *_: ("", ""))
        monkeypatch.setattr(induction_in_tlc, "run_tlc", lambda _: result)
        return in_tlc([REFUTED], None, TOOLS)

    return ask


def test_what_tlc_prints_is_read_to_its_last_line(asked):
    assert [one.ok for one in asked(SUCCESS)] == [True]
    for line in SAID.splitlines():
        without = replace(SUCCESS, output=SAID.replace(f"{line}\n", ""))
        assert [one.ok for one in asked(without)] == [line == "noise"]


@pytest.mark.parametrize(
    "change",
    [
        {"exit_status": 137},
        {"finished": False},
        {"outcome": Outcome.INCOMPLETE},
        {"outcome": Outcome.INVARIANT},
    ],
    ids=str,
)
def test_without_a_success_of_tlc_there_is_no_verdict(asked, change):
    with pytest.raises(IncompleteError):
        asked(replace(SUCCESS, **change))


def test_what_tla_cannot_say_is_not_confirmed(asked):
    def outside(_):
        raise OutsideTlaError("it is about positions")

    (found,) = asked(SUCCESS, outside)
    assert (found.ok, found.outside) == (False, "it is about positions")
