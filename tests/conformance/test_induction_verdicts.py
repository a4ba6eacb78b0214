"""What TLC must have printed of a counterexample to induction, line by line, so that it is one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pyharness.conformance.induction_in_tlc import _cases, _verdict

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
