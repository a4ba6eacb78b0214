"""The changes that each goal notices; a goal weakened to TRUE would notice none.

In a goal of a module, the value that a variable has after a step is replaced by any value at all; that of a predicate
by a wider, and by a narrower one. Where the goal then fails on a small graph, the goal restricts that variable. A
goal of a theorem is about no variable of one module: of its conjuncts, those are counted that are not true of
themselves. ``noticed.txt`` has what was found (``pyharness prove --update`` writes it), and ``pyharness prove
--mutants`` finds each line of it again, and a line for each goal.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.gate.plans.proof_lists import noticed
from pyharness.prove.finite_search import UNIVERSES, find
from pyharness.prove.logic import BOOL, Symbol, conj, negate, symbols_of
from pyharness.prove.obligations import invariant, parts
from pyharness.prove.proof_catalogue import MODULES, mutants_of, system
from pyharness.prove.proving import theorem
from pyharness.prove.solvers import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from pyharness.prove.logic import Expr
    from pyharness.prove.obligations import Obligation
    from pyharness.prove.proof_module import Action, Declaration, System
    from pyharness.prove.steps import State

_SMALL: Final = [replace(universe, ids=2) for universe in UNIVERSES[:8]]
_OF_STEPS: Final = ("conjunct", "keeps", "refinement")
_ANY, _MORE, _LESS = "any", "more", "less"
_OTHER: Final = "other"
_RULE: Final = "rule"


class Notice(NamedTuple):
    """That a goal of a subject fails by the ``change`` of a variable in an action's step, each by its name.

    Of a goal that is about no step the action is ``-``. Of a theorem's, ``variable`` is ``conjuncts``, and ``change``
    the number of those that can fail. Of a goal about states, ``variable`` may be ``rule``, and ``change`` a seeded
    bug with whose rule the goal fails: one about when actions can be taken need not notice any variable.
    """

    subject: str
    goal: str
    variable: str
    change: str
    action: str = "-"


def unnoticed(subjects: Sequence[str], workers: int | None = None) -> list[str]:
    """Return which lines of ``noticed.txt`` about these subjects are not found, and which goals have no line.

    ``workers`` processes look at a goal each, by default one a core.
    """
    listed = [Notice(*line.split()) for line in noticed()]
    wanted = [one for one in listed if one.subject in subjects]
    groups = [list(group) for _, group in groupby(wanted, lambda one: (one.subject, one.goal))]
    if workers == 1:
        found = list(map(_lost, groups))
    else:
        with processes(workers) as pool:
            found = list(pool.map(_lost, groups))
    lost = [line for lines in found for line in lines]
    have = {(one.subject, one.goal) for one in wanted}
    goals = {(name, goal) for name in subjects for goal in _goals(name)}
    return [f"{line}: the goal does not notice" for line in lost] + [
        f"{name} {goal}: nothing that the goal notices is listed" for name, goal in sorted(goals - have)
    ]


def notices(subject: str) -> list[Notice]:
    """Return what the goals of a subject notice, in the first action in whose step each does."""
    return list(_notices(subject))


def _notices(subject: str) -> Iterator[Notice]:
    if subject not in MODULES:
        for goal, found in _of_theorem(subject).items():
            yield Notice(subject, goal, "conjuncts", str(_can_fail(found)))
        return
    module = system(subject)
    for fact, _ in _declared(module).values():
        actions = ["-"] if fact.kind == "follows" else [action.name for action in module.actions()]
        for variable in module.variables:
            for change in (_MORE, _LESS) if variable.sort == BOOL else (_ANY,):
                tried = (Notice(subject, fact.name, variable.name, change, action) for action in actions)
                yield from [one for one in tried if _fails(module, one)][:1]
        if fact.kind == "follows":
            rules = (Notice(subject, fact.name, _RULE, bug) for bug in mutants_of(subject))
            yield from (one for one in rules if _fails(module, one))


def _goals(subject: str) -> list[str]:
    return list(_declared(system(subject)) if subject in MODULES else _of_theorem(subject))


def _lost(wanted: Sequence[Notice]) -> list[str]:
    """Return, of what is listed about one goal, what is not found."""
    subject, goal = wanted[0].subject, wanted[0].goal
    if subject not in MODULES:
        found = str(_can_fail(_of_theorem(subject).get(goal, [])))
        return [" ".join(one) for one in wanted if (one.variable, one.change) != ("conjuncts", found)]
    module = system(subject)
    return [" ".join(one) for one in wanted if not _fails(module, one)]


# -- of modules ----------------------------------------------------------------------------------------------


def _declared(module: System) -> dict[str, tuple[Declaration, Callable[..., Any]]]:
    kinds = (*_OF_STEPS, "follows")
    return {fact.name: (fact, method) for kind in kinds for fact, method in module.declared(kind)}


def _fails(module: System, one: Notice) -> bool:
    """Return whether a goal fails by a change, on a small graph. False for what the module does not have."""
    if one.variable == _RULE:
        return one.change in mutants_of(one.subject) and _fails_with_bug(one)
    goals = _declared(module)
    actions: dict[str, Action | None] = {action.name: action for action in module.actions()} | {"-": None}
    variables = {symbol.name: symbol for symbol in module.variables}
    if one.goal not in goals or one.action not in actions or one.variable not in variables:
        return False
    state = module.state()
    change = (variables[one.variable], one.change)
    guard, goal = _changed_goal(*goals[one.goal], state, actions[one.action], change)
    if all(symbol.name != _OTHER for symbol in symbols_of(goal)):
        return False
    formula = conj(*invariant(module, state).values(), guard, negate(goal))
    return any(find(formula, universe) is not None for universe in _SMALL)


def _fails_with_bug(one: Notice) -> bool:
    """Return whether a goal about states fails with a seeded bug's rule, on a small graph."""
    module = system(one.subject, one.change)
    state = module.state()
    goals = [negate(method(state)) for fact, method in module.declared("follows") if fact.name == one.goal]
    formulas = [conj(*invariant(module, state).values(), goal) for goal in goals]
    return any(find(formula, universe) is not None for formula in formulas for universe in _SMALL)


