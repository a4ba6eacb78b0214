"""E14, E15, E18 and A10: why a snapshot ends, as a measure that fair steps make less and no step makes more.

The measure is a pair: how many processes are white, and how many elements of channels are *due*, that is a marker, or
ahead of one. A step is *helpful* that takes the first element of a channel with a marker, or lets an initiator record.

    NeverMore     no step turns a process white; and if none turns red, nothing becomes due
    Less          a helpful step turns a process red, or what it takes was due and is gone
    SomethingIsHelpful   as long as the snapshot is not complete, a helpful step is to be taken
    Enabled       it can be taken
    StaysHelpful  until it is, or the measure is less

So weak fairness of these steps ends every snapshot: that a pair of numbers is not made less for ever, and what weak
fairness means, is on paper. That every graph is finite is said by instances: of the white processes one is first, of a
channel's elements one is, and who is reached from the initiators is in every set that has them and is closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.proof.logic import (
    ABOVE,
    CHANNEL,
    FALSE,
    POSITION,
    PROCESS,
    Symbol,
    conj,
    disj,
    equal,
    every,
    implies,
    some,
)
from pyharness.proof.modules.aligned_barriers_proof import AlignedBarriers
from pyharness.proof.modules.application_proof import SOURCE, TARGET, Application
from pyharness.proof.modules.at_least_once_barriers_proof import AtLeastOnceBarriers
from pyharness.proof.modules.barriers_proof import Barriers
from pyharness.proof.modules.chandy_lamport_proof import INITIATOR, ChandyLamport
from pyharness.proof.modules.cyclic_barriers_proof import BACK, CyclicBarriers
from pyharness.proof.modules.timeout_barriers_proof import TimeoutBarriers
from pyharness.proof.modules.unaligned_barriers_proof import UnalignedBarriers
from pyharness.proof.obligations import Obligation, invariant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.proof.logic import Expr
    from pyharness.proof.proof_module import Action, System
    from pyharness.proof.steps import State

__all__ = ["obligations", "of_module"]

NAME: Final = "SnapshotEnds"
"""What is proved here."""

CLAIMS: Final[Mapping[type[ChandyLamport | Barriers], tuple[str, ...]]] = {
    ChandyLamport: ("E14", "E15", "E18"),
    AlignedBarriers: ("E18",),
    UnalignedBarriers: ("E18",),
    TimeoutBarriers: ("E18",),
    CyclicBarriers: ("E18", "A10"),
    AtLeastOnceBarriers: ("E18",),
}
"""The protocols of which it is proved, and the claims that it is a part of."""

_ALIGN: Final = (AlignedBarriers, TimeoutBarriers, CyclicBarriers)
"""Those in which a process waits for several inputs: their regular channels must make no cycle."""

_HELPFUL: Final = ("Initiate", "Accept", "AcceptMarker", "AcceptBarrier")

_TAKES: Final = ("Accept", "AcceptMarker", "AcceptBarrier")


@dataclass(frozen=True)
class _Waiting:
    """What the protocols call by different names."""

    module: ChandyLamport | Barriers

    def ended(self, s: State, c: Expr) -> Expr:
        """Say that the marker of c was accepted."""
        return s.closed(c) if isinstance(self.module, ChandyLamport) else s.arrived(c)

    def blocked(self, s: State, c: Expr) -> Expr:
        """Say that nothing is accepted from c for now."""
        return self.module.blocked(s, c) if isinstance(self.module, Barriers) else FALSE

    def regular(self, c: Expr) -> Expr:
        """Say that a process waits for c's marker before it records."""
        return ~BACK(c) if isinstance(self.module, CyclicBarriers) else conj()

    def complete(self, s: State) -> Expr:
        """Say that the snapshot is complete."""
        return every(lambda p: s.red(p)) & every(lambda c: self.ended(s, c))

    def due(self, s: State, c: Expr, k: Expr) -> Expr:
        """Say that what is at k of c is a marker, or ahead of one."""
        marker = some(lambda j: conj(s.chan(c, j), s.isMarker(c, j), disj(equal(j, k), ABOVE(j, k))))
        return s.chan(c, k) & marker

    def helpful(self, s: State, c: Expr, k: Expr) -> Expr:
        """Say that at k is the first element of a channel with a marker, and that it is not blocked."""
        return conj(self.module.application.first(s, c, k), self.due(s, c, k), ~self.blocked(s, c))

    def aligns(self, s: State) -> Expr:
        """Say that who is white and has regular inputs still waits for one of their barriers."""
        return every(
            lambda c: implies(
                conj(~s.red(TARGET(c)), self.regular(c), self.ended(s, c)),
                some(lambda d: conj(equal(TARGET(d), TARGET(c)), self.regular(d), ~self.ended(s, d))),
            )
        )


_FIRST: Final = "a channel that is not empty has a first element"
_NO_CYCLE: Final = "of the white processes one is first: no regular cycle"
_SOURCES: Final = "without regular inputs there are initiators only"
_REACHED: Final = "everyone is reached from the initiators"

_NAMES: Final = {_NO_CYCLE: "NoRegularCycle", _SOURCES: "SourcesInitiate", _REACHED: "EveryoneReached"}
"""The names of the assumptions that are shown to be needed; that of finite channels would take an infinite one."""


