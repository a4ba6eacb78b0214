r"""Read a TLA+ expression: operators by their precedence, and lists with bullets by their column.

It reads the expressions that this project's modules are made of, and refuses what it does not know; SANY has the last
word on both. A list with bullets ends before a word that does not stand right of its bullets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from pyharness.errors import SpecError
from pyharness.weakening.expression_operators import INFIX, LEFT, PREFIX
from pyharness.weakening.expression_tokens import Token, tokens_of
from pyharness.weakening.expressions import (
    Bound,
    Call,
    Case,
    Collected,
    Definition,
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
    Junction,
    Lambda,
    Let,
    Listed,
    Literal,
    Member,
    Name,
    Prefix,
    Prime,
    Quantified,
    Record,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_expression"]

_T = TypeVar("_T")

_BULLETS: Final = ("/\\", "\\/")
_RESERVED: Final = frozenset({"IN", "THEN", "ELSE", "EXCEPT", "WITH", "INSTANCE", "OTHER"})


def read_expression(text: str) -> Expression:
    """Read an expression; its lines must stand in the columns that they have in the module.

    Raises SpecError, whose ``where`` is the place in the text, for what it does not understand.
    """
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = tokens_of(text)
        self._at = 0
        self._fence = -1

    def whole(self) -> Expression:
        expression = self._expression()
        if self._next.kind != "end":
            raise self._error("the end")
        return expression

    # -- words ------------------------------------------------------------------------------------------------

    @property
    def _next(self) -> Token:
        token = self._tokens[self._at]
        return token if token.column > self._fence else self._tokens[-1]

    def _ahead(self, distance: int) -> str:
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)].text

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _need(self, text: str) -> None:
        if self._next.text != text:
            raise self._error(repr(text))
        self._at += 1

    def _found(self, text: str) -> bool:
        found = self._next.text == text
        self._at += found
        return found

    def _name(self) -> str:
        if self._next.kind != "name":
            raise self._error("a name")
        return self._take().text

    def _error(self, expected: str) -> SpecError:
        token = self._tokens[self._at]
        found = repr(token.text) if token.text else "the end"
        where = f"line {token.line}, column {token.column + 1}"
        return SpecError(f"expected {expected}, found {found}", where=where)

    def _commas(self, part: Callable[[], _T], closing: str) -> tuple[_T, ...]:
        """Read parts up to what closes them, which may come at once."""
        found: list[_T] = []
        while not self._found(closing):
            if found:
                self._need(",")
            found.append(part())
        return tuple(found)

    # -- operators --------------------------------------------------------------------------------------------

    def _expression(self, least: int = 0) -> Expression:
        left = self._prefixed()
        while True:
            operator = self._next.text
            strength = INFIX.get(operator, -1) if self._next.kind == "symbol" else -1
            if strength < max(least, 0):
                return left
            self._take()
            left = Infix(operator, left, self._expression(strength + (operator in LEFT or strength > 3)))

    def _prefixed(self) -> Expression:
        token = self._next
        if token.text in _BULLETS:
            return self._bullets()
        if token.text in PREFIX and token.kind in {"symbol", "name"}:
            self._take()
            return Prefix(token.text, self._expression(PREFIX[token.text] + (token.text != "~")))
        return self._suffixed(self._primary())

    def _bullets(self) -> Expression:
        bullet, fence = self._next, self._fence
        items = []
        while self._next.text == bullet.text and self._next.column == bullet.column:
            self._take()
            self._fence = bullet.column
            items.append(self._expression())
            self._fence = fence
        return Junction(bullet.text, tuple(items))

    def _suffixed(self, base: Expression) -> Expression:
        while True:
            if self._found("'"):
                base = Prime(base)
            elif self._found("["):
                base = Index(base, self._commas(self._expression, "]"))
            elif self._next.text == "." and self._next.kind == "symbol":
                self._take()
                base = Field(base, self._name())
            else:
                return base

    # -- what operators stand between -------------------------------------------------------------------------

    def _primary(self) -> Expression:
        token = self._take()
        if token.kind in {"number", "string"}:
            return Literal(token.text)
        if token.kind == "name" and token.text not in _RESERVED:
            return self._named(token.text)
        match token.text:
            case "@":
                return Name("@")
            case "(":
                return self._in_parentheses()
            case "<<":
                return self._tuple()
            case "{":
                return self._set()
            case "[":
                return self._brackets()
            case "\\A" | "\\E":
                return self._quantified(token.text)
        self._at -= 1
        raise self._error("an expression")

    def _in_parentheses(self) -> Expression:
        inner = self._expression()
        self._need(")")
        return inner

    def _named(self, name: str) -> Expression:
        match name:
            case "IF":
                return self._if()
            case "CASE":
                return self._case()
            case "LET":
                return self._let()
            case "LAMBDA":
                parameters = self._commas(self._name, ":")
                return Lambda(parameters, self._expression())
            case "CHOOSE":
                return self._quantified(name)
        while self._next.text == "!" and self._ahead(1).isidentifier():
            self._take()
            name += f"!{self._name()}"
        if self._next.text != "(":
            return Name(name)
        self._take()
        arguments = self._commas(self._expression, ")")
        if name[:3] in {"WF_", "SF_"}:
            return Fair(name[:2], name[3:], arguments[0])
        call = Call(name, arguments)
        return Member(call, self._name()) if self._found("!") else call

    def _quantified(self, kind: str) -> Expression:
        bounds = self._bounds()
        self._need(":")
        return Quantified(kind, bounds, self._expression())

    def _bounds(self) -> tuple[Bound, ...]:
        bounds = [self._bound()]
        while self._found(","):
            bounds.append(self._bound())
        return tuple(bounds)

    def _bound(self) -> Bound:
        tupled = self._found("<<")
        names = [self._name()]
        while self._found(","):
            names.append(self._name())
        if tupled:
            self._need(">>")
        self._need("\\in")
        return Bound(tuple(names), self._expression(), tupled)

    def _if(self) -> Expression:
        condition = self._expression()
        self._need("THEN")
        then = self._expression()
        self._need("ELSE")
        return If(condition, then, self._expression())

    def _case(self) -> Expression:
        arms: list[tuple[Expression, Expression]] = []
        while not arms or self._found("[]"):
            condition = Name("OTHER") if self._found("OTHER") else self._expression()
            self._need("->")
            arms.append((condition, self._expression()))
        return Case(tuple(arms))

    def _let(self) -> Expression:
        definitions: list[Definition] = []
        recursive: tuple[str, ...] = ()
        while not self._found("IN"):
            if self._found("RECURSIVE"):
                recursive += (self._parameter(),)
                continue
            name = self._name()
            parameters = self._commas(self._parameter, ")") if self._found("(") else ()
            self._need("==")
            definitions.append(Definition(name, parameters, self._expression()))
        return Let(tuple(definitions), self._expression(), recursive)

    def _parameter(self) -> str:
        name = self._name()
        if self._found("("):
            blanks = self._commas(lambda: self._take().text, ")")
            name += f"({', '.join(blanks)})"
        return name

    def _tuple(self) -> Expression:
        items: list[Expression] = []
        while self._next.text not in {">>", ">>_"}:
            if items:
                self._need(",")
            items.append(self._expression())
        if self._take().text == ">>_":
            return Step("<<", items[0], self._primary())
        return Listed("<<", tuple(items))

    def _set(self) -> Expression:
        if self._found("}"):
            return Listed("{", ())
        first = self._expression()
        if self._found(":"):
            bound = _as_bound(first)
            if bound is not None:
                condition = self._expression()
                self._need("}")
                return Filtered(bound, condition)
            bounds = self._bounds()
            self._need("}")
            return Collected(first, bounds)
        rest = self._commas(self._expression, "}") if self._found(",") else ()
        if not rest:
            self._need("}")
        return Listed("{", (first, *rest))

    def _brackets(self) -> Expression:
        if self._ahead(1) in {"|->", ":"}:
            return self._record()
        first_bound = self._ahead(0).isidentifier() and self._ahead(1) in {"\\in", ","}
        if first_bound or self._next.text == "<<":
            bounds = self._bounds()
            self._need("|->")
            value = self._expression()
            self._need("]")
            return FunctionOf(bounds, value)
        base = self._expression()
        if self._found("->"):
            codomain = self._expression()
            self._need("]")
            return FunctionSpace(base, codomain)
        if self._found("EXCEPT"):
            return Except(base, self._commas(self._update, "]"))
        self._need("]_")
        return Step("[", base, self._primary())

    def _record(self) -> Expression:
        separator = self._ahead(1)

        def entry() -> tuple[str, Expression]:
            name = self._name()
            self._need(separator)
            return name, self._expression()

        return Record(separator, self._commas(entry, "]"))

    def _update(self) -> tuple[tuple[tuple[Expression, ...] | str, ...], Expression]:
        self._need("!")
        path: list[tuple[Expression, ...] | str] = []
        while not self._found("="):
            if self._found("."):
                path.append(self._name())
            else:
                self._need("[")
                path.append(self._commas(self._expression, "]"))
        return tuple(path), self._expression()


def _as_bound(expression: Expression) -> Bound | None:
    r"""Read ``x \in S`` as what it is before a colon in braces: a bound."""
    if not isinstance(expression, Infix) or expression.operator != "\\in":
        return None
    left = expression.left
    if isinstance(left, Name):
        return Bound((left.name,), expression.right)
    if isinstance(left, Listed) and all(isinstance(item, Name) for item in left.items):
        names = tuple(item.name for item in left.items if isinstance(item, Name))
        return Bound(names, expression.right, tupled=True)
    return None
