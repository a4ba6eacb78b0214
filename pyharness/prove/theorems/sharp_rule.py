"""E20: the rule is sharp. White actions first is a computation if and only if none of them accepted a red message.

If none did, E9 swaps each red action with the white one behind it. The other half is here: what is in a channel while
only white actions were taken was sent by white actions, so one that accepted a red message cannot be taken yet. Which
message an action accepts is given by its place: messages of equal content are not the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    BOOL,
    CHANNEL,
    FALSE,
    POSITION,
    Symbol,
    conj,
    every,
    implies,
    negate,
    some,
)
from pyharness.prove.modules.application_proof import Application
from pyharness.prove.modules.computation_proof import Computation
from pyharness.prove.modules.white_red_proof import NoGuard
from pyharness.prove.obligations import Obligation, invariant
from pyharness.prove.steps import Does
from pyharness.prove.theorems.swapping import unknown_action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.prove.logic import Expr
    from pyharness.prove.steps import State

NAME: Final = "Sharp"
CLAIMS: Final = ("E20",)

WHITE: Final = Symbol("whitePlace", (CHANNEL, POSITION), BOOL)
"""In the behaviour whose actions are sorted, a white action sent what stands at this place."""


def obligations() -> Iterator[Obligation]:
    """Yield what is to be proved."""
    machine = Computation(Application())
    s = machine.state()
    moves = unknown_action("a", s)
    step = machine.taken(s, moves)
    nothing = {"Init": machine.initial(s), "nothing was sent": every(lambda c, k: negate(s.sent(c, k)))}
    yield Obligation(NAME, "OnlyWhiteWasSent/Init", CLAIMS, nothing, _only_white(s), machine)
    so_far = {"so far only white actions were taken": _only_white(s)}
    white = {
        **so_far,
        "an action is taken": step.guard,
        "it is white": every(lambda c: implies(moves.gives(c), WHITE(c, moves.new(c)))),
    }
    yield Obligation(NAME, "OnlyWhiteWasSent/White", CLAIMS, white, _only_white(step.after), machine)
    yield Obligation(NAME, "Possible/White", CLAIMS, white, None, machine)
    red = some(lambda c: moves.takes(c) & ~WHITE(c, moves.at(c)))
    accepts = {**so_far, "what an action accepts was sent by a red one": red}
    yield Obligation(NAME, "RedIsNotThere", CLAIMS, accepts, negate(step.guard), machine)
    taken = {"an action is taken": step.guard, "what it accepts was sent by a red one": red}
    yield Obligation(NAME, "Needed/OnlyWhite", CLAIMS, taken, None, machine)
    free = NoGuard(Application())
    t = free.state()
    b = unknown_action("b", t)
    without = {
        **invariant(free, t),
        "a white action, without the rule": free.taken(t, Does(b, FALSE)).guard,
        "accepts a red message": some(lambda c: b.takes(c) & t.isRed(c, b.at(c))),
    }
    yield Obligation(NAME, "Possible/RedInWhite", CLAIMS, without, None, free)


def _only_white(s: State) -> Expr:
    """State that what is in a channel was sent on it, and that only white actions have sent anything."""
    return conj(
        every(lambda c, k: implies(s.chan(c, k), s.sent(c, k))),
        every(lambda c, k: implies(s.sent(c, k), WHITE(c, k))),
    )
