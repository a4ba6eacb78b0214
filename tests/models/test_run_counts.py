"""What a check counts by registers is what TLC's coverage counts, and where they do not add up it counts again."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pyharness.models import tlc_jobs
from pyharness.models.counted_steps import counted_steps
from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import ActionRow, RunRow, TopologyRow, rows_of
from pyharness.models.tlc_jobs import tlc_rows
from pyharness.models.tlc_runs import counts_of_registers, steps_to_count
from pyharness.tla.modules.expression_text import expression_text
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.library import Library
from pyharness.tla.tlc import Outcome, Result
from tests.long import some
from tests.shipped_plans import shipped_plan

QUICK = shipped_plan("quick")
LIBRARY = QUICK.library
CHECKED = {m.spec: m for m in QUICK.models if not m.mutant and m.expect == "pass"}


def model_named(name):
    return next(model for model in QUICK.models if model.name == name)


@pytest.mark.parametrize("spec", sorted(CHECKED))
def test_each_shipped_relation_is_counted_and_else_its_own(spec):
    counted = counted_steps(LIBRARY, spec)
    assert counted.actions == next_actions(LIBRARY, spec)
    text = " ".join(counted.text.split())
    for number in range(1, len(counted.actions) + 1):
        assert text.count(f" /\\ Taken({number})") == 1
        text = text.replace(f" /\\ Taken({number})", "")
    own = " ".join(expression_text(LIBRARY.definition(spec, LIBRARY.relation(spec)).body).split())
    assert bare(text) == bare(own)


def bare(text):
    """A text without blanks and brackets around calls."""
    return re.sub(r"[\s()]", "", text)


def relation(directory, next_state):
    """What is counted of a spec with the actions A, B(p) and C(p, q), and this next-state relation."""
    lines = [
        "---- MODULE Own ----",
        "EXTENDS Naturals",
        "VARIABLE x",
        "S == {1, 2}",
        "Init == x = 0",
        "A == x' = 1",
    ]
    lines += [
        "B(p) == x' = p",
        "C(p, q) == x' = p + q",
        "D == A \\/ x' = 3",
        f"Next ==\n{next_state}",
        "====",
    ]
    (directory / "Own.tla").write_text("\n".join(lines), encoding="utf-8")
    return counted_steps(Library(directory), "Own")


@pytest.mark.parametrize(
    "given",
    [
        "  A /\\ x = 0",
        "  \\/ A\n  \\/ /\\ B(1)\n     /\\ x = 0",
        "  \\/ A\n  \\/ x' = 3",
        "  IF x = 0 THEN A ELSE B(1)",
        "  A \\/ UNCHANGED x",
        "  (A \\/ B(1)) /\\ x < 3",
        "  LET y == 1 IN A",
        "  B(1) \\/ D",
        "  x' = 1",
    ],
)
def test_whatever_else_is_left_to_coverage(tmp_path, given):
    assert relation(tmp_path, given) is None


MODEL = model_named("white-red-history-internal")
PLACES = MODEL.topologies
COUNTED = counted_steps(LIBRARY, MODEL.spec)
TOLD = [f'<<"counted", {at}, {10 + at}, 3>>' for at in range(len(PLACES))]
TOLD += [f'<<"taken", {number}, {number}>>' for number in range(1, len(COUNTED.actions) + 1)]
STATES = sum(10 + at for at in range(len(PLACES)))
STEPS = sum(range(1, len(COUNTED.actions) + 1))


def read(lines=TOLD, **other):
    result = Result(Outcome.SUCCESS, 0, output="\n".join(lines), finished=True)
    result = replace(result, distinct=STATES, generated=STEPS + 2, initial_states=2)
    return counts_of_registers(replace(result, **other), MODEL, LIBRARY, COUNTED, PLACES)


def test_what_is_printed_last_is_right():
    early = [line.replace(", 3>>", ", 1>>").replace(", 10,", ", 1,") for line in TOLD]
    assert read([*early, *TOLD]) == read()
    assert read().states == {place.id: 10 + at for at, place in enumerate(PLACES)}
    assert read().steps["HInit"] == 2
    assert read().steps[COUNTED.actions[1]] == 2


@pytest.mark.parametrize(
    "wrong",
    [
        *({"lines": TOLD[:at] + TOLD[at + 1 :]} for at in range(len(TOLD))),
        {"lines": [*TOLD, '<<"counted", 0, 11, 3>>']},
        {"lines": [*TOLD, '<<"taken", 1, 2>>']},
        {"lines": [*TOLD, '<<"taken", 99, 0>>']},
        {"lines": []},
        {"distinct": STATES + 1},
        {"distinct": None},
        {"generated": STEPS + 1},
        {"generated": None},
        {"initial_states": 1},
        {"initial_states": None},
    ],
    ids=str,
)
def test_registers_that_do_not_add_up_say_nothing(wrong):
    assert read() is not None
    assert read(**wrong) is None


def by_content(rows):
    return sorted(
        str(replace(row, seconds=0.0) if isinstance(row, RunRow) else row)
        for row in rows
        if not (isinstance(row, ActionRow) and row.action == "Tally")
    )


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("name", "why"),
    some(
        [("white-red-history-internal", "not counted"), ("aligned-barriers-terminate", "does not add up")], 1
    ),
)
def test_the_rows_are_those_of_coverage(tmp_path, monkeypatch, name, why):
    model = model_named(name)
    batched = replace(model, topologies=model.topologies[:2], per_run=1)
    job, tools = Job("id", "check", batched), find_tools()
    counted = list(tlc_rows(job, LIBRARY, tools, tmp_path))
    assert [row.run for row in rows_of(RunRow, counted)] == list(range(len(batched.batches)))
    assert len(rows_of(ActionRow, counted)) == len(batched.batches) * (
        1 + len(next_actions(LIBRARY, model.spec))
    )
    replaced = "steps_to_count" if why == "not counted" else "counts_of_registers"
    monkeypatch.setattr(tlc_jobs, replaced, lambda *_: None)
    assert by_content(tlc_rows(job, LIBRARY, tools, tmp_path)) == by_content(counted)


@pytest.mark.parametrize("outcome", [Outcome.INCOMPLETE, Outcome.OUT_OF_MEMORY])
def test_a_run_that_was_cut_off_is_not_made_again(tmp_path, monkeypatch, outcome):
    cut, runs = Result(outcome, None, distinct=7), []
    monkeypatch.setattr(tlc_jobs, "run_model", lambda *_, **options: runs.append(options) or cut)
    rows = list(tlc_rows(Job("id", "check", MODEL), LIBRARY, None, tmp_path))
    assert len(runs) == 1
    (run,) = rows_of(RunRow, rows)
    assert (run.outcome, run.evaluated) == (outcome, ())
    assert not rows_of(ActionRow, rows)
    assert {row.distinct for row in rows_of(TopologyRow, rows)} == {None}


def test_an_overridden_relation_is_not_counted():
    """What would be counted is what the spec says, and that is not what is checked."""
    assert steps_to_count(MODEL, LIBRARY) == COUNTED
    assert steps_to_count(replace(MODEL, overrides={"HNext": "Other"}), LIBRARY) is None
    assert steps_to_count(replace(MODEL, expect="violation"), LIBRARY) is None
