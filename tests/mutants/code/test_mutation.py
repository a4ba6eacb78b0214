"""Mutants made by machine: what is changed, that a change is seen or not, and that the list of the unseen is held."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan
from pyharness.models.bounds import Pins
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.mutants.code import measurement, trials
from pyharness.mutants.code.code_mutants import Reached, code_mutants, function_of, mutated_code
from pyharness.mutants.code.listed_survivors import Listed, Listing, read_listing, read_survivors
from pyharness.mutants.code.measurement import Measurement, judge_mutants, measure
from pyharness.mutants.code.prepared_models import prepare
from pyharness.mutants.code.trials import NEVER_ENDS, try_mutants
from pyharness.tla.modules.library import Library
from tests.mutants.code.made_mutants import MUTANTS, PLAN, PROTOCOLS

pytestmark = pytest.mark.usefixtures("shared_tlc")

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
    results = {m.after: FunctionType(mutated_code([m], tmp_path), {})([0, 1, 2]) for m in found}
    assert results == {"for x in a": [0, 1, 2], "x >= 1": [1, 2], "x <= 1": [0, 1], "2": [], "0": [1, 2]}


def test_there_are_many_mutants_and_each_has_its_own_name():
    assert len(MUTANTS) >= 300
    assert len({m.id for m in MUTANTS}) == len(MUTANTS)
    assert not [m for m in MUTANTS if m.file.endswith("mutants.py")]


@pytest.mark.parametrize("mutant", MUTANTS[::40], ids=lambda m: m.id)
def test_each_mutant_has_other_code_for_a_function_that_there_is(mutant):
    function = function_of(mutant.file, mutant.function)
    code = mutated_code([mutant], PROTOCOLS)
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
def ready(tmp_path_factory):
    """The tiny model, compared."""
    cache = tmp_path_factory.mktemp("cache")
    model = replace(MODEL, pins=None)
    compared = prepare(model, LIBRARY, find_tools(), cache, PROTOCOLS)
    assert prepare(model, LIBRARY, unable_tools(), cache, PROTOCOLS).states == compared.states, (
        "kept by content"
    )
    return compared


def unable_tools():
    """Tools that have TLC's digest, and cannot run it."""
    return replace(find_tools(), java=Path("/nowhere/java"))


def tried(mutants, model, **options):
    found = {}
    try_mutants(
        mutants, model, PROTOCOLS, workers=2, tell=lambda m, text: found.update({m.id: text}), **options
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
        code = mutated_code(mutant.parts, PROTOCOLS)
        now = function_of(mutant.file, mutant.function).__code__
        assert code.co_freevars == now.co_freevars, mutant.id


# -- the verdict -----------------------------------------------------------------------------------------------------

A, B, C = list({f"{m.file} {m.function}": m for m in MUTANTS}.values())[:3]
FUNCTIONS = {f"{m.file} {m.function}" for m in (A, B, C)}


def judged(seen, listed=(), outside=None, reached=FUNCTIONS, plans=("quick", "full")):
    found = Measurement(plans, [A, B, C], seen, set(reached), [("m", "quick", 9)])
    return judge_mutants(found, Listing({entry.mutant: entry for entry in listed}, outside or {}))


ALL = {m.id: ("quick", "m", "differs") for m in (A, B, C)}
TWO = {m.id: ALL[m.id] for m in (A, B)}
LATER = {**TWO, C.id: ("full", "n", "differs")}


def test_all_seen_is_no_problem():
    document = judged(ALL)
    assert document["problems"] == document["survivors"] == []
    assert document["plans"] == {"quick": {"seen": 3, "share": 1.0}, "full": {"seen": 3, "share": 1.0}}


@pytest.mark.parametrize(
    ("seen", "options", "problem"),
    [
        (TWO, {}, "not seen, and not listed"),
        (LATER, {}, "seen by full only, and not listed"),
        (ALL, {"listed": [Listed(C.id, "why")]}, "listed, and seen by quick"),
        (ALL, {"listed": [Listed(C.id, "why", equivalent=True)]}, "listed, and seen by quick"),
        (ALL, {"listed": [Listed("nothing", "why")]}, "listed, and is no mutant"),
        (LATER, {"listed": [Listed(C.id, "why")]}, "listed, and seen by full"),
        (TWO, {"listed": [Listed(C.id, "why", plan="full")]}, "not seen by full, as it is listed"),
        (ALL, {"outside": {f"{C.file} {C.function}": "why"}}, "not outside, a model runs it"),
        (ALL, {"outside": {"nothing": "why"}}, "outside matches nothing"),
    ],
)
def test_what_is_not_as_listed_is_a_problem(seen, options, problem):
    assert [text for text in judged(seen, **options)["problems"] if problem in text]


def test_what_is_listed_is_none():
    assert judged(TWO, listed=[Listed(C.id, "why")])["plans"]["full"] == {"seen": 2, "share": 0.6667}
    document = judged(TWO, listed=[Listed(C.id, "why", equivalent=True)])
    assert document["problems"] == []
    assert document["plans"]["quick"] == {"seen": 2, "share": 1.0}
    assert judged(LATER, listed=[Listed(C.id, "why", plan="full")])["problems"] == []
    assert judged(TWO, listed=[Listed(C.id, "why", plan="full")], plans=("quick",))["problems"] == []
    reached = {f"{m.file} {m.function}" for m in (A, B)}
    document = judged(TWO, outside={f"{C.file} {C.function}": "why"}, reached=reached)
    assert document["problems"] == []
    assert (document["outside"], document["counted"]) == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'format = "another"',
        'format = "pyharness-mutation/1"\n[[survivor]]\nmutant = "a"',
        'format = "pyharness-mutation/1"\n[[survivor]]\nmutant = "a"\nreason = ""',
        'format = "pyharness-mutation/1"\n[[equivalent]]\nmutant = "a"\nreason = "b"\nplan = "full"',
        'format = "pyharness-mutation/1"\n[outside]\na = ""',
        'format = "pyharness-mutation/1"\n[[survivor]]\nmutant = "a"\nreason = "b"\n' * 2,
        'format = "pyharness-mutation/1"\nother = 1',
        "format = ",
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path, text):
    path = tmp_path / "list.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError):
        read_listing(path)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "another", "survivors": []}', '{"format": "pyharness-mutation/1"}']
)
def test_what_an_earlier_run_left_is_read_from_its_document_alone(tmp_path, text):
    path = tmp_path / "earlier.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match="not the result of a measurement"):
        read_survivors(path)
    with pytest.raises(SpecError):
        read_survivors(tmp_path / "nowhere.json")


