r"""What a name means changes with everything that can change what TLC says of it: of each kind an edit that must count.

A § before a name makes it one of its case: all cases are read in two runs of SANY.
"""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.library import Library
from pyharness.tla.modules.meanings import meaning_of
from tests.tla_expressions import library_of, read_all

pytestmark = pytest.mark.tlc

PLAIN = "EXTENDS Naturals\nVARIABLES x, y\nQ == x = 1\nP == Q"
USED = "VARIABLE v\nLow == 1\nOp == v = Low"

# What is edited, the modules, the edit (of module A unless it is of another), and the text that asks for P.
COUNTS: dict[str, tuple[dict[str, str], tuple[str, str, str], str]] = {
    "what a definition uses": ({"A": PLAIN}, ("A", "x = 1", "x = 2"), "P"),
    "an assumption": ({"A": f"{PLAIN}\nASSUME 1 < 2"}, ("A", "1 < 2", "1 < 3"), "P"),
    "what an assumption uses": ({"A": f"{PLAIN}\nF(a) == a\nASSUME F(1) = 1"}, ("A", "F(a) == a", "F(a) == a + 0"),
        "P"),
    "an assumption of a module that is instanced": ({"A": "VARIABLE x\nX == INSTANCE §B WITH v <- x\nP == x = 1",
        "B": f"{USED}\nASSUME 1 = 1"}, ("B", "1 = 1", "2 = 2"), "P"),
    "a constant that is declared": ({"A": PLAIN}, ("A", "VARIABLES", "CONSTANT c\nVARIABLES"), "P"),
    "the order of variables": ({"A": PLAIN}, ("A", "x, y", "y, x"), "P"),
    "a standard module": ({"A": PLAIN}, ("A", "Naturals", "Integers"), "P"),
    "what stands in for an operator": ({"A": PLAIN, "B": "EXTENDS §A\nBQ == x = 2"}, ("B", "x = 2", "x = 3"),
        "CONSTANTS\n  Q <- BQ\nINVARIANT P"),
    "what is substituted": ({"A": "VARIABLES x, y\nX == INSTANCE §B WITH v <- x\nP == X!Op", "B": USED},
        ("A", "v <- x", "v <- y"), "P"),
    "what is substituted by its name alone": ({"A": "VARIABLES x, y\nv == x\nX == INSTANCE §B\nP == X!Op",
        "B": USED}, ("A", "v == x", "v == y"), "P"),
    "what an instance uses": ({"A": "VARIABLE x\nX == INSTANCE §B WITH v <- x\nP == X!Op", "B": USED},
        ("B", "Low == 1", "Low == 2"), "P"),
    "an instance's name in the text": ({"A": "VARIABLE x\nX == INSTANCE §B WITH v <- x\nP == x = 1", "B": USED},
        ("B", "Low == 1", "Low == 2"), "[][X!Op]_x"),
    "an instance of an instance": ({"A": "VARIABLE x\nX == INSTANCE §B\nP == X!Y!Op",
        "B": "VARIABLE x\nY == INSTANCE §C WITH v <- x", "C": USED}, ("C", "Low == 1", "Low == 2"), "P"),
    "an instance of an instance in the text": ({"A": "VARIABLE x\nX == INSTANCE §B",
        "B": "VARIABLE x\nY == INSTANCE §C WITH v <- x", "C": USED}, ("C", "Low == 1", "Low == 2"), "~X!Y!Op"),
    "an instance with parameters": ({"A": "VARIABLE x\nX(v) == INSTANCE §B\nP == X(x)!Op", "B": USED},
        ("B", "Low == 1", "Low == 2"), "P"),
    "an instance with parameters in the text": ({"A": "VARIABLE x\nX(v) == INSTANCE §B\nP == x = 1", "B": USED},
        ("B", "Low == 1", "Low == 2"), "~X(x)!Op"),
    "an instance within a definition": ({"A": "VARIABLE x\nP == LET X == INSTANCE §B WITH v <- x IN X!Op",
        "B": USED}, ("B", "Low == 1", "Low == 2"), "P"),
    "an instance of an instance within a definition": ({"A": "VARIABLE x\nP == LET X == INSTANCE §B IN X!Y!Op",
        "B": "VARIABLE x\nY == INSTANCE §C WITH v <- x", "C": USED}, ("C", "Low == 1", "Low == 2"), "P"),
    "an instance without a name": ({"A": "VARIABLE v\nINSTANCE §B\nP == Op", "B": USED},
        ("B", "Low == 1", "Low == 2"), "P"),
    "what is LOCAL behind an instance without a name": ({"A": "VARIABLE v\nINSTANCE §B\nP == Op",
        "B": "VARIABLE v\nLOCAL Low == 1\nOp == v = Low"}, ("B", "Low == 1", "Low == 2"), "P"),
    "what is LOCAL there, and has the name of another": (
        {
            "A": "VARIABLE v\nINSTANCE §B\nLow == 5\nP == Op /\\ v = Low",
            "B": "VARIABLE v\nLOCAL Low == 1\nOp == v = Low",
        },
        ("B", "Low == 1", "Low == 2"),
        "P",
    ),
    "an instance behind one without a name": ({"A": "VARIABLE x\nINSTANCE §B\nP == Y!Op",
        "B": "VARIABLE x\nY == INSTANCE §C WITH v <- x", "C": USED}, ("C", "Low == 1", "Low == 2"), "P"),
    "what is LOCAL in a module that is extended": ({"A": "EXTENDS §B\nP == Op",
        "B": "VARIABLE v\nLOCAL Low == 1\nOp == v = Low"}, ("B", "Low == 1", "Low == 2"), "P"),
    "what is LOCAL in a module that is extended, and has the name of another": (
        {"A": "EXTENDS §B\nLow == 5\nP == Op /\\ v = Low", "B": "VARIABLE v\nLOCAL Low == 1\nOp == v = Low"},
        ("B", "Low == 1", "Low == 2"),
        "P",
    ),
    "an instance that is LOCAL, and has the name of another": (
        {
            "A": "EXTENDS §D\nX == INSTANCE §B WITH v <- x\nP == X!Op /\\ Q",
            "B": USED,
            "C": USED,
            "D": "VARIABLE x\nLOCAL X == INSTANCE §C WITH v <- x\nQ == X!Op",
        },
        ("C", "Low == 1", "Low == 2"),
        "P",
    ),
    "an instance that has the name of a LOCAL one": (
        {
            "A": "EXTENDS §D\nX == INSTANCE §B WITH v <- x\nP == X!Op /\\ Q",
            "B": USED,
            "C": USED,
            "D": "VARIABLE x\nLOCAL X == INSTANCE §C WITH v <- x\nQ == X!Op",
        },
        ("B", "Low == 1", "Low == 2"),
        "P",
    ),
    "what calls itself": (
        {"A": "EXTENDS Naturals\nRECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE F(n - 1)\nP == F(3) = 0"},
        ("A", "THEN 0", "THEN 1"),
        "P",
    ),
    "what calls another that calls it": (
        {
            "A": "EXTENDS Naturals\nRECURSIVE F(_), G(_)\nF(n) == IF n = 0 THEN 0 ELSE G(n - 1)\n"
            "G(n) == IF n = 0 THEN 1 ELSE F(n - 1)\nP == F(3) = 0"
        },
        ("A", "THEN 1", "THEN 2"),
        "P",
    ),
    "a function": ({"A": "EXTENDS Naturals\nf[n \\in Nat] == IF n = 0 THEN 0 ELSE f[n - 1]\nP == f[3] = 0"},
        ("A", "THEN 0", "THEN 1"), "P"),
    "what a module within another sees of it": (
        {
            "A": "VARIABLE x\nOuter == 1\n---- MODULE §I ----\nOp == x = Outer\n====\nX == INSTANCE §I\nP == X!Op"
        },
        ("A", "Outer == 1", "Outer == 2"),
        "P",
    ),
    "a module within another": (
        {"A": "VARIABLE x\n---- MODULE §I ----\nOp == x = 1\n====\nX == INSTANCE §I\nP == X!Op"},
        ("A", "x = 1", "x = 2"),
        "P",
    ),
    "an operator that is an argument": ({"A": "F(Op(_), a) == Op(a)\nG(a) == a = 1\nP == F(G, 1)"},
        ("A", "a = 1", "a = 2"), "P"),
    "what a LAMBDA uses": ({"A": "F(Op(_), a) == Op(a)\nG(a) == a = 1\nP == F(LAMBDA b : G(b), 1)"},
        ("A", "a = 1", "a = 2"), "P"),
    "an operator with a sign": ({"A": "a ++ b == a\nP == 1 ++ 2 = 1"}, ("A", "== a", "== b"), "P"),
    "an operator with a sign in the text": ({"A": "a ++ b == a"}, ("A", "== a", "== b"), "1 ++ 2 = 1"),
    "an operator with several spellings": ({"A": "a \\oplus b == a\nP == 1 (+) 2 = 1"}, ("A", "== a", "== b"), "P"),
    "a minus before": ({"A": "a - b == a\n-. c == <<c, 1>>\nP == -(1 - 2) = 1"}, ("A", "<<c, 1>>", "<<c, 2>>"), "P"),
    "a minus between": ({"A": "a - b == <<a, 1>>\n-. c == c\nP == -(1 - 2) = 1"}, ("A", "<<a, 1>>", "<<a, 2>>"), "P"),
    "what is behind": ({"A": "a ^+ == <<a, 1>>\nP == 1^+ = 1"}, ("A", "<<a, 1>>", "<<a, 2>>"), "P"),
    "an assumption that is used by its name": ({"A": "CONSTANT c\nASSUME Large == c = 1\nP == Large"},
        ("A", "c = 1", "c = 2"), "P"),
    "fairness": ({"A": "VARIABLE x\nNext == x' = x\nP == [][Next]_x /\\ WF_x(Next)"}, ("A", "WF_", "SF_"), "P"),
    "what a subscript stands for": ({"A": "VARIABLES x, y\nvars == <<x>>\nP == [][x' = x]_vars"},
        ("A", "<<x>>", "<<x, y>>"), "P"),
    "the parameters' order": ({"A": "EXTENDS Naturals\nF(a, b) == a - b\nP == F(2, 1) = 1"},
        ("A", "F(a, b)", "F(b, a)"), "P"),
    "a constant that nobody uses, and TLC evaluates": (
        {"A": "EXTENDS TLC\nVARIABLE x\nP == x = 1\nUnused == TLCSet(1, 1)"},
        ("A", "TLCSet(1, 1)", "TLCSet(1, 2)"),
        "P",
    ),
}  # fmt: skip


