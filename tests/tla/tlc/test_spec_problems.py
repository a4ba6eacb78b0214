"""What TLC says is wrong with a specification, and the line that it is about."""

from __future__ import annotations

import pytest
from samples import HERE

from pyharness.tla.modules.library import Library
from pyharness.tla.modules.source_excerpt import spec_error
from pyharness.tla.tlc import Digest, MessageReader
from pyharness.tla.tlc.spec_problems import SpecProblem, spec_problems

CASES = {
    "parse_error": SpecProblem("Parse error: expected ==== or more Module body, met x and =", "Parse", 5, 16),
    "semantic_error": SpecProblem("Unknown operator: `undefinedOp'.", "Sem", 5, 14, "undefinedOp"),
    "missing_module": SpecProblem("Cannot find source file for module NotThere", "NoMod", unknown="NotThere"),
    "eval_error_next": SpecProblem("Attempted to apply Head to the empty sequence.", "Eval", 5, 18),
    "assume_false": SpecProblem("this assumption is false", "Assum", 3, 8),
}


def complaint(build, name):
    reader, digest = MessageReader(), Digest()
    text = (HERE / build / f"{name}.stdout").read_text(encoding="utf-8")
    for message in reader.read(text.splitlines(keepends=True)):
        digest.add(message)
    return digest.result(1, output=reader.outside).complaint


@pytest.mark.parametrize("build", ["2.15", "modern"])
@pytest.mark.parametrize("name", CASES)
def test_both_builds_are_understood(build, name):
    assert spec_problems(complaint(build, name)) == (CASES[name],)


@pytest.mark.parametrize("build", ["2.15", "modern"])
def test_an_invariant_that_cannot_be_evaluated_is_named(build):
    (problem,) = spec_problems(complaint(build, "eval_error_invariant"))
    assert problem.definition == "Inv"
    assert "<<1, 2, 3>>" in problem.message


def test_an_action_that_leaves_a_variable_out_is_named():
    text = "Successor state is not completely specified by action Tick of the next-state relation. The following ..."
    (problem,) = spec_problems(text)
    assert problem.definition == "Tick"


def test_what_is_not_known_stays_as_it_is_with_the_place_in_it():
    assert spec_problems("something is odd") == (SpecProblem("something is odd"),)
    text = "odd at line 3, col 7 to line 3, col 9 of module M here"
    assert spec_problems(text) == (SpecProblem(text, "M", 3, 7),)


def test_a_lexical_error_has_its_place():
    text = 'Lexical error at line 4, column 13.  Encountered: "?" (63), after : ""\n\nIn module Lex\n'
    assert spec_problems(text) == (
        SpecProblem('Lexical error. Encountered: "?" (63), after : ""', "Lex", 4, 13),
    )


def test_operators_without_parentheses_are_told_in_words():
    text = (
        "***Parse Error***\nPrecedence conflict between ops \\land in block line 3, col 14 to line 3, col 15"
        " of module Mixed and \\lor.\nResidual stack trace follows:\nExpression starting at line 3, column 6.\n"
    )
    (problem,) = spec_problems(text)
    assert (problem.module, problem.line, problem.column) == ("Mixed", 3, 14)
    assert problem.message == "Parse error: parentheses are missing: \\land and \\lor bind alike"


@pytest.mark.parametrize(
    "text",
    [
        "The invariant Inv is not a state predicate (one with no primes or temporal operators).\nNote that ...",
        "The property Inv is not correctly defined.",
        "The invariant of Inv is equal to FALSE",
        "The next state action Inv cannot be a constant.",
        "The invariant Inv specified in the configuration file\nis not defined in the specification.",
        "TLC requires invariant not to take any argument, but one was given: Inv",
    ],
)
def test_a_definition_that_tlc_cannot_take_is_named(text):
    (problem,) = spec_problems(text)
    assert (problem.definition, problem.message) == ("Inv", text)


def test_what_ends_the_parser_without_a_place_is_told_without_its_noise():
    aborted = "Parsing file /tmp/A.tla\n\ntla2sany.semantic.AbortException\n*** Abort messages: 1\n\n"
    (renamed,) = spec_problems(
        f"{aborted}Unknown location\n\nFile name 'A' does not match the name 'B' of the top level module it contains."
    )
    assert renamed == SpecProblem("the module in this file is B, and not A as the file is called", "A")
    (circle,) = spec_problems(
        f"{aborted}Unknown location\n\nCircular dependency:\n\nA.tla --> A.tla\n\n\nmore"
    )
    assert circle == SpecProblem("Circular dependency: A.tla --> A.tla")
    (unread,) = spec_problems(f"{aborted}In module B\n\nCould not parse module B from file B.tla\n\n\n")
    assert unread == SpecProblem("Could not parse module B from file B.tla", "B")


MODULE = """---- MODULE Sem ----
EXTENDS Naturals
VARIABLE counter
Start == counter = 0
Next == counter' = countr + 1
====
"""


def test_the_line_has_a_caret_and_the_nearest_name(tmp_path):
    (tmp_path / "Sem.tla").write_text(MODULE, encoding="utf-8")
    said = "Semantic errors:\n\n*** Errors: 1\n\nline 5, col 20 to line 5, col 25 of module Sem\n\n"
    error = spec_error(f"{said}Unknown operator: `countr'.\n\n\n", Library(tmp_path))
    assert str(error).splitlines() == [
        f"{tmp_path}/Sem.tla:5:20: Unknown operator: `countr'.",
        "    5 | Next == counter' = countr + 1",
        "      |                    ^",
        "  did you mean counter?",
    ]


def test_a_missing_module_is_shown_where_it_is_named(tmp_path):
    (tmp_path / "Sem.tla").write_text(MODULE.replace("Naturals", "Naturals, Digraf"), encoding="utf-8")
    (tmp_path / "Digraph.tla").write_text("---- MODULE Digraph ----\n====\n", encoding="utf-8")
    error = spec_error("Cannot find source file for module Digraf imported in module Sem.", Library(tmp_path))
    assert "Sem.tla:2:19: " in str(error)
    assert "did you mean Digraph?" in str(error)
