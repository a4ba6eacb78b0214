"""E14, E15 and E18, as far as they are safety: who turns red, what is final, and why a marker arrives.

That a snapshot ends is then an argument on paper: where a red process has a channel that is not closed, a marker is in
it; nothing ever gets ahead of that marker, and what is ahead of it goes when it is accepted, which is fair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    PROCESS,
    Symbol,
    conj,
    equal,
    every,
    iff,
    implies,
    some,
)
from pyharness.prove.modules.application_proof import SOURCE, TARGET, Application
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR, ChandyLamport
from pyharness.prove.obligations import Obligation, invariant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.prove.logic import Expr
    from pyharness.prove.steps import State

NAME: Final = "MarkersArrive"

REACHED: Final = Symbol("reached", (PROCESS,), BOOL)
"""A set of processes that has the initiators in it and that no channel leaves; the reached ones are the least such."""


def obligations() -> Iterator[Obligation]:
    """Yield what is to be proved."""
    module = ChandyLamport(Application())
    s = module.state()
    holds = invariant(module, s)
    closed = {
        "initiators are reached": every(lambda p: implies(INITIATOR(p), REACHED(p))),
        "targets of reached sources are reached": every(
            lambda c: implies(REACHED(SOURCE(c)), REACHED(TARGET(c)))
        ),
    }
    begins = {**closed, "Init": module.initial(s)}
    yield Obligation(NAME, "OnlyReachedTurnRed/Init", ("E14",), begins, _only_reached(s), module)
    yield Obligation(NAME, "OpenHasMarker", ("E14", "E15", "E18"), holds, _open_has_marker(module, s), module)
    for action in module.actions():
        step = action(s)
        t = step.after
        taken = {**holds, f"{action.name} is taken": step.guard}
        shown = (action, s, step)
        reached = {**taken, **closed, "so far only the reached are red": _only_reached(s)}
        goals = [
            ("OnlyReachedTurnRed", ("E14",), reached, _only_reached(t)),
            ("NothingOvertakes", ("E14", "E18"), taken, _nothing_overtakes(module, s, t)),
            ("StaysComplete", ("E15",), taken, _stays_complete(module, s, t)),
            ("RecordingIsFinal", ("E15",), taken, _final(module, s, t)),
        ]
        for name, claims, given, goal in goals:
            yield Obligation(NAME, f"{name}/{action.name}", claims, given, goal, module, shown)
        yield Obligation(NAME, f"Possible/{action.name}", ("E14",), reached, None, module, shown)


def _only_reached(s: State) -> Expr:
    """State that only reached processes are red."""
    return every(lambda p: implies(s.red(p), REACHED(p)))


def _open_has_marker(module: ChandyLamport, s: State) -> Expr:
    """State that a marker is on its way wherever one is waited for: who has a red neighbour does not wait in vain."""
    return every(
        lambda c: implies(s.red(SOURCE(c)) & ~s.closed(c), some(lambda k: module.marker_in(s, c, k)))
    )


def _nothing_overtakes(module: ChandyLamport, s: State, t: State) -> Expr:
    """State that nothing gets ahead of a marker, and that it leaves its channel only by closing it."""
    return conj(
        every(
            lambda c, j, k: implies(conj(module.marker_in(s, c, k), t.chan(c, j), ABOVE(k, j)), s.chan(c, j))
        ),
        every(lambda c, k: implies(module.marker_in(s, c, k) & ~t.chan(c, k), t.closed(c))),
        every(lambda c: implies(s.closed(c), t.closed(c))),
    )


def _stays_complete(module: ChandyLamport, s: State, t: State) -> Expr:
    """State that a process whose part is complete stays so."""
    return every(lambda p: implies(module.locally_complete(s, p), module.locally_complete(t, p)))


def _final(module: ChandyLamport, s: State, t: State) -> Expr:
    """State that what it has recorded then does not change any more."""
    return conj(
        every(lambda p: implies(module.locally_complete(s, p), equal(s.recState(p), t.recState(p)))),
        every(
            lambda c, k: implies(module.locally_complete(s, TARGET(c)), iff(s.recChan(c, k), t.recChan(c, k)))
        ),
    )
