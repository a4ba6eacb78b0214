"""Recording without an algorithm (``specs/FreeRecording.tla``): each process and channel at any moment.

It shows what goes wrong then: K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1), 1985, section 3.1.
No process could do this by itself, so it is here, for replay, and not among the protocols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.machines.protocols import WHITE, Message, Process, Recorded, Step
from pyharness.machines.systems.protocol_spec import COMPUTATION_STEPS, ProtocolSpec, ScheduleForm
from pyharness.machines.systems.system import Action, GlobalState, System
from pyharness.tla.values import function

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.machines.protocols import Body, Channel, Value
    from pyharness.tla.values import Value as TlaValue


class RecordedState(NamedTuple):
    """A process with the recordings at it.

    ``app`` is the application's state, ``recorded`` the recorded one. Of each output: ``n`` and ``n_channel``
    count messages sent, and ``output_recorded`` is whether the channel is recorded. Of each input: ``m`` and
    ``m_channel`` count messages accepted, and ``rec_chan`` has the recorded channel.
    """

    app: Value
    recorded: Recorded | None
    n: tuple[int, ...]
    n_channel: tuple[int, ...]
    output_recorded: tuple[bool, ...]
    m: tuple[int, ...]
    m_channel: tuple[int, ...]
    rec_chan: tuple[tuple[Value, ...] | None, ...]


class FreeRecording(Process[RecordedState]):
    """A process that is recorded, and whose channels are recorded, at any time."""

    def initial(self, app: Value) -> RecordedState:
        """Begin with nothing recorded and nothing counted."""
        sent, taken = (0,) * len(self.outputs), (0,) * len(self.inputs)
        return RecordedState(
            app, None, sent, sent, (False,) * len(sent), taken, taken, (None,) * len(self.inputs)
        )

    def colour(self, state: RecordedState) -> str:
        """White always: free recording has no colours."""
        return WHITE

    def after(
        self, state: RecordedState, app: Value, taken: Sequence[tuple[Channel, Message]]
    ) -> RecordedState:
        """Count what is accepted before the recordings. TLA+: Counted, in Accept."""
        for channel, _ in taken:
            index = self.inputs.index(channel)
            state = state._replace(
                m=_counted(state.m, index, recorded=state.recorded is not None),
                m_channel=_counted(state.m_channel, index, recorded=state.rec_chan[index] is not None),
            )
        return state._replace(app=app)

    def act(
        self, before: RecordedState, after: RecordedState, outputs: tuple[Body, ...]
    ) -> Step[RecordedState]:
        """Count what is sent before the recordings. TLA+: Counted, in Send."""
        for index, body in enumerate(outputs):
            if body:
                after = after._replace(
                    n=_counted(after.n, index, recorded=after.recorded is not None),
                    n_channel=_counted(after.n_channel, index, recorded=after.output_recorded[index]),
                )
        return Step(after, outputs)

    def record(self, state: RecordedState) -> RecordedState:
        """Record the process. TLA+: RecordProcess."""
        return state._replace(recorded=Recorded(state.app))

    def record_output(self, state: RecordedState, channel: Channel) -> RecordedState:
        """Take note that an output was recorded. TLA+: RecordChannel."""
        index = self.outputs.index(channel)
        return state._replace(output_recorded=_replaced(state.output_recorded, index, value=True))

    def record_input(self, state: RecordedState, channel: Channel, found: tuple[Value, ...]) -> RecordedState:
        """Record the content found in an input. TLA+: RecordChannel."""
        return state._replace(rec_chan=_replaced(state.rec_chan, self.inputs.index(channel), found))


class FreeRecordingSystem(System):
    """``specs/FreeRecording.tla``: an observer records any process or channel at any moment, once."""

    protocol = "FreeRecording"

    def protocol_actions(self, state: GlobalState) -> Iterator[Action]:
        """Yield RecordProcess and RecordChannel."""
        for number, machine in enumerate(self.processes):
            if state.local[number].recorded is None:
                local = _replaced(state.local, number, machine.record(state.local[number]))
                name = self.topology.process_name(number + 1)
                yield Action("RecordProcess", name, state._replace(local=local))
        recorded = self.by_input(local.rec_chan for local in state.local)
        for index, channel in enumerate(self.channels):
            if recorded[index] is None:
                source, target = channel[0] - 1, channel[1] - 1
                local = state.local
                noted = self.processes[source].record_output(local[source], channel)
                local = _replaced(local, source, noted)
                kept = self.processes[target].record_input(local[target], channel, self.whites(state, index))
                local = _replaced(local, target, kept)
                yield Action(
                    "RecordChannel", self.topology.channel_name(channel), state._replace(local=local)
                )

    def complete(self, state: GlobalState) -> bool:
        """Every process and every channel is recorded."""
        return all(local.recorded is not None and None not in local.rec_chan for local in state.local)

    def variables(self, state: GlobalState) -> dict[str, TlaValue]:
        """Return the spec's nine variables."""
        recorded = zip(self.channels, self.by_input(own.rec_chan for own in state.local), strict=True)
        return {
            "topo": self.topology.id,
            "state": function(enumerate((own.app for own in state.local), start=1)),
            "chan": self.by_channel(self.whites(state, index) for index in range(len(self.channels))),
            "recState": function(self.recorded_states(state)),
            "recChan": function((channel, found) for channel, found in recorded if found is not None),
            "n": self.by_channel(self.by_output(own.n for own in state.local)),
            "nC": self.by_channel(self.by_output(own.n_channel for own in state.local)),
            "m": self.by_channel(self.by_input(own.m for own in state.local)),
            "mC": self.by_channel(self.by_input(own.m_channel for own in state.local)),
        }


def counts(system: System, state: GlobalState) -> dict[Channel, tuple[int, int, int, int]]:
    """Return each channel's n, n', m and m'."""
    numbers = zip(
        system.by_output(own.n for own in state.local),
        system.by_output(own.n_channel for own in state.local),
        system.by_input(own.m for own in state.local),
        system.by_input(own.m_channel for own in state.local),
        strict=True,
    )
    return dict(zip(system.channels, numbers, strict=True))


def consistent(system: System, state: GlobalState) -> bool:
    """Once everything is recorded, the counts of messages agree on each channel.

    TLA+: Consistent.
    """
    return not system.complete(state) or all(
        n == n_channel and m == m_channel and n_channel >= m_channel
        for n, n_channel, m, m_channel in counts(system, state).values()
    )


def _counted(numbers: tuple[int, ...], index: int, *, recorded: bool) -> tuple[int, ...]:
    return numbers if recorded else _replaced(numbers, index, numbers[index] + 1)


def _replaced(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _explained(system: System, state: GlobalState) -> str:
    """Return the counts of each channel in words: a consistent snapshot needs them equal."""
    return "; ".join(
        f"{system.topology.channel_name(channel)}: n={n} n'={n_channel} m={m} m'={m_channel}"
        for channel, (n, n_channel, m, m_channel) in counts(system, state).items()
    )


FREE_RECORDING = ProtocolSpec(
    name="FreeRecording",
    stop="",
    system=FreeRecordingSystem,
    process=FreeRecording,
    state_properties={"Consistent": consistent},
    coloured=False,
    schedule=ScheduleForm(
        {**COMPUTATION_STEPS, "RecordProcess": "process", "RecordChannel": "channel"},
        coloured=False,
        invariants=("InTransit", "ConsistentConserves"),
        explain=_explained,
    ),
)
