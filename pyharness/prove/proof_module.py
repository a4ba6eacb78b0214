"""The parts of every proof module: states, steps, and declarations that name claims.

A proof module is a class with the name of its TLA+ module. Its methods carry, under the TLA+ names,

    rules        plain methods; a mutant overrides one
    actions      :func:`action`: a guard and the state after, for the parameters that are the method's arguments
    conjuncts    :func:`conjunct`: of the inductive invariant
    properties   :func:`follows`: what the invariant implies, and :func:`keeps`: what holds of every step
    assumptions  :func:`assumption`: what is asked of the graph
    refinements  :func:`refinement`: a step of the module is one of another module, or nothing happens there
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pyharness.prove.logic import (
    BOOL,
    CHANNEL,
    MESSAGE,
    POSITION,
    PROCESS,
    Expr,
    Symbol,
    equal,
    every,
    implies,
)
from pyharness.prove.logic.formula import sort_of_letter
from pyharness.prove.modules.application_proof import SOURCE, TARGET
from pyharness.prove.steps import State, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.prove.modules.application_proof import Application


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a method: its ``kind``, its ``name`` in TLA+, and its claims.

    ``positions`` marks what is about the positions that stand for sequences, which TLA+ has no need of.
    """

    kind: Literal["action", "conjunct", "follows", "keeps", "assumption", "refinement"]
    name: str
    claims: tuple[str, ...] = ()
    positions: bool = False


def _declares(fact: Declaration) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        method.declares = fact  # type: ignore[attr-defined]
        return method

    return mark


def action(name: str, *claims: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an action: a method from a state and parameters to a :class:`Step`."""
    return _declares(Declaration("action", name, claims))


def conjunct(
    name: str, *claims: str, positions: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a conjunct of the inductive invariant: a method from a state to a formula."""
    return _declares(Declaration("conjunct", name, claims, positions))


def follows(name: str, *claims: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what follows from the invariant: a method from a state to a formula."""
    return _declares(Declaration("follows", name, claims))


def keeps(
    name: str, *claims: str, positions: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what every step keeps: a method from the states before and after to a formula."""
    return _declares(Declaration("keeps", name, claims, positions))


def assumption(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what is asked of the graph: a method without arguments to a formula."""
    return _declares(Declaration("assumption", name))


def refinement(name: str, *claims: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a refinement: a method from a state and a step to the formula that it is a step of the other module.

    With no step, the formula states that the state is an initial one there.
    """
    return _declares(Declaration("refinement", name, claims))


_PARAMETERS: Final = {
    "takes": ((CHANNEL,), BOOL),
    "at": ((CHANNEL,), POSITION),
    "gives": ((CHANNEL,), BOOL),
    "new": ((CHANNEL,), POSITION),
    "body": ((CHANNEL,), MESSAGE),
    "mark": ((CHANNEL,), POSITION),
    "turned": ((PROCESS,), BOOL),
    "acts_red": ((), BOOL),
}
"""The parameters of actions that are no single element: which channels, which position of each, .."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a system: its name, its parameters as symbols, and its method."""

    name: str
    claims: tuple[str, ...]
    parameters: tuple[Symbol, ...]
    method: Callable[..., Step]

    def __call__(self, state: State) -> Step:
        """Return the step for parameters of which nothing is known."""
        return self.method(
            state, *(symbol() if not symbol.arguments else symbol for symbol in self.parameters)
        )


class System:
    """A proof module: the ``name`` of its TLA+ module, the ``variables`` of its state.

    ``about`` are claims about the module itself, which its refinements, and what follows from its invariant, bear out.
    """

    name: ClassVar[str]
    variables: ClassVar[tuple[Symbol, ...]] = ()
    about: ClassVar[tuple[str, ...]] = ()

    def __init__(self, application: Application) -> None:
        self.application = application

    def initial(self, s: State) -> Expr:
        """State that a behaviour may begin in ``s``."""
        raise NotImplementedError

    def in_tla(self) -> Expr:
        """State that the graph is one that a TLA+ module can have: no two channels lead from one process to another."""
        return every(
            lambda c, d: implies(equal(SOURCE(c), SOURCE(d)) & equal(TARGET(c), TARGET(d)), equal(c, d))
        )

    def state(self) -> State:
        """Return the state of which nothing is known."""
        return State({symbol.name: symbol for symbol in self.variables})

    def declared(self, kind: str) -> list[tuple[Declaration, Callable[..., Any]]]:
        """Return the methods of a kind, in the order in which the classes declare them."""
        found: dict[str, None] = {}
        for cls in reversed(type(self).__mro__):
            found.update(dict.fromkeys(vars(cls)))
        methods = [getattr(self, name) for name in found if callable(getattr(type(self), name))]
        declared = [(method.declares, method) for method in methods if hasattr(method, "declares")]
        return [(fact, method) for fact, method in declared if fact.kind == kind]

    def actions(self) -> list[Action]:
        """Return the actions, with a symbol for each parameter."""
        return [
            Action(fact.name, fact.claims, _parameters(method), method)
            for fact, method in self.declared("action")
        ]


def _parameters(method: Callable[..., Any]) -> tuple[Symbol, ...]:
    code = method.__func__.__code__  # type: ignore[attr-defined]
    names = code.co_varnames[2 : code.co_argcount]
    return tuple(
        Symbol(name, *_PARAMETERS[name]) if name in _PARAMETERS else Symbol(name, (), sort_of_letter(name))
        for name in names
    )
