"""What the reader of modules says is what SANY says; what it cannot read it refuses, with file and line."""

from __future__ import annotations

from collections import defaultdict

import pytest

from pyharness.errors import SpecError
from pyharness.modules.library import STANDARD, Library
from pyharness.plan.spec_text import without_comments
from pyharness.toolchain.spec_files import SPECS
from pyharness.weakening.definitions import definitions_of, used_text
from tests.sany import roots_of, sany, within_one

GOOD = """---- MODULE Tiny ----
(* A comment, (* with one inside, *) and == in it: Ghost == 1 *)
EXTENDS Naturals,
        Sequences
CONSTANTS N,
          F(_, _)   \\* another == comment (*
RECURSIVE Sum(_)
Sum(s) == IF s = << >> THEN 0 ELSE Head(s) + Sum(Tail(s))
Big(Op(_), x) ==
  LET y == Op(x)
      z == y
  IN  y + z
Table[n \\in 0..3] == n
Text == "(* no comment \\" == *)"
Same == N == N
Long(a,
     b) == a
C == INSTANCE Naturals
THEOREM Obvious == TRUE
Last == 1
====
""".replace("Same == N == N\n", "Same == N = N\n").replace("\\\\", "\\")


def read(directory, text, name="Tiny"):
    (directory / f"{name}.tla").write_text(text, encoding="utf-8")
    return Library(directory).module(name)


def test_what_is_understood(tmp_path):
    module = read(tmp_path, GOOD)
    assert list(module.definitions) == ["Sum", "Big", "Table", "Text", "Same", "Long", "C", "Last"]
    lines = GOOD.splitlines()
    for name, line in module.definitions.items():
        assert lines[line - 1].startswith(name)
    assert module.constants == {"N", "F"}
    assert module.extends == ("Naturals", "Sequences")
    assert module.instances == {"C": "Naturals"}


BREAKS = ["\f", "\v", "\x1c", "\x85", "\u2028"]
"""What ends a line for Python, and none for TLC: a page break, and others."""


@pytest.mark.parametrize("char", BREAKS)
def test_a_page_break_moves_no_definition(tmp_path, char):
    """What is read as a property's text decides whether it says something: it must not be that of its neighbour."""
    text = f"\\* a page{char * 3}break\nA == 1 = 1\nP == A => TRUE\nQ == 2 = 2\n"
    module = read(tmp_path, f"---- MODULE Tiny ----\n{text}====\n")
    assert [module.body(name) for name in "APQ"] == ["A == 1 = 1", "P == A => TRUE", "Q == 2 = 2\n====\n"]
    assert module.definition_at(4) == "P"


@pytest.mark.parametrize("char", BREAKS)
def test_a_definition_behind_a_page_break_is_not_in_the_first_column(tmp_path, char):
    with pytest.raises(SpecError, match="a definition that does not begin in the first column") as caught:
        read(tmp_path, f"---- MODULE Tiny ----\nA == 1 = 1\n{char}Hidden == TRUE\n====\n")
    assert caught.value.where == "Tiny.tla:3"


def test_comments_are_blanks_and_everything_keeps_its_place():
    bare = without_comments(GOOD)
    assert [len(line) for line in bare.splitlines()] == [len(line) for line in GOOD.splitlines()]
    assert "Ghost" not in bare
    assert "another" not in bare
    assert '"(* no comment' in bare
    assert without_comments("(* \\* *)A").endswith("A")
    assert without_comments('(* " *)A').endswith("A")
    assert without_comments("(* never closed\nA").strip() == ""


