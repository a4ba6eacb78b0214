"""E14, E15, E18 and A10: why a snapshot ends, as a measure that fair steps make less and no step makes more.

The measure is a pair: how many processes are white, and how many elements of channels are *due*, that is a marker, or
ahead of one. A step is *helpful* that takes the first element of a channel with a marker, or lets an initiator record.

    NeverMore     no step turns a process white; and if none turns red, nothing becomes due
    Less          a helpful step turns a process red, or what it takes was due and is gone
    SomethingIsHelpful   as long as the snapshot is not complete, a helpful step is to be taken
    Enabled       it can be taken
    StaysHelpful  until it is, or the measure is less

So weak fairness of these steps ends every snapshot: that a pair of numbers does not decrease forever, and what weak
fairness means, is on paper. That every graph is finite is stated by instances: of the white processes one is first, of a
channel's elements one is, and who is reached from the initiators is in every set that has them and is closed.

With ids the pair counts for all of them: for how many ids a process is white, and what is a marker of any id, or ahead
of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    ABOVE,
    CHANNEL,
    FALSE,
    ID,
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
from pyharness.prove.modules.aligned_barriers_proof import AlignedBarriers
from pyharness.prove.modules.application_proof import SOURCE, TARGET, Application
from pyharness.prove.modules.at_least_once_barriers_proof import AtLeastOnceBarriers
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR, ChandyLamport
from pyharness.prove.modules.cyclic_barriers_proof import BACK, CyclicBarriers
from pyharness.prove.modules.snapshots_proof import BY, Snapshots
from pyharness.prove.modules.timeout_barriers_proof import TimeoutBarriers
from pyharness.prove.modules.unaligned_barriers_proof import UnalignedBarriers
from pyharness.prove.obligations import Obligation, invariant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.prove.logic import Expr
    from pyharness.prove.modules.barriers_proof import Barriers
    from pyharness.prove.proof_module import Action, System
    from pyharness.prove.steps import State

NAME: Final = "SnapshotEnds"
"""The endings that are proved here."""

_HELPFUL: Final = ("Initiate", "Accept", "AcceptMarker", "AcceptBarrier")

_TAKES: Final = ("Accept", "AcceptMarker", "AcceptBarrier")


_FIRST: Final = "a channel that is not empty has a first element"
_NO_CYCLE: Final = "of the white processes one is first: no regular cycle"
_SOURCES: Final = "without regular inputs there are initiators only"
_REACHED: Final = "everyone is reached from the initiators"

_INITIATED: Final = "only initiators have ids"
_NEXT: Final = "of the ids that an initiator has not begun one is the next"

_NAMES: Final = {
    _NO_CYCLE: "NoRegularCycle",
    _SOURCES: "SourcesInitiate",
    _REACHED: "EveryoneReached",
    _INITIATED: "InitiatorsOnly",
}
"""The names of the assumptions that are shown to be needed; to be without the others takes an infinite structure."""

_P: Final = Symbol("p", (), PROCESS)()
_N: Final = Symbol("n", (), ID)()
_C: Final = Symbol("c", (), CHANNEL)()
_K: Final = Symbol("k", (), POSITION)()
"""The initiator, the id and the element taken, as arguments of the actions here."""


@dataclass(frozen=True)
class _Waiting:
    """The awaited elements, and the operators that protocols give different names."""

    module: System

    def aside(self, s: State) -> dict[str, Expr]:
        """State what always holds, beside the module's own invariant."""
        return {}

    def on_the_way(self, s: State) -> dict[str, Expr]:
        """State what follows from all that, where not all of it at once shows that something is helpful."""
        return {}

    def complete(self, s: State) -> Expr:
        """State that the snapshot is complete."""
        return every(lambda p: s.red(p)) & every(lambda c: self.ended(s, c))

    def ended(self, s: State, c: Expr) -> Expr:
        """State that the marker of c was accepted."""
        return s.closed(c)

    def stays_red(self, s: State, t: State) -> Expr:
        """State that the step from s to t turns no process white."""
        return every(lambda p: implies(s.red(p), t.red(p)))

    def turns(self, s: State, t: State) -> Expr:
        """State that it turns one red."""
        return some(lambda p: t.red(p) & ~s.red(p))

    def initiator_waits(self, s: State) -> Expr:
        """State that an initiator has yet to record."""
        return some(lambda p: self.waits(s, p))

    def waits(self, s: State, p: Expr) -> Expr:
        """State that initiator p has yet to record."""
        return INITIATOR(p) & ~s.red(p)

    def this_one_waits(self, s: State) -> dict[str, Expr]:
        """State that the one who initiates has yet to record."""
        return {"p is a white initiator": self.waits(s, _P)}

    def blocked(self, s: State, c: Expr) -> Expr:
        """State that nothing is accepted from c for now."""
        return FALSE

    def due(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that what is at k of c is a marker, or ahead of one."""
        marker = some(lambda j: conj(s.chan(c, j), s.isMarker(c, j), disj(equal(j, k), ABOVE(j, k))))
        return s.chan(c, k) & marker

    def helpful(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that at k is the first element of a channel with a marker, and that it is not blocked."""
        return conj(self.module.application.first(s, c, k), self.due(s, c, k), ~self.blocked(s, c))

    def stays_helpful(self, s: State, t: State) -> Expr:
        """State that what is helpful before a step is so after it, or less is due."""
        less = some(lambda d, j: self.due(s, d, j) & ~self.due(t, d, j))
        return every(lambda c, k: implies(self.helpful(s, c, k), self.helpful(t, c, k) | less))

    def finite(self, s: State) -> dict[str, Expr]:
        """State for this state the consequences of finite graphs and channels in which all is reached."""
        first = self.module.application.first
        nonempty = every(lambda c, k: implies(s.chan(c, k), some(lambda j: first(s, c, j))))
        return {_FIRST: nonempty} | self.reached(s)

    def reached(self, s: State) -> dict[str, Expr]:
        """State that the graph's processes are reached from its initiators."""
        return {
            _REACHED: implies(
                every(lambda p: implies(INITIATOR(p), s.red(p)))
                & every(lambda c: implies(s.red(SOURCE(c)), s.red(TARGET(c)))),
                every(lambda p: s.red(p)),
            )
        }


class _Barriers(_Waiting):
    """A barrier is waited for, and an input may be blocked."""

    module: Barriers

    def ended(self, s: State, c: Expr) -> Expr:
        """State that the barrier of c was accepted."""
        return s.arrived(c)

    def blocked(self, s: State, c: Expr) -> Expr:
        """State that the protocol blocks c."""
        return self.module.blocked(s, c)


class _Alignment(_Barriers):
    """A process records when the barriers of its regular inputs have come."""

    def aside(self, s: State) -> dict[str, Expr]:
        """State that who is white and has regular inputs still waits for one of their barriers."""
        waits = every(
            lambda c: implies(
                conj(~s.red(TARGET(c)), self.regular(c), self.ended(s, c)),
                some(lambda d: conj(equal(TARGET(d), TARGET(c)), self.regular(d), ~self.ended(s, d))),
            )
        )
        return {"Aligns": waits}

    def regular(self, c: Expr) -> Expr:
        """State that a process waits for c's marker before it records."""
        return ~BACK(c) if isinstance(self.module, CyclicBarriers) else conj()

    def reached(self, s: State) -> dict[str, Expr]:
        """State that regular channels make no cycle, and begin at initiators."""
        return {
            _NO_CYCLE: implies(
                some(lambda p: ~s.red(p)),
                some(
                    lambda p: conj(
                        ~s.red(p),
                        every(lambda c: implies(equal(TARGET(c), p) & self.regular(c), s.red(SOURCE(c)))),
                    )
                ),
            ),
            _SOURCES: every(lambda p: INITIATOR(p) | some(lambda c: equal(TARGET(c), p) & self.regular(c))),
        }


class _Ids(_Waiting):
    """Every snapshot is waited for, of each initiator the first that it has not begun."""

    module: Snapshots

    def aside(self, s: State) -> dict[str, Expr]:
        """State that no process records for an id before its initiator does."""
        return {"InitiatorIsFirst": every(lambda n, p: implies(s.red(n, p), s.red(n, BY(n))))}

    def on_the_way(self, s: State) -> dict[str, Expr]:
        """State that a marker makes something helpful, and that where there is none, what was begun is complete."""
        marker = some(lambda c, k: s.chan(c, k) & s.isMarker(c, k))
        begun = every(
            lambda n: implies(s.red(n, BY(n)), every(lambda p: s.red(n, p)) & every(lambda c: s.closed(n, c)))
        )
        return {
            "MarkerIsHelpful": implies(marker, some(lambda c, k: self.helpful(s, c, k))),
            "BegunIsComplete": marker | begun,
        }

    def complete(self, s: State) -> Expr:
        """State that all snapshots are complete."""
        return every(lambda n, p: s.red(n, p)) & every(lambda n, c: s.closed(n, c))

    def stays_red(self, s: State, t: State) -> Expr:
        """State that the step from s to t turns no process white for any id."""
        return every(lambda n, p: implies(s.red(n, p), t.red(n, p)))

    def turns(self, s: State, t: State) -> Expr:
        """State that it turns one red for some id."""
        return some(lambda n, p: t.red(n, p) & ~s.red(n, p))

    def initiator_waits(self, s: State) -> Expr:
        """State that an initiator may begin its next snapshot."""
        return some(lambda n, p: self.begins(s, n, p))

    def begins(self, s: State, n: Expr, p: Expr) -> Expr:
        """State that n is the next snapshot of initiator p, and that p need not wait."""
        return conj(INITIATOR(p), self.module.next_of(s, p, n), self.module.may_initiate(s, p, n))

    def this_one_waits(self, s: State) -> dict[str, Expr]:
        """State that the one who initiates may begin n."""
        return {"p may begin n": self.begins(s, _N, _P)}

    def stays_helpful(self, s: State, t: State) -> Expr:
        """State also that who may begin may do so until it does, or another one turns red."""
        waits = every(lambda n, p: implies(self.begins(s, n, p), self.begins(t, n, p)))
        return super().stays_helpful(s, t) & waits

    def reached(self, s: State) -> dict[str, Expr]:
        """State that everyone is reached from each initiator, and that of an initiator's ids one is the next."""
        return {
            _REACHED: every(
                lambda n: implies(
                    s.red(n, BY(n)) & every(lambda c: implies(s.red(n, SOURCE(c)), s.red(n, TARGET(c)))),
                    every(lambda p: s.red(n, p)),
                )
            ),
            _INITIATED: every(lambda n: INITIATOR(BY(n))),
            _NEXT: every(
                lambda n: implies(~s.red(n, BY(n)), some(lambda n2: self.module.next_of(s, BY(n), n2)))
            ),
        }


_MEASURES: Final[Mapping[type[System], tuple[type[_Waiting], tuple[str, ...]]]] = {
    ChandyLamport: (_Waiting, ("E14", "E15", "E18")),
    Snapshots: (_Ids, ("E14", "E15", "E18")),
    AlignedBarriers: (_Alignment, ("E18",)),
    UnalignedBarriers: (_Barriers, ("E18",)),
    TimeoutBarriers: (_Alignment, ("E18",)),
    CyclicBarriers: (_Alignment, ("E18", "A10")),
    AtLeastOnceBarriers: (_Alignment, ("E18",)),
}
"""Of the protocols of which it is proved, what is waited for, and the claims that it is a part of."""


def obligations() -> Iterator[Obligation]:
    """Yield what is to be proved."""
    for kind in _MEASURES:
        yield from of_module(kind(Application()))


def of_module(module: System) -> Iterator[Obligation]:
    """Yield what is to be proved of a protocol, or of its mutant; nothing of one that has no measure here."""
    for kind, (waiting, claims) in _MEASURES.items():
        if isinstance(module, kind):
            yield from _of(waiting(module), claims)


def _of(waiting: _Waiting, claims: tuple[str, ...]) -> Iterator[Obligation]:
    module, s = waiting.module, waiting.module.state()
    aside = waiting.aside(s)
    holds = {**invariant(module, s), **aside}
    of = module.name
    for name, body in aside.items():
        begins = {"Init": module.initial(s)}
        yield Obligation(NAME, f"{of}/{name}/Init", claims, begins, body, module)
    finite = waiting.finite(s)
    unfinished = {**holds, "it is not complete": ~waiting.complete(s)}
    goal = waiting.initiator_waits(s) | some(lambda c, k: waiting.helpful(s, c, k))
    on_the_way = waiting.on_the_way(s)
    for name, body in on_the_way.items():
        yield Obligation(NAME, f"{of}/{name}", claims, {**holds, **finite}, body, module)
    shown = {**unfinished, **finite, **on_the_way}
    yield Obligation(NAME, f"{of}/SomethingIsHelpful", claims, shown, goal, module)
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
    """The effect of an action on the measure, and on the processes that wait."""
    module, s = waiting.module, waiting.module.state()
    step = action(s)
    t, shown = step.after, (action, s, step)
    taken = {**holds, f"{action.name} is taken": step.guard}
    turns = waiting.turns(s, t)
    calm = ~turns
    goals = {
        "NeverMore/White": waiting.stays_red(s, t),
        "NeverMore/Due": implies(
            calm, every(lambda c, k: implies(waiting.due(t, c, k), waiting.due(s, c, k)))
        ),
        "StaysHelpful": implies(calm, waiting.stays_helpful(s, t)),
        **waiting.aside(t),
    }
    if action.name in _HELPFUL:
        goals["Less"] = _less(waiting, action.name, s, t, turns)
    for name, body in goals.items():
        yield Obligation(NAME, f"{module.name}/{name}/{action.name}", claims, taken, body, module, shown)


def _less(waiting: _Waiting, name: str, s: State, t: State, turns: Expr) -> Expr:
    """A step that takes what is due makes less due; who records turns red."""
    if name not in _TAKES:
        return turns
    return implies(waiting.due(s, _C, _K), ~t.chan(_C, _K))


def _enabled(waiting: _Waiting, holds: Mapping[str, Expr], claims: tuple[str, ...]) -> Iterator[Obligation]:
    """Where a helpful element stands, it can be taken: as a message, which the application accepts, or a marker."""
    module, s = waiting.module, waiting.module.state()
    mark = Symbol("mark", (CHANNEL,), POSITION)
    room = {
        "there is room behind all that was sent": every(lambda d: module.application.fresh(s, d, mark(d))),
    }
    given = {**holds, **room, "what stands at k of c is helpful": waiting.helpful(s, _C, _K)}
    actions = {action.name: action(s) for action in module.actions()}
    goal = disj(*(actions[name].guard for name in _TAKES if name in actions))
    yield Obligation(NAME, f"{module.name}/Enabled/Take", claims, given, goal, module)
    yield Obligation(NAME, f"{module.name}/Possible/Take", claims, given, None, module)
    waits = {**holds, **room, **waiting.this_one_waits(s)}
    initiate = actions["Initiate"].guard
    yield Obligation(NAME, f"{module.name}/Enabled/Initiate", claims, waits, initiate, module)
