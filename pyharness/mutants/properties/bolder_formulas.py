r"""Say more with a formula in one place: without a premise, or a part of one; with one exemption less.

- of ``A => B`` the premise is dropped, or one of its conjuncts;
- of ``A \/ B`` one part is left out;
- of ``\A x \in S : A`` the set is what ``S`` is a part of: ``T`` of ``{x \in T : P}``, of ``T \ U``, of ``T \cap U``.

Each implies the original, by construction. Where it holds in all models too, the property says too little, or the
models show too little.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.mutants.properties.formula_weakenings import (
    DEEPEST,
    in_definition,
    in_each,
    inlined,
    own_mark,
    within,
)
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.mutants.properties.formula_weakenings import Change, Opened
    from pyharness.tla.modules.expressions import Expression


def bolder(formula: Expression, opened: Opened) -> Iterator[Change]:
    """Yield the formulas that say more than this one: what is changed, as ``before -> after``, and the whole."""
    match formula:
        case ast.Infix("=>", left, right):
            yield f"{on_one_line(left)} -> TRUE", right
            conjuncts = ast.row("/\\", left)
            for number, each in enumerate(conjuncts if len(conjuncts) > 1 else ()):
                rest = ast.joined("/\\", conjuncts[:number] + conjuncts[number + 1 :])
                yield f"{on_one_line(each)} -> TRUE", ast.Infix("=>", rest, right)
            yield from within(bolder(right, opened), lambda e: ast.Infix("=>", left, e))
        case ast.Junction("/\\", _) | ast.Infix("/\\", _, _):
            yield from in_each("/\\", ast.row("/\\", formula), opened, bolder)
        case ast.Junction("\\/", _) | ast.Infix("\\/", _, _):
            items = ast.row("\\/", formula)
            for number, each in enumerate(items if len(items) > 1 else ()):
                yield f"{on_one_line(each)} -> FALSE", ast.joined("\\/", items[:number] + items[number + 1 :])
            yield from in_each("\\/", items, opened, bolder)
        case ast.Quantification(kind, bounds, body):
            for number, bound in enumerate(bounds if kind == "\\A" else ()):
                for change, wider in _wider(bound.domain, opened):
                    yield change, ast.Quantification(kind, _with(bounds, number, wider), body)
            yield from within(bolder(body, opened), lambda e: ast.Quantification(kind, bounds, e))
        case ast.If(condition, then, otherwise):
            yield from within(bolder(then, opened), lambda e: ast.If(condition, e, otherwise))
            yield from within(bolder(otherwise, opened), lambda e: ast.If(condition, then, e))
        case ast.Prime(body):
            yield from within(bolder(body, opened), ast.Prime)
        case ast.Let(definitions, body, recursive):
            yield from within(bolder(body, opened), lambda e: ast.Let(definitions, e, recursive))
        case ast.Prefix("[]", ast.Boxed("[", action, subscript)):
            yield from within(
                bolder(action, opened), lambda e: ast.Prefix("[]", ast.Boxed("[", e, subscript))
            )
        case ast.Prefix("<>" | "[]" as operator, body):
            yield from within(bolder(body, opened), lambda e: ast.Prefix(operator, e))
        case ast.Name() | ast.Call():
            yield from in_definition(formula, opened, bolder)


def _wider(domain: Expression | None, opened: Opened) -> Iterator[Change]:
    """Yield the sets that a quantifier's set is a part of, as it is written or as the name that it is is defined."""
    whole: tuple[Expression | None, ...] = ()
    match domain:
        case ast.Filtered(bound, _):
            whole = (bound.domain,)
        case ast.Infix("\\", left, _):
            whole = (left,)
        case ast.Infix("\\cap" | "\\intersect", left, right):
            whole = (left, right)
        case ast.Name() | ast.Call() if domain.name in opened.definitions and opened.depth <= DEEPEST:
            arguments = domain.arguments if isinstance(domain, ast.Call) else ()
            body = inlined(opened.definitions[domain.name], arguments)
            for change, wider in _wider(body, replace(opened, depth=opened.depth + 1)):
                yield f"{domain.name}: {change.replace(own_mark(domain.name), '')}", wider
    for each in whole:
        if domain is not None and each is not None:
            yield f"{on_one_line(domain)} -> {on_one_line(each)}", each


def _with(bounds: tuple[ast.Bound, ...], number: int, domain: Expression) -> tuple[ast.Bound, ...]:
    return (*bounds[:number], replace(bounds[number], domain=domain), *bounds[number + 1 :])
