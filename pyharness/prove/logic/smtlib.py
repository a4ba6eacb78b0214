"""Formulas as SMT-LIB 2 text. A solver is given this text, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.prove.logic.formula import (
    ABOVE,
    FALSE,
    SORTS,
    TRUE,
    And,
    App,
    Equal,
    Expr,
    Implies,
    Ite,
    Not,
    Or,
    Quantified,
    Symbol,
    Var,
    disj,
    equal,
    every,
    implies,
    symbols_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class _Closed(NamedTuple):
    """A formula without free variables, its text, and the symbols that occur in it."""

    formula: Expr
    text: str
    symbols: tuple[Symbol, ...]


_ASSERTED: Final[dict[int, _Closed]] = {}
"""By the identity of the formula: many obligations have the same hypothesis."""


def _closed(formula: Expr) -> _Closed:
    return _Closed(formula, text_of(formula), tuple(symbols_of(formula)))


def _asserted(formula: Expr) -> _Closed:
    if (kept := _ASSERTED.get(id(formula))) is None:
        kept = _ASSERTED[id(formula)] = _closed(formula)
    return kept


def text_of(expression: Expr) -> str:
    """Return the expression as SMT-LIB 2. A variable's number is how deep it stands, so the text is always the same."""
    return _text(expression, {})


def _text(e: Expr, names: Mapping[int, str]) -> str:
    match e:
        case Var(_, _, number):
            return names[number]
        case App(symbol, ()):
            return symbol.name
        case App(symbol, arguments):
            return _list(symbol.name, arguments, names)
        case _ if e == TRUE:
            return "true"
        case _ if e == FALSE:
            return "false"
        case Not(body):
            return _list("not", (body,), names)
        case And(parts):
            return _list("and", parts, names)
        case Or(parts):
            return _list("or", parts, names)
        case Implies(left, right):
            return _list("=>", (left, right), names)
        case Equal(left, right):
            return _list("=", (left, right), names)
        case Ite(condition, then, other):
            return _list("ite", (condition, then, other), names)
        case Quantified(universal, variables, body):
            named = {**names}
            for v in variables:
                named[v.number] = f"{v.name}_{len(named)}"
            bound = " ".join(f"({named[v.number]} {v.of.name})" for v in variables)
            return f"({'forall' if universal else 'exists'} ({bound}) {_text(body, named)})"
    return str(e)


def _list(head: str, parts: Iterable[Expr], names: Mapping[int, str]) -> str:
    return f"({head} {' '.join(_text(part, names) for part in parts)})"


ORDER = {
    "no position is above itself": every(lambda k: ~ABOVE(k, k)),
    "above is transitive": every(lambda i, j, k: implies(ABOVE(i, j) & ABOVE(j, k), ABOVE(i, k))),
    "of two positions one is above": every(lambda j, k: disj(equal(j, k), ABOVE(j, k), ABOVE(k, j))),
}
"""Positions in a channel are totally ordered."""


def script(head: str, assertions: Mapping[str, Expr], goals: Sequence[Expr] = ()) -> str:
    """Return an SMT-LIB 2 script that asserts all, each behind a comment that names it.

    Of each goal it then asks whether it can fail: the answer should be ``unsat``. Without goals it asks whether the
    assertions can hold together: the answer should be ``sat``. ``head`` is the comment that it begins with.
    """
    asserted = {name: _asserted(body) for name, body in assertions.items() if body != TRUE}
    asked = [_closed(goal) for goal in goals]
    if any(ABOVE in formula.symbols for formula in (*asserted.values(), *asked)):
        asserted = {**{name: _asserted(law) for name, law in ORDER.items()}, **asserted}
    lines = [f"; {line}" for line in head.splitlines()]
    lines += ["(set-logic UF)"]
    symbols = dict.fromkeys(symbol for f in (*asserted.values(), *asked) for symbol in f.symbols)
    used = {sort for symbol in symbols for sort in (*symbol.arguments, symbol.sort)}
    lines += [f"(declare-sort {sort.name} 0)" for sort in SORTS if sort in used]
    lines += [
        f"(declare-fun {s.name} ({' '.join(a.name for a in s.arguments)}) {s.sort.name})" for s in symbols
    ]
    for name, body in asserted.items():
        lines += [f"; {name}", f"(assert {body.text})"]
    for goal in asked:
        lines += ["(push 1)", f"(assert (not {goal.text}))", "(check-sat)", "(pop 1)"]
    return "\n".join([*lines, *([] if goals else ["(check-sat)"]), ""])
