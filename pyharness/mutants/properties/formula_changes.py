r"""Change a formula in one place, in every way of a list: weaken it, strengthen it, or take its premises and exemptions.

To weaken:

- of a conjunction one part is left out; each direction of ``=``, ``<=>`` and of what is equal part by part is taken
  alone; sequences are compared by length and by what is in them;
- a universal quantifier ranges over less: all but one, one only;
- a number may be off by one; an antecedent asks for more;
- ``<>P`` or ``[]<>P`` stands for ``<>[]P``; what ``~>`` leads from asks for more, or what it leads to for less.

To strengthen is the same under a negation. Without a premise, or with one exemption less:

- of ``A => B`` the premise is dropped, or one of its conjuncts;
- of ``A \/ B`` one part is left out;
- of ``\A x \in S : A`` the set is what ``S`` is a part of: ``T`` of ``{x \in T : P}``, of ``T \ U``, of ``T \cap U``.

Each weakening is implied by the original, and each of the others implies it, by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.models.value_kinds import Kind, Kinds
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition

ALL_BUT_ONE: Final = "AllButOne"
ONE_OF: Final = "OneAlone"
RANGE: Final = "ValuesOf"
HELPERS: Final = (ALL_BUT_ONE, ONE_OF, RANGE)
"""Operators that weakenings are written with; the root has them, with a prefix, of the module beside it."""

_ONE: Final = ast.Literal("1")
_DEEPEST: Final = 3
"""So deep are definitions opened."""

Change = tuple[str, "Expression"]
"""A change, as ``before -> after``, and the formula that it makes."""

Maker = Callable[["Expression", "Opened"], Iterator[Change]]
"""Makes all changes of one sort of a formula."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The context of a weakening: ``definitions`` by name, of which ``helpers`` are opened, and the ``kinds``.

    Raises SpecError where a definition has a name that weakenings are written with.
    """

    definitions: Mapping[str, Definition]
    helpers: frozenset[str]
    kinds: Kinds
    depth: int = 0

    def __post_init__(self) -> None:
        """Look at the names of the definitions."""
        if taken := next((name for name in HELPERS if name in self.definitions), None):
            raise SpecError(
                f"there is a definition {taken}, as which a weakening is written",
                where=self.definitions[taken].module,
                hint="give it another name",
            )


def weaker(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the weakenings of a formula: the change, as ``before -> after``, and the weaker formula."""
    return _everywhere(formula, opened, _weaker_here, weaker, stronger)


