"""The obligations of a module, as formulas without free variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pyharness.base.errors import SpecError
from pyharness.prove.logic import (
    ABOVE,
    GLOBAL,
    TRUE,
    Expr,
    Sort,
    conj,
    disj,
    equal,
    every,
    implies,
    negate,
    script,
    several,
    symbols_of,
    text_of,
)
from pyharness.prove.logic.formula import SORTS, And, Implies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.prove.proof_module import Action, System
    from pyharness.prove.steps import State, Step


@dataclass(frozen=True)
class Obligation:
    """From the ``hypotheses``, by name, the ``goal`` follows; or, without a goal, they hold together somewhere.

    ``name`` is what, under what circumstances: ``OneMarker/AcceptMarker`` of module ``module``. ``claims`` are those
    that it is a part of. ``expected`` is the answer of a solver to the hypotheses and the negation of the goal.
    ``positions`` marks one about the positions that stand for sequences, of which TLA+ has none.
    """

    module: str
    name: str
    claims: tuple[str, ...]
    hypotheses: Mapping[str, Expr]
    goal: Expr | None
    #: what the counterexample is to be shown as: the action that is taken, if any
    system: System | None = field(default=None, compare=False)
    step: tuple[Action, State, Step] | None = field(default=None, compare=False)
    positions: bool = field(default=False, compare=False)

    @property
    def expected(self) -> Literal["sat", "unsat"]:
        """The expected answer of a solver."""
        return "sat" if self.goal is None else "unsat"

    @property
    def assertions(self) -> dict[str, Expr]:
        """The assertions: the hypotheses, and the negation of the goal."""
        refuted = {} if self.goal is None else {"and yet not": negate(self.goal)}
        return {**self.hypotheses, **refuted}

    @property
    def formula(self) -> Expr:
        """All of it as one formula."""
        return conj(*self.assertions.values())

    def smtlib(self) -> str:
        """Return it as SMT-LIB 2."""
        claims = f"\nclaims: {', '.join(self.claims)}" if self.claims else ""
        asked = "possible" if self.goal is None else "valid"
        head = f"{self.module}/{self.name}: {asked} if {self.expected}{claims}"
        goals = () if self.goal is None else tuple(parts(self.goal)) or (TRUE,)
        return script(head, self.hypotheses, goals)


def parts(goal: Expr) -> Iterator[Expr]:
    """Yield the conjuncts of a goal, which are easier to prove one by one."""
    match goal:
        case And(inner):
            for part in inner:
                yield from parts(part)
        case Implies(left, right):
            for part in parts(right):
                yield implies(left, part)
        case _:
            yield goal


def invariant(system: System, state: State) -> dict[str, Expr]:
    """Return the assumptions of a module, and the conjuncts of its invariant in a state, by name."""
    assumed = {fact.name: method() for fact, method in system.declared("assumption")}
    return assumed | {fact.name: method(state) for fact, method in system.declared("conjunct")}


def obligations(system: System, *, without: str = "") -> Iterator[Obligation]:
    """Yield every obligation of a module.

    ``without`` leaves out the assumption or conjunct of that name.
    """
    state = system.state()
    kept = {name: body for name, body in invariant(system, state).items() if name != without}
    conjuncts = [entry for entry in system.declared("conjunct") if entry[0].name != without]
    module = system.name
    begins = {"Init": system.initial(state)} | {
        fact.name: kept[fact.name] for fact, _ in system.declared("assumption") if fact.name in kept
    }
    for fact, method in conjuncts:
        goal = method(state)
        yield Obligation(
            module, f"{fact.name}/Init", fact.claims, begins, goal, system, positions=fact.positions
        )
    for fact, method in system.declared("follows"):
        yield Obligation(module, fact.name, fact.claims + system.about, kept, method(state), system)
    for fact, method in system.declared("refinement"):
        claims = fact.claims + system.about
        yield Obligation(module, f"{fact.name}/Init", claims, begins, method(state, None), system)
    for action in system.actions():
        step = action(state)
        taken = {**kept, f"{action.name} is taken": step.guard}
        shown = (action, state, step)
        yield Obligation(module, f"Possible/{action.name}", action.claims, taken, None, system, shown)
        goals = [(fact, method(step.after)) for fact, method in conjuncts]
        goals += [(fact, method(state, step.after)) for fact, method in system.declared("keeps")]
        goals += [(fact, method(state, step)) for fact, method in system.declared("refinement")]
        for fact, goal in goals:
            about = system.about if fact.kind == "refinement" else ()
            claims = tuple(dict.fromkeys((*fact.claims, *about, *action.claims)))
            name = f"{fact.name}/{action.name}"
            yield Obligation(module, name, claims, taken, goal, system, shown, fact.positions)


def needed(system: System, what: str, by: str) -> Obligation:
    """Return the obligation that conjunct or assumption ``what`` is needed: without it, obligation ``by`` can fail.

    Raises SpecError when the module has no obligation ``by``.
    """
    for obligation in obligations(system, without=what):
        if obligation.name == by and obligation.goal is not None:
            return Obligation(
                obligation.module,
                f"Needed/{what}",
                (),
                {**obligation.hypotheses, f"and yet not {by}": negate(obligation.goal)},
                None,
                system,
                obligation.step,
            )
    raise SpecError(f"{system.name} has no obligation {by!r} that could need {what}")


def false_goal(one: Obligation) -> Obligation:
    """Return, in the words of an obligation with a goal, one that is false: from its hypotheses the contrary follows.

    It is false because the goal follows from them, and they hold together somewhere.
    """
    if one.goal is None:
        raise SpecError(f"{one.module}/{one.name} has no goal")
    return Obligation(
        one.module, f"False/{one.name}", (), one.hypotheses, negate(one.goal), one.system, one.step
    )


def sorts_of(one: Obligation) -> tuple[Sort, ...]:
    """Return the sorts that an obligation's hypotheses speak of."""
    used = {s for symbol in symbols_of(*one.hypotheses.values()) for s in (*symbol.arguments, symbol.sort)}
    return tuple(sort for sort in SORTS if sort in used)


def with_room(one: Obligation) -> Obligation:
    """Return the obligation that what another one is proved from holds somewhere with five of everything.

    Nothing is proved for every graph from what leaves room for small ones only.
    """
    room = {f"five of {sort.name}": several(sort, 5) for sort in sorts_of(one) if sort != GLOBAL}
    order = {"in order": every(lambda j, k: disj(equal(j, k), ABOVE(j, k), ABOVE(k, j)))}
    hypotheses = {**one.hypotheses, **room, **order}
    return Obligation(one.module, f"Room/{one.name}", (), hypotheses, None, one.system)


def assumed_together(found: Sequence[Obligation]) -> Iterator[Obligation]:
    """Yield, for each set of hypotheses that none of ``found`` shows to be possible, that it is.

    From hypotheses that contradict each other everything follows. One is enough for those that are part of another's.
    """

    def texts(these: Iterable[Expr]) -> set[str]:
        return {text_of(one) for one in these if one != TRUE}

    possible = [texts(o.assertions.values()) for o in found if o.goal is None]
    proved = [o for o in found if o.goal is not None]
    for obligation in sorted(proved, key=lambda o: -len(o.hypotheses)):
        assumed = texts(obligation.hypotheses.values())
        if not any(assumed <= other for other in possible):
            possible.append(assumed)
            yield Obligation(
                obligation.module,
                f"Possible/{obligation.name}",
                obligation.claims,
                obligation.hypotheses,
                None,
                obligation.system,
                obligation.step,
            )
