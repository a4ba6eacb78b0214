r"""One mutant of a spec: what was changed, and where; and all changes that are made to an expression, one at a time.

The changes that are made to an expression of an action, one place at a time. A guard is a conjunct without a prime.
Changes that make a step impossible to compute are left out: an update keeps its variable before ``=``, and two of them are
not joined by ``\/``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from pyharness.tla.modules.expressions import Expression


@dataclass(frozen=True)
class SpecMutant:
    """The mutant ``number``, from 1: a change of the ``definition`` in a line of a module.

    ``kind`` is the kind of change, in words, ``old`` and ``new`` are the parts, ``new`` is ``None`` where it is dropped.
    Where a definition has the same change in several places, ``occurrence`` is the number of this one, from 1.
    """

    number: int
    definition: str
    module: str
    line: int
    kind: str
    old: Expression
    new: Expression | None
    occurrence: int = 0

    @property
    def place(self) -> str:
        """Where it is: ``Foo.tla:12``."""
        return f"{self.module}.tla:{self.line}"

    @property
    def old_text(self) -> str:
        """The part that is changed, in one line."""
        return on_one_line(self.old)

    @property
    def new_text(self) -> str:
        """The part that takes its place; empty where it is dropped."""
        return "" if self.new is None else on_one_line(self.new)

    @property
    def change(self) -> str:
        """The change, by a name that no other one of its definition has, in every model."""
        again = f" ({self.occurrence})" if self.occurrence else ""
        return f"{_change(self)}{again}"

    def __str__(self) -> str:
        return f"{self.place} {self.definition}, {self.change}"


def with_occurrences(mutants: Iterable[SpecMutant]) -> list[SpecMutant]:
    """Return mutants, in the order of the text, with the ``occurrence`` of each that is not alone."""
    given = list(mutants)
    keys = [(each.definition, _change(each)) for each in given]
    all_of, so_far = Counter(keys), Counter[tuple[str, str]]()
    found = []
    for each, key in zip(given, keys, strict=True):
        so_far[key] += 1
        found.append(replace(each, occurrence=so_far[key] if all_of[key] > 1 else 0))
    return found


def _change(mutant: SpecMutant) -> str:
    return f"{mutant.kind}: {mutant.old_text}" + (f" -> {mutant.new_text}" if mutant.new_text else "")


_SWAPPED: Final = {
    "=": ("#",), "#": ("=",), "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "\\in": ("\\notin",), "\\notin": ("\\in",), "\\subseteq": (), "+": ("-",), "-": ("+",), "*": ("+",),
    "\\cup": ("\\",), "\\": ("\\cup",), "\\cap": ("\\cup",), "/\\": ("\\/",), "\\/": ("/\\",), "=>": ("/\\",),
}  # fmt: skip
_JOINED: Final = {"/\\": "\\/", "\\/": "/\\"}
_QUANTIFIERS: Final = {"\\A": "\\E", "\\E": "\\A"}
_TRUTHS: Final = {"TRUE": "FALSE", "FALSE": "TRUE"}
_LARGEST: Final = 1_000_000


class Assigned(NamedTuple):
    """The operators that give variables their values: ``operators`` that are given arguments, ``definitions`` without.

    Of an initial predicate it is ``x = e`` for its ``variables``, too; in a step it is ``x' = e``.
    """

    operators: Container[str] = ()
    definitions: Container[str] = ()
    variables: Container[str] = ()


_OF_NONE: Final = {"/\\": "TRUE", "\\/": "FALSE"}
"""The neutral element: a list of one item without it."""

NOTHING: Final = Assigned()
"""No operator gives values: only ``x' = e`` does."""


class Change(NamedTuple):
    """A change: the ``kind``, in words, the ``old`` part and the ``new`` one, and the changed expression as ``result``.

    ``at`` is the place of the part in the order of ``within``; ``new`` is ``None`` where the part is dropped.
    """

    kind: str
    old: Expression
    new: Expression | None
    result: Expression
    at: int


def changes(expression: Expression, assigned: Assigned = NOTHING) -> Iterator[Change]:
    """Yield all changes of an expression, in the order of the text; no two have the same result.

    ``assigned`` are the operators that give values, and are not guards.
    """
    seen = {expression}
    partners = dict(_partners(expression, {}, [0]))
    for at, part in enumerate(ast.within(expression)):
        for kind, old, new, put in _of_part(part, partners.get(at, ()), assigned):
            changed = _put(expression, at, put)
            if changed not in seen:
                seen.add(changed)
                yield Change(kind, old, new, changed, at)