def stronger(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the strengthenings of a formula in the same way."""
    return _everywhere(formula, opened, _stronger_here, stronger, weaker)


def bolder(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the stronger formulas without a premise or an exemption, in the same way."""
    return _everywhere(formula, opened, _bolder_here, bolder, None)


def _everywhere(
    formula: Expression, opened: Opened, here: Maker, make: Maker, under_negation: Maker | None
) -> Iterator[Change]:
    """Yield the changes of a formula ``here``, then those of its parts, and of the definition that it is a call of.

    An operator that the module defines itself has no known weakening. A primed expression is not strengthened.
    """
    if isinstance(formula, ast.Infix) and formula.operator in opened.definitions:
        return
    if isinstance(formula, ast.Prime) and make is stronger:
        return
    yield from here(formula, opened)
    for part, is_negated, around in _parts(formula):
        maker = under_negation if is_negated else make
        for change, other in maker(part, opened) if maker else ():
            yield change, around(other)
    if isinstance(formula, ast.Name | ast.Call) and formula.name in opened.helpers:
        yield from _defined(formula, opened, make)


_Part = tuple["Expression", bool, Callable[["Expression"], "Expression"]]
"""A part of a formula, whether it is under a negation, and what makes the formula of another one in its place."""


def _parts(formula: Expression) -> Iterator[_Part]:
    """Yield the parts of a formula on whose strength its own depends."""
    match formula:
        case ast.Junction(operator, _) | ast.Infix("/\\" | "\\/" as operator, _, _):
            items = ast.row(operator, formula)
            for number, item in enumerate(items):
                yield item, False, partial(_among, operator, items, number)
        case ast.Infix("=>" | "~>" as operator, left, right):
            yield left, True, lambda e: ast.Infix(operator, e, right)
            yield right, False, lambda e: ast.Infix(operator, left, e)
        case ast.Prefix("~", body):
            yield body, True, lambda e: ast.Prefix("~", e)
        case ast.Prefix("<>" | "[]" as operator, body):
            yield body, False, lambda e: ast.Prefix(operator, e)
        case ast.Boxed("[", action, subscript):
            yield action, False, lambda e: ast.Boxed("[", e, subscript)
        case ast.Quantification(kind, bounds, body):
            yield body, False, lambda e: ast.Quantification(kind, bounds, e)
        case ast.If(condition, then, otherwise):
            yield then, False, lambda e: ast.If(condition, e, otherwise)
            yield otherwise, False, lambda e: ast.If(condition, then, e)
        case ast.Prime(body):
            yield body, False, ast.Prime
        case ast.Let(definitions, body, recursive):
            yield body, False, lambda e: ast.Let(definitions, e, recursive)


def _among(operator: str, items: tuple[Expression, ...], number: int, other: Expression) -> Expression:
    return ast.joined(operator, (*items[:number], other, *items[number + 1 :]))


def _defined(called: ast.Name | ast.Call, opened: Opened, make: Maker) -> Iterator[Change]:
    """Yield the changes of one sort of the right-hand side of a definition, in the place of its call.

    The names that it binds become the definition's own, so that they capture nothing.
    """
    definition = opened.definitions.get(called.name)
    if definition is None or opened.depth > _DEEPEST:
        return
    mark = f"_of_{called.name}"
    arguments = called.arguments if isinstance(called, ast.Call) else ()
    given = dict(zip(definition.parameters, arguments, strict=True))
    body = ast.apart(definition.body, given, mark)
    for change, part in make(body, replace(opened, depth=opened.depth + 1)):
        yield f"{called.name}: {change.replace(mark, '')}", part


# -- in one place --------------------------------------------------------------------------------------------------


def _weaker_here(formula: Expression, opened: Opened) -> Iterator[Change]:
    match formula:
        case ast.Junction("/\\", _) | ast.Infix("/\\", _, _):
            yield from _without_each("/\\", formula, "TRUE")
        case ast.Infix("<=>", left, right):
            yield _change(formula, ast.Infix("=>", left, right))
            yield _change(formula, ast.Infix("=>", right, left))
        case ast.Quantification("\\A", bounds, body):
            yield from _over_less(formula, bounds, body)
        case ast.Infix("=", left, right):
            yield from _equality(left, right, opened)
        case ast.Infix("<=", left, right):
            yield _change(formula, ast.Infix("<=", left, _plus_one(right)))
        case ast.Infix(">=", left, right):
            yield _change(formula, ast.Infix(">=", _plus_one(left), right))
        case ast.Infix("<" | ">" as operator, left, right):
            yield _change(formula, ast.Infix(f"{operator}=", left, right))
        case ast.Infix("\\subseteq", left, right):
            yield _change(formula, ast.Infix("\\subseteq", ast.Call(ALL_BUT_ONE, (left,)), right))
        case ast.If(condition, then, otherwise):
            yield _change(formula, ast.Infix("=>", condition, then))
            yield _change(formula, ast.Infix("=>", ast.Prefix("~", condition), otherwise))
        case ast.Prefix("<>", ast.Prefix("[]", body)):
            yield _change(formula, ast.Prefix("[]", ast.Prefix("<>", body)))
            yield _change(formula, ast.Prefix("<>", body))
        case ast.Prefix("[]", ast.Prefix("<>", _)):
            yield _change(formula, formula.body)


def _stronger_here(formula: Expression, opened: Opened) -> Iterator[Change]:
    match formula:
        case ast.Junction("\\/", _) | ast.Infix("\\/", _, _):
            yield from _without_each("\\/", formula, "FALSE")
        case ast.Infix("=>", _, right):
            yield _change(formula, right)
        case ast.Quantification("\\E", bounds, body):
            yield from _over_less(formula, bounds, body)
        case ast.Infix("#", left, ast.Listed("<<", ())) if (
            opened.kinds.of(left) == "sequence" and "Len" not in opened.definitions
        ):
            length = ast.Call("Len", (left,))
            yield _change(formula, ast.Infix("=", length, _ONE))
            yield _change(formula, ast.Infix(">", length, _ONE))
        case ast.Infix("<", left, right):
            yield _change(formula, ast.Infix("=", _plus_one(left), right))
        case ast.Infix(">", left, right):
            yield _change(formula, ast.Infix("=", left, _plus_one(right)))
        case ast.Infix("<=" | ">=" as operator, left, right):
            yield _change(formula, ast.Infix("=", left, right))
            yield _change(formula, ast.Infix(operator[0], left, right))
        case ast.Infix("\\subseteq", left, right):
            yield _change(formula, ast.Infix("=", left, right))
        case ast.Prefix("<>", ast.Prefix("[]", _)):
            yield _change(formula, formula.body)
        case ast.Prefix("<>", body):
            yield _change(formula, ast.Prefix("<>", ast.Prefix("[]", body)))


def _bolder_here(formula: Expression, opened: Opened) -> Iterator[Change]:
    match formula:
        case ast.Infix("=>", left, right):
            yield f"{on_one_line(left)} -> TRUE", right
            for change, rest in _without_each("/\\", left, "TRUE"):
                yield change, ast.Infix("=>", rest, right)
        case ast.Junction("\\/", _) | ast.Infix("\\/", _, _):
            yield from _without_each("\\/", formula, "FALSE")
        case ast.Quantification("\\A", bounds, body):
            for number, bound in enumerate(bounds):
                for change, wider in _wider(bound.domain, opened):
                    yield change, ast.Quantification("\\A", _with(bounds, number, wider), body)


def _change(before: Expression, after: Expression) -> Change:
    return f"{on_one_line(before)} -> {on_one_line(after)}", after


def _plus_one(number: Expression) -> Expression:
    if isinstance(number, ast.Literal):
        return ast.Literal(str(int(number.text) + 1))
    return ast.Infix("+", number, _ONE)


def _without_each(operator: str, formula: Expression, left_out: str) -> Iterator[Change]:
    items = ast.row(operator, formula)
    for number, item in enumerate(items if len(items) > 1 else ()):
        yield f"{on_one_line(item)} -> {left_out}", ast.joined(operator, items[:number] + items[number + 1 :])


def _over_less(formula: Expression, bounds: tuple[ast.Bound, ...], body: Expression) -> Iterator[Change]:
    kind = formula.kind if isinstance(formula, ast.Quantification) else ""
    for number, bound in enumerate(bounds):
        if bound.domain is None:
            continue
        for less in (ALL_BUT_ONE, ONE_OF):
            fewer = _with(bounds, number, ast.Call(less, (bound.domain,)))
            before = f"{kind} {', '.join(bound.names)} \\in {on_one_line(bound.domain)}"
            yield f"{before} -> {less}({on_one_line(bound.domain)})", ast.Quantification(kind, fewer, body)


def _with(bounds: tuple[ast.Bound, ...], number: int, domain: Expression) -> tuple[ast.Bound, ...]:
    return (*bounds[:number], replace(bounds[number], domain=domain), *bounds[number + 1 :])


def _wider(domain: Expression | None, opened: Opened) -> Iterator[Change]:
    """Yield the sets that a quantifier's set is a part of, as it is written or as the name that it is is defined."""
    sets: tuple[Expression | None, ...] = ()
    match domain:
        case ast.Filtered(bound, _):
            sets = (bound.domain,)
        case ast.Infix("\\", left, _):
            sets = (left,)
        case ast.Infix("\\cap" | "\\intersect", left, right):
            sets = (left, right)
        case ast.Name() | ast.Call():
            yield from _defined(domain, opened, _wider)
    for each in sets:
        if domain is not None and each is not None:
            yield _change(domain, each)


def _equality(left: Expression, right: Expression, opened: Opened) -> Iterator[Change]:
    formula = ast.Infix("=", left, right)
    if isinstance(right, ast.If):
        then, otherwise = ast.Infix("=", left, right.then), ast.Infix("=", left, right.otherwise)
        yield _change(formula, ast.Infix("=>", right.condition, then))
        yield _change(formula, ast.Infix("=>", ast.Prefix("~", right.condition), otherwise))
    if _is_empty(left) or _is_empty(right):
        return
    kinds = opened.kinds.of(left), opened.kinds.of(right)
    kind = kinds[1] if kinds[0] in {None, "empty"} else kinds[0]
    if kind == "sequence":
        for operator in ("Len", RANGE) if "Len" not in opened.definitions else (RANGE,):
            yield _change(formula, ast.Infix("=", ast.Call(operator, (left,)), ast.Call(operator, (right,))))
    elif kind == "set":
        yield _change(formula, ast.Infix("\\subseteq", left, right))
        yield _change(formula, ast.Infix("\\subseteq", right, left))
    elif kind == "number":
        yield _change(formula, ast.Infix("<=", left, right))
        yield _change(formula, ast.Infix(">=", left, right))
    elif kind == "boolean":
        yield _change(formula, ast.Infix("=>", left, right))
        yield _change(formula, ast.Infix("=>", right, left))
    elif isinstance(kind, tuple):
        given = _shape(left, right, kind)
        parts = ast.joined("/\\", _by_parts(left, right, kind, opened))
        yield from ((change, ast.Junction("/\\", (*given, e))) for change, e in weaker(parts, opened))


def _shape(left: Expression, right: Expression, kind: Kind) -> tuple[Expression, ...]:
    """Return what two equal functions or tuples have in common besides their values; weakenings keep it.

    Without it there are no values to be compared.
    """
    if kind[0] == "function":
        return (ast.Infix("=", ast.Prefix("DOMAIN", left), ast.Prefix("DOMAIN", right)),)
    return (ast.Infix("#", left, ast.Listed("<<", ())),) if kind[0] == "tuple" else ()


def _is_empty(expression: Expression) -> bool:
    return isinstance(expression, ast.Listed) and not expression.items


def _by_parts(left: Expression, right: Expression, kind: Kind, opened: Opened) -> tuple[Expression, ...]:
    """Return the conjuncts that together state that two functions, records or tuples of one shape are equal."""
    if kind[0] == "function":
        at = (ast.Name("at"),)
        values = ast.Infix("=", ast.Index(left, at), ast.Index(right, at))
        return (ast.Quantification("\\A", (ast.Bound(("at",), ast.Prefix("DOMAIN", left)),), values),)
    if kind[0] == "record":
        return tuple(
            ast.Infix("=", _field(left, name, opened), _field(right, name, opened)) for name, _ in kind[1]
        )
    return tuple(
        ast.Infix("=", _item(left, number, opened), _item(right, number, opened))
        for number in range(len(kind[1]))
    )


def _open(expression: Expression, opened: Opened) -> Expression:
    """Return what a name stands for, if that is a tuple or a record."""
    if isinstance(expression, ast.Name) and expression.name in opened.definitions:
        body = opened.definitions[expression.name].body
        if isinstance(body, ast.Listed | ast.Record):
            return body
    return expression


def _field(base: Expression, name: str, opened: Opened) -> Expression:
    body = _open(base, opened)
    return dict(body.entries)[name] if isinstance(body, ast.Record) else ast.Field(base, name)


def _item(base: Expression, number: int, opened: Opened) -> Expression:
    body = _open(base, opened)
    return (
        body.items[number]
        if isinstance(body, ast.Listed)
        else ast.Index(base, (ast.Literal(str(number + 1)),))
    )
