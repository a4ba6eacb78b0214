"""What is weakened and how, that a weakening is one, and what the list of the equivalent ones must say."""

from __future__ import annotations

import itertools
import json
import random
import shutil

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.judge.pinned_lists import (
    Figures,
    Listing,
    changed_kills,
    changed_texts,
    never_weakened,
    pinned_figures,
    read_weakenings,
    with_figures,
)
from pyharness.gate.plans.plan import read_plan
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.weakening.formula_weakenings import Opened, stronger, weaker
from pyharness.mutants.weakening.noticing import Weakened
from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings
from pyharness.mutants.weakening.weakening_verdict import figures_of, weakening_document
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.library import Library
from tests.shipped_plans import shipped_plan
from tests.tla_expressions import library_of, read_all

DECLARED = "S, n, q, c, a, b, d, i, j, vars, v, queue, seen, count, P(_), Q(_, _), Unknown(_)"
DEFINED = r"""
Whole == /\ seen = S
         /\ \A p \in S : count > p
Fits(e, f) == e <= f
Init == /\ queue = [o \in S |-> << >>]
        /\ seen = {}
        /\ count = 0
"""
SEEDS = 40


def proposition(seed):
    """A formula of the propositions a to d, made at random."""
    source = random.Random(seed)

    def formula(depth):
        if depth == 0 or source.random() < 0.2:
            return source.choice("abcd")
        operator = source.choice(["/\\", "\\/", "=>", "<=>", "~"])
        if operator == "~":
            return f"~({formula(depth - 1)})"
        return f"({formula(depth - 1)}) {operator} ({formula(depth - 1)})"

    return formula(4)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Reads one of the formulas of this file."""
    texts = [formula for formula, _ in RULES] + [*OTHERS, *map(proposition, range(SEEDS))]
    known = read_all(tmp_path_factory.mktemp("read"), texts, DECLARED, DEFINED)
    return known.__getitem__


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """What formulas are weakened with."""
    directory = tmp_path_factory.mktemp("opened")
    read_all(directory, [], DECLARED, DEFINED)
    definitions = Library(directory).visible("Expressions")
    return Opened(definitions, frozenset({"Whole", "Fits"}), Kinds(definitions))


@pytest.fixture
def changed(read, opened):
    return lambda make, text: [on_one_line(formula) for _, formula in make(read(text), opened)]


OTHERS = [
    "a \\/ b", "a => b", "a /\\ b", "<>a", "queue[c] # << >> => a", "\\A p \\in S : Whole",
]  # fmt: skip
RULES = [
    ("/\\ a\n/\\ b\n/\\ c", ["b /\\ c", "a /\\ c", "a /\\ b"]),
    ("a \\/ b", []),
    ("a <=> b", ["a => b", "b => a"]),
    ("a => b", []),
    ("seen = S", ["seen \\subseteq S", "S \\subseteq seen"]),
    ("count = n", ["count <= n", "count >= n"]),
    ("queue[c] = q", ["Len(queue[c]) = Len(q)", "ValuesOf(queue[c]) = ValuesOf(q)"]),
    ("queue[c] = << >>", []),
    ("seen = {}", []),
    ("\\A x \\in S : P(x)", ["\\A x \\in AllButOne(S) : P(x)", "\\A x \\in OneAlone(S) : P(x)"]),
    ("\\E x \\in S : P(x)", []),
    ("~\\E x \\in S : P(x)", ["~(\\E x \\in AllButOne(S) : P(x))", "~(\\E x \\in OneAlone(S) : P(x))"]),
    ("a /\\ b => c", []),
    ("a \\/ b => c", ["b => c", "a => c"]),
    ("i < j => Q(i, j)", ["i + 1 = j => Q(i, j)"]),
    ("count <= 1", ["count <= 2"]),
    ("seen \\subseteq S", ["AllButOne(seen) \\subseteq S"]),
    ("<>[]a", ["[]<>a", "<>a"]),
    ("[]<>a", ["<>a"]),
    ("[][a /\\ b]_vars", ["[][b]_vars", "[][a]_vars"]),
    ("count = (IF c THEN 1 ELSE 0)", ["c => count = 1", "~c => count = 0"]),
    ("IF c THEN a ELSE b", ["c => a", "~c => b"]),
    ("/\\ X(n)!Init\n/\\ [][a /\\ b]_v", ["[][a /\\ b]_v", "X(n)!Init", "X(n)!Init /\\ [][b]_v"]),
    ("Fits(count, n)", ["count <= n + 1"]),
    ("Unknown(count)", []),
]


@pytest.mark.parametrize(("formula", "expected"), RULES)
def test_each_rule(changed, formula, expected):
    found = changed(weaker, formula)
    assert found[: len(expected)] == expected
    if not expected:
        assert found == []


def test_under_a_negation_it_is_strengthened(changed):
    assert changed(stronger, "a \\/ b") == ["b", "a"]
    assert changed(stronger, "a => b") == ["b"]
    assert changed(stronger, "a /\\ b") == []
    assert changed(stronger, "<>a") == ["<>[]a"]
    assert changed(weaker, "queue[c] # << >> => a") == ["Len(queue[c]) = 1 => a", "Len(queue[c]) > 1 => a"]


def test_of_an_operator_that_a_module_defines_itself_nothing_is_known(tmp_path):
    own = "VARIABLES n, m\nx <= y == y = x\nx + y == {x, y}\nLen(x) == x\n"
    text = own + 'P == n <= "c" /\\ ~(n <= "d")\nQ == n + m = Len(m)'
    visible = library_of(tmp_path, Own=text).visible("Own")
    kinds = Kinds(visible)
    changes = dict(weaker(visible["P"].body, Opened(visible, frozenset(), kinds)))
    assert list(changes) == ['n <= "c" -> TRUE', '~n <= "d" -> TRUE']
    assert (kinds.of(visible["Q"].body.left), kinds.of(visible["Q"].body.right)) == ("set", None)


def test_a_helper_is_opened_and_its_names_are_its_own(read, opened):
    changes = dict(weaker(read("\\A p \\in S : Whole"), opened))
    assert "Whole: seen = S -> TRUE" in changes
    text = on_one_line(changes["Whole: count > p -> count >= p"])
    assert text == "\\A p \\in S : seen = S /\\ (\\A p_of_Whole \\in S : count >= p_of_Whole)"


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_weakening_of_propositions_is_implied_and_a_strengthening_implies(seed, read, opened):
    original = read(proposition(seed))
    for make, implied in ((weaker, lambda p, q: not p or q), (stronger, lambda p, q: not q or p)):
        for _, other in make(original, opened):
            for values in itertools.product((False, True), repeat=4):
                world = dict(zip("abcd", values, strict=True))
                assert implied(holds(original, world), holds(other, world))


def holds(e, world):
    kind = type(e).__name__
    if kind == "Name":
        return world[e.name]
    if kind == "Prefix":
        return not holds(e.body, world)
    if kind == "Junction":
        values = [holds(item, world) for item in e.items]
        return all(values) if e.operator == "/\\" else any(values)
    left, right = holds(e.left, world), holds(e.right, world)
    return {"/\\": left and right, "\\/": left or right, "=>": not left or right, "<=>": left == right}[
        e.operator
    ]


# -- the plan ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quick():
    return shipped_plan("quick")


def test_every_property_of_the_plan_is_weakened(quick):
    maker = PlanWeakenings(quick)
    found = {}
    for model in quick.models:
        for subject in maker.subjects(model):
            for altered in maker.altered(model, subject):
                found.setdefault(altered.key, set()).add(altered.change)
                assert altered.formula != subject.formula or altered.law
    assert sum(map(len, found.values())) >= 300
    checked = {
        subject.key
        for model in quick.models
        if model.expect == "pass" or model.mutant
        for subject in maker.subjects(model)
    }
    # Of these there is nothing to be weakened but the law, which counts by itself, or a verdict's not being "pending".
    assert {key for key in checked if key not in found} <= {
        "Barriers.SnapshotConserves",
        "Collection.EventuallyConcluded",
        "StopTheWorld.SnapshotConserves",
        "WhiteRed.SnapshotConserves",
    }
    assert "without its Init" in found["ChandyLamport.SSSReachable"]
    assert "Red \\subseteq ProcessesOf[topo] -> TRUE" in found["Barriers.TypeOK"]


RING = """format = "pyharness-plan/1"

