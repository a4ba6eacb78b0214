"""The list of what may survive: what it accepts, what it refuses to be, and what is wrong with it."""

from __future__ import annotations

import re

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.toolchain.toml_tables import read_table
from pyharness.mutants.trial import (
    EVERY,
    NOT_RUN,
    SORTS,
    SURVIVORS,
    SURVIVORS_FORMAT,
    Accepted,
    Survivors,
    Trial,
    Verdict,
    read_survivors,
)

HEAD = 'format = "pyharness-survivors/1"\n'
PINNED = "[pinned]\nproperty = 2\n"
ENTRY = '[[property]]\nof = ["M.P", "M.Q"]\nchanges = ["a -> TRUE"]\nreason = "b says it, too"\n'


def listed(tmp_path, text, sort="property"):
    path = tmp_path / "survivors.toml"
    path.write_text(text, encoding="utf-8")
    return read_survivors(path, sort)


def survives(subject="M.P", change="a -> TRUE", **more):
    return Trial(subject, change, Verdict.SURVIVES, **more)


def test_an_entry_accepts_each_of_its_changes_with_its_reason(tmp_path):
    found, problems = listed(tmp_path, HEAD + PINNED + ENTRY).judged(
        [survives(), survives("M.Q"), survives("M.R")]
    )
    assert [each.verdict for each in found] == [Verdict.ACCEPTED, Verdict.ACCEPTED, Verdict.SURVIVES]
    assert found[0].why == "b says it, too"
    assert problems == []


def test_a_list_that_says_too_much_is_a_problem(tmp_path):
    noticed = Trial("M.P", "a -> TRUE", Verdict.NOTICED, by="late")
    read = listed(tmp_path, HEAD + PINNED + ENTRY)
    assert read.judged([noticed])[1] == [
        "accepted, and noticed by late: M.P: a -> TRUE",
        "accepted, and is no change: M.Q: a -> TRUE",
    ]
    assert read.judged([noticed], complete=False)[1] == ["accepted, and noticed by late: M.P: a -> TRUE"]


def test_an_incomplete_trial_is_never_accepted(tmp_path):
    late = Trial("M.P", "a -> TRUE", Verdict.INCOMPLETE, why="the time was up")
    assert listed(tmp_path, HEAD + PINNED + ENTRY).judged([late])[0] == [late]


def test_a_change_that_differs_in_a_model_is_not_accepted(tmp_path):
    (found,), _ = listed(tmp_path, HEAD + PINNED + ENTRY).judged([survives(elsewhere="m")], complete=False)
    assert (found.verdict, found.why) == (Verdict.SURVIVES, "accepted, and it differs in m")


@pytest.mark.parametrize(
    ("elsewhere", "plans", "verdict"),
    [
        ("full", ("quick", "full"), Verdict.ACCEPTED),
        ("", ("quick", "full"), Verdict.SURVIVES),
        ("", ("quick",), Verdict.ACCEPTED),
        ("other", ("quick", "other"), Verdict.SURVIVES),
    ],
)
def test_the_plan_of_an_entry_must_notice_where_it_is_asked(elsewhere, plans, verdict):
    read = Survivors({("M.P", "a -> TRUE"): Accepted("so", "full")})
    (found,), _ = read.judged([survives(elsewhere=elsewhere)], plans=plans)
    assert found.verdict is verdict


def test_a_pattern_accepts_the_changes_of_functions_that_no_model_runs():
    read = Survivors({("a.py *", EVERY): Accepted("a law")})
    outside, inside = survives("a.py f", why=NOT_RUN), survives("a.py g", why="it does the same")
    found, problems = read.judged([outside, inside])
    assert [each.verdict for each in found] == [Verdict.ACCEPTED, Verdict.SURVIVES]
    assert problems == []
    assert read.judged([inside])[1] == ["accepted, and is no change: a.py *: *"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENTRY, "format: is missing"),
        (HEAD + ENTRY.replace('"b says it, too"', '" "'), "reason: must be text that is not empty"),
        (HEAD + ENTRY.replace('reason = "b says it, too"', ""), "reason: is missing"),
        (HEAD + ENTRY + 'more = "1"\n', "more: no such key"),
        (HEAD + ENTRY.replace('["a -> TRUE"]', '"a -> TRUE"'), "changes: must be a list of names"),
        (HEAD + ENTRY + ENTRY, "listed twice: M.P: a -> TRUE"),
        (HEAD + ENTRY.replace("[[property]]", "[[properties]]"), "properties: no such key"),
        (HEAD + "[pinned]\nproperty = 1\n" + ENTRY, "2 changes of property are accepted, and pinned are 1"),
        (HEAD + ENTRY, "2 changes of property are accepted, and pinned are 0"),
        (HEAD + "[pinned]\nproperty = 'a'\n", "pinned: must be numbers"),
        (HEAD + "[[property", "not TOML"),
    ],
)
def test_a_list_of_another_form_is_refused(tmp_path, text, said):
    with pytest.raises(SpecError, match=re.escape(said)):
        listed(tmp_path, text)


def test_our_own_list_pins_the_number_of_each_sort_and_its_reasons_can_be_checked():
    pinned = read_table(SPECS / SURVIVORS, SURVIVORS_FORMAT).left["pinned"]
    for sort in SORTS:
        accepted = read_survivors(SPECS / SURVIVORS, sort).accepted
        assert pinned[sort] == len(accepted)
        least = 20 if sort == "code" else 8
        assert [key for key, each in accepted.items() if len(each.reason) < least and key[1] != EVERY] == []
