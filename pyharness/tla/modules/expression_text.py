"""Write a TLA+ expression so that it reads as the same: bullets under each other, parentheses where they are needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from pyharness.tla.modules.expressions import (
    Binding,
    Bound,
    Boxed,
    Call,
    CaseOf,
    Collected,
    Except,
    Expression,
    Fair,
    Field,
    Filtered,
    FunctionOf,
    FunctionSpace,
    If,
    Index,
    Infix,
    Instanced,
    Junction,
    Lambda,
    Let,
    Listed,
    Literal,
    Member,
    Name,
    Postfix,
    Prefix,
    Prime,
    Product,
    Quantification,
    Record,
    names_in,
    rebuilt,
)

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

_OPEN_ENDED: Final = (Quantification, If, CaseOf, Let, Lambda)
"""The expressions that go on as far to the right as they can."""


def expression_text(expression: Expression, column: int = 0) -> str:
    """Return the text of an expression that begins in a column, from 0; its further lines are in their columns."""
    writer = _TextWriter(column)
    writer.expression(expression)
    return "".join(writer.parts)


def on_one_line(expression: Expression) -> str:
    """Return the text with infix operators in the place of bullets, which means the same."""
    return _BLANKS.sub(lambda found: found[1] or " ", expression_text(_flat(expression))).strip()


def _flat(expression: Expression) -> Expression:
    flat = rebuilt(expression, _flat)
    if not isinstance(flat, Junction):
        return flat
    whole, *rest = flat.items
    for item in rest:
        whole = Infix(flat.operator, whole, item)
    return whole


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

    def operand(self, expression: Expression, least: int, *, last: bool = False) -> None:
        """Write an operand of an operator: in parentheses if it is weaker than ``least``.

        An operand that is ``last`` may go on to the right.
        """
        if _strength(expression) >= least or (last and isinstance(expression, (*_OPEN_ENDED, Junction))):
            self.expression(expression)
        else:
            self._put("(")
            self.expression(expression)
            self._put(")")

    def expression(self, expression: Expression) -> None:
        match expression:
            case Name(name):
                self._put(name)
            case Literal(text):
                self._put(text)
            case Call(name, arguments):
                self._put(f"{name}(")
                self._listed(arguments, self.expression)
                self._put(")")
            case Infix(operator, left, right):
                strength = INFIX.get(operator, 0)
                # Of two operators on values the precedences may be ranges that overlap.
                least = POSTFIX - 1 if strength > INFIX["="] or not strength else strength + 1
                in_a_row = isinstance(left, Infix) and left.operator == operator and operator in LEFT
                self.operand(left, strength if in_a_row else least)
                self._put(f" {operator} ")
                self.operand(right, least, last=operator == "=>")
            case Prefix(operator, body):
                self._put(operator if operator in {"~", "-", "[]", "<>"} else f"{operator} ")
                in_a_row = isinstance(body, Prefix) and {operator, body.operator} <= {"[]", "<>"}
                least = 0 if in_a_row else PREFIX[operator] + (operator != "~")
                meets = operator in _WIDE and isinstance(body, Prime | Postfix)
                self.operand(body, POSTFIX + 1 if meets else least)
            case Prime(body):
                self.operand(body, POSTFIX)
                self._put("'")
            case Index(base, arguments):
                self.operand(base, POSTFIX)
                self._put("[")
                self._listed(arguments, self.expression)
                self._put("]")
            case Field(base, name):
                self.operand(base, POSTFIX)
                self._put(f".{name}")
            case Junction(operator, items):
                self._junction(operator, items)
            case Quantification(kind, bounds, body):
                self._put(f"{kind} ")
                self._bounds(bounds)
                self._put(" : ")
                self.expression(body)
            case Listed(opening, items):
                self._put(opening)
                if opening == "<<":
                    self._put(" ")
                self._listed(items, self.expression)
                self._put(f" {_CLOSING[opening]}" if opening == "<<" else _CLOSING[opening])
            case _:
                self._larger(expression)

    def _larger(self, expression: Expression) -> None:
        match expression:
            case Filtered(bound, condition):
                self._put("{")
                self._bounds((bound,))
                self._put(" : ")
                self.expression(condition)
                self._put("}")
            case Collected(value, bounds):
                self._put("{(" if _is_membership(value) else "{")
                self.expression(value)
                self._put(") : " if _is_membership(value) else " : ")
                self._bounds(bounds)
                self._put("}")
            case Record(separator, entries):
                self._put("[")
                self._listed(entries, lambda entry: self._entry(entry[0], separator, entry[1]))
                self._put("]")
            case FunctionOf(bounds, value):
                self._put("[")
                self._bounds(bounds)
                self._put(" |-> ")
                self.expression(value)
                self._put("]")
            case FunctionSpace(domain, codomain):
                self._put("[")
                self.expression(domain)
                self._put(" -> ")
                self.expression(codomain)
                self._put("]")
            case Except(base, updates):
                self._put("[")
                self.expression(base)
                self._put(" EXCEPT ")
                self._listed(updates, lambda update: self._update(*update))
                self._put("]")
            case Boxed(opening, action, subscript):
                self._put(opening)
                self.expression(action)
                self._put(f"{_CLOSING[opening]}_")
                self._subscript(subscript)
            case If(condition, then, otherwise):
                self._put("IF ")
                self.expression(condition)
                self._put(" THEN ")
                self.expression(then)
                self._put(" ELSE ")
                self.expression(otherwise)
            case _:
                self._definitions(expression)

    def _definitions(self, expression: Expression) -> None:
        match expression:
            case Fair(kind, subscript, action):
                self._put(f"{kind}_")
                self._subscript(subscript)
                self._put("(")
                self.expression(action)
                self._put(")")
            case Member(instance, name, arguments):
                self.expression(instance)
                self._put(f"!{name}")
                if arguments:
                    self._put("(")
                    self._listed(arguments, self.expression)
                    self._put(")")
            case Postfix(operator, body):
                self.operand(body, POSTFIX)
                self._put(operator)
            case Product(factors):
                for number, factor in enumerate(factors):
                    self._put(" \\X " if number else "")
                    self.operand(factor, POSTFIX - 2)
            case Instanced(module, substitutions):
                self._put(f"INSTANCE {module}")
                for number, (name, value) in enumerate(substitutions):
                    self._put(f", {name} <- " if number else f" WITH {name} <- ")
                    self.expression(value)
            case CaseOf(arms):
                for number, (condition, value) in enumerate(arms):
                    self._put(" [] " if number else "CASE ")
                    self.expression(condition)
                    self._put(" -> ")
                    self.operand(value, 1, last=number + 1 == len(arms))
            case Let(definitions, body, recursive):
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
            case Lambda(parameters, body):
                self._put(f"LAMBDA {', '.join(parameters)} : ")
                self.expression(body)
            case _:
                raise TypeError(f"cannot be written: {expression!r}")

    def _definition(self, definition: Binding) -> None:
        name, body = definition.name, definition.body
        if isinstance(body, FunctionOf) and name in names_in(body):  # only so may a function be one of itself
            self._put(f"{name}[")
            self._bounds(body.bounds)
            self._put("] == ")
            self.expression(body.value)
            return
        parameters = f"({', '.join(definition.parameters)})" if definition.parameters else ""
        self._put(f"{name}{parameters} == ")
        self.expression(body)

    def _junction(self, operator: str, items: tuple[Expression, ...]) -> None:
        column = self._column
        for number, item in enumerate(items):
            if number:
                self._put("\n" + " " * column)
            self._put(f"{operator} ")
            self.expression(item)

    def _bounds(self, bounds: tuple[Bound, ...]) -> None:
        self._listed(bounds, self._bound)

    def _bound(self, bound: Bound) -> None:
        names = ", ".join(bound.names)
        if bound.domain is None:
            self._put(names)
            return
        self._put(f"<<{names}>> \\in " if bound.tupled else f"{names} \\in ")
        self.operand(bound.domain, 6)

    def _subscript(self, subscript: Expression) -> None:
        """Write what stands below brackets: a name, a tuple, or something in parentheses."""
        if isinstance(subscript, Name | Listed) and "!" not in getattr(subscript, "name", ""):
            self.expression(subscript)
        else:
            self._put("(")
            self.expression(subscript)
            self._put(")")

    def _entry(self, name: str, separator: str, value: Expression) -> None:
        self._put(f"{name} {separator} ")
        self.expression(value)

    def _update(self, path: tuple[tuple[Expression, ...] | str, ...], value: Expression) -> None:
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


def _is_membership(expression: Expression) -> bool:
    return isinstance(expression, Infix) and expression.operator == "\\in"


def _strength(expression: Expression) -> int:
    """Return how strongly an expression holds together: most if it is in brackets of its own."""
    if isinstance(expression, Infix):
        return INFIX.get(expression.operator, 0)
    if isinstance(expression, Product):
        return INFIX["\\X"]
    if isinstance(expression, Prefix):
        return 4 if expression.operator in _WIDE else PREFIX[expression.operator]
    if isinstance(expression, (*_OPEN_ENDED, Junction)):
        return 0
    return POSTFIX
