"""Mutants made by machine: what is changed, that a change is seen or not, and that the list of the unseen is held."""

from __future__ import annotations

import fnmatch
import json
import textwrap
from dataclasses import replace
from types import FunctionType

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan
from pyharness.hold.conformance.subject import Implementation
from pyharness.models.bounds import Pins
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.mutants.code import measurement, trials
from pyharness.mutants.code.code_mutants import Reached, code_mutants, function_of, mutated_code
from pyharness.mutants.code.measurement import Measurement, measure
from pyharness.mutants.code.prepared_models import prepare
from pyharness.mutants.code.trials import NEVER_ENDS, try_mutants
from pyharness.mutants.trial import EVERY, NOT_RUN, SURVIVORS, Verdict, read_survivors
from pyharness.tla.modules.library import Library
from tests.mutants.code.made_mutants import MUTANTS, PLAN, PROTOCOLS

LIBRARY = Library(SPECS, SPECS / "mutants")
RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
MODEL = Model("tiny", "ChandyLamport", (RING2,), items=1, conform=True, pins=Pins(49))


def mutants_of(text, tmp_path):
    path = tmp_path / "some" / "module.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return code_mutants(path, tmp_path)


def changes(text, tmp_path):
    return {(m.before, m.after) for m in mutants_of(text, tmp_path)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a < b", {("a < b", "a <= b"), ("a < b", "a >= b")}),
        ("return a is not None", {("a is not None", "a is None")}),
        ("return a and b", {("a and b", "a or b"), ("a and b", "a"), ("a and b", "b")}),
        ("return not a", {("not a", "a")}),
        ("return True", {("True", "False")}),
        ("return a[0]", {("0", "1")}),
        ("return a[1:]", {("1:", ":"), ("1", "2"), ("1", "0")}),
        ("return a | b", {("a | b", "a & b"), ("a | b", "a")}),
        ("return all(a)", {("all", "any")}),
        ("return b if a else c", {("b if a else c", "c if a else b")}),
        ("return [x for x in a if x]", {("for x in a if x", "for x in a")}),
        ("return (*a, b)", {("(*a, b)", "(b,)"), ("(*a, b)", "(*a,)"), ("(*a, b)", "(b, *a)")}),
        ("return a._replace(x=b, y=c)", {
            ("a._replace(x=b, y=c)", "a._replace(y=c)"), ("a._replace(x=b, y=c)", "a._replace(x=b)"),
        }),
        ("if a:\n    b()", {("if a:", "if not a:"), ("b()", "pass")}),
        ("if a:\n    b()\nelse:\n    c()", {
            ("if a:", "if a: (branches swapped)"), ("b()", "pass"), ("c()", "pass"),
        }),
        ("a[b] = c", {("a[b] = c", "pass")}),
        ("a = a.x\nreturn a", {("a = a.x", "pass")}),
        ("yield a", {("yield a", "pass")}),
    ],
)  # fmt: skip
def test_what_is_changed(tmp_path, body, expected):
    text = "def f(a, b, c):\n" + textwrap.indent(body, "    ")
    assert changes(text, tmp_path) == expected


def test_what_has_no_meaning_is_not_changed(tmp_path):
    text = '''
        """A module with 1 number."""

        LIMIT = 3

        def f(a: tuple[int, 1], b=1) -> "int | 2":
            """Return 1 if a < b."""
            if a < 1:
                raise ValueError(f"{a} < {1}")
            zip(a, b, strict=True)
            return "text"
    '''
    assert changes(text, tmp_path) == {("zip(a, b, strict=True)", "pass")}


def test_equal_changes_of_a_function_are_told_apart_by_number(tmp_path):
    found = mutants_of(
        "def f(a):\n    return a[0], a[0]\n\nclass C:\n    def f(self):\n        return 0\n", tmp_path
    )
    assert [m.id for m in found] == [
        "some/module.py f: 0 -> 1",
        "some/module.py f: 0 -> 1 #2",
        "some/module.py C.f: 0 -> 1",
    ]


