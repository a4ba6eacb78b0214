"""The table of rules: each question can be failed, and that its violations are the shortest."""

from __future__ import annotations

import pytest

from pyharness.lab.aligners.aligner_claims import QUESTIONS, sequences, shortest_violation
from pyharness.lab.aligners.aligner_rules import RULES, Rule, Spec
from pyharness.machines.protocols.checkpoints import operator_mutants
from pyharness.machines.protocols.checkpoints.operator import Operator
from pyharness.machines.protocols.checkpoints.operator_drive import OperatorDriver


def rule_of(kind, mode="aligned", **options):
    class Broken(Spec):
        def __init__(self, inputs):
            super().__init__(inputs)
            self.driver = OperatorDriver(kind(inputs, mode))

    return Rule("broken", "", "", Broken, **{"cancels": True, **options})


class Silent(Operator):
    """Says nothing of a cancellation."""

    def _cancel(self, state, number):
        return super()._cancel(state, number)._replace(aborted=())


class Unrecorded(Spec):
    """Completes what it has not recorded."""

    def take(self, source, element):
        return (fact for fact in super().take(source, element) if fact[0] != "triggered")


BROKEN = [
    ("one", operator_mutants.NoBlocking, "aligned", {}, "0:barrier 1, 0:b, 1:barrier 1: record b of input 0"),
    ("one", operator_mutants.WrongChannelsLogged, "unaligned", {"overtakes": True}, "record"),
    ("next", operator_mutants.NoBlocking, "aligned", {}, "comes again"),
    ("ends", operator_mutants.ForgetFinished, "aligned", {}, "checkpoint 1 waits for ever"),
    ("cancelled", operator_mutants.KeepBlocked, "aligned", {}, "was processed nothing"),
    ("cancelled", Silent, "aligned", {}, "waits for ever"),
]


@pytest.mark.parametrize(("question", "kind", "mode", "options", "says"), BROKEN)
def test_each_question_is_failed_by_what_breaks_it(question, kind, mode, options, says):
    found = shortest_violation(rule_of(kind, mode, **options), QUESTIONS[question], 4)
    assert says in str(found)


def test_the_correct_operator_fails_none():
    for mode, options in (
        ("aligned", {}),
        ("unaligned", {"overtakes": True}),
        ("at-least-once", {"exact": False}),
    ):
        rule = rule_of(Operator, mode, **options)
        assert [shortest_violation(rule, question, 4) for question in QUESTIONS.values()] == [None] * 5


def test_what_was_not_recorded_is_not_complete():
    found = shortest_violation(Rule("broken", "", "", Unrecorded), QUESTIONS["one"], 3)
    assert "no state was recorded" in found.says


def test_at_least_once_is_not_exact():
    found = shortest_violation(rule_of(Operator, "at-least-once"), QUESTIONS["one"], 4)
    assert "comes again" in found.says


def test_a_shorter_sequence_would_have_been_found():
    for rule in RULES:
        for question in (q for q in QUESTIONS.values() if (rule.ends or not q.ends) and not q.cancels):
            found = shortest_violation(rule, question, 4)
            if found is not None and len(found.events) > 1:
                assert shortest_violation(rule, question, len(found.events) - 1) is None


def test_the_questions_are_about_what_they_say():
    assert all(len(sequences(question, 3)) > 20 for question in QUESTIONS.values())
    texts = {name: str(sequences(question, 4)) for name, question in QUESTIONS.items()}
    assert ["EndOfInput" in text for text in texts.values()] == [False, False, False, False, True]
    assert ["Cancel" in text for text in texts.values()] == [False, False, False, True, False]
    assert set(sequences(QUESTIONS["next"], 4)) < set(sequences(QUESTIONS["left out"], 4))