def _of_part(
    part: Expression, partners: tuple[str, ...], assigned: Assigned
) -> Iterator[tuple[str, Expression, Expression | None, Expression]]:
    """Yield the kind, the old and the new part as they are shown, and the expression that takes the place of the part."""
    match part:
        case ast.Junction(operator, items):
            yield from _of_items(
                operator,
                items,
                assigned,
                lambda rest: ast.joined(operator, rest) if rest else ast.Name(_OF_NONE[operator]),
            )
            if len(items) > 1 and not any(_is_step(item, assigned) for item in items):
                yield (
                    "another operator",
                    part,
                    ast.Junction(_JOINED[operator], items),
                    ast.Junction(_JOINED[operator], items),
                )
        case ast.Infix("/\\" | "\\/" as operator, left, right):
            yield from _of_items(
                operator,
                (left, right),
                assigned,
                lambda rest: rest[0] if len(rest) == 1 else ast.Infix(operator, *rest),
            )
            if not _is_step(part, assigned):
                swapped = ast.Infix(_JOINED[operator], left, right)
                yield "another operator", part, swapped, swapped
        case ast.Infix("=" | "\\in", ast.Prime() as left, right):
            if isinstance(left.body, ast.Name) and right != left.body and part.operator == "=":
                kept = ast.Infix("=", left, left.body)
                yield "an update is forgotten", part, kept, kept
        case ast.Infix(operator, left, right) if operator in _SWAPPED and not _is_step(part, assigned):
            for other in _SWAPPED[operator]:
                yield "another operator", part, ast.Infix(other, left, right), ast.Infix(other, left, right)
        case ast.Quantification(kind, bounds, body) if kind in _QUANTIFIERS and not _is_step(body, assigned):
            quantified = ast.Quantification(_QUANTIFIERS[kind], bounds, body)
            yield "another quantifier", part, quantified, quantified
        case ast.If(condition, then, otherwise) if not _is_step(condition, assigned):
            yield (
                "an IF is negated",
                condition,
                ast.Prefix("~", condition),
                ast.If(ast.Prefix("~", condition), then, otherwise),
            )
        case ast.Literal(text) if text.isdigit() and len(text) < 19 and int(text) < _LARGEST:
            for number in (int(text) + 1, *([int(text) - 1] if int(text) else [])):
                yield "off by one", part, ast.Literal(str(number)), ast.Literal(str(number))
        case ast.Name(name) if name in _TRUTHS:
            yield "another constant", part, ast.Name(_TRUTHS[name]), ast.Name(_TRUTHS[name])
        case ast.Name():
            for other_name in partners:
                yield "another variable of its domain", part, ast.Name(other_name), ast.Name(other_name)
        case ast.Listed("{", items):
            for number, item in enumerate(items):
                rest = ast.Listed("{", items[:number] + items[number + 1 :])
                yield "an element is dropped", item, None, rest


def _of_items(
    operator: str,
    items: tuple[Expression, ...],
    assigned: Assigned,
    join: Callable[[tuple[Expression, ...]], Expression],
) -> Iterator[tuple[str, Expression, Expression | None, Expression]]:
    """Yield the conjunction, or disjunction, without one of its parts, and with one that is negated."""
    for number, item in enumerate(items):
        others = items[:number] + items[number + 1 :]
        if operator == "\\/":
            yield "an alternative is dropped", item, None, join(others)
        elif not _is_step(item, assigned):
            yield "a guard is dropped", item, None, join(others)
            if not _is_junction(item):
                negated = ast.Prefix("~", item)
                yield (
                    "a guard is negated",
                    item,
                    negated,
                    join((*items[:number], negated, *items[number + 1 :])),
                )


def _is_junction(part: Expression) -> bool:
    return isinstance(part, ast.Junction | ast.CaseOf) or (
        isinstance(part, ast.Infix) and part.operator in _SWAPPED
    )


def _is_step(part: Expression, assigned: Assigned) -> bool:
    """Return whether a part speaks of the next state, itself or by ``UNCHANGED``, or gives a variable its first value."""
    return any(
        isinstance(each, ast.Prime | ast.Boxed)
        or (isinstance(each, ast.Prefix) and each.operator == "UNCHANGED")
        or (
            isinstance(each, ast.Call)
            and any(_is_one_of(given, assigned.variables) for given in each.arguments)
        )
        or (isinstance(each, ast.Call) and each.name in assigned.operators)
        or (isinstance(each, ast.Name) and each.name in assigned.definitions)
        or (
            isinstance(each, ast.Infix)
            and each.operator in ("=", "\\in")
            and _is_one_of(each.left, assigned.variables)
        )
        for each in ast.within(part)
    )


def _is_one_of(part: Expression, names: Container[str]) -> bool:
    return isinstance(part, ast.Name) and part.name in names


def _put(expression: Expression, at: int, new: Expression) -> Expression:
    """Return an expression with its part at a place replaced."""
    counter = [-1]

    def change(part: Expression) -> Expression:
        counter[0] += 1
        if counter[0] == at:
            counter[0] += sum(1 for _ in ast.within(part)) - 1
            return new
        return ast.rebuilt(part, change)

    return change(expression)


def _partners(
    part: Expression, scope: Mapping[str, tuple[str, ...]], counter: list[int]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield for names, by place, the others that are bound with the same domain around them."""
    at = counter[0]
    counter[0] += 1
    if isinstance(part, ast.Name) and part.name in scope:
        yield at, scope[part.name]
    inner = scope
    if isinstance(part, ast.Quantification):
        inner = {**scope, **_of_one_domain(part.bounds)}
    if isinstance(part, ast.Bound | ast.Binding | ast.Lambda | ast.Instanced):
        inner = {name: others for name, others in scope.items() if name not in _named(part)}
    for each in ast.parts_of(part):
        yield from _partners(each, inner, counter)


def _named(part: Expression) -> tuple[str, ...]:
    return part.names if isinstance(part, ast.Bound) else getattr(part, "parameters", ())


def _of_one_domain(bounds: tuple[ast.Bound, ...]) -> dict[str, tuple[str, ...]]:
    by_domain: dict[Expression | None, list[str]] = {}
    for bound in bounds:
        if not bound.tupled:
            by_domain.setdefault(bound.domain, []).extend(bound.names)
    return {
        name: tuple(other for other in names if other != name)
        for names in by_domain.values()
        for name in names
    }
