"""E7, second half: from SSS the state S1, in which the snapshot ended, is reachable.

Constants prophesy the completed snapshot. That a prophecy is right is shown backwards, from the end: it is right when
the snapshot is complete, and if it is right after a step then it was right before. Forwards, what the red actions do
from SSS on is seen so: a process is in its state if it is red, else in the one prophesied; a channel holds what is
prophesied of it and not yet accepted, then its red messages. Red actions are then a computation, the others nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    CHANNEL,
    MESSAGE,
    POSITION,
    PROCESS,
    STATE,
    Expr,
    Symbol,
    conj,
    disj,
    equal,
    every,
    iff,
    implies,
    ite,
)
from pyharness.prove.modules.application_proof import SOURCE, TARGET, Application
from pyharness.prove.modules.computation_proof import Computation
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.obligations import Obligation, invariant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.prove.steps import State

FINAL_STATE: Final = Symbol("finalState", (PROCESS,), STATE)
FINAL_CHAN: Final = Symbol("finalChan", (CHANNEL, POSITION), BOOL)
FINAL_MSG: Final = Symbol("finalMsg", (CHANNEL, POSITION), MESSAGE)

NAME: Final = "EndReachable"
CLAIMS: Final = ("E7",)


def right(module: WhiteRed, s: State) -> dict[str, Expr]:
    """State that the prophecy is right, as far as ``s`` shows."""
    return {
        "recorded states": every(lambda p: implies(s.red(p), equal(s.recState(p), FINAL_STATE(p)))),
        "recorded messages": every(lambda c, k: implies(s.recChan(c, k), FINAL_CHAN(c, k))),
        "what is to be recorded is there": every(
            lambda c, k: implies(FINAL_CHAN(c, k) & s.sent(c, k), s.recChan(c, k) | module.white_in(s, c, k))
        ),
        "what is white will be recorded": every(
            lambda c, k: implies(s.red(TARGET(c)) & module.white_in(s, c, k), FINAL_CHAN(c, k))
        ),
        "messages": every(
            lambda c, k: implies(FINAL_CHAN(c, k) & s.sent(c, k), equal(s.msg(c, k), FINAL_MSG(c, k)))
        ),
        "a red source has sent it": every(
            lambda c, k: implies(FINAL_CHAN(c, k) & s.red(SOURCE(c)), s.sent(c, k))
        ),
        "what is to be sent comes behind": every(
            lambda c, j, k: implies(conj(FINAL_CHAN(c, k), ~s.sent(c, k), s.sent(c, j)), ABOVE(k, j))
        ),
    }


def seen(module: WhiteRed, s: State) -> State:
    """Return the state of the computation that leads from SSS to S1."""
    return s.but(
        state=lambda p: ite(s.red(p), s.state(p), FINAL_STATE(p)),
        chan=lambda c, k: disj(FINAL_CHAN(c, k) & ~s.recChan(c, k), module.red_in(s, c, k)),
        msg=lambda c, k: ite(FINAL_CHAN(c, k), FINAL_MSG(c, k), s.msg(c, k)),
    )


def obligations() -> Iterator[Obligation]:
    """Yield what is to be proved."""
    module = WhiteRed(Application())
    machine = Computation(module.application)
    s = module.state()
    holds, complete = invariant(module, s), module.complete(s)
    prophecy = conj(
        every(lambda p: equal(FINAL_STATE(p), s.recState(p))),
        every(lambda c, k: iff(FINAL_CHAN(c, k), s.recChan(c, k))),
        every(lambda c, k: equal(FINAL_MSG(c, k), s.msg(c, k))),
    )
    ended = {**holds, "the snapshot is complete": complete}
    foreseen = {**ended, "the prophecy is what was recorded": prophecy}
    for name, body in right(module, s).items():
        yield Obligation(NAME, f"RightAtEnd/{_word(name)}", CLAIMS, foreseen, body, module)
    now = {f"right: {name}": body for name, body in right(module, s).items()}
    for action in module.actions():
        step = action(s)
        taken = {**holds, f"{action.name} is taken": step.guard}
        then = {f"right after: {name}": body for name, body in right(module, step.after).items()}
        shown = (action, s, step)
        for name, body in right(module, s).items():
            yield Obligation(
                NAME,
                f"RightBefore/{_word(name)}/{action.name}",
                CLAIMS,
                {**taken, **then},
                body,
                module,
                shown,
            )
        goal = machine.allows(
            seen(module, s), step.does.moves, seen(module, step.after), counts=step.does.red
        )
        both = {**taken, **now, **then}
        yield Obligation(NAME, f"RedActionsCompute/{action.name}", CLAIMS, both, goal, module, shown)
        yield Obligation(NAME, f"Possible/{action.name}", CLAIMS, both, None, module, shown)
    sss = s.but(state=FINAL_STATE, chan=FINAL_CHAN, msg=FINAL_MSG)
    begins = {"Init": module.initial(s), **now}
    yield Obligation(NAME, "BeginsInSSS", CLAIMS, begins, machine.same(seen(module, s), sss), module)
    yield Obligation(NAME, "EndsInS1", CLAIMS, {**ended, **now}, machine.same(seen(module, s), s), module)
    yield Obligation(NAME, "Possible/End", CLAIMS, {**ended, **now}, None, module)


def _word(name: str) -> str:
    return "".join(word.capitalize() for word in name.split())
