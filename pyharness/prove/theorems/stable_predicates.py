"""E19: what is stable and holds of S0 holds of SSS, and what holds of SSS holds of S1; from both halves of E7.

A global state of ``Computation`` is a thing here, of which only is known whether a step leads to another one, and
whether the predicate holds of it. E7 states that from S0 to SSS, and from there to S1, every moment is a step or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import BOOL, GLOBAL, Symbol, equal, every, implies
from pyharness.prove.obligations import Obligation

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "Stable"
HOLDS: Final = Symbol("holds", (GLOBAL,), BOOL)
LEADS: Final = Symbol("step", (GLOBAL, GLOBAL), BOOL)


def obligations() -> Iterator[Obligation]:
    """Yield what is to be proved."""
    before, after = Symbol("before", (), GLOBAL)(), Symbol("after", (), GLOBAL)()
    stable = {"the predicate is stable": every(lambda g, h: implies(HOLDS(g) & LEADS(g, h), HOLDS(h)))}
    moment = {
        "a step or nothing, as E7 says": LEADS(before, after) | equal(before, after),
        "it holds before": HOLDS(before),
    }
    yield Obligation(NAME, "Possible", ("E19",), {**stable, **moment}, None)
    yield Obligation(NAME, "HoldsAfter", ("E19",), {**stable, **moment}, HOLDS(after))
    unstable = {**moment, "it does not hold after": ~HOLDS(after)}
    yield Obligation(NAME, "Needed/Stable", ("E19",), unstable, None)