def _changed_goal(
    fact: Declaration, method: Callable[..., Any], s: State, action: Action | None, change: tuple[Symbol, str]
) -> tuple[Expr, Expr]:
    """Return when the action is taken, and the goal with a variable changed after it."""
    if action is None:
        return conj(), method(_changed(s, *change))
    step = action(s)
    after = _changed(step.after, *change)
    if fact.kind == "refinement":
        return step.guard, method(s, replace(step, after=after))
    return step.guard, method(s, after) if fact.kind == "keeps" else method(after)


def _changed(state: State, variable: Symbol, change: str) -> State:
    other = Symbol(_OTHER, variable.arguments, variable.sort)
    was = getattr(state, variable.name)
    values: dict[str, Callable[..., Expr]] = {
        _ANY: other,
        _MORE: lambda *of: was(*of) | other(*of),
        _LESS: lambda *of: was(*of) & other(*of),
    }
    return state.but(**{variable.name: values[change]})


# -- of theorems ---------------------------------------------------------------------------------------------


def _of_theorem(subject: str) -> dict[str, list[Obligation]]:
    """Return the obligations of each goal, which has one in each action's step."""
    found: dict[str, list[Obligation]] = {}
    for obligation in theorem(subject):
        if obligation.goal is not None:
            about_step = obligation.step is not None
            goal = obligation.name.rpartition("/")[0] if about_step else obligation.name
            found.setdefault(goal or obligation.name, []).append(obligation)
    return found


def _can_fail(found: Sequence[Obligation]) -> int:
    """Count the conjuncts of goals that are not tautologies."""
    goals = [part for one in found if one.goal is not None for part in parts(one.goal)]
    return sum(any(find(negate(goal), universe) is not None for universe in _SMALL) for goal in goals)