def written(directory, edited):
    """Write the modules of all cases, and return their library."""
    directory.mkdir()
    texts = {}
    for number, (modules, (where, old, new), _) in enumerate(COUNTS.values()):
        assert modules[where].count(old) >= 1
        for name, text in modules.items():
            told = text.replace(old, new) if edited and name == where else text
            texts[f"Case{number}{name}"] = told.replace("§", f"Case{number}")
    return library_of(directory, **texts)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    place = tmp_path_factory.mktemp("meant")
    return written(place / "before", edited=False), written(place / "after", edited=True)


@pytest.mark.parametrize("edit", COUNTS)
def test_an_edit_that_can_change_a_result_changes_the_meaning(libraries, edit):
    number = list(COUNTS).index(edit)
    modules, _, text = COUNTS[edit]
    roots = [f"Case{number}{name}" for name in ("A", "B") if name == "A" or text.startswith("CONSTANTS")]
    before, after = (meaning_of(library, roots, [text]) for library in libraries)
    assert before != after
    assert all(any(f"Case{number}{name}" in key for key in before) for name in modules)


PAIRS = [
    ("(a /\\ b) \\/ c", "a /\\ (b \\/ c)"),
    ("(a - b) - c", "a - (b - c)"),
    ("a => (b => c)", "(a => b) => c"),
    ("~(a /\\ b)", "~a /\\ b"),
    ("\\E x \\in a : (b /\\ c)", "(\\E x \\in a : b) /\\ c"),
    ("\\E x \\in a : b", "\\A x \\in a : b"),
    ("\\E x, y \\in a : x = y", "\\E <<x, y>> \\in a : x = y"),
    ("\\A x \\in a : \\E y \\in b : x = y", "\\A x \\in a : \\E y \\in b : y = x"),
    ("CHOOSE x \\in a : x = b", "CHOOSE x \\in b : x = b"),
    ("{x \\in a : b}", "{b : x \\in a}"),
    ("SUBSET (a \\cup b)", "(SUBSET a) \\cup b"),
    ("DOMAIN (a[b])", "(DOMAIN a)[b]"),
    ("[a EXCEPT ![b] = @ + 1]", "[a EXCEPT ![c] = @ + 1]"),
    ("[a EXCEPT ![b][c] = 1]", "[a EXCEPT ![b, c] = 1]"),
    ("[a EXCEPT !.b = 1]", '[a EXCEPT !["c"] = 1]'),
    ("[b |-> 1, c |-> 2]", "[b |-> 1, d |-> 2]"),
    ("[b : a]", "[b |-> a]"),
    ("[x \\in a |-> b]", "[x \\in a |-> c]"),
    ("[a -> b]", "[b -> a]"),
    ("<<a, b>>", "<<b, a>>"),
    ("a \\X b \\X c", "(a \\X b) \\X c"),
    ('"a b"', '"a  b"'),
    ('"a\\"b"', '"a\\\\b"'),
    ("10", "100"),
    ("1.5", "15"),
    ("IF a THEN b ELSE c", "IF a THEN c ELSE b"),
    ("(IF a THEN b ELSE c) /\\ b", "IF a THEN b ELSE (c /\\ b)"),
    ("CASE a -> b [] c -> d", "CASE c -> d [] a -> b"),
    ("CASE a -> b [] OTHER -> d", "CASE a -> b [] c -> d"),
    ("LET z == a IN z", "LET z == b IN z"),
    ("LET z(u) == a IN z(1)", "LET z(u) == u IN z(1)"),
    ("(LET z == a IN z) + 1", "LET z == a IN (z + 1)"),
    ("a \\in b", "a \\notin b"),
    ("a \\cup (b \\cap c)", "(a \\cup b) \\cap c"),
    ("X(a)!Init", "X(b)!Init"),
    ("X(a)!Init", "X(a)!Next"),
    ("LET Y == INSTANCE Other WITH k <- a IN Y!Init", "LET Y == INSTANCE Other WITH k <- b IN Y!Init"),
    ("-a + b", "-(a + b)"),
    ("a = (b = c)", "(a = b) = c"),
    ("a[b][c]", "a[b[c]]"),
    ("a.b.c", "a[b].c"),
]  # fmt: skip


