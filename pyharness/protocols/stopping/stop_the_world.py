"""The baseline (``specs/StopTheWorld.tla``): a snapshot taken while nothing moves.

A process obeys a controller that sees everything: pause, record, resume, or record in one instant with all
others (EWD864a's remark).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.errors import DriverError
from pyharness.protocols.common.process import Process, Recorded, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.protocols.applications.application import Channel, Value
    from pyharness.protocols.common.process import Coloured, Message

__all__ = ["Controller", "StopTheWorld", "StopTheWorldState", "World"]


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
    ) -> Step[StopTheWorldState]:
        """Record the state, and for each input what was found in it. TLA+: Record, RecordAll.

        Raises DriverError if ``found`` has not one tuple of messages for each input.
        """
        if len(found) != len(self.inputs) or not all(isinstance(queue, tuple) for queue in found):
            raise DriverError(
                f"{found!r} was found in {len(self.inputs)} inputs",
                where=self._place(),
                hint="one tuple of messages for each input, in the order of `inputs`",
            )
        return Step(state._replace(recorded=Recorded(state.app), rec_chan=found), self.silence)

    def resume(self, state: StopTheWorldState) -> Step[StopTheWorldState] | None:
        """Send again. TLA+: Resume."""
        if not state.paused or state.recorded is None:
            return None
        return Step(state._replace(paused=False, recorded=self.kept(state)), self.silence)

    def kept(self, state: StopTheWorldState) -> Recorded | None:
        """Return the record that is kept when it resumes: all of it. TLA+: KeptBy."""
        return state.recorded


class World(NamedTuple):
    """What the controller sees: of each process whether it is paused and whether it is red; and empty channels."""

    paused: tuple[bool, ...]
    red: tuple[bool, ...]
    drained: bool


class Controller:
    """The controller's decisions. Processes are numbered from 0 here. Mutants override one of them."""

    def may_record(self, world: World, number: int) -> bool:
        """Tell whether a paused process records now: when nothing moves. TLA+: MayRecord."""
        return world.paused[number] and not world.red[number] and all(world.paused) and world.drained

    def may_resume(self, world: World) -> bool:
        """Tell whether processes may resume: when all have recorded. TLA+: MayResume."""
        return all(world.red)

    def everyone(self, processes: int) -> range:
        """Return those who record in one instant: all. TLA+: Everyone."""
        return range(processes)

    def as_found(self, queue: tuple[Message | Coloured, ...]) -> tuple[Value, ...]:
        """Return a channel's state in that instant: what is in it. TLA+: AsFound."""
        return tuple(message.msg for message in queue)
