"""Write a TLA+ expression so that parsing gives the same one: aligned bullets, parentheses where they are needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from pyharness.tla.modules import expressions as ast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


INFIX: Final = {
    "=>": 1, "-+->": 2, "<=>": 2, "~>": 2, "/\\": 3, "\\/": 3,
    "=": 5, "#": 5, "/=": 5, "<": 5, ">": 5, "<=": 5, "=<": 5, ">=": 5, "\\leq": 5, "\\geq": 5,
    "\\in": 5, "\\notin": 5, "\\subseteq": 5, "\\subset": 5, "\\prec": 5,
    "@@": 6, ":>": 7, "\\cup": 8, "\\cap": 8, "\\union": 8, "\\intersect": 8, "\\": 8, "..": 9,
    "+": 10, "-": 11, "%": 11, "\\X": 11, "\\div": 13, "*": 13, "\\o": 13, "\\circ": 13, "^": 14,
}  # fmt: skip
"""Infix operators with their precedence; where TLA+ gives a range, a number in it that serves."""

LEFT: Final = frozenset(
    {"/\\", "\\/", "\\cup", "\\cap", "\\union", "\\intersect", "+", "-", "*", "\\o", "@@"}
)
"""The operators that may stand in a row without parentheses, and then belong together from the left."""

PREFIX: Final = {
    "~": 4, "\\lnot": 4, "[]": 15, "<>": 15, "ENABLED": 15, "UNCHANGED": 15,
    "SUBSET": 13, "UNION": 13, "DOMAIN": 13, "-": 12,
}  # fmt: skip
"""Prefix operators with the precedence that an operator in their body must exceed, the upper end of a range."""

POSTFIX: Final = 16
"""The precedence of a prime, an index and a field."""


_T = TypeVar("_T")
_BLANKS: Final = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')
"""A string, or blanks outside of strings."""

_CLOSING: Final = {"<<": ">>", "{": "}", "[": "]"}
_WIDE: Final = frozenset({"[]", "<>", "ENABLED", "UNCHANGED"})
"""Prefix operators that bind from 4 on: operands that bind as strongly need parentheses around them."""

_OPEN_ENDED: Final = (ast.Quantification, ast.If, ast.CaseOf, ast.Let, ast.Lambda)
"""The expressions that go on as far to the right as they can."""


def expression_text(expression: ast.Expression, column: int = 0) -> str:
    """Return the text of an expression that begins in a column, from 0; its further lines are in their columns."""
    writer = _TextWriter(column)
    writer.expression(expression)
    return "".join(writer.parts)


def on_one_line(expression: ast.Expression) -> str:
    """Return the text with infix operators in the place of bullets, which means the same."""
    return _BLANKS.sub(lambda found: found[1] or " ", expression_text(_flat(expression))).strip()


def _flat(expression: ast.Expression) -> ast.Expression:
    flat = ast.rebuilt(expression, _flat)
    if not isinstance(flat, ast.Junction):
        return flat
    joined, *rest = flat.items
    for item in rest:
        joined = ast.Infix(flat.operator, joined, item)
    return joined


class _TextWriter:
    def __init__(self, column: int) -> None:
        self.parts: list[str] = []
        self._column = column

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self._column = self._column + len(text) if "\n" not in text else len(text) - text.rindex("\n") - 1

    def _listed(self, items: Iterable[_T], write: Callable[[_T], None]) -> None:
        for number, item in enumerate(items):
            if number:
                self._put(", ")
            write(item)

    def operand(self, expression: ast.Expression, least: int, *, last: bool = False) -> None:
        """Write an operand of an operator: in parentheses if it is weaker than ``least``.

        An operand that is ``last`` may go on to the right.
        """
        if _strength(expression) >= least or (last and isinstance(expression, (*_OPEN_ENDED, ast.Junction))):
            self.expression(expression)
        else:
            self._put("(")
            self.expression(expression)
            self._put(")")

    def expression(self, expression: ast.Expression) -> None:
        match expression:
            case ast.Name(name):
                self._put(name)
            case ast.Literal(text):
                self._put(text)
            case ast.Call(name, arguments):
                self._put(f"{name}(")
                self._listed(arguments, self.expression)
                self._put(")")
            case ast.Infix(operator, left, right):
                strength = INFIX.get(operator, 0)
                # Of two operators on values the precedences may be ranges that overlap.
                least = POSTFIX - 1 if strength > INFIX["="] or not strength else strength + 1
                in_a_row = isinstance(left, ast.Infix) and left.operator == operator and operator in LEFT
                self.operand(left, strength if in_a_row else least)
                self._put(f" {operator} ")
                self.operand(right, least, last=operator == "=>")
            case ast.Prefix(operator, body):
                self._put(operator if operator in {"~", "-", "[]", "<>"} else f"{operator} ")
                in_a_row = isinstance(body, ast.Prefix) and {operator, body.operator} <= {"[]", "<>"}
                least = 0 if in_a_row else PREFIX[operator] + (operator != "~")
                meets = operator in _WIDE and isinstance(body, ast.Prime | ast.Postfix)
                self.operand(body, POSTFIX + 1 if meets else least)
            case ast.Prime(body):
                self.operand(body, POSTFIX)
                self._put("'")
            case ast.Index(base, arguments):
                self.operand(base, POSTFIX)
                self._put("[")
                self._listed(arguments, self.expression)
                self._put("]")
            case ast.Field(base, name):
                self.operand(base, POSTFIX)
                self._put(f".{name}")
            case ast.Junction(operator, items):
                self._junction(operator, items)
            case ast.Quantification(kind, bounds, body):
                self._put(f"{kind} ")
                self._bounds(bounds)
                self._put(" : ")
                self.expression(body)
            case ast.Listed(opening, items):
                self._put(opening)
                if opening == "<<":
                    self._put(" ")
                self._listed(items, self.expression)
                self._put(f" {_CLOSING[opening]}" if opening == "<<" else _CLOSING[opening])
            case _:
                self._larger(expression)

    def _larger(self, expression: ast.Expression) -> None:
        match expression:
            case ast.Filtered(bound, condition):
                self._put("{")
                self._bounds((bound,))
                self._put(" : ")
                self.expression(condition)
                self._put("}")
            case ast.Collected(value, bounds):
                self._put("{(" if _is_membership(value) else "{")
                self.expression(value)
                self._put(") : " if _is_membership(value) else " : ")
                self._bounds(bounds)
                self._put("}")
            case ast.Record(separator, entries):
                self._put("[")
                self._listed(entries, lambda entry: self._entry(entry[0], separator, entry[1]))
                self._put("]")
            case ast.FunctionOf(bounds, value):
                self._put("[")
                self._bounds(bounds)
                self._put(" |-> ")
                self.expression(value)
                self._put("]")
            case ast.FunctionSpace(domain, codomain):
                self._put("[")
                self.expression(domain)
                self._put(" -> ")
                self.expression(codomain)
                self._put("]")
            case ast.Except(base, updates):
                self._put("[")
                self.expression(base)
                self._put(" EXCEPT ")
                self._listed(updates, lambda update: self._update(*update))
                self._put("]")
            case ast.Boxed(opening, action, subscript):
                self._put(opening)
                self.expression(action)
                self._put(f"{_CLOSING[opening]}_")
                self._subscript(subscript)
            case ast.If(condition, then, otherwise):
                self._put("IF ")
                self.expression(condition)
                self._put(" THEN ")
                self.expression(then)
                self._put(" ELSE ")
                self.expression(otherwise)
            case _:
                self._definitions(expression)

    def _definitions(self, expression: ast.Expression) -> None:
        match expression:
            case ast.Fair(kind, subscript, action):
                self._put(f"{kind}_")
                self._subscript(subscript)
                self._put("(")
                self.expression(action)
                self._put(")")
            case ast.Member(instance, name, arguments):
                self.expression(instance)
                self._put(f"!{name}")
                if arguments:
                    self._put("(")
                    self._listed(arguments, self.expression)
                    self._put(")")
            case ast.Postfix(operator, body):
                self.operand(body, POSTFIX)
                self._put(operator)
            case ast.Product(factors):
                for number, factor in enumerate(factors):
                    self._put(" \\X " if number else "")
                    self.operand(factor, POSTFIX - 2)
            case ast.Instanced(module, substitutions):
                self._put(f"INSTANCE {module}")
                for number, (name, value) in enumerate(substitutions):
                    self._put(f", {name} <- " if number else f" WITH {name} <- ")
                    self.expression(value)
            case ast.CaseOf(arms):
                for number, (condition, value) in enumerate(arms):
                    self._put(" [] " if number else "CASE ")
                    self.expression(condition)
                    self._put(" -> ")
                    self.operand(value, 1, last=number + 1 == len(arms))
            case ast.Let(definitions, body, recursive):
                self._put("LET ")
                column = self._column
                for name in recursive:
                    self._put(f"RECURSIVE {name}\n{' ' * column}")
                for number, definition in enumerate(definitions):
                    if number:
                        self._put("\n" + " " * column)
                    self._definition(definition)
                self._put(" IN ")
                self.expression(body)
            case ast.Lambda(parameters, body):
                self._put(f"LAMBDA {', '.join(parameters)} : ")
                self.expression(body)
            case _:
                raise TypeError(f"cannot be written: {expression!r}")

    def _definition(self, definition: ast.Binding) -> None:
        name, body = definition.name, definition.body
        if isinstance(body, ast.FunctionOf) and name in ast.names_in(
            body
        ):  # only so may a function be one of itself
            self._put(f"{name}[")
            self._bounds(body.bounds)
            self._put("] == ")
            self.expression(body.value)
            return
        parameters = f"({', '.join(definition.parameters)})" if definition.parameters else ""
        self._put(f"{name}{parameters} == ")
        self.expression(body)

    def _junction(self, operator: str, items: tuple[ast.Expression, ...]) -> None:
        column = self._column
        for number, item in enumerate(items):
            if number:
                self._put("\n" + " " * column)
            self._put(f"{operator} ")
            self.expression(item)

    def _bounds(self, bounds: tuple[ast.Bound, ...]) -> None:
        self._listed(bounds, self._bound)

    def _bound(self, bound: ast.Bound) -> None:
        names = ", ".join(bound.names)
        if bound.domain is None:
            self._put(names)
            return
        self._put(f"<<{names}>> \\in " if bound.tupled else f"{names} \\in ")
        self.operand(bound.domain, 6)

    def _subscript(self, subscript: ast.Expression) -> None:
        """Write the subscript of brackets: a name, a tuple, or an expression in parentheses."""
        if isinstance(subscript, ast.Name | ast.Listed) and "!" not in getattr(subscript, "name", ""):
            self.expression(subscript)
        else:
            self._put("(")
            self.expression(subscript)
            self._put(")")

    def _entry(self, name: str, separator: str, value: ast.Expression) -> None:
        self._put(f"{name} {separator} ")
        self.expression(value)

    def _update(self, path: tuple[tuple[ast.Expression, ...] | str, ...], value: ast.Expression) -> None:
        self._put("!")
        for step in path:
            if isinstance(step, str):
                self._put(f".{step}")
            else:
                self._put("[")
                self._listed(step, self.expression)
                self._put("]")
        self._put(" = ")
        self.expression(value)


def _is_membership(expression: ast.Expression) -> bool:
    return isinstance(expression, ast.Infix) and expression.operator == "\\in"


def _strength(expression: ast.Expression) -> int:
    """Return how strongly an expression holds together: most if it is in brackets of its own."""
    if isinstance(expression, ast.Infix):
        return INFIX.get(expression.operator, 0)
    if isinstance(expression, ast.Product):
        return INFIX["\\X"]
    if isinstance(expression, ast.Prefix):
        return 4 if expression.operator in _WIDE else PREFIX[expression.operator]
    if isinstance(expression, (*_OPEN_ENDED, ast.Junction)):
        return 0
    return POSTFIX