def test_no_two_expressions_that_differ_are_written_alike(tmp_path):
    texts = [text for pair in PAIRS for text in pair]
    found = read_all(tmp_path, texts, "a, b, c, d")
    assert [pair for pair in PAIRS if on_one_line(found[pair[0]]) == on_one_line(found[pair[1]])] == []


CLASHES = ["", "Zap(a) == <<a>>", "Len(a) == a", "CONSTANT Zap", "Zap == INSTANCE Empty", "y == 1"]


def test_a_name_that_clashes_with_one_of_another_module_counts(tmp_path):
    """SANY refuses the two together, though nobody uses the name, and reads each of them alone."""
    texts = {f"A{number}": f"VARIABLE x\nP == x = 1\n{added}" for number, added in enumerate(CLASHES)}
    other = "EXTENDS Sequences\nVARIABLE y\nZap(a) == a"
    library = library_of(tmp_path, Other=other, Empty="", **texts)
    told = [
        [key for key in meaning_of(library, [name, "Other"], ["P"]) if key.endswith("is defined")]
        for name in texts
    ]
    assert told == [[], *([f"{name} is defined"] for name in ("Zap", "Len", "Zap", "Zap", "y"))]


def test_another_module_of_the_same_name_counts(tmp_path):
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    far.mkdir()
    library_of(far, A="EXTENDS B\nP == Q", B="Q == 1")
    before = meaning_of(Library(near, far), ["A"], ["P"])
    library_of(near, B="Q == 2")
    assert meaning_of(Library(near, far), ["A"], ["P"]) != before
    library_of(near, B="Q == 1")
    assert meaning_of(Library(near, far), ["A"], ["P"]) == before


def test_what_stands_in_for_a_standard_module_counts(tmp_path):
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    far.mkdir()
    library_of(far, A="EXTENDS Bags\nP == EmptyBag")
    before = meaning_of(Library(near, far), ["A"], ["P"])
    library_of(near, Bags="EmptyBag == 7")
    assert meaning_of(Library(near, far), ["A"], ["P"]) != before


def test_what_sany_refuses_means_nothing(tmp_path):
    with pytest.raises(SpecError, match="Nowhere"):
        meaning_of(library_of(tmp_path, A="P == 1\nUnused == Nowhere"), ["A"], ["P"])