def test_a_mutated_function_does_what_its_name_says(tmp_path):
    found = mutants_of("def f(a):\n    return [x for x in a if x > 1]\n", tmp_path)
    results = {m.after: FunctionType(mutated_code(m, tmp_path), {})([0, 1, 2]) for m in found}
    assert results == {"for x in a": [0, 1, 2], "x >= 1": [1, 2], "x <= 1": [0, 1], "2": [], "0": [1, 2]}


def test_there_are_many_mutants_and_each_has_its_own_name():
    assert len(MUTANTS) >= 300
    assert len({m.id for m in MUTANTS}) == len(MUTANTS)
    assert not [m for m in MUTANTS if m.file.endswith("mutants.py")]


@pytest.mark.parametrize("mutant", MUTANTS[::40], ids=lambda m: m.id)
def test_each_mutant_has_other_code_for_a_function_that_there_is(mutant):
    function = function_of(mutant.file, mutant.function)
    code = mutated_code(mutant, PROTOCOLS)
    assert code.co_qualname == function.__code__.co_qualname
    assert code.co_freevars == function.__code__.co_freevars
    assert code != function.__code__


def test_functions_that_run_are_noted():
    with Reached(PROTOCOLS) as reached:
        MODEL.system(RING2)
    assert ("common/process.py", "Process.__init__") in reached.functions
    assert ("markers/chandy_lamport.py", "ChandyLamport.initiate") not in reached.functions


# -- trials ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ready():
    """The tiny model, compared."""
    return prepare(replace(MODEL, pins=None), LIBRARY, find_tools(), PROTOCOLS)


def tried(mutants, model, **options):
    found = {}
    try_mutants(
        mutants, model, PROTOCOLS, workers=2, report=lambda m, text: found.update({m.id: text}), **options
    )
    return found


def named(*parts):
    (mutant,) = [m for m in MUTANTS if all(part in m.id for part in parts)]
    return mutant


@pytest.mark.tlc
def test_the_correct_implementation_does_nothing_else(ready):
    assert ready.difference() is None
    assert ready.size > 10


@pytest.mark.tlc
def test_states_that_are_left_out_are_missed(tmp_path, monkeypatch):
    whole = Implementation.reachable
    monkeypatch.setattr(Implementation, "reachable", lambda *given: list(whole(*given))[1:])
    with pytest.raises(IncompleteError, match=r"\d+ states of \d+ were reached"):
        prepare(replace(MODEL, pins=None), LIBRARY, find_tools(), PROTOCOLS)


@pytest.mark.tlc
def test_mutants_are_seen_and_the_process_stays_as_it_was(ready):
    some = [m for m in MUTANTS if m.file == "markers/chandy_lamport.py"][::4]
    found = tried(some, ready)
    assert set(found) == {m.id for m in some}
    assert sum(text is not None for text in found.values()) >= 8
    assert ready.difference() is None


@pytest.mark.tlc
def test_a_mutant_that_never_ends_is_seen(ready, monkeypatch):
    monkeypatch.setattr(trials, "_LEAST_SECONDS", 1)
    monkeypatch.setattr(trials, "swap", lambda *_, **__: None)
    endless = replace(ready, seconds=0.0, initial=Endless())
    assert tried(MUTANTS[:1], endless) == {MUTANTS[0].id: NEVER_ENDS}


class Endless(dict):
    """A table in which a look-up never comes back."""

    def __missing__(self, key):
        while True:
            pass


@pytest.mark.tlc
def test_a_mutant_that_raises_is_seen(ready, monkeypatch):
    monkeypatch.setattr(trials, "swap", lambda *_, **__: None)
    (text,) = tried(MUTANTS[:1], replace(ready, initial={})).values()
    assert text.startswith("raises KeyError")


@pytest.mark.tlc
def test_a_mutant_that_cannot_be_put_in_its_place_is_not_one_that_was_seen(ready, monkeypatch):
    monkeypatch.setattr(trials, "swap", lambda *_, **__: 1 / 0)
    with pytest.raises(IncompleteError, match="could not be tried"):
        tried(MUTANTS[:1], ready)