def test_the_committed_list_is_of_mutants_that_there_are():
    listing = read_listing(SPECS / "mutation.toml")
    assert set(listing.mutants) <= {m.id for m in MUTANTS}
    functions = {f"{m.file} {m.function}" for m in MUTANTS}
    assert {listing.pattern_of(name) for name in functions} - {None} == set(listing.outside)


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
    document = judge_mutants(first, Listing({}, {}))
    assert document["counted"] == len(some)


@pytest.mark.tlc
def test_what_is_listed_as_equivalent_may_be_tried_on_smaller_models_only(tmp_path):
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    initiate = [m.id for m in MUTANTS if m.function == "ChandyLamport.initiate"]
    entries = [
        f"[[equivalent]]\nmutant = {json.dumps(name)}\nreason = 'so says the test'" for name in initiate
    ]
    (tmp_path / "list.toml").write_text(
        "\n".join(['format = "pyharness-mutation/1"', *entries]), encoding="utf-8"
    )
    given = ["mutate", "code", str(tmp_path / "tiny.toml"), "--listing", str(tmp_path / "list.toml")]
    given += ["--out", str(tmp_path), "--only", "ChandyLamport.initiate"]
    for states, some in ((28, False), (29, True)):
        result = CliRunner().invoke(cli, [*given, "--json", "--states-of-equivalent", str(states)])
        assert result.exit_code == 0, result.output
        document = json.loads(result.stdout)
        assert document["mutants"] == len(initiate)
        assert document["counted"] == 0
        found = {
            name
            for path in (tmp_path / "outcomes").iterdir()
            for name, text in json.loads(path.read_text(encoding="utf-8"))["outcomes"].items()
            if text is not None
        }
        assert bool(found) == some


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (["--only", "no/such"], "no mutant is chosen"),
        (["--states", "1"], "no model of these plans is compared"),
    ],
)
def test_where_nothing_is_tried_nothing_is_passed(tmp_path, chosen, said):
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    given = ["mutate", "code", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "kept")]
    result = CliRunner().invoke(cli, [*given, *chosen])
    assert result.exit_code == 3
    assert said in result.stderr
    assert not (tmp_path / "kept").exists()


@pytest.mark.tlc
def test_a_survivor_that_is_not_listed_exits_with_1(tmp_path, monkeypatch):
    monkeypatch.setattr(measurement, "protocol_mutants", lambda _: MUTANTS[::10])
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "list.toml").write_text('format = "pyharness-mutation/1"\n', encoding="utf-8")
    given = [
        "mutate",
        "code",
        str(tmp_path / "tiny.toml"),
        "--listing",
        str(tmp_path / "list.toml"),
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(cli, [*given, "--only", "collecting/", "--json"])
    assert result.exit_code == 0, "a part of the mutants is not judged"
    assert json.loads(result.stdout)["plans"] == {"tiny": {"seen": 0, "share": 0.0}}
    earlier = tmp_path / "earlier.json"
    earlier.write_text(result.stdout, encoding="utf-8")
    result = CliRunner().invoke(cli, [*given, "--left-by", str(earlier), "--json"])
    assert result.exit_code == 0, "nor is what an earlier run left"
    left = {row["mutant"] for row in json.loads(earlier.read_text(encoding="utf-8"))["survivors"]}
    assert {row["mutant"] for row in json.loads(result.stdout)["survivors"]} == left
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 1, result.output
    assert "not seen, and not listed" in result.stdout
