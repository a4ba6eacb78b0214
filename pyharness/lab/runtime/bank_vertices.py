"""A bank that transfers money in a closed loop, with snapshots by markers.

Each process begins with the same balance and may send ``window`` transfers; each transfer that it accepts lets it send
one more. So what is on the way, and what may still be sent, is as many at any time: a snapshot conserves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import PeerError
from pyharness.lab.runtime.vertex import Compared, Vertex
from pyharness.machines.protocols import Message
from pyharness.machines.protocols.markers.snapshots import SnapshotMarker, Snapshots
from pyharness.machines.protocols.snapshot_mutants import SNAPSHOTS_MUTANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyharness.base.topology import Topology
    from pyharness.lab.runtime.vertex import Frame, Start
    from pyharness.machines.protocols import Channel, Value

BALANCE: Final = 1000
"""The units that each process has in the beginning."""

_MOST_SENT: Final = 50


class Bank:
    """An application: a local state is a balance, a message an amount of money."""

    def initial_states(self, topology: Topology) -> Iterator[tuple[Value, ...]]:
        """Yield the one way to begin."""
        yield (BALANCE,) * topology.processes

    def sendable(self, process: int, channel: Channel, state: Value) -> range:
        """Any amount that there is."""
        return range(_amount(state) + 1)

    def after_send(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Take it away."""
        return _amount(state) - _amount(message)

    def acceptable(self, process: int, channel: Channel, state: Value, message: Value) -> bool:
        """All money is welcome."""
        return True

    def after_accept(self, process: int, channel: Channel, state: Value, message: Value) -> Value:
        """Add it."""
        return _amount(state) + _amount(message)

    def internals(self, process: int, state: Value) -> Iterable[Value]:
        """Money does not move by itself."""
        return ()

    def conserved(self, states: Iterable[Value], channels: Iterable[tuple[Value, ...]]) -> bool:
        """All of it is there."""
        local = list(map(_amount, states))
        return sum(local) + sum(_amount(m) for queue in channels for m in queue) == BALANCE * len(local)


def _amount(value: Value) -> int:
    return value  # type: ignore[return-value]


class BankVertex(Vertex):
    """A process of the bank, which takes snapshots with ids. ``owed`` is how many transfers it may send."""

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        right = Snapshots(self.process, self.topology, Bank())
        self.machine = right
        if start.bug:
            bug = SNAPSHOTS_MUTANTS[start.bug]["process"]
            self.machine = Compared(bug(self.process, self.topology, Bank()), right)
        self.state: Any = right.initial(BALANCE)
        self.owed = start.window
        self._recorded_owed: dict[tuple[int, int], int] = {}

    @property
    def total(self) -> int:
        """The balance."""
        return _amount(self.state.app)

    def header(self) -> dict[str, Any]:
        """Return what is conserved, and whether it may begin a snapshot."""
        return {
            "sum": BALANCE * self.topology.processes,
            "initiator": self.process in self.topology.initiators,
        }

    def holds(self) -> dict[str, int]:
        """Return how much more money it has, and how many more transfers it may send."""
        return self.held(self.total, self.owed)

    def worth(self, value: int) -> dict[str, int]:
        """Return the amount, and one transfer."""
        return {"money": value, "transfers": 1}

    def held(self, balance: int, owed: int) -> dict[str, int]:
        """Return how much more money and transfers there are than in the beginning."""
        return {"money": balance - BALANCE, "transfers": owed - self.start.window}

    def turn(self) -> bool:
        """Send a transfer that it may send, or accept what has come on one of the inputs."""
        full = [index for index, queue in enumerate(self.waiting) if queue]
        may_send = self.owed > 0 and not self.draining
        if may_send and (not full or self.random.random() < 0.5):
            self._send()
        elif full:
            self._take(self.random.choice(full))
        return may_send or bool(full)

    def _send(self) -> None:
        index = self.random.randrange(len(self.outputs))
        amount = self.random.randint(0, min(self.total, _MOST_SENT))
        step = self.machine.send(self.state, self.outputs[index], amount)
        if step is None:
            return
        self.state = step.state
        self.owed -= 1
        self.put(index, amount)

    def _take(self, index: int) -> None:
        element = self.waiting[index][0]
        if isinstance(element, SnapshotMarker):
            self._accept_marker(index, element)
        else:
            step = self.machine.accept(self.state, self.inputs[index], Message(element[1]))
            if step is None:
                return
            self.state = step.state
            self.owed += 1
            self.has_taken(index, element[1])
        self.waiting[index].popleft()

    def element(self, frame: Frame) -> Any:
        """Take markers."""
        if frame[0] != "k":
            raise PeerError(f"a frame {frame[0]!r}", where=self.at())
        return SnapshotMarker((frame[1], frame[2]))

    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Begin a snapshot."""
        step = self.machine.initiate(self.state)
        if step is None:
            return {"id": None}
        snapshot = self.machine.next_id(self.state)
        self._follow(step, snapshot)
        return {"id": _name(snapshot)}

    def _accept_marker(self, index: int, marker: SnapshotMarker) -> None:
        step = self.machine.accept_marker(self.state, self.inputs[index], marker)
        self.note_control("marker", self.inputs[index], _name(marker.id))
        self._follow(step, marker.id)

    def _follow(self, step: Any, snapshot: tuple[int, int]) -> None:
        self.state, name, part = step.state, _name(snapshot), step.state.part(snapshot)
        if part is not None and any(step.outputs):
            self._recorded_owed[snapshot] = self.owed
            self.note_of("record", name, part.state)
        for index, body in enumerate(step.outputs):
            for marker in body:
                self.frames[index].append(["k", *marker.id])
                self.note_control("marker-out", self.outputs[index], _name(marker.id))
        for own, other in self.state.parts:
            if other.complete:
                taken, self.state = self.machine.take(self.state, own)
                held = self.held(taken.state, self._recorded_owed.pop(own, self.owed))
                self.done(_name(own), taken.state, held, [list(log) for log in taken.rec_chan])


def _name(snapshot: tuple[int, int]) -> str:
    return f"{snapshot[0]}.{snapshot[1]}"
