"""E8, E9 and E10: which adjacent actions can be swapped, and what the swaps lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    BOOL,
    CHANNEL,
    FALSE,
    MESSAGE,
    POSITION,
    PROCESS,
    STATE,
    TRUE,
    Expr,
    Sort,
    Symbol,
    conj,
    equal,
    every,
    implies,
)
from pyharness.prove.modules.application_proof import Application, exchanges
from pyharness.prove.modules.computation_proof import Computation
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.obligations import Obligation, invariant
from pyharness.prove.steps import Does, Moves, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.prove.steps import Of, Step

SWAP: Final = "Swapping"


def unknown_action(name: str, s: State) -> Moves:
    """Return an action of which nothing is known, whose symbols carry a name; it is taken in state ``s``."""

    def of_channel(what: str, sort: Sort) -> Of:
        return Symbol(f"{what}_{name}", (CHANNEL,), sort)

    return exchanges(
        s,
        Symbol(f"p_{name}", (), PROCESS)(),
        Symbol(f"t_{name}", (), STATE)(),
        of_channel("takes", BOOL),
        of_channel("at", POSITION),
        of_channel("gives", BOOL),
        of_channel("new", POSITION),
        of_channel("body", MESSAGE),
    )


def obligations(application: Application | None = None) -> Iterator[Obligation]:
    """Yield what is to be proved."""
    rules = application or Application()
    yield from _commuting(rules)
    yield from _swapping(WhiteRed(rules))
    yield from _sorted(WhiteRed(rules))


def _commuting(rules: Application) -> Iterator[Obligation]:
    """E8: two adjacent actions of different machines commute, unless the first sends what the second accepts."""
    machine = Computation(rules)
    s = machine.state()
    a = unknown_action("a", s)
    first = machine.taken(s, a)
    b = unknown_action("b", first.after)
    second = machine.taken(first.after, b)
    unfed = every(lambda c: implies(b.takes(c), ~a.put(c, b.at(c))))
    taken = {
        "what is in a channel was sent": every(lambda c, k: implies(s.chan(c, k), s.sent(c, k))),
        "a is taken": first.guard,
        "then b": second.guard,
        "by different machines": ~equal(a.by, b.by),
    }
    apart = {**taken, "b accepts nothing that a sends": unfed}
    other = machine.taken(s, b)
    back = machine.taken(other.after, a)
    claims = ("E8",)
    yield Obligation(SWAP, "Commute/Possible", claims, apart, None, machine)
    yield Obligation(SWAP, "Commute/SecondCanBeFirst", claims, apart, other.guard, machine)
    yield Obligation(SWAP, "Commute/FirstCanBeSecond", claims, apart, back.guard, machine)
    yield Obligation(
        SWAP, "Commute/SameOutcome", claims, apart, machine.same(second.after, back.after), machine
    )
    needed = {**taken, "b could not have been first": ~other.guard}
    yield Obligation(SWAP, "Needed/AcceptsNothingSent", claims, needed, None, machine)


def _swapping(module: WhiteRed) -> Iterator[Obligation]:
    """E9: a red action and the white one behind it can be swapped, and who turns red can be moved out of the way."""
    s = module.state()
    red = Does(unknown_action("a", s), TRUE, _turning("a"))
    turning = Does(turns=Symbol("turned", (PROCESS,), BOOL))

    def white(t: State) -> Does:
        return Does(unknown_action("b", t), FALSE, _turning("b"))

    after_red, after_turning = module.taken(s, red), module.taken(s, turning)
    pairs: dict[str, tuple[Step, Step, Does, Does]] = {
        "RedThenWhite": (
            after_red,
            module.taken(after_red.after, white(after_red.after)),
            red,
            white(after_red.after),
        ),
        "TurningThenWhite": (
            after_turning,
            module.taken(after_turning.after, white(after_turning.after)),
            turning,
            white(after_turning.after),
        ),
        "RedThenTurning": (after_red, module.taken(after_red.after, turning), red, turning),
    }
    for name, (first, second, one, two) in pairs.items():
        taken = {
            **invariant(module, s),
            "the first is taken": first.guard,
            "then the second": second.guard,
        }
        other = module.taken(s, two)
        back = module.taken(other.after, one)
        claims = ("E9",)
        yield Obligation(SWAP, f"{name}/Possible", claims, taken, None, module)
        yield Obligation(SWAP, f"{name}/SecondCanBeFirst", claims, taken, other.guard, module)
        yield Obligation(SWAP, f"{name}/FirstCanBeSecond", claims, taken, back.guard, module)
        same = module.same(second.after, back.after)
        yield Obligation(SWAP, f"{name}/SameOutcome", claims, taken, same, module)
    a = unknown_action("a", s)
    first = module.taken(s, Does(a, FALSE))
    b = unknown_action("b", first.after)
    second = module.taken(first.after, Does(b, FALSE))
    any_pair = {
        **invariant(module, s),
        "a white action": first.guard,
        "then another machine's": conj(second.guard, ~equal(a.by, b.by)),
        "which could not have been first": ~module.taken(s, Does(b, FALSE)).guard,
    }
    yield Obligation(SWAP, "Needed/Colours", ("E9",), any_pair, None, module)


def _turning(name: str) -> Of:
    """Return whom an action turns red: of those it could, nothing is known."""
    return Symbol(f"turns_{name}", (PROCESS,), BOOL)


def _sorted(module: WhiteRed) -> Iterator[Obligation]:
    """E10: when all white actions have been taken, and no red one, and all have turned, the state is SSS."""
    s, claims = module.state(), ("E10",)
    holds = {**invariant(module, s), **_only_white(module, s)}
    machine = Computation(module.application)
    for name, body in _only_white(module, s).items():
        yield Obligation(SWAP, f"OnlyWhiteYet/{name}/Init", claims, {"Init": module.initial(s)}, body, module)
    steps: Mapping[str, Does] = {
        "White": Does(unknown_action("b", s), FALSE, _turning("b")),
        "Turning": Does(turns=Symbol("turned", (PROCESS,), BOOL)),
    }
    for kind, does in steps.items():
        step = module.taken(s, does)
        taken = {**holds, f"{kind} is taken": step.guard}
        for name, body in _only_white(module, step.after).items():
            yield Obligation(SWAP, f"OnlyWhiteYet/{name}/{kind}", claims, taken, body, module)
    between = {**holds, "all have turned": every(lambda p: s.red(p))}
    goal = machine.same(module.recorded_with_what_is_white(s), s)
    yield Obligation(SWAP, "StateBetweenIsSSS", claims, between, goal, module)
    yield Obligation(SWAP, "Possible/StateBetween", claims, between, None, module)
    step = module.taken(s, Does(unknown_action("a", s), TRUE))
    taken = {**invariant(module, s), "a red action is taken": step.guard}
    kept = machine.same(module.recorded_with_what_is_white(s), module.recorded_with_what_is_white(step.after))
    yield Obligation(SWAP, "RedKeepsSSS", claims, taken, kept, module)


def _only_white(module: WhiteRed, s: State) -> dict[str, Expr]:
    """State that no red action has been taken yet."""
    return {
        "Messages": every(lambda c, k: ~module.red_in(s, c, k)),
        "Recordings": every(lambda c, k: ~s.recChan(c, k)),
        "States": every(lambda p: implies(s.red(p), equal(s.state(p), s.recState(p)))),
    }
