"""What a property could say as well is found, and is no pass without a reason."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.judge.pinned import not_as_pinned
from pyharness.gate.judge.pinned_lists import (
    STRENGTHENINGS_FILE,
    never_strengthened,
    read_strengthenings,
    with_digests,
)
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.weakening.bolder_formulas import bolder
from pyharness.mutants.weakening.formula_weakenings import Opened
from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings
from pyharness.mutants.weakening.strengthening import Strengthened, strengthening_document
from tests.shipped_plans import shipped_plan
from tests.tla_expressions import library_of

HEAD = 'format = "pyharness-strengthenings/1"\n'
ENTRY = '[[holds]]\nproperties = ["A.P"]\nchanges = ["Q -> TRUE"]\nreason = "so"\n'


def changes(key):
    plan = shipped_plan("quick")
    maker = PlanWeakenings(plan)
    subjects = (s for model in plan.models if model.expect == "pass" for s in maker.subjects(model))
    return [altered.change for altered in maker.bolder(next(s for s in subjects if s.key == key))]


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("ChandyLamport.SnapshotConserves", "Complete -> TRUE"),
        ("Checkpoints.AbortUnblocks", "aborts[p][n] > 0 -> TRUE"),
        ("AtLeastOnceBarriers.ExactOnPipelines", "Pipeline -> TRUE"),
        ("AtLeastOnceBarriers.ExactOnPipelines", "Complete -> TRUE"),
    ],
)
def test_premises_are_dropped_as_a_whole_and_one_by_one(key, change):
    assert change in changes(key)


@pytest.mark.parametrize(
    ("formula", "sets"),
    [
        (r"\A x \in {y \in S : P(y)} : Q(x, x)", [r"{y \in S : P(y)} -> S"]),
        (r"\A x \in S \ {n} : P(x)", [r"S \ {n} -> S"]),
        (r"\A x \in S \cap q : P(x)", [r"S \cap q -> S", r"S \cap q -> q"]),
        (r"\A x \in Some : P(x)", [r"Some: {p \in S : p > n} -> S"]),
        (r"\E x \in S \ {n} : P(x)", []),
        (r"\A x \in S \cup {n} : P(x)", []),
    ],
)
def test_a_set_that_is_a_part_of_another_is_a_premise(tmp_path, formula, sets):
    """What holds of more says more; of "there is one in the set" it would say less."""
    defined = r"Some == {p \in S : p > n}"
    head = f"EXTENDS Integers\nCONSTANTS S, n, q, P(_), Q(_, _)\n{defined}\n"
    known = library_of(tmp_path, Sets=f"{head}Asked == {formula}").module("Sets").definitions
    opened = Opened(known, frozenset(), Kinds(known))
    assert [change for change, _ in bolder(known["Asked"].body, opened)] == sets


@pytest.mark.parametrize(
    ("found", "unlisted", "problems"),
    [
        (Strengthened("A.P", "Q -> TRUE"), 0, 0),
        (Strengthened("A.P", "R -> TRUE"), 1, 1),
        (Strengthened("A.P", "Q -> TRUE", refuted="model"), 0, 1),
    ],
)
def test_what_holds_as_well_is_listed_and_what_is_listed_holds(tmp_path, found, unlisted, problems):
    (tmp_path / STRENGTHENINGS_FILE).write_text(HEAD + ENTRY, encoding="utf-8")
    document = strengthening_document([found], read_strengthenings(tmp_path / STRENGTHENINGS_FILE))
    assert (len(document["unlisted"]), len(document["problems"])) == (unlisted, problems)


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEAD + ENTRY + ENTRY,
        HEAD + ENTRY.replace('reason = "so"\n', ""),
        HEAD + ENTRY.replace('"so"', '""'),
        HEAD + ENTRY + 'more = "1"\n',
        HEAD + '[property]\n"A.P" = 1\n',
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path, text):
    (tmp_path / STRENGTHENINGS_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(SpecError):
        read_strengthenings(tmp_path / STRENGTHENINGS_FILE)


def test_a_property_that_has_changed_was_never_strengthened(tmp_path):
    (tmp_path / STRENGTHENINGS_FILE).write_text(with_digests(HEAD + ENTRY, {"A.P": "0a"}), encoding="utf-8")
    listing = read_strengthenings(tmp_path / STRENGTHENINGS_FILE)
    assert never_strengthened({"A.P": "0a"}, listing) == []
    for digests in ({"A.P": "0b"}, {"A.Q": "0a"}):
        (told,) = never_strengthened(digests, listing)
        assert "was never strengthened" in told


def test_the_gate_asks_for_it(tmp_path):
    plan = shipped_plan("quick")
    texts = (SPECS / STRENGTHENINGS_FILE).read_text(encoding="utf-8")
    (tmp_path / STRENGTHENINGS_FILE).write_text(
        texts.replace('"Checkpoints.AbortUnblocks" = "', '"Checkpoints.AbortUnblocks" = "0')
    )
    (tmp_path / "weakenings.toml").write_bytes((SPECS / "weakenings.toml").read_bytes())
    told = not_as_pinned(replace(plan, strength=tmp_path / "weakenings.toml"), [])
    assert any("Checkpoints.AbortUnblocks was never strengthened" in line for line in told)


@pytest.mark.tlc
@pytest.mark.slow
def test_a_property_with_a_premise_too_many_is_told(tmp_path):
    given = ["mutate", "premise", "--only", "Snapshots.RecordedIsSSS", "--json", "--out", str(tmp_path)]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 0
    document = json.loads(result.output)
    assert [entry["strengthening"] for entry in document["listed"]] == ["CompleteFor(n) -> TRUE"]
