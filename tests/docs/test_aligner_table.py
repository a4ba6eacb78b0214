"""The table of systems: each answer has its reason, and the checked operator breaks no claim on any sequence."""

from __future__ import annotations

from pyharness.hold.flink.event_sequences import parse_sequence
from pyharness.machines.protocols import Barrier
from tests.docs.aligner_table import aligner_table, operator_at_end, read_aligners

TABLES = read_aligners()


def test_each_system_answers_each_question():
    names = {question["name"] for question in TABLES["question"]}
    for system in TABLES["system"]:
        assert set(system["answers"]) == names, system["name"]
        assert {*system} == {"name", "file", "version", "rule", "answers"}
        assert set(system["answers"].values()) - {"yes", "has none"} <= {*range(1, 9)}


def test_each_violation_is_of_some_system():
    used = {answer for system in TABLES["system"] for answer in system["answers"].values()}
    assert {answer for answer in used if isinstance(answer, int)} == {*range(1, len(TABLES["violation"]) + 1)}


def test_the_checked_operator_ends_each_checkpoint_whose_barriers_came():
    for violation in TABLES["violation"]:
        came = [each.id for _, each in parse_sequence(violation["events"]) if isinstance(each, Barrier)]
        done = operator_at_end(violation)
        for number in set(came):
            if came.count(number) == 2:
                assert f"completes {number}" in done, violation
    assert operator_at_end(TABLES["violation"][0]) == "aborts 1, waits for 2"
    assert operator_at_end(TABLES["violation"][2]) == "completes 1"
    assert operator_at_end(TABLES["violation"][4]) == "waits for 1, waits for 2"


def test_the_page_has_all_of_them():
    table = aligner_table()
    assert all(f"| {system['name']} |" in table for system in TABLES["system"])
    assert "| RisingWave | yes | yes | no [1] | has none | no [2] |" in table
