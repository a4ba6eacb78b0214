"""The obligations as Coq text: what the solvers are asked is what the proofs in ``specs/coq`` take as hypotheses.

The text is made from the very formulas, by the very functions, that make the questions for the solvers. There is one
difference. In a question the state after an action is written out, as functions of the state before it; here it has a
name, ``y``, and that its variables are those functions is a part of the action. Each record has a field for each
obligation, of its name, with ``_`` for ``/``.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.own_files import write_named
from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    FALSE,
    TRUE,
    Expr,
    Symbol,
    conj,
    equal,
    implies,
    negate,
    text_of,
)
from pyharness.prove.logic.formula import (
    And,
    App,
    Equal,
    Implies,
    Ite,
    Not,
    Or,
    Quantified,
    Var,
    parts_of,
    symbols_of,
)
from pyharness.prove.modules.application_proof import SOURCE, TARGET, VARIABLES, Application
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR, ChandyLamport
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.obligations import obligations
from pyharness.prove.steps import State, Step
from pyharness.prove.theorems import snapshot_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyharness.prove.obligations import Obligation
    from pyharness.prove.proof_module import Action, System

_GRAPH: Final = (SOURCE, TARGET, ABOVE, INITIATOR)
_KEYWORDS: Final = {"at": "at_"}
_AFTER: Final = {
    Symbol(f"{v.name}!", v.arguments, v.sort): v.name for v in VARIABLES.values() if v.name != "paused"
}
_BEFORE: Final = {v: v.name for v in VARIABLES.values()}

_HEAD: Final = (
    "(* Made by pyharness/prove/coq_obligations.py from the formulas that the solvers are asked. *)"
)


def field_of(obligation: str) -> str:
    """Return the name in Coq of ``Module/Obligation``."""
    return obligation.replace("/", "_")


def coq_text() -> str:
    """Return the obligations of ``WhiteRed`` and ``ChandyLamport``, and that snapshots of the latter end."""
    lines = [_HEAD, "From Snapshots Require Import Structures."]
    for kind in (WhiteRed, ChandyLamport):
        names = _Names(kind)
        lines += names.definitions()
        lines += names.record(kind.name, lambda module: obligations(module))
        if kind is ChandyLamport:
            lines += names.record(snapshot_ends.NAME, snapshot_ends.of_module)
    return "\n".join(lines) + "\n"


def named(kind: type[System]) -> System:
    """Return the module with actions after which the state has a name."""

    class Named(kind):  # type: ignore[misc,valid-type]
        def actions(self) -> list[Action]:
            return [replace(action, method=_naming(self, action)) for action in super().actions()]

    Named.__name__ = kind.__name__
    return Named(Application())


def _naming(module: System, action: Action) -> Callable[..., Step]:
    def method(s: State, *arguments: Any) -> Step:
        step = action.method(s, *arguments)
        return Step(conj(step.guard, *_is(module, step.after)), _after(module), step.does)

    return method


def _after(module: System) -> State:
    """Return the state of which nothing is known but its name."""
    return State({v.name: Symbol(f"{v.name}!", v.arguments, v.sort) for v in module.variables})


def _is(module: System, after: State) -> Iterator[Expr]:
    """Yield the value of each variable after the step, as an equation."""
    for v in module.variables:
        places = tuple(Var(sort.letter.lower(), sort, -n) for n, sort in enumerate(v.arguments, start=1))
        new = Symbol(f"{v.name}!", v.arguments, v.sort)(*places)
        yield Quantified(True, places, equal(new, getattr(after, v.name)(*places)))


class _Names:
    """The definitions with a name in Coq: the actions of a module, its conjuncts, and the properties of its steps."""

    def __init__(self, kind: type[System]) -> None:
        self.plain, self.module = kind(Application()), named(kind)
        self.known: dict[str, str] = {}
        s, t, self.of = self.module.state(), _after(self.module), kind.name
        self.bodies = [("Init", "x", self.module.initial(s))]
        self.bodies += [(fact.name, "x", method(s)) for fact, method in self.module.declared("conjunct")]
        self.bodies += [(fact.name, "x y", method(s, t)) for fact, method in self.module.declared("keeps")]
        for name, states, body in self.bodies:
            self.known[text_of(body)] = f"{self.of}_{name} {states}"
        for fact, method in self.module.declared("conjunct"):
            self.known[text_of(method(t))] = f"{self.of}_{fact.name} y"
        for action in self.module.actions():
            parameters = "".join(f" {_name(p.name)}" for p in action.parameters)
            self.known[text_of(action(s).guard)] = f"{self.of}_{action.name} x y{parameters}"

    def definitions(self) -> Iterator[str]:
        """Yield the definitions, the invariant and the next-state relation among them."""
        for name, states, body in self.bodies:
            yield f"Definition {self.of}_{name} {{G : structure}} ({states} : values G) : Prop :=\n  {coq(body)}."
        conjuncts = " /\\ ".join(f"{self.of}_{fact.name} x" for fact, _ in self.module.declared("conjunct"))
        yield f"Definition {self.of}_Inv {{G : structure}} (x : values G) : Prop := {conjuncts}."
        steps = []
        for action in self.module.actions():
            bound = " ".join(f"({_name(p.name)} : {_type(p)})" for p in action.parameters)
            guard = coq(action(self.module.state()).guard)
            yield f"Definition {self.of}_{action.name} {{G : structure}} (x y : values G) {bound} : Prop :=\n  {guard}."
            given = " ".join(_name(p.name) for p in action.parameters)
            steps.append(f"(exists {bound}, {self.of}_{action.name} x y {given})")
        either = " \\/\n  ".join(steps)
        yield f"Definition {self.of}_Next {{G : structure}} (x y : values G) : Prop :=\n  {either}."

    def record(self, name: str, made: Callable[[System], Iterator[Obligation]]) -> Iterator[str]:
        """Yield the record of those obligations that have a goal."""
        yield f"Record {name}_obligations (G : structure) : Prop := {{"
        fields = []
        for plain, named in zip(made(self.plain), made(self.module), strict=True):
            chosen = plain if plain.step is None else named
            if chosen.goal is not None:
                fields.append(
                    f"  {field_of(f'{chosen.module}/{chosen.name}')} :\n    {self._statement(chosen, chosen.goal)}"
                )
        yield ";\n".join(fields)
        yield "}."

    def _statement(self, obligation: Obligation, goal: Expr) -> str:
        hypotheses = [self._call(e) for e in obligation.hypotheses.values() if e != TRUE]
        invariant = [f"{self.of}_{conjunct.name} x" for conjunct, _ in self.module.declared("conjunct")]
        if hypotheses[: len(invariant)] == invariant:
            hypotheses = [f"{self.of}_Inv x", *hypotheses[len(invariant) :]]
        expressions = [*obligation.hypotheses.values(), goal]
        parameters = obligation.step[0].parameters if obligation.step else ()
        known = (*_GRAPH, *_BEFORE, *_AFTER)
        free = dict.fromkeys([*parameters, *(v for v in symbols_of(*expressions) if v not in known)])
        states = "x y" if any(v in _AFTER for v in symbols_of(*expressions)) else "x"
        bound = "".join(f" ({_name(v.name)} : {_type(v)})" for v in free)
        return f"forall ({states} : values G){bound},\n    " + " ->\n    ".join(
            [*hypotheses, self._call(goal)]
        )

    def _call(self, expression: Expr) -> str:
        return self.known.get(text_of(expression)) or f"({coq(expression)})"


def _name(name: str) -> str:
    return _KEYWORDS.get(name, name)


def _type(symbol: Symbol) -> str:
    sorts = [
        *(f"{sort.name} G" for sort in symbol.arguments),
        "Prop" if symbol.sort == BOOL else f"{symbol.sort.name} G",
    ]
    return " -> ".join(sorts)


def coq(expression: Expr) -> str:
    """Return a formula as Coq text. A term that depends on a condition makes two cases of its context."""
    return _coq(expression, {})


def _coq(e: Expr, names: Mapping[int, str]) -> str:
    if isinstance(e, App | Equal) and (choice := _choice(e)) is not None:
        then, other = (_with(e, choice, one) for one in (choice.then, choice.other))
        return _coq(conj(implies(choice.condition, then), implies(negate(choice.condition), other)), names)
    match e:
        case Var(_, _, number):
            return names[number]
        case App(symbol, arguments):
            return _applied(symbol, arguments, names)
        case _ if e == TRUE:
            return "True"
        case _ if e == FALSE:
            return "False"
        case Not(body):
            return f"~ {_inner(body, names)}"
        case And(parts):
            return " /\\ ".join(_inner(part, names) for part in parts)
        case Or(parts):
            return " \\/ ".join(_inner(part, names) for part in parts)
        case Implies(left, right):
            return f"{_inner(left, names)} -> {_inner(right, names)}"
        case Equal(left, right):
            sign = "<->" if left.sort == BOOL else "="
            return f"{_inner(left, names)} {sign} {_inner(right, names)}"
        case Quantified(universal, variables, body):
            named = {**names}
            for v in variables:
                named[v.number] = f"{v.name}_{len(named)}"
            bound = " ".join(f"({named[v.number]} : {v.of.name} G)" for v in variables)
            return f"{'forall' if universal else 'exists'} {bound}, {_coq(body, named)}"
    raise TypeError(f"no formula: {e}")


def _inner(e: Expr, names: Mapping[int, str]) -> str:
    return f"({_coq(e, names)})"


def _applied(symbol: Symbol, arguments: Sequence[Expr], names: Mapping[int, str]) -> str:
    if symbol in _BEFORE:
        head = f"{symbol.name} x"
    elif symbol in _AFTER:
        head = f"{_AFTER[symbol]} y"
    else:
        head = _name(symbol.name)
    return " ".join([head, *(_coq(a, names) if isinstance(a, Var) else _inner(a, names) for a in arguments)])


def _choice(e: Expr) -> Ite | None:
    """Return the first term in an atom that depends on a condition."""
    for part in parts_of(e):
        if part.sort == BOOL:
            continue
        if isinstance(part, Ite):
            return part
        if (found := _choice(part)) is not None:
            return found
    return None


def _with(e: Expr, old: Expr, new: Expr) -> Expr:
    """Return an atom with one term for another."""
    if e is old:
        return new
    match e:
        case App(symbol, arguments):
            return App(symbol, tuple(_with(a, old, new) for a in arguments))
        case Equal(left, right):
            return equal(_with(left, old, new), _with(right, old, new))
        case Ite(condition, then, other):
            return Ite(condition, _with(then, old, new), _with(other, old, new))
    return e


if __name__ == "__main__":
    write_named(Path(sys.argv[1]), coq_text())
