"""Weaken a formula in one place, in every way of a list; strengthen it where it stands under a negation.

- of a conjunction one part is left out; each direction of ``=``, ``<=>`` and of what is equal part by part is taken
  alone; sequences are compared by length and by what is in them;
- a universal quantifier ranges over less: all but one, one only;
- a number may be off by one; an antecedent asks for more;
- ``<>P`` or ``[]<>P`` stands for ``<>[]P``; what ``~>`` leads from asks for more, or what it leads to for less.

Each weakening is implied by the original, by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.models.value_kinds import Kind, Kinds
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition


def inlined(definition: Definition, arguments: tuple[Expression, ...]) -> Expression:
    """Return the right-hand side with ``arguments`` for the parameters.

    The names that it binds become the definition's own, so that they capture nothing.
    """
    given = dict(zip(definition.parameters, arguments, strict=True))
    return ast.apart(definition.body, given, own_mark(definition.name))


def own_mark(definition: str) -> str:
    """Return what a name ends with that a definition binds, where that stands in the place of its call."""
    return f"_of_{definition}"


ALL_BUT_ONE: Final = "AllButOne"
ONE_OF: Final = "OneAlone"
RANGE: Final = "ValuesOf"
HELPERS: Final = f"""\
{ALL_BUT_ONE}(S) == IF S = {{}} THEN {{}} ELSE S \\ {{CHOOSE x \\in S : TRUE}}
{ONE_OF}(S)  == IF S = {{}} THEN {{}} ELSE {{CHOOSE x \\in S : TRUE}}
{RANGE}(q)   == {{q[i] : i \\in DOMAIN q}}
"""
"""Operators that weakenings are written with."""

_ONE: Final = ast.Literal("1")
DEEPEST: Final = 3
"""So deep are definitions opened."""

Change = tuple[str, "Expression"]
"""What is changed, as ``before -> after``, and the formula that it makes."""


Maker = Callable[["Expression", "Opened"], Iterator[Change]]
"""Makes all changes of one sort of a formula."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a formula is weakened with: ``definitions`` by name, of which ``helpers`` are opened, and the ``kinds``."""

    definitions: Mapping[str, Definition]
    helpers: frozenset[str]
    kinds: Kinds
    depth: int = 0


