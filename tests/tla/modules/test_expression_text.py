"""Expressions are written so that SANY reads them as the same."""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.tla.modules.expression_text import expression_text, on_one_line
from pyharness.tla.modules.expressions import (
    Bound,
    Field,
    If,
    Index,
    Infix,
    Name,
    Prefix,
    Prime,
    Product,
    Quantification,
)
from pyharness.tla.modules.library import Library
from tests.long import some
from tests.tla_expressions import library_of

pytestmark = pytest.mark.tlc

MODULES = Library(SPECS, SPECS / "mutants", SPECS / "inductive")


def rewritten(module, write):
    """A module with each definition's right-hand side written anew, from what was read of it."""
    lines = module.text.split("\n")
    found, at = [], 0
    for definition in sorted(module.definitions.values(), key=lambda d: d.line):
        found += [*lines[at : definition.line - 1], f"{definition.head} ==", write(definition.body)]
        at = definition.last
    return "\n".join([*found, *lines[at:]])


def anew(body):
    return "  " + expression_text(body, 2)


def short(body):
    return "  " + on_one_line(body)


NAMES = [name for name in MODULES.names() if MODULES.path(name).parent.name != "mutants"]
CASES = [
    (short, MODULES.closures(["Checkpoints", "ChandyLamport"]), 250),
    (short, NAMES, 600),
    (anew, NAMES, 600),
]


@pytest.mark.parametrize(("write", "names", "least"), some(CASES, 1))
def test_every_definition_of_the_specs_reads_the_same_when_it_is_written_anew(tmp_path, write, names, least):
    for name in names:
        (tmp_path / f"{name}.tla").write_text(rewritten(MODULES.module(name), write), encoding="utf-8")
    again = Library(tmp_path)
    counted = 0
    for name in names:
        for definition in MODULES.module(name).definitions.values():
            assert again.module(name).definitions[definition.name].text == definition.text
            counted += 1
    assert counted > least


ON_VALUES = ("=", "#", "<", ">", "<=", ">=", "\\in", "\\notin", "\\subseteq", "@@", ":>", "\\cup", "\\cap", "\\", "..",
             "+", "-", "%", "\\div", "*", "\\o", "^", "/\\", "\\/", "=>", "<=>", "\\prec")  # fmt: skip
BEFORE_VALUES = ("~", "ENABLED", "SUBSET", "UNION", "DOMAIN", "-")
ON_BEHAVIOURS = ("/\\", "\\/", "=>", "<=>", "~>")
BEFORE_BEHAVIOURS = ("~", "[]", "<>")
A, B, C = Name("a"), Name("b"), Name("c")


def nested(infixes, prefixes):
    """Every operator within every other one, at each of its places."""
    inner = [*(Infix(each, A, B) for each in infixes), *(Prefix(each, A) for each in prefixes)]
    inner += [If(A, B, C), Quantification("\\E", (Bound(("x",), A),), B), Index(A, (B,)), Field(A, "f")]
    inner += [Infix("++", A, B), Product((A, B, C)), Prime(A)] if "+" in infixes else []
    for part in inner:
        yield from (Infix(operator, part, C) for operator in infixes)
        yield from (Infix(operator, C, part) for operator in infixes)
        yield from (Prefix(operator, part) for operator in prefixes)
        if "+" in infixes:
            yield from (Infix("++", C, part), Infix("++", part, C), Index(part, (A,)), Field(part, "f"))
            yield from (If(part, A, part), *(() if isinstance(part, Prime) else (Prime(part),)))


def test_every_operator_within_every_other_reads_as_the_same(tmp_path):
    formulas = [*nested(ON_VALUES, BEFORE_VALUES), *nested(ON_BEHAVIOURS, BEFORE_BEHAVIOURS)]
    lines = [f"D{number} == {on_one_line(each)}" for number, each in enumerate(formulas)]
    text = (
        "EXTENDS Integers, Sequences, TLC\nVARIABLES a, b, c\nx1 \\prec y1 == FALSE\nx1 ++ y1 == FALSE\n"
        + "\n".join(lines)
    )
    read = library_of(tmp_path, Nested=text).module("Nested").definitions
    assert [line for number, line in enumerate(lines) if read[f"D{number}"].body != formulas[number]] == []
