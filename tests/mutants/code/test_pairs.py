"""Two changes of the implementation at once: both are made, and a share of them must be seen."""

from __future__ import annotations

import json
from itertools import pairwise
from types import FunctionType

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.machines.protocols import Items
from pyharness.mutants.code.code_mutants import PairOfMutants, code_mutants, mutated_code, swap
from pyharness.mutants.code.listed_survivors import read_listing
from pyharness.mutants.code.measurement import Measurement, judge_pairs, pairs_of
from tests.mutants.code.made_mutants import MUTANTS, PLAN, PROTOCOLS

SOURCE = """
def f(x):
    return x + 1 if x > 2 else x - 1
"""


def test_both_changes_of_one_function_are_made(tmp_path):
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    found = {(m.before, m.after): m for m in code_mutants(tmp_path / "m.py", tmp_path)}
    added, boundary = found["x + 1", "x - 1"], found["x > 2", "x >= 2"]

    def run(*mutants):
        return [FunctionType(mutated_code(mutants, tmp_path), {})(x) for x in (1, 2, 3)]

    assert run(added) == [0, 1, 2]
    assert run(boundary) == [0, 3, 4]
    assert run(added, boundary) == run(boundary, added) == [0, 1, 2]


def test_of_a_change_within_the_place_of_another_the_outer_one_is_made(tmp_path):
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    found = {(m.before, m.after): m for m in code_mutants(tmp_path / "m.py", tmp_path)}
    inner, outer = found["1", "2"], found["x + 1", "x"]
    assert FunctionType(mutated_code([inner, outer], tmp_path), {})(3) == 3


def test_changes_of_two_functions_are_both_made(monkeypatch):
    one, two = (
        next(m for m in MUTANTS if m.function == f"Items.{name}") for name in ("after_send", "after_accept")
    )
    before = Items.after_send.__code__, Items.after_accept.__code__
    monkeypatch.setattr(Items.after_send, "__code__", before[0])
    monkeypatch.setattr(Items.after_accept, "__code__", before[1])
    swap(PairOfMutants(one, two), PROTOCOLS)
    assert Items.after_send.__code__ != before[0]
    assert Items.after_accept.__code__ != before[1]


def test_pairs_are_of_one_file_drawn_again_by_the_same_seed_and_no_two_the_same():
    drawn = pairs_of(MUTANTS, 200)
    assert drawn == pairs_of(MUTANTS, 200)
    assert drawn != pairs_of(MUTANTS, 200, seed=2)
    assert len({pair.id for pair in drawn}) == 200
    assert all(pair.first.file == pair.second.file and pair.first != pair.second for pair in drawn)


@pytest.mark.parametrize(("unseen", "wrong"), [(0, 0), (5, 0), (6, 1), (100, 1)])
def test_less_than_95_in_a_hundred_is_a_problem(unseen, wrong):
    pairs = [PairOfMutants(*two) for two in pairwise(MUTANTS[:101])]
    found = Measurement(("quick",), pairs, {pair.id: ("quick", "m", "x") for pair in pairs[unseen:]})
    document = judge_pairs(found)
    assert (document["pairs"], document["seen"], len(document["problems"])) == (100, 100 - unseen, wrong)


def test_no_pair_at_all_is_a_problem():
    assert judge_pairs(Measurement(("quick",), []))["problems"]


def test_what_is_listed_is_not_drawn():
    listed = read_listing(SPECS / "mutation.toml")
    rest = [m for m in MUTANTS if not listed.lists(m)]
    assert len(MUTANTS) - 600 < len(rest) < len(MUTANTS)
    assert not any(m.id in listed.mutants for m in rest)


@pytest.mark.tlc
def test_pairs_are_tried_and_what_is_not_seen_exits_with_1(tmp_path):
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    given = ["mutate", "code", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "kept"), "--json"]
    seen = CliRunner().invoke(cli, [*given, "--only", "ChandyLamport.initiate", "--pairs", "3"])
    assert seen.exit_code == 0, seen.output
    assert json.loads(seen.stdout)["share"] == 1
    unseen = CliRunner().invoke(cli, [*given, "--only", "stopping/", "--pairs", "3"])
    assert unseen.exit_code == 1
    assert json.loads(unseen.stdout)["seen"] == 0