[[model]]
name = "ring"
spec = "ChandyLamport"
topologies = ["ring:2"]
items = 1
fair = true
invariants = ["TypeOK", "RecordedIsSSS", "SnapshotConserves"]
properties = ["EventuallyAllRed", "SSSReachable"]
"""


def test_a_digest_is_of_the_text_and_of_what_it_opens(tmp_path):
    specs = tmp_path / "specs"
    shutil.copytree(SPECS, specs)
    (specs / "plans" / "ring.toml").write_text(RING, encoding="utf-8")

    def read():
        return PlanWeakenings(read_plan(specs / "plans" / "ring.toml", specs))

    before = read()

    def after(old, new, module="ChandyLamport"):
        path = specs / f"{module}.tla"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        maker = read()
        path.write_text(text, encoding="utf-8")
        return {key for key in maker.texts() if maker.digest(key) != before.digest(key)}

    assert after("recChan = whiteInRed ", "whiteInRed = recChan ") == {"ChandyLamport.RecordedIsSSS"}
    assert after("AllRed == /\\ Red", "AllRed ==  /\\  Red") == set()
    assert after("AllRed == /\\ Red =", "AllRed == /\\ Red #") == {"ChandyLamport.EventuallyAllRed"}
    assert after("chan  <- [c \\in DOMAIN chan |-> recChan[c] \\o", "chan  <- [c \\in DOMAIN chan |->") == {
        "ChandyLamport.SSSReachable"
    }
    assert after("channels) = 1", "channels) <= 1", "Items") == {"Items.ItemsConserved"}


# -- the list ---------------------------------------------------------------------------------------------------

GOOD = """format = "pyharness-weakenings/1"

