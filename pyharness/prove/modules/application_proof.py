"""``Application``: the graph, and what a channel is. Nothing is asked of the application itself.

A channel is a set of positions, each with an element; a sequence is what stands at those positions, in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    CHANNEL,
    FALSE,
    MESSAGE,
    POSITION,
    PROCESS,
    STATE,
    TRUE,
    Expr,
    Symbol,
    conj,
    disj,
    equal,
    every,
    implies,
    some,
)
from pyharness.prove.steps import Moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.prove.steps import State

SOURCE: Final = Symbol("source", (CHANNEL,), PROCESS)
TARGET: Final = Symbol("target", (CHANNEL,), PROCESS)

_ELEMENTS: Final = (CHANNEL, POSITION)
VARIABLES: Final = {
    symbol.name: symbol
    for symbol in (
        Symbol("state", (PROCESS,), STATE),  # the local state of a process
        Symbol("chan", _ELEMENTS, BOOL),  # there is an element at this position of the channel
        Symbol("sent", _ELEMENTS, BOOL),  # there is one, or there was one and it was accepted
        Symbol("msg", _ELEMENTS, MESSAGE),  # the message at a position
        Symbol("isRed", _ELEMENTS, BOOL),  # that message is red
        Symbol("isMarker", _ELEMENTS, BOOL),  # the element there is no message but a marker, or a barrier
        Symbol("red", (PROCESS,), BOOL),  # the process has recorded its state: it is in Red
        Symbol("recState", (PROCESS,), STATE),  # the state that it recorded
        Symbol("recChan", _ELEMENTS, BOOL),  # the messages recorded as the state of a channel
        Symbol("closed", (CHANNEL,), BOOL),  # the marker of the channel was accepted
        Symbol("arrived", (CHANNEL,), BOOL),  # the barrier of the channel was accepted
        Symbol("paused", (PROCESS,), BOOL),  # the process is paused
        Symbol("whiteInRed", _ELEMENTS, BOOL),  # the white messages accepted in red actions
        Symbol("redInWhite", _ELEMENTS, BOOL),  # the red messages accepted in white actions
    )
}
"""The variables of the TLA+ modules, by name, as functions and predicates."""


class Application:
    """The rules for channels and for the colours of messages. Mutants override one of them."""

    def first(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that k is the first position of channel c, as Head of TLA+ does."""
        return s.chan(c, k) & every(lambda j: implies(s.chan(c, j), equal(j, k) | ABOVE(j, k)))

    def positions(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that the element at k of channel c can be accepted: the first one. TLA+: Positions."""
        return self.first(s, c, k)

    def room(self, s: State, c: Expr) -> Expr:
        """State that channel c has room for one more: it always has. TLA+: Room."""
        return TRUE

    def tint(self, action: Expr, after: Expr, receiver: Expr) -> Expr:
        """State that a message is red: it has the colour of the action that sends it (E2). TLA+: Sent."""
        return action

    def fresh(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that k is behind everything that was ever sent on c: there, and only there, c grows."""
        return every(lambda j: implies(s.sent(c, j), ABOVE(k, j)))

    def behind(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that k is behind everything that is in c: what TLA+'s Append asks of it."""
        return every(lambda j: implies(s.chan(c, j), ABOVE(k, j)))


def nothing(_: Expr) -> Expr:
    """Of no channel."""
    return FALSE


def only(one: Expr) -> Callable[[Expr], Expr]:
    """Of this element alone."""
    return lambda x: equal(x, one)


def _always(value: Expr) -> Callable[[Expr], Expr]:
    return lambda _: value


def sends(s: State, c: Expr, k: Expr, m: Expr, t: Expr) -> Moves:
    """Send(c): the source of c sends message m, which gets position k, and is then in local state t."""
    p = SOURCE(c)
    unused = _always(k)
    return Moves(p, s.state(p), t, nothing, unused, lambda d: s.msg(d, k), only(c), _always(k), _always(m))


def accepts(s: State, c: Expr, k: Expr, t: Expr) -> Moves:
    """Accept(c): the target of c accepts the message at position k, and is then in local state t."""
    p = TARGET(c)
    at = _always(k)
    return Moves(p, s.state(p), t, only(c), at, lambda d: s.msg(d, k), nothing, at, lambda d: s.msg(d, k))


def changes(s: State, p: Expr, t: Expr) -> Moves:
    """Internal(p): the local state of p becomes t."""
    nowhere, no_message = _always(Symbol("nowhere", (), POSITION)()), _always(Symbol("nil", (), MESSAGE)())
    return exchanges(s, p, t, nothing, nowhere, nothing, nowhere, no_message)


def exchanges(
    s: State,
    p: Expr,
    t: Expr,
    takes: Callable[[Expr], Expr],
    at: Callable[[Expr], Expr],
    gives: Callable[[Expr], Expr],
    new: Callable[[Expr], Expr],
    body: Callable[[Expr], Expr],
) -> Moves:
    """Exchange(p): from some inputs the first message is accepted, on some outputs one is sent (E17)."""
    return Moves(p, s.state(p), t, takes, at, lambda c: s.msg(c, at(c)), gives, new, body)


def touches(moves: Moves) -> Expr:
    """State that an action accepts or sends something."""
    return some(lambda c: moves.takes(c) | moves.gives(c))


def touches_two(takes: Callable[[Expr], Expr], gives: Callable[[Expr], Expr]) -> Expr:
    """State that two messages or more are accepted and sent; a channel may be both an input and an output."""
    return disj(
        some(lambda c, d: conj(takes(c), takes(d), ~equal(c, d))),
        some(lambda c, d: conj(gives(c), gives(d), ~equal(c, d))),
        some(lambda c, d: takes(c) & gives(d)),
    )


class NonFifoChannel(Application):
    """A channel is a bag: a red message can overtake the marker (E4, E5)."""

    def positions(self, s: State, c: Expr, k: Expr) -> Expr:
        """Any element may come next."""
        return s.chan(c, k)


class CappedChannel(Application):
    """A channel of capacity 1 makes its sender wait; SSS may then be unreachable (E7, E8)."""

    def room(self, s: State, c: Expr) -> Expr:
        """Only while it is empty."""
        return every(lambda k: ~s.chan(c, k))


class ColourOfReceiver(Application):
    """A message has its receiver's colour (E2)."""

    def tint(self, action: Expr, after: Expr, receiver: Expr) -> Expr:
        """The receiver's."""
        return receiver


class ColourAfterSending(Application):
    """A message has the colour that its sender has after the action (E2, E17)."""

    def tint(self, action: Expr, after: Expr, receiver: Expr) -> Expr:
        """The sender's after the action."""
        return after


MUTANTS = (NonFifoChannel, CappedChannel, ColourOfReceiver, ColourAfterSending)
"""The seeded bugs of what all modules share, each a class that overrides the rule of that name."""
