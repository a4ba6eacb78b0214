"""The baseline (``specs/StopTheWorld.tla``): a snapshot taken while nothing moves.

A process obeys a controller that sees everything: pause, record, resume, or record in one instant with all
others (EWD864a's remark). The controller itself is whoever drives the processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.protocols.process import RED, Message, Process, Recorded, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.protocols.application import Channel, Value

__all__ = ["StopTheWorld", "StopTheWorldState"]


class StopTheWorldState(NamedTuple):
    """A process: the application's state, the recorded one, the channels as found, and whether it is paused."""

    app: Value
    recorded: Recorded | None
    rec_chan: tuple[tuple[Value, ...], ...]
    paused: bool


class StopTheWorld(Process[StopTheWorldState]):
    """A process under the controller. A paused one accepts, and does not send."""

    def initial(self, app: Value) -> StopTheWorldState:
        """Begin running, with nothing recorded."""
        return StopTheWorldState(app, None, ((),) * len(self.inputs), paused=False)

    def may_send(self, state: StopTheWorldState) -> bool:
        """Only while it runs."""
        return not state.paused

    def after(
        self, state: StopTheWorldState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> StopTheWorldState:
        """Go on; nothing is recorded on the way."""
        return state._replace(app=app)

    def pause(self, state: StopTheWorldState) -> Step[StopTheWorldState] | None:
        """Stop sending. TLA+: Pause."""
        return None if state.paused else Step(state._replace(paused=True), self.silence)

    def record(
        self, state: StopTheWorldState, found: tuple[tuple[Value, ...], ...]
    ) -> Step[StopTheWorldState] | None:
        """Record the state, and for each input what was found in it. TLA+: Record, RecordAll."""
        if self.colour(state) == RED:
            return None
        return Step(state._replace(recorded=Recorded(state.app), rec_chan=found), self.silence)

    def resume(self, state: StopTheWorldState) -> Step[StopTheWorldState] | None:
        """Send again. TLA+: Resume."""
        return Step(state._replace(paused=False), self.silence) if state.paused else None
