"""EWD864a's colouring (``specs/WhiteRed.tla``): when to turn red is an input, left to magic.

One rule is kept: no red message is accepted in a white action (E4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.protocols.common.process import (
    RED,
    WHITE,
    Element,
    Message,
    Process,
    Recorded,
    Step,
    messages_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.protocols.applications.application import Channel, Value

__all__ = ["WhiteRed", "WhiteRedState"]


class WhiteRedState(NamedTuple):
    """A machine's state: the application's, the recorded one, and what red actions kept of each input."""

    app: Value
    recorded: Recorded | None
    rec_chan: tuple[tuple[Value, ...], ...]


class WhiteRed(Process[WhiteRedState]):
    """A machine that turns red when it is told to."""

    def initial(self, app: Value) -> WhiteRedState:
        """Begin white, with nothing recorded."""
        return WhiteRedState(app, None, ((),) * len(self.inputs))

    # -- the rules ---------------------------------------------------------------------------------------

    def allows(self, action: str, message: Message) -> bool:
        """Tell whether an action may take this message: only a red one takes a red one (E4). TLA+: MayTake."""
        return message.colour == WHITE or action == RED

    def keeps(self, action: str, message: Message) -> bool:
        """Tell whether SSS keeps a message: a white one that a red action takes (E6). TLA+: Kept."""
        return message.colour == WHITE and action == RED

    def may_turn(self, state: WhiteRedState) -> bool:
        """Tell whether it may turn red: once (E1). TLA+: Turn."""
        return self.colour(state) == WHITE

    def recorded(self, state: WhiteRedState, app: Value) -> Recorded | None:
        """Return what is recorded as it turns (E1). TLA+: Turn."""
        return Recorded(app)

    def foreseen(self, sendable: Iterable[Message]) -> Iterable[Message]:
        """Return what it accepts of the messages that could be sent but have not been: none (E5). TLA+: Offers."""
        return ()

    # -- actions -------------------------------------------------------------------------------------------

    def may_take(self, state: WhiteRedState, message: Message) -> bool:
        """Tell whether the machine, as it is, may take this message (E4)."""
        return self.allows(self.colour(state), message)

    def after(
        self, state: WhiteRedState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> WhiteRedState:
        """Keep what belongs to SSS (E6)."""
        return self._kept(state, app, self.colour(state), taken)

    def _kept(
        self, state: WhiteRedState, app: Value, action: str, taken: Sequence[tuple[Channel, Message]]
    ) -> WhiteRedState:
        rec_chan = list(state.rec_chan)
        for channel, message in taken:
            if self.keeps(action, message):
                rec_chan[self.inputs.index(channel)] += (message.msg,)
        return WhiteRedState(app, state.recorded, tuple(rec_chan))

    def exchange(
        self, state: WhiteRedState, taken: Mapping[Channel, Element], sending: Sequence[Channel]
    ) -> Iterator[Step[WhiteRedState]]:
        """Accept all of ``taken``, then send on each of ``sending``. TLA+: Exchange (E17)."""
        if all(self.may_take(state, message) for message in messages_of(taken).values()):
            yield from super().exchange(state, taken, sending)

    def turn_in_exchange(
        self, state: WhiteRedState, taken: Mapping[Channel, Element], sending: Sequence[Channel]
    ) -> Iterator[Step[WhiteRedState]]:
        """Turn red in an action that also accepts or sends. TLA+: TurnInExchange (E17).

        A red action records the state before it, a white one the state after it.
        """
        if not self.may_turn(state):
            return
        messages = messages_of(taken)
        for action in (WHITE, RED):
            if not all(self.allows(action, message) for message in messages.values()):
                continue
            for app, bodies in self.exchanges(state, messages, sending):
                kept = self._kept(state, app, action, tuple(sorted(messages.items())))
                recorded = self.recorded(state, app if action == WHITE else state.app)
                yield Step(kept._replace(recorded=recorded), self._coloured(bodies, action), action)

    def turn_red(self, state: WhiteRedState) -> Step[WhiteRedState] | None:
        """Turn red and record the state (E1). TLA+: TurnRed."""
        if not self.may_turn(state):
            return None
        return Step(state._replace(recorded=self.recorded(state, state.app)), self.silence)
