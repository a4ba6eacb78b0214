"""How a property is weakened, and how it says more; that each weakening is implied, and each strengthening implies."""

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
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.properties.formula_changes import Opened, bolder, stronger, weaker
from pyharness.mutants.properties.plan_changes import PlanChanges
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


def test_a_name_that_weakenings_are_written_with_is_refused(tmp_path):
    visible = library_of(tmp_path, Own="AllButOne(S) == S").visible("Own")
    with pytest.raises(SpecError, match="a definition AllButOne, as which a weakening is written"):
        Opened(visible, frozenset(), Kinds(visible))


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


def changes(key):
    plan = shipped_plan("quick")
    maker = PlanChanges(plan)
    subjects = (s for model in plan.models if model.expect == "pass" for s in maker.subjects(model))
    return [each.change for each in maker.bolder(next(s for s in subjects if s.key == key)).changes]


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


SETS = [
    (r"\A x \in {y \in S : P(y)} : Q(x, x)", [r"{y \in S : P(y)} -> S"]),
    (r"\A x \in S \ {n} : P(x)", [r"S \ {n} -> S"]),
    (r"\A x \in S \cap q : P(x)", [r"S \cap q -> S", r"S \cap q -> q"]),
    (r"\A x \in Some : P(x)", [r"Some: {p \in S : p > n} -> S"]),
    (r"\E x \in S \ {n} : P(x)", []),
    (r"\A x \in S \cup {n} : P(x)", []),
]


def test_a_set_that_is_a_part_of_another_is_a_premise(tmp_path):
    """What holds of more says more; of "there is one in the set" it would say less."""
    head = "EXTENDS Integers\nCONSTANTS S, n, q, P(_), Q(_, _)\nSome == {p \\in S : p > n}"
    asked = [f"Asked{number} == {formula}" for number, (formula, _) in enumerate(SETS)]
    known = library_of(tmp_path, Sets="\n".join([head, *asked])).module("Sets").definitions
    opened = Opened(known, frozenset(), Kinds(known))
    for number, (formula, sets) in enumerate(SETS):
        assert [change for change, _ in bolder(known[f"Asked{number}"].body, opened)] == sets, formula


def test_the_texts_are_those_that_are_pinned():
    """After an edit of a property: `pyharness plan pins --update`, when it was seen what its weakenings are worth."""
    result = CliRunner().invoke(cli, ["mutate", "property", "--check", "--json"])
    document = json.loads(result.output)
    assert [text for text in document["changed"] if not text.endswith(" was never weakened")] == []
    assert document["properties"] >= 70
    assert result.exit_code == (1 if document["changed"] else 0)


def test_the_texts_of_the_specs_that_are_named_are_compared(tmp_path):
    specs = shutil.copytree(SPECS, tmp_path / "specs")
    module = specs / "AtLeastOnceBarriers.tla"  # which few others extend
    hollow = module.read_text(encoding="utf-8").replace(
        "ExactOnPipelines ==", "ExactOnPipelines == FALSE /\\"
    )
    module.write_text(hollow, encoding="utf-8")
    command = ["mutate", "property", "quick", "--specs", str(specs)]
    result = CliRunner().invoke(cli, [*command, "--check"])
    message = "the text of AtLeastOnceBarriers.ExactOnPipelines has changed"
    assert (result.exit_code, message in result.output) == (1, True)
    assert CliRunner().invoke(cli, [*command, "--update"]).exit_code == 2