def weaker(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the weakenings of a formula: what is changed, as ``before -> after``, and the whole."""
    if _is_own(formula, opened):
        return
    match formula:
        case ast.Junction("/\\", items):
            yield from _without_each(items, opened)
        case ast.Infix("/\\", _, _):
            yield from _without_each(ast.row("/\\", formula), opened)
        case ast.Junction("\\/", items):
            yield from in_each("\\/", items, opened, weaker)
        case ast.Infix("\\/", _, _):
            yield from in_each("\\/", ast.row("\\/", formula), opened, weaker)
        case ast.Infix("=>", left, right):
            yield from within(stronger(left, opened), lambda e: ast.Infix("=>", e, right))
            yield from within(weaker(right, opened), lambda e: ast.Infix("=>", left, e))
        case ast.Infix("<=>", left, right):
            yield _change(formula, ast.Infix("=>", left, right))
            yield _change(formula, ast.Infix("=>", right, left))
        case ast.Prefix("~", body):
            yield from within(stronger(body, opened), lambda e: ast.Prefix("~", e))
        case ast.Quantification("\\A", bounds, body):
            yield from _over_less(formula, bounds, body)
            yield from within(weaker(body, opened), lambda e: ast.Quantification("\\A", bounds, e))
        case ast.Quantification("\\E", bounds, body):
            yield from within(weaker(body, opened), lambda e: ast.Quantification("\\E", bounds, e))
        case ast.Infix("=", left, right):
            yield from _equality(left, right, opened)
        case ast.Infix("<=", left, right):
            yield _change(formula, ast.Infix("<=", left, _plus_one(right)))
        case ast.Infix(">=", left, right):
            yield _change(formula, ast.Infix(">=", _plus_one(left), right))
        case ast.Infix("<", left, right):
            yield _change(formula, ast.Infix("<=", left, right))
        case ast.Infix(">", left, right):
            yield _change(formula, ast.Infix(">=", left, right))
        case ast.Infix("\\subseteq", left, right):
            yield _change(formula, ast.Infix("\\subseteq", ast.Call(ALL_BUT_ONE, (left,)), right))
        case ast.If(condition, then, otherwise):
            yield _change(formula, ast.Infix("=>", condition, then))
            yield _change(formula, ast.Infix("=>", ast.Prefix("~", condition), otherwise))
            yield from within(weaker(then, opened), lambda e: ast.If(condition, e, otherwise))
            yield from within(weaker(otherwise, opened), lambda e: ast.If(condition, then, e))
        case ast.Prime(body):
            yield from within(weaker(body, opened), ast.Prime)
        case ast.Let(definitions, body, recursive):
            yield from within(weaker(body, opened), lambda e: ast.Let(definitions, e, recursive))
        case ast.Name() | ast.Call():
            yield from in_definition(formula, opened, weaker)
        case _:
            yield from _of_behaviours(formula, opened)


def stronger(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the strengthenings of a formula in the same way; each implies the original."""
    if _is_own(formula, opened):
        return
    match formula:
        case ast.Junction("/\\", items):
            yield from in_each("/\\", items, opened, stronger)
        case ast.Infix("/\\", _, _):
            yield from in_each("/\\", ast.row("/\\", formula), opened, stronger)
        case ast.Junction("\\/", items):
            yield from _with_fewer(items, opened)
        case ast.Infix("\\/", _, _):
            yield from _with_fewer(ast.row("\\/", formula), opened)
        case ast.Infix("=>", left, right):
            yield _change(formula, right)
            yield from within(weaker(left, opened), lambda e: ast.Infix("=>", e, right))
            yield from within(stronger(right, opened), lambda e: ast.Infix("=>", left, e))
        case ast.Prefix("~", body):
            yield from within(weaker(body, opened), lambda e: ast.Prefix("~", e))
        case ast.Quantification("\\E", bounds, body):
            yield from _over_less(formula, bounds, body)
            yield from within(stronger(body, opened), lambda e: ast.Quantification("\\E", bounds, e))
        case ast.Quantification("\\A", bounds, body):
            yield from within(stronger(body, opened), lambda e: ast.Quantification("\\A", bounds, e))
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
        case ast.Let(definitions, body, recursive):
            yield from within(stronger(body, opened), lambda e: ast.Let(definitions, e, recursive))
        case ast.Name() | ast.Call():
            yield from in_definition(formula, opened, stronger)
        case ast.Prefix("<>", ast.Prefix("[]", body)):
            yield _change(formula, ast.Prefix("[]", body))
            yield from within(stronger(body, opened), lambda e: ast.Prefix("<>", ast.Prefix("[]", e)))
        case ast.Prefix("<>", body):
            yield _change(formula, ast.Prefix("<>", ast.Prefix("[]", body)))
            yield from within(stronger(body, opened), lambda e: ast.Prefix("<>", e))
        case ast.Prefix("[]", ast.Boxed("[", action, subscript)):
            yield from within(
                stronger(action, opened), lambda e: ast.Prefix("[]", ast.Boxed("[", e, subscript))
            )


def _of_behaviours(formula: Expression, opened: Opened) -> Iterator[Change]:
    match formula:
        case ast.Prefix("<>", ast.Prefix("[]", body)):
            yield _change(formula, ast.Prefix("[]", ast.Prefix("<>", body)))
            yield _change(formula, ast.Prefix("<>", body))
            yield from within(weaker(body, opened), lambda e: ast.Prefix("<>", ast.Prefix("[]", e)))
        case ast.Prefix("[]", ast.Prefix("<>", body)):
            yield _change(formula, ast.Prefix("<>", body))
            yield from within(weaker(body, opened), lambda e: ast.Prefix("[]", ast.Prefix("<>", e)))
        case ast.Prefix("[]", ast.Boxed("[", action, subscript)):
            yield from within(
                weaker(action, opened), lambda e: ast.Prefix("[]", ast.Boxed("[", e, subscript))
            )
        case ast.Prefix("<>" | "[]" as operator, body):
            yield from within(weaker(body, opened), lambda e: ast.Prefix(operator, e))
        case ast.Infix("~>", left, right):
            yield from within(stronger(left, opened), lambda e: ast.Infix("~>", e, right))
            yield from within(weaker(right, opened), lambda e: ast.Infix("~>", left, e))


def _is_own(formula: Expression, opened: Opened) -> bool:
    """Tell whether a formula has an operator that the module defines itself: nobody knows what is less of it."""
    return isinstance(formula, ast.Infix) and formula.operator in opened.definitions


# -- parts -------------------------------------------------------------------------------------------------------


def _change(before: Expression, after: Expression) -> Change:
    return f"{on_one_line(before)} -> {on_one_line(after)}", after


def _plus_one(number: Expression) -> Expression:
    if isinstance(number, ast.Literal):
        return ast.Literal(str(int(number.text) + 1))
    return ast.Infix("+", number, _ONE)


def within(changes: Iterator[Change], around: Callable[[Expression], Expression]) -> Iterator[Change]:
    """Yield the changes of a part as changes of the whole, which ``around`` makes of the part."""
    return ((change, around(part)) for change, part in changes)


def _without_each(items: tuple[Expression, ...], opened: Opened) -> Iterator[Change]:
    for number, item in enumerate(items if len(items) > 1 else ()):
        yield f"{on_one_line(item)} -> TRUE", ast.joined("/\\", items[:number] + items[number + 1 :])
    yield from in_each("/\\", items, opened, weaker)


def _with_fewer(items: tuple[Expression, ...], opened: Opened) -> Iterator[Change]:
    for number, item in enumerate(items if len(items) > 1 else ()):
        yield f"{on_one_line(item)} -> FALSE", ast.joined("\\/", items[:number] + items[number + 1 :])
    yield from in_each("\\/", items, opened, stronger)


def in_each(operator: str, items: tuple[Expression, ...], opened: Opened, make: Maker) -> Iterator[Change]:
    """Yield the changes of one sort of each part of a conjunction, or a disjunction, one part at a time."""
    for number, item in enumerate(items):
        for change, part in make(item, opened):
            yield change, ast.joined(operator, (*items[:number], part, *items[number + 1 :]))


def _over_less(formula: Expression, bounds: tuple[ast.Bound, ...], body: Expression) -> Iterator[Change]:
    kind = formula.kind if isinstance(formula, ast.Quantification) else ""
    for number, bound in enumerate(bounds):
        if bound.domain is None:
            continue
        for less in (ALL_BUT_ONE, ONE_OF):
            domain = ast.Call(less, (bound.domain,))
            before = f"{kind} {', '.join(bound.names)} \\in {on_one_line(bound.domain)}"
            fewer = (*bounds[:number], replace(bound, domain=domain), *bounds[number + 1 :])
            yield f"{before} -> {less}({on_one_line(bound.domain)})", ast.Quantification(kind, fewer, body)


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
        yield from within(weaker(parts, opened), lambda e: ast.Junction("/\\", (*given, e)))


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
    """Return the conjuncts that together say that two functions, records or tuples of one shape are equal."""
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


def in_definition(formula: ast.Name | ast.Call, opened: Opened, make: Maker) -> Iterator[Change]:
    """Yield the changes of one sort within the definition of a helper, in the place of its call."""
    name = formula.name
    if name not in opened.helpers or opened.depth > DEEPEST:
        return
    body = inlined(opened.definitions[name], formula.arguments if isinstance(formula, ast.Call) else ())
    for change, part in make(body, replace(opened, depth=opened.depth + 1)):
        yield f"{name}: {change.replace(own_mark(name), '')}", part