def _finite(waiting: _Waiting, s: State) -> dict[str, Expr]:
    """Say of this state what is so because the graph and its channels are finite, and all is reached."""
    first = waiting.module.application.first
    said = {_FIRST: every(lambda c, k: implies(s.chan(c, k), some(lambda j: first(s, c, j))))}
    if isinstance(waiting.module, _ALIGN):
        return said | {
            _NO_CYCLE: implies(
                some(lambda p: ~s.red(p)),
                some(
                    lambda p: conj(
                        ~s.red(p),
                        every(lambda c: implies(equal(TARGET(c), p) & waiting.regular(c), s.red(SOURCE(c)))),
                    )
                ),
            ),
            _SOURCES: every(
                lambda p: INITIATOR(p) | some(lambda c: equal(TARGET(c), p) & waiting.regular(c))
            ),
        }
    return said | {
        _REACHED: implies(
            every(lambda p: implies(INITIATOR(p), s.red(p)))
            & every(lambda c: implies(s.red(SOURCE(c)), s.red(TARGET(c)))),
            every(lambda p: s.red(p)),
        )
    }


def obligations() -> Iterator[Obligation]:
    """Yield what is to be proved."""
    for kind in CLAIMS:
        yield from of_module(kind(Application()))


def of_module(module: System) -> Iterator[Obligation]:
    """Yield what is to be proved of a protocol, or of its mutant; nothing of one that has no measure here."""
    for kind, claims in CLAIMS.items():
        if isinstance(module, ChandyLamport | Barriers) and isinstance(module, kind):
            yield from _of(_Waiting(module), claims)


def _of(waiting: _Waiting, claims: tuple[str, ...]) -> Iterator[Obligation]:
    module, s = waiting.module, waiting.module.state()
    aligns = {"Aligns": waiting.aligns(s)} if isinstance(module, _ALIGN) else {}
    holds = {**invariant(module, s), **aligns}
    of = module.name
    if aligns:
        begins = {"Init": module.initial(s)}
        yield Obligation(NAME, f"{of}/Aligns/Init", claims, begins, waiting.aligns(s), module)
    finite = _finite(waiting, s)
    unfinished = {**holds, "it is not complete": ~waiting.complete(s)}
    goal = some(lambda p: INITIATOR(p) & ~s.red(p)) | some(lambda c, k: waiting.helpful(s, c, k))
    yield Obligation(NAME, f"{of}/SomethingIsHelpful", claims, {**unfinished, **finite}, goal, module)
    yield Obligation(NAME, f"{of}/Possible/Unfinished", claims, {**unfinished, **finite}, None, module)
    for what, name in _NAMES.items():
        if what not in finite:
            continue
        kept = {other: body for other, body in finite.items() if other != what}
        stuck = {**unfinished, **kept, "and nothing is helpful": ~goal}
        yield Obligation(NAME, f"Needed/{of}/{name}", (), stuck, None, module)
    yield from _enabled(waiting, holds, claims)
    for action in module.actions():
        yield from _taken(waiting, action, holds, claims)


def _taken(
    waiting: _Waiting, action: Action, holds: Mapping[str, Expr], claims: tuple[str, ...]
) -> Iterator[Obligation]:
    """What an action does to the measure, and to those who wait."""
    module, s = waiting.module, waiting.module.state()
    step = action(s)
    t, shown = step.after, (action, s, step)
    taken = {**holds, f"{action.name} is taken": step.guard}
    turns = some(lambda p: t.red(p) & ~s.red(p))
    calm = ~turns
    goals = {
        "NeverMore/White": every(lambda p: implies(s.red(p), t.red(p))),
        "NeverMore/Due": implies(
            calm, every(lambda c, k: implies(waiting.due(t, c, k), waiting.due(s, c, k)))
        ),
        "StaysHelpful": implies(calm, _stays_helpful(waiting, s, t)),
    }
    if isinstance(module, _ALIGN):
        goals["Aligns"] = waiting.aligns(t)
    if action.name in _HELPFUL:
        goals["Less"] = _less(waiting, action.name, s, t, turns)
    for name, body in goals.items():
        yield Obligation(NAME, f"{module.name}/{name}/{action.name}", claims, taken, body, module, shown)


def _stays_helpful(waiting: _Waiting, s: State, t: State) -> Expr:
    less = some(lambda d, j: waiting.due(s, d, j) & ~waiting.due(t, d, j))
    return every(lambda c, k: implies(waiting.helpful(s, c, k), waiting.helpful(t, c, k) | less))


def _less(waiting: _Waiting, name: str, s: State, t: State, turns: Expr) -> Expr:
    """A step that takes what is due makes less due; who records turns red."""
    if name not in _TAKES:
        return turns
    c, k = Symbol("c", (), CHANNEL)(), Symbol("k", (), POSITION)()
    return implies(waiting.due(s, c, k), ~t.chan(c, k))


def _enabled(waiting: _Waiting, holds: Mapping[str, Expr], claims: tuple[str, ...]) -> Iterator[Obligation]:
    """Where a helpful element stands, it can be taken: as a message, which the application accepts, or a marker."""
    module, s = waiting.module, waiting.module.state()
    c, k = Symbol("c", (), CHANNEL)(), Symbol("k", (), POSITION)()
    mark = Symbol("mark", (CHANNEL,), POSITION)
    room = {
        "there is room behind all that was sent": every(lambda d: module.application.fresh(s, d, mark(d))),
    }
    given = {**holds, **room, "what stands at k of c is helpful": waiting.helpful(s, c, k)}
    actions = {action.name: action(s) for action in module.actions()}
    goal = disj(*(actions[name].guard for name in _TAKES if name in actions))
    yield Obligation(NAME, f"{module.name}/Enabled/Take", claims, given, goal, module)
    yield Obligation(NAME, f"{module.name}/Possible/Take", claims, given, None, module)
    p = Symbol("p", (), PROCESS)()
    waits = {**holds, **room, "p is a white initiator": INITIATOR(p) & ~s.red(p)}
    initiate = actions["Initiate"].guard
    yield Obligation(NAME, f"{module.name}/Enabled/Initiate", claims, waits, initiate, module)