[[equivalent]]
properties = ["M.P", "M.Q"]
weakenings = ["a -> TRUE"]
reason = "b says it, too"
"""


def listing(tmp_path, text=GOOD):
    path = tmp_path / "weakenings.toml"
    path.write_text(text, encoding="utf-8")
    return read_weakenings(path)


def test_the_list_is_read_and_keeps_its_reasons_when_figures_are_written(tmp_path):
    read = listing(tmp_path)
    assert read.equivalent == {("M.P", "a -> TRUE"): "b says it, too", ("M.Q", "a -> TRUE"): "b says it, too"}
    figures = {"M.P": Figures("00ff", 3, 2, 1), "M.Q": Figures("ff00")}
    kills = {"mutants-late": {"P": [3, 5]}}
    states = {"mutants-late": {"P": [40]}}
    stated = {"theorems of M": "0f"}
    text = with_figures(GOOD, figures, kills, states, stated)
    assert listing(tmp_path, text) == Listing(read.equivalent, figures, kills, states, stated)
    assert with_figures(text, figures, kills, states, stated) == text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("weakenings/1", "weakenings/9", "its format is not"),
        ('reason = "b says it, too"', 'reason = ""', "not an entry of equivalent"),
        ('["a -> TRUE"]', '"a -> TRUE"', "not an entry of equivalent"),
        ('["a -> TRUE"]', '["a -> TRUE", "a -> TRUE"]', "listed twice"),
        ("[[equivalent]]", "[[same]]", "unknown: same"),
        ('too"', "too", "cannot be read"),
        ("[[equivalent]]", "[kills]\nlate = { P = 3 }\n[[equivalent]]", "kills are lists of numbers"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path, old, new, message):
    with pytest.raises(SpecError, match=message):
        listing(tmp_path, GOOD.replace(old, new, 1))


def found(change, noticed=(), differs=(), key="M.P"):
    return Weakened(
        key, change, noticed=dict.fromkeys(noticed, "escapes"), differs=set(differs), looked={"m"}
    )


def test_what_is_not_noticed_must_be_listed_and_be_the_same(tmp_path):
    read = listing(tmp_path)
    document = weakening_document([found("a -> TRUE"), found("b -> TRUE", noticed=["m"])], read, whole=False)
    assert (document["unnoticed"], document["problems"]) == ([], [])
    assert document["equivalent"] == [
        {"property": "M.P", "weakening": "a -> TRUE", "reason": "b says it, too"}
    ]
    assert (document["weakenings"], document["noticed"]) == (2, 1)

    def reasons(*weakened):
        return [entry["reason"] for entry in weakening_document(weakened, read, whole=False)["unnoticed"]]

    assert reasons(found("c -> TRUE")) == ["in none of 1 models it differs from the property"]
    assert reasons(found("c -> TRUE", differs=["m"])) == ["it differs in m, where no kill tells"]
    assert reasons(found("a -> TRUE", differs=["m"])) == [
        "listed as equivalent, and differs in m, where no kill tells"
    ]


def test_a_list_that_says_too_much_is_a_problem(tmp_path):
    read = listing(tmp_path)
    document = weakening_document([found("a -> TRUE", noticed=["m"])], read)
    assert document["problems"] == [
        "listed as equivalent, and noticed by m: M.P: a -> TRUE",
        "listed, and no weakening: M.Q: a -> TRUE",
    ]


def test_a_changed_text_is_named():
    read = Listing({}, {"M.P": Figures("00", 1, 1, 0), "M.Gone": Figures("00", 1, 1, 0)})
    assert changed_texts({"M.P": "00"}, Listing({}, {"M.P": Figures("00", 1, 1, 0)})) == []
    assert changed_texts({"M.P": "ff", "M.New": "00"}, read) == [
        "the text of M.P has changed",
        "the text of M.New is not pinned",
        "M.Gone is listed, and is no property",
    ]
    weakened = [found("a -> TRUE", noticed=["m"]), found("b -> TRUE")]
    document = {"equivalent": [{"property": "M.P"}]}
    assert figures_of(weakened, document, {"M.P": "00"}) == {"M.P": Figures("00", 2, 1, 1)}


def test_a_pinned_text_that_changed_loses_its_figures():
    measured, other = Figures("00", 3, 2, 1), Figures("ff")
    read = Listing({}, {"M.P": measured, "M.Q": Figures("00", 9, 9, 0)})
    assert pinned_figures({"M.P": "00", "M.Q": "ff"}, read) == {"M.P": measured, "M.Q": other}
    pinned = Listing({}, {"M.P": measured, "M.Q": other})
    assert never_weakened({"M.P": "00", "M.Q": "ff"}, pinned) == ["M.Q was never weakened"]


def test_a_kill_of_another_length_is_named():
    read = Listing({}, {}, {"late": {"P": [3, 5], "Q": [4]}, "early": {"P": [2]}}, {"late": {"P": [7, 8]}})
    assert changed_kills({"late": {"P": [3, 5], "Q": [4]}}, {"late": {"P": [7, 8]}}, read) == []
    assert changed_kills({"late": {"P": [3, 6]}}, {}, read) == [
        "late: P catches it by traces of 3, 6 states, pinned are traces of 3, 5 states",
        "late: Q catches it by none, pinned are traces of 4 states",
    ]
    assert changed_kills({"late": {"P": [3, 5], "Q": [4]}}, {"late": {"P": [7]}}, read) == [
        "late: 7 states violate P, pinned are 7, 8"
    ]


def test_the_texts_are_those_that_are_pinned():
    """After an edit of a property: `pyharness plan pins --update`, when it was seen what its weakenings are worth."""
    result = CliRunner().invoke(cli, ["mutate", "property", "--check", "--json"])
    document = json.loads(result.output)
    assert [text for text in document["changed"] if not text.endswith(" was never weakened")] == []
    assert document["properties"] >= 70
    assert result.exit_code == (1 if document["changed"] else 0)