@pytest.mark.parametrize(
    "before",
    [
        "Helpers\n=======\n",
        "Helpers (* of mine, \n",
        'Helpers, called "so\n',
        "Helpers: ",
        "EXTENDS Nothing\nGhost == 1\n",
    ],
)
def test_what_stands_before_the_head_of_a_module_is_not_read_whatever_it_is(tmp_path, before):
    """TLC takes all that is behind the head; what is not seen there, no result would be named by."""
    text = "---- MODULE Tiny ----\nEXTENDS Naturals, Deep\nGood(x) == Small(x)\n====\nAfter == 1\n"
    (tmp_path / "Deep.tla").write_text("---- MODULE Deep ----\nSmall(x) == x\n====\n", encoding="utf-8")
    module = read(tmp_path, before + text)
    assert list(module.definitions) == ["Good"]
    assert (before + text).splitlines()[module.definitions["Good"] - 1].startswith("Good")
    library = Library(tmp_path)
    assert sorted(library.closures(["Tiny"])) == ["Deep", "Tiny"]
    assert list(definitions_of(module)) == ["Good"]
    assert any("Deep" in text for text in used_text([module], ["Good"]))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("LOCAL Hidden == 1", "LOCAL"),
        ("LOCAL INSTANCE Sequences", "LOCAL"),
        ("INSTANCE Sequences", "an INSTANCE without a name"),
        ("A == 1 B == 2", "two definitions on one line"),
        ("  Indented == 1", "a definition that does not begin in the first column"),
        ("a \\prec b == a < b", "a definition in a form of its own"),
        ("-----------------------------------\n  CONSTANT M", "a declaration that does not begin"),
        ("VARIABLE x CONSTANT N", "a declaration that does not begin"),
        ("---- MODULE Inner ----", "a module within a module"),
        ("A == x \u2208 S", "a sign that is not ASCII"),
        ("A ==\n  LET\nb == 1", "a definition of a LET in the first column"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(tmp_path, line, what):
    text = GOOD.replace("Last == 1\n", f"Last == 1\n\n{line}\n")
    with pytest.raises(SpecError, match=what) as caught:
        read(tmp_path, text)
    number = text.splitlines().index(line.splitlines()[-1]) + 1
    assert caught.value.where == f"Tiny.tla:{number}"
    begins = "first column of a line of its own" in caught.value.hint
    assert begins == ("declaration" in what or "definition that" in what or "two" in what)


def test_signs_that_are_not_ascii_are_read_in_comments_and_strings(tmp_path):
    text = GOOD.replace("Last == 1\n", 'Last == "\u2227" \\* \u2208\nAfter == LET a == 1 IN a\nLater == 1\n')
    assert {"Last", "After", "Later"} <= set(read(tmp_path, text).definitions)


def test_a_module_of_another_name_than_its_file_is_refused_by_both_names(tmp_path):
    with pytest.raises(SpecError, match=r"the module in Tiny.tla is called tiny") as caught:
        read(tmp_path, "A comment.\n---- MODULE tiny ----\nA == 1\n====\n")
    assert caught.value.where == "Tiny.tla:2"


# -- SANY ------------------------------------------------------------------------------------------------------


class Sany:
    """The modules in an XML document: their definitions with their lines, constants, and levels of operators.

    Of each module ``sees`` has those whose definitions are its own by EXTENDS, and ``instances`` the names of
    instances that they and it have.
    """

    def __init__(self, document):
        entries = {entry[0].text: entry[1] for entry in document.find("context")}
        self.definitions, self.constants, self.bodies = defaultdict(dict), defaultdict(set), {}
        self.variables, self.sees, self.instances = defaultdict(set), defaultdict(set), defaultdict(set)
        self.modules = set()
        for node in entries.values():
            if node.tag == "ModuleNode":
                module = node.findtext("uniquename")
                self.modules.add(module)
                for reference in node.findall("UserDefinedOpKindRef"):
                    defined = entries[reference.findtext("UID")]
                    self._define(defined)
                    self.sees[module].add(defined.findtext("location/filename"))
                    instance, inner, _ = defined.findtext("uniquename").partition("!")
                    self.instances[module].update([instance] if inner else [])
            elif node.tag == "OpDeclNode" and node.findtext("kind") == "2":
                self.constants[node.findtext("location/filename")].add(node.findtext("uniquename"))
            elif node.tag == "OpDeclNode" and node.findtext("kind") == "3":
                self.variables[node.findtext("location/filename")].add(node.findtext("uniquename"))
        self.names = {uid: node.findtext("uniquename") for uid, node in entries.items()}
        self.level = {uid: node.findtext("level") for uid, node in entries.items()}

    def _define(self, node):
        name, module = node.findtext("uniquename"), node.findtext("location/filename")
        if "!" not in name:
            self.definitions[module][name] = int(node.findtext("location/line/begin"))
            self.bodies[module, name] = node.find("body")

    def actions(self, module, name):
        """The operators of the level of actions that a definition of a module uses itself."""
        used = {
            reference.findtext("UID") for reference in self.bodies[module, name].iter("UserDefinedOpKindRef")
        }
        return {self.names[uid] for uid in used if self.level[uid] == "2" and "!" not in self.names[uid]}


def agree(library, said):
    """Hold the reader against SANY on all modules of the project in a document; return how many these are."""
    own = [name for name in said.modules if name in library and name not in STANDARD]
    for name in own:
        module = library.module(name)
        defined = {d: line for d, line in module.definitions.items() if d not in module.instances}
        assert defined == said.definitions[name], name
        assert module.constants == said.constants[name], name
        assert module.variables == said.variables[name], name
    return own


@pytest.mark.slow
@pytest.mark.tlc
def test_the_reader_says_of_every_spec_what_sany_says(tmp_path, session_directory):
    library = Library(SPECS)
    names = sorted(path.stem for path in SPECS.glob("*.tla"))
    root = within_one(tmp_path, [[name] for name in roots_of(library)])
    said = Sany(sany(root, session_directory / "sany", (SPECS,)))
    assert set(agree(library, said)) == set(names)
    for name in names:
        closure = list(library.closure(name))
        assert {module.name for module in closure} == said.sees[name] - STANDARD, name
        assert {instance for module in closure for instance in module.instances} == said.instances[name], name
        assert {module.name for module in library.closure(name, instances=True)} <= said.modules, name
        if any(d.endswith("Next") for m in closure for d in m.definitions):
            following = f"{library.prefix(name)}Next"
            where = next(m.name for m in closure if following in m.definitions)
            assert set(library.actions(name)) == said.actions(where, following), name


@pytest.mark.slow
@pytest.mark.tlc
def test_the_reader_says_of_every_mutant_what_sany_says(tmp_path, session_directory):
    library = Library(SPECS / "mutants", SPECS)
    mutants = sorted(path.stem for path in (SPECS / "mutants").glob("*.tla"))
    by_base = defaultdict(list)
    for name in mutants:
        by_base[library.module(name).extends].append(name)
    root = within_one(tmp_path, by_base.values())
    seen = agree(library, Sany(sany(root, session_directory / "sany", (SPECS, SPECS / "mutants"))))
    assert set(seen) >= set(mutants)


@pytest.mark.slow
@pytest.mark.tlc
def test_a_reader_that_misses_a_definition_is_noticed(tmp_path, session_directory):
    text = (SPECS / "Digraph.tla").read_text(encoding="utf-8")
    (tmp_path / "Digraph.tla").write_text(text, encoding="utf-8")
    said = Sany(sany(tmp_path / "Digraph.tla", session_directory / "sany"))
    assert agree(Library(tmp_path), said) == ["Digraph"]
    (tmp_path / "Digraph.tla").write_text(text.replace("\n====", "\nMore == 1\n====", 1), encoding="utf-8")
    with pytest.raises(AssertionError):
        agree(Library(tmp_path), said)