def test_each_mutant_can_be_put_in_its_place():
    names = {f"{m.file} {m.function}": m for m in MUTANTS}
    closing = {name for name, m in names.items() if function_of(m.file, m.function).__code__.co_freevars}
    assert closing
    for mutant in (m for m in MUTANTS if f"{m.file} {m.function}" in closing):
        code = mutated_code(mutant, PROTOCOLS)
        now = function_of(mutant.file, mutant.function).__code__
        assert code.co_freevars == now.co_freevars, mutant.id


# -- the verdict -----------------------------------------------------------------------------------------------------


def test_the_first_plan_must_see_a_mutant_and_a_larger_one_may_be_named():
    seen, later, never, outside = list({m.subject: m for m in MUTANTS}.values())[:4]
    found = Measurement(
        ("quick", "full"),
        [seen, later, never, outside],
        {seen.id: ("quick", "m", "differs"), later.id: ("full", "n", "differs")},
        {m.subject for m in (seen, later, never)},
    )
    trials = found.trials()
    assert [each.key for each in trials] == [m.key for m in (seen, later, never, outside)]
    assert [each.verdict for each in trials] == [Verdict.NOTICED, *[Verdict.SURVIVES] * 3]
    assert [each.elsewhere for each in trials] == ["", "full", "", ""]
    assert (trials[0].by, trials[3].why) == ("m", NOT_RUN)


def test_the_committed_list_is_of_mutants_that_there_are():
    listed = read_survivors(SPECS / SURVIVORS, "code").accepted
    assert {key for key in listed if key[1] != EVERY} <= {m.key for m in MUTANTS}
    patterns = [subject for subject, change in listed if change == EVERY]
    assert [each for each in patterns if not fnmatch.filter((m.subject for m in MUTANTS), each)] == []


# -- all of it -------------------------------------------------------------------------------------------------------


@pytest.mark.tlc
def test_what_was_found_is_kept_and_taken_over(tmp_path, monkeypatch):
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    plan = read_plan(tmp_path / "tiny.toml", SPECS)
    some = [m for m in MUTANTS if m.function.startswith("ChandyLamport.")][:12]
    first = measure([plan], some, PROTOCOLS, find_tools(), tmp_path)
    assert first.seen
    assert first.models == [("tiny", "tiny", first.models[0][2])]
    monkeypatch.setattr(measurement, "prepare", None)
    monkeypatch.setattr(measurement, "try_mutants", None)
    again = measure([plan], some, PROTOCOLS, find_tools(), tmp_path)
    assert (again.seen, again.reached, again.models) == (first.seen, first.reached, first.models)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [(["--only", "no/such"], "no mutant is chosen"), ([], "no model of these plans is compared")],
)
def test_where_nothing_is_tried_nothing_is_passed(tmp_path, chosen, said):
    (tmp_path / "tiny.toml").write_text(PLAN.replace("conform = true", ""), encoding="utf-8")
    given = ["mutate", "code", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "kept")]
    result = CliRunner().invoke(cli, [*given, *chosen])
    assert result.exit_code == 3
    assert said in result.stderr
    assert not (tmp_path / "kept").exists()


@pytest.mark.tlc
def test_a_survivor_that_is_not_listed_exits_with_1(tmp_path, monkeypatch):
    monkeypatch.setattr(measurement, "protocol_mutants", lambda _: MUTANTS[::10])
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "list.toml").write_text('format = "pyharness-survivors/1"\n', encoding="utf-8")
    given = ["mutate", "code", str(tmp_path / "tiny.toml"), "--survivors", str(tmp_path / "list.toml")]
    result = CliRunner().invoke(cli, [*given, "--out", str(tmp_path), "--json"])
    assert result.exit_code == 1, result.output
    document = json.loads(result.stdout)
    assert document["counts"]["not noticed"] > document["counts"]["noticed"] > 0
    assert {each["why"] for each in document["trials"] if each["verdict"] == "not noticed"} >= {NOT_RUN}
