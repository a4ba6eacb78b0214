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

from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import (
    Bound,
    Boxed,
    Call,
    Field,
    If,
    Index,
    Infix,
    Junction,
    Let,
    Listed,
    Literal,
    Name,
    Prefix,
    Prime,
    Quantification,
    Record,
    apart,
    joined,
    row,
)

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
    return apart(definition.body, given, own_mark(definition.name))


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

_ONE: Final = Literal("1")
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
        case Junction("/\\", items):
            yield from _without_each(items, opened)
        case Infix("/\\", _, _):
            yield from _without_each(row("/\\", formula), opened)
        case Junction("\\/", items):
            yield from in_each("\\/", items, opened, weaker)
        case Infix("\\/", _, _):
            yield from in_each("\\/", row("\\/", formula), opened, weaker)
        case Infix("=>", left, right):
            yield from within(stronger(left, opened), lambda e: Infix("=>", e, right))
            yield from within(weaker(right, opened), lambda e: Infix("=>", left, e))
        case Infix("<=>", left, right):
            yield _change(formula, Infix("=>", left, right))
            yield _change(formula, Infix("=>", right, left))
        case Prefix("~", body):
            yield from within(stronger(body, opened), lambda e: Prefix("~", e))
        case Quantification("\\A", bounds, body):
            yield from _over_less(formula, bounds, body)
            yield from within(weaker(body, opened), lambda e: Quantification("\\A", bounds, e))
        case Quantification("\\E", bounds, body):
            yield from within(weaker(body, opened), lambda e: Quantification("\\E", bounds, e))
        case Infix("=", left, right):
            yield from _equality(left, right, opened)
        case Infix("<=", left, right):
            yield _change(formula, Infix("<=", left, _plus_one(right)))
        case Infix(">=", left, right):
            yield _change(formula, Infix(">=", _plus_one(left), right))
        case Infix("<", left, right):
            yield _change(formula, Infix("<=", left, right))
        case Infix(">", left, right):
            yield _change(formula, Infix(">=", left, right))
        case Infix("\\subseteq", left, right):
            yield _change(formula, Infix("\\subseteq", Call(ALL_BUT_ONE, (left,)), right))
        case If(condition, then, otherwise):
            yield _change(formula, Infix("=>", condition, then))
            yield _change(formula, Infix("=>", Prefix("~", condition), otherwise))
            yield from within(weaker(then, opened), lambda e: If(condition, e, otherwise))
            yield from within(weaker(otherwise, opened), lambda e: If(condition, then, e))
        case Prime(body):
            yield from within(weaker(body, opened), Prime)
        case Let(definitions, body, recursive):
            yield from within(weaker(body, opened), lambda e: Let(definitions, e, recursive))
        case Name() | Call():
            yield from in_definition(formula, opened, weaker)
        case _:
            yield from _of_behaviours(formula, opened)


