"""EWD864a's colouring (``specs/WhiteRed.tla``): when to turn red is an input, left to magic.

One rule is kept: no red message is accepted in a white action (E4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.protocols.process import RED, WHITE, Message, Process, Recorded, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.protocols.application import Channel, Value

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

    def may_take(self, state: WhiteRedState, message: Message) -> bool:
        """Only a red machine takes a red message (E4). TLA+: MayTake."""
        return message.colour == WHITE or self.colour(state) == RED

    def after(
        self, state: WhiteRedState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> WhiteRedState:
        """Keep the white messages that a red action takes (E6). TLA+: Kept."""
        rec_chan = list(state.rec_chan)
        if self.colour(state) == RED:
            for channel, message in taken:
                if message.colour == WHITE:
                    rec_chan[self.inputs.index(channel)] += (message.msg,)
        return WhiteRedState(app, state.recorded, tuple(rec_chan))

    def turn_red(self, state: WhiteRedState) -> Step[WhiteRedState] | None:
        """Turn red and record the state (E1). TLA+: TurnRed."""
        if self.colour(state) == RED:
            return None
        return Step(state._replace(recorded=Recorded(state.app)), self.silence)
