"""The baseline (``specs/StopTheWorld.tla``): a snapshot taken while nothing moves.

A process obeys a controller that sees everything: pause, record, resume, or record in one instant with all
others (EWD864a's remark).

Theory of operation
===================

Two machines, and only one of them decides. A process obeys: it is paused, records and resumes when it is ordered to.
The :class:`Controller` sees a :class:`World`: which of the processes are paused, which have recorded, and whether all
channels are empty. It decides who may record and whether all may resume. The driver carries the commands, and it must
ask the controller *before each* of them, about the world as it is at that moment: a world seen earlier may have moved.

There are two ways to take the snapshot. *In one instant*: no process is paused, and all processes of ``everyone`` record
with what is found in their inputs, in one step that nothing comes into (``RecordAll``). *By pausing*: all processes are
paused one by one, what is on the way is accepted until the channels are empty, all record, and then all resume.

A paused process accepts and does not send: ``sendable`` yields nothing, ``send`` returns ``None`` and ``internal``
yields nothing until it has resumed. ``pause`` returns ``None`` for a process that is paused, ``resume`` for one that is
not, or that has recorded nothing. ``record`` always obeys, also twice: whether it is time is the controller's business.

The baseline is here to be compared with. It needs what the others do without: an observer who sees everything at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyharness.base.errors import DriverError
from pyharness.machines.protocols.common.process import Process, Recorded, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.common.process import Coloured, Message


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
        """Return whether the process runs."""
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
        """Return the record that is kept when it resumes: all of it. TLA+: GoOn."""
        return state.recorded


class World(NamedTuple):
    """The controller's view: of each process whether it is paused and whether it is red; and empty channels.

    Where only sources are paused (``StopTheInput``), who has inputs counts as paused, and nothing is drained before all
    have passed on what they have.
    """

    paused: tuple[bool, ...]
    red: tuple[bool, ...]
    drained: bool


class Controller:
    """The controller's decisions. Processes are numbered from 0 here. Mutants override one of them."""

    def may_record(self, world: World, number: int) -> bool:
        """Return whether a paused process records now: when nothing moves. TLA+: MayRecord."""
        return world.paused[number] and not world.red[number] and all(world.paused) and world.drained

    def may_resume(self, world: World) -> bool:
        """Return whether processes may resume: when all have recorded. TLA+: MayResume."""
        return all(world.red)

    def everyone(self, processes: int) -> range:
        """Return the processes that record in one instant: all. TLA+: RecordAsFound."""
        return range(processes)

    def as_found(self, queue: tuple[Message | Coloured, ...]) -> tuple[Value, ...]:
        """Return a channel's state in that instant: its content. TLA+: RecordAsFound."""
        return tuple(message.msg for message in queue)