def stronger(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the strengthenings of a formula in the same way; each implies the original."""
    if _is_own(formula, opened):
        return
    match formula:
        case Junction("/\\", items):
            yield from in_each("/\\", items, opened, stronger)
        case Infix("/\\", _, _):
            yield from in_each("/\\", row("/\\", formula), opened, stronger)
        case Junction("\\/", items):
            yield from _with_fewer(items, opened)
        case Infix("\\/", _, _):
            yield from _with_fewer(row("\\/", formula), opened)
        case Infix("=>", left, right):
            yield _change(formula, right)
            yield from within(weaker(left, opened), lambda e: Infix("=>", e, right))
            yield from within(stronger(right, opened), lambda e: Infix("=>", left, e))
        case Prefix("~", body):
            yield from within(weaker(body, opened), lambda e: Prefix("~", e))
        case Quantification("\\E", bounds, body):
            yield from _over_less(formula, bounds, body)
            yield from within(stronger(body, opened), lambda e: Quantification("\\E", bounds, e))
        case Quantification("\\A", bounds, body):
            yield from within(stronger(body, opened), lambda e: Quantification("\\A", bounds, e))
        case Infix("#", left, Listed("<<", ())) if (
            opened.kinds.of(left) == "sequence" and "Len" not in opened.definitions
        ):
            length = Call("Len", (left,))
            yield _change(formula, Infix("=", length, _ONE))
            yield _change(formula, Infix(">", length, _ONE))
        case Infix("<", left, right):
            yield _change(formula, Infix("=", _plus_one(left), right))
        case Infix(">", left, right):
            yield _change(formula, Infix("=", left, _plus_one(right)))
        case Infix("<=" | ">=" as operator, left, right):
            yield _change(formula, Infix("=", left, right))
            yield _change(formula, Infix(operator[0], left, right))
        case Infix("\\subseteq", left, right):
            yield _change(formula, Infix("=", left, right))
        case Let(definitions, body, recursive):
            yield from within(stronger(body, opened), lambda e: Let(definitions, e, recursive))
        case Name() | Call():
            yield from in_definition(formula, opened, stronger)
        case Prefix("<>", Prefix("[]", body)):
            yield _change(formula, Prefix("[]", body))
            yield from within(stronger(body, opened), lambda e: Prefix("<>", Prefix("[]", e)))
        case Prefix("<>", body):
            yield _change(formula, Prefix("<>", Prefix("[]", body)))
            yield from within(stronger(body, opened), lambda e: Prefix("<>", e))
        case Prefix("[]", Boxed("[", action, subscript)):
            yield from within(stronger(action, opened), lambda e: Prefix("[]", Boxed("[", e, subscript)))


def _of_behaviours(formula: Expression, opened: Opened) -> Iterator[Change]:
    match formula:
        case Prefix("<>", Prefix("[]", body)):
            yield _change(formula, Prefix("[]", Prefix("<>", body)))
            yield _change(formula, Prefix("<>", body))
            yield from within(weaker(body, opened), lambda e: Prefix("<>", Prefix("[]", e)))
        case Prefix("[]", Prefix("<>", body)):
            yield _change(formula, Prefix("<>", body))
            yield from within(weaker(body, opened), lambda e: Prefix("[]", Prefix("<>", e)))
        case Prefix("[]", Boxed("[", action, subscript)):
            yield from within(weaker(action, opened), lambda e: Prefix("[]", Boxed("[", e, subscript)))
        case Prefix("<>" | "[]" as operator, body):
            yield from within(weaker(body, opened), lambda e: Prefix(operator, e))
        case Infix("~>", left, right):
            yield from within(stronger(left, opened), lambda e: Infix("~>", e, right))
            yield from within(weaker(right, opened), lambda e: Infix("~>", left, e))


def _is_own(formula: Expression, opened: Opened) -> bool:
    """Tell whether a formula has an operator that the module defines itself: nobody knows what is less of it."""
    return isinstance(formula, Infix) and formula.operator in opened.definitions


# -- parts -------------------------------------------------------------------------------------------------------


def _change(before: Expression, after: Expression) -> Change:
    return f"{on_one_line(before)} -> {on_one_line(after)}", after


def _plus_one(number: Expression) -> Expression:
    if isinstance(number, Literal):
        return Literal(str(int(number.text) + 1))
    return Infix("+", number, _ONE)


def within(changes: Iterator[Change], around: Callable[[Expression], Expression]) -> Iterator[Change]:
    """Yield the changes of a part as changes of the whole, which ``around`` makes of the part."""
    return ((change, around(part)) for change, part in changes)


def _without_each(items: tuple[Expression, ...], opened: Opened) -> Iterator[Change]:
    for number, item in enumerate(items if len(items) > 1 else ()):
        yield f"{on_one_line(item)} -> TRUE", joined("/\\", items[:number] + items[number + 1 :])
    yield from in_each("/\\", items, opened, weaker)


def _with_fewer(items: tuple[Expression, ...], opened: Opened) -> Iterator[Change]:
    for number, item in enumerate(items if len(items) > 1 else ()):
        yield f"{on_one_line(item)} -> FALSE", joined("\\/", items[:number] + items[number + 1 :])
    yield from in_each("\\/", items, opened, stronger)


def in_each(operator: str, items: tuple[Expression, ...], opened: Opened, make: Maker) -> Iterator[Change]:
    """Yield the changes of one sort of each part of a conjunction, or a disjunction, one part at a time."""
    for number, item in enumerate(items):
        for change, part in make(item, opened):
            yield change, joined(operator, (*items[:number], part, *items[number + 1 :]))


def _over_less(formula: Expression, bounds: tuple[Bound, ...], body: Expression) -> Iterator[Change]:
    kind = formula.kind if isinstance(formula, Quantification) else ""
    for number, bound in enumerate(bounds):
        if bound.domain is None:
            continue
        for less in (ALL_BUT_ONE, ONE_OF):
            domain = Call(less, (bound.domain,))
            before = f"{kind} {', '.join(bound.names)} \\in {on_one_line(bound.domain)}"
            fewer = (*bounds[:number], replace(bound, domain=domain), *bounds[number + 1 :])
            yield f"{before} -> {less}({on_one_line(bound.domain)})", Quantification(kind, fewer, body)


def _equality(left: Expression, right: Expression, opened: Opened) -> Iterator[Change]:
    formula = Infix("=", left, right)
    if isinstance(right, If):
        then, otherwise = Infix("=", left, right.then), Infix("=", left, right.otherwise)
        yield _change(formula, Infix("=>", right.condition, then))
        yield _change(formula, Infix("=>", Prefix("~", right.condition), otherwise))
    if _is_empty(left) or _is_empty(right):
        return
    kinds = opened.kinds.of(left), opened.kinds.of(right)
    kind = kinds[1] if kinds[0] in {None, "empty"} else kinds[0]
    if kind == "sequence":
        for operator in ("Len", RANGE) if "Len" not in opened.definitions else (RANGE,):
            yield _change(formula, Infix("=", Call(operator, (left,)), Call(operator, (right,))))
    elif kind == "set":
        yield _change(formula, Infix("\\subseteq", left, right))
        yield _change(formula, Infix("\\subseteq", right, left))
    elif kind == "number":
        yield _change(formula, Infix("<=", left, right))
        yield _change(formula, Infix(">=", left, right))
    elif kind == "boolean":
        yield _change(formula, Infix("=>", left, right))
        yield _change(formula, Infix("=>", right, left))
    elif isinstance(kind, tuple):
        given = _shape(left, right, kind)
        parts = joined("/\\", _by_parts(left, right, kind, opened))
        yield from within(weaker(parts, opened), lambda e: Junction("/\\", (*given, e)))


def _shape(left: Expression, right: Expression, kind: Kind) -> tuple[Expression, ...]:
    """Return what two equal functions or tuples have in common besides their values; weakenings keep it.

    Without it there are no values to be compared.
    """
    if kind[0] == "function":
        return (Infix("=", Prefix("DOMAIN", left), Prefix("DOMAIN", right)),)
    return (Infix("#", left, Listed("<<", ())),) if kind[0] == "tuple" else ()


def _is_empty(expression: Expression) -> bool:
    return isinstance(expression, Listed) and not expression.items


def _by_parts(left: Expression, right: Expression, kind: Kind, opened: Opened) -> tuple[Expression, ...]:
    """Return the conjuncts that together say that two functions, records or tuples of one shape are equal."""
    if kind[0] == "function":
        at = (Name("at"),)
        values = Infix("=", Index(left, at), Index(right, at))
        return (Quantification("\\A", (Bound(("at",), Prefix("DOMAIN", left)),), values),)
    if kind[0] == "record":
        return tuple(
            Infix("=", _field(left, name, opened), _field(right, name, opened)) for name, _ in kind[1]
        )
    return tuple(
        Infix("=", _item(left, number, opened), _item(right, number, opened))
        for number in range(len(kind[1]))
    )


def _open(expression: Expression, opened: Opened) -> Expression:
    """Return what a name stands for, if that is a tuple or a record."""
    if isinstance(expression, Name) and expression.name in opened.definitions:
        body = opened.definitions[expression.name].body
        if isinstance(body, Listed | Record):
            return body
    return expression


def _field(base: Expression, name: str, opened: Opened) -> Expression:
    body = _open(base, opened)
    return dict(body.entries)[name] if isinstance(body, Record) else Field(base, name)


def _item(base: Expression, number: int, opened: Opened) -> Expression:
    body = _open(base, opened)
    return body.items[number] if isinstance(body, Listed) else Index(base, (Literal(str(number + 1)),))


def in_definition(formula: Name | Call, opened: Opened, make: Maker) -> Iterator[Change]:
    """Yield the changes of one sort within the definition of a helper, in the place of its call."""
    name = formula.name
    if name not in opened.helpers or opened.depth > DEEPEST:
        return
    body = inlined(opened.definitions[name], formula.arguments if isinstance(formula, Call) else ())
    for change, part in make(body, replace(opened, depth=opened.depth + 1)):
        yield f"{name}: {change.replace(own_mark(name), '')}", part
