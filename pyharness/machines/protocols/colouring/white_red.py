"""EWD864a's colouring (``specs/WhiteRed.tla``): when to turn red is an input, left to magic.

One rule is kept: no red message is accepted in a white action (E4).

Theory of operation
===================

This is the idea that all snapshot protocols share, with nothing of how they do it: no markers, no timers. Somebody
(EWD864a: magic) orders each machine once to turn red, with :meth:`~WhiteRed.turn_red`, or in the middle of a
larger action with :meth:`~WhiteRed.turn_in_exchange`. Turning records the state. From then on the machine keeps every
white message that it accepts: with the recorded states these are the snapshot SSS.

The rule needs to know a message's colour, so this is the one machine that is handed :class:`Coloured` messages. The
colour is that of the action that sent it: the observer adds it when the message is put on its channel, and hands
it over with the message (a driver of a real run would have to send it along: one bit in each message). A message that the
machine *sends* is bare, as everywhere.

The driver keeps channels FIFO only for the computation's sake. The rule itself does not need it: a white machine that
is offered a red message answers ``None``, the message stays where it is, and sooner or later magic turns the machine.
Nothing else is ever refused for a time: ``turn_red`` returns ``None`` for a machine that is red, and sending and
internal actions are always possible. The snapshot is complete when all machines and all messages are red, which no
single machine can know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import PeerError
from pyharness.machines.protocols.common.process import (
    RED,
    WHITE,
    Coloured,
    Process,
    Recorded,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value


class WhiteRedState(NamedTuple):
    """A machine's state: the application's, the recorded one, and what red actions kept of each input."""

    app: Value
    recorded: Recorded | None
    rec_chan: tuple[tuple[Value, ...], ...]


class WhiteRed(Process[WhiteRedState]):
    """A machine that turns red when it is ordered to."""

    carries = Coloured

    def initial(self, app: Value) -> WhiteRedState:
        """Begin white, with nothing recorded."""
        return WhiteRedState(app, None, ((),) * len(self.inputs))

    # -- the rules ---------------------------------------------------------------------------------------

    def allows(self, action: str, message: Coloured) -> bool:
        """Return whether an action may take this message: only a red one takes a red one (E4). TLA+: MayTake."""
        return message.colour == WHITE or action == RED

    def keeps(self, action: str, message: Coloured) -> bool:
        """Return whether SSS keeps a message: a white one that a red action takes (E6). TLA+: Kept."""
        return message.colour == WHITE and action == RED

    def turn(self, state: WhiteRedState, app: Value) -> WhiteRedState | None:
        """Return the state in which it is red and ``app`` recorded; ``None`` if it was red before (E1). TLA+: Turn."""
        return state._replace(recorded=Recorded(app)) if self.colour(state) == WHITE else None

    def state_recorded(self, action: str, before: Value, after: Value) -> Value:
        """Return the state recorded as it turns red in an action: that after its white actions (E6). TLA+: StateRecorded."""
        return after if action == WHITE else before

    def foreseen(self, sendable: Iterable[Coloured]) -> Iterable[Coloured]:
        """Return what it accepts of the messages that could be sent but have not been: none (E5). TLA+: Offers."""
        return ()

    def admit(self, channel: Channel, message: Coloured) -> int:
        """Admit messages of either colour. Raises DriverError and PeerError."""
        index = super().admit(channel, message)
        if message.colour not in {WHITE, RED}:
            raise PeerError(
                f"a message of colour {message.colour!r}",
                where=self._place(channel),
                hint=f"there are {WHITE} and {RED}",
            )
        return index

    # -- actions -------------------------------------------------------------------------------------------

    def may_take(self, state: WhiteRedState, message: Coloured) -> bool:
        """Return whether the machine, as it is, may take this message (E4)."""
        return self.allows(self.colour(state), message)

    def after(
        self, state: WhiteRedState, app: Value, taken: Sequence[tuple[Channel, Coloured]]
    ) -> WhiteRedState:
        """Keep what belongs to SSS (E6)."""
        return self._kept(state, app, self.colour(state), taken)

    def _kept(
        self, state: WhiteRedState, app: Value, action: str, taken: Sequence[tuple[Channel, Coloured]]
    ) -> WhiteRedState:
        rec_chan = list(state.rec_chan)
        for channel, message in taken:
            if self.keeps(action, message):
                rec_chan[self._input_index[channel]] += (message.msg,)
        return WhiteRedState(app, state.recorded, tuple(rec_chan))

    def _exchange(
        self, state: WhiteRedState, taken: Mapping[Channel, Coloured], sending: Sequence[Channel]
    ) -> Iterator[Step[WhiteRedState]]:
        if all(self.may_take(state, message) for message in taken.values()):
            yield from super()._exchange(state, taken, sending)

    def turn_in_exchange(
        self, state: WhiteRedState, taken: Mapping[Channel, Coloured], sending: Sequence[Channel]
    ) -> Iterator[Step[WhiteRedState]]:
        """Turn red in an action that also accepts or sends. TLA+: TurnInExchange (E17).

        A red action records the state before it, a white one the state after it. Raises as :meth:`exchange` does.
        """
        self._admit(state, taken, sending)
        return self._turn_in_exchange(state, taken, sending)

    def _turn_in_exchange(
        self, state: WhiteRedState, taken: Mapping[Channel, Coloured], sending: Sequence[Channel]
    ) -> Iterator[Step[WhiteRedState]]:
        for action in (WHITE, RED):
            if not all(self.allows(action, message) for message in taken.values()):
                continue
            for app, bodies in self.exchanges(state, taken, sending):
                kept = self._kept(state, app, action, tuple(sorted(taken.items())))
                turned = self.turn(kept, self.state_recorded(action, state.app, app))
                if turned is not None:
                    yield Step(turned, self._bodies(bodies), action)

    def turn_red(self, state: WhiteRedState) -> Step[WhiteRedState] | None:
        """Turn red and record the state (E1). TLA+: TurnRed."""
        turned = self.turn(state, state.app)
        return None if turned is None else Step(turned, self.silence)
