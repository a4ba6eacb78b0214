"""States, and steps from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.prove.logic import FALSE, TRUE, Expr, conj, equal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Of = Callable[[Expr], Expr]


class State:
    """A global state: each variable is an attribute, a function from terms to a term or a formula.

    :meth:`but` gives a state that differs in some variables, so an update needs no word about the others.
    """

    def __init__(self, variables: Mapping[str, Callable[..., Expr]]) -> None:
        self._variables = dict(variables)

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        try:
            return self._variables[name]
        except KeyError:
            raise AttributeError(name) from None

    def but(self, **changed: Callable[..., Expr]) -> State:
        """Return this state with some variables changed."""
        return State({**self._variables, **changed})


@dataclass(frozen=True, slots=True)
class Moves:
    """An action of the application, of which nothing is known but what it touches.

    Process ``by`` goes from local state ``before`` to ``after``. It accepts the message ``took(c)`` at position
    ``at(c)`` from each channel c with ``takes(c)``, and puts the message ``body(c)`` at position ``new(c)`` of each
    channel c with ``gives(c)``. So one formula covers every application.
    """

    by: Expr
    before: Expr
    after: Expr
    takes: Of
    at: Of
    took: Of
    gives: Of
    new: Of
    body: Of

    def accepted(self, c: Expr, k: Expr) -> Expr:
        """State that it accepts what is at k of c."""
        return self.takes(c) & equal(k, self.at(c))

    def put(self, c: Expr, k: Expr) -> Expr:
        """State that it puts its message at k of c."""
        return self.gives(c) & equal(k, self.new(c))


def _nobody(_: Expr) -> Expr:
    return FALSE


@dataclass(frozen=True, slots=True)
class Does:
    """A step as the colouring sees it: an action of the application, if any, its colour, and the processes that turn red.

    ``red`` states that the action is red; ``turns(p)`` that p turns red.
    """

    moves: Moves | None = None
    red: Expr = TRUE
    turns: Of = _nobody


@dataclass(frozen=True, slots=True)
class Step:
    """When an action can be taken, and the state after it."""

    guard: Expr
    after: State
    does: Does = Does()

    def when(self, *conditions: Expr) -> Step:
        """Return the same step, which can be taken under more conditions only."""
        return Step(conj(self.guard, *conditions), self.after, self.does)
