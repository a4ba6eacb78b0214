"""The messages to a program of each protocol, and the fields that it shows: one value for each, registered in ``HELD``.

Nothing beside these values knows a protocol by its name. To compare programs of another one, list which handlers of its
machine are events, what the body of each is, and what a local state shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.hold.programs.wire import CLIENT, node_name
from pyharness.machines.protocols import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.machines.protocols import Channel, Element
    from pyharness.machines.protocols.markers.snapshots import SnapshotId, SnapshotMarker

FOUND: Final = "found"
"""The field with the messages that were found in a process's inputs."""

ID: Final = "id"
"""The field with the id of a snapshot: its initiator, and its number among that one's snapshots."""


class Event(NamedTuple):
    """Something that happens at a process: the ``type`` of the body, the channel that it is of, and its other fields.

    ``fields`` has the other fields of the body, as pairs; ``found`` has pairs of a process and what was in the channel
    from it. An element of a channel comes from its source; all else, sending too, is asked by the harness.
    """

    type: str
    channel: Channel | None = None
    fields: tuple[tuple[str, Any], ...] = ()

    def source(self) -> str:
        """Return the name of its sender."""
        return node_name(self.channel[0]) if self.channel is not None and self.type != "send" else CLIENT

    def body(self) -> dict[str, Any]:
        """Return its body, without the number of the request."""
        where = {"to": node_name(self.channel[1])} if self.type == "send" and self.channel is not None else {}
        return {"type": self.type, **where, **{name: _plain(name, value) for name, value in self.fields}}

    def relabelled(self, process: Mapping[int, int]) -> Event:
        """Return the same event where the processes have other numbers; of one that has none nothing was found."""
        channel = self.channel and (process[self.channel[0]], process[self.channel[1]])
        return self._replace(
            channel=channel, fields=tuple(_relabelled(*each, process) for each in self.fields)
        )

    def touches(self, process: int) -> bool:
        """Return whether it is of a channel of a process, or of its snapshot."""
        of_snapshot = (value[0] for name, value in self.fields if name == ID)
        return process in (self.channel or ()) or process in of_snapshot

    def is_request(self) -> bool:
        """Return whether the harness asks for it, so that a program may refuse it by doing nothing."""
        return self.channel is None


@dataclass(frozen=True)
class HeldProtocol:
    """The messages to programs of a protocol, and the fields that they show.

    ``handlers`` has each method of its machine that is an event, with what makes the event of the machine and the
    method's arguments, or ``None`` for one that is not asked. ``shows`` gives the part of a local state that a program
    shows. With ``dataflow`` the graphs are those of a stream processor; ``constants`` are those of the spec.
    """

    name: str
    shows: Callable[[Any, Any], dict[str, Any]]
    handlers: Mapping[str, Callable[..., Event | None]] = field(default_factory=dict)
    dataflow: bool = False
    constants: Mapping[str, int | str] = field(default_factory=dict)


def element_body(element: Element) -> dict[str, Any]:
    """Return the JSON for an element of a channel: of a control element its name, and its other fields."""
    if isinstance(element, Message):
        return {"type": "message", "msg": element.msg}
    fields = {name: _plain(name, value) for name, value in element._asdict().items()}
    return {"type": fields.pop("control"), **fields}


def _relabelled(name: str, value: Any, process: Mapping[int, int]) -> tuple[str, Any]:
    if name == FOUND:
        return name, tuple((process[p], kept) for p, kept in value if p in process)
    return name, (process[value[0]], value[1]) if name == ID else value


def _plain(name: str, value: Any) -> Any:
    if name == FOUND:
        return {node_name(process): list(kept) for process, kept in value}
    if name == ID and isinstance(value, tuple):
        return _named(value)
    return list(value) if isinstance(value, tuple) else value


# -- what is shown ---------------------------------------------------------------------------------------------


def _snapshot(machine: Any, local: Any) -> dict[str, Any]:
    """The fields of every process: what it holds, what it has recorded, and of each input the messages recorded."""
    recorded = None if local.recorded is None else sorted(local.recorded.state)
    channels = {
        node_name(channel[0]): list(kept)
        for channel, kept in zip(machine.inputs, local.rec_chan, strict=True)
        if kept
    }
    return {"items": sorted(local.app), "recorded": recorded, "channels": channels}


def _of_markers(machine: Any, local: Any) -> dict[str, Any]:
    return {**_snapshot(machine, local), "complete": machine.locally_complete(local)}


def _of_barriers(machine: Any, local: Any) -> dict[str, Any]:
    return {**_snapshot(machine, local), "complete": local.recorded is not None and all(local.arrived)}


def _of_stopping(machine: Any, local: Any) -> dict[str, Any]:
    return {**_snapshot(machine, local), "paused": local.paused}


def _named(snapshot: SnapshotId) -> list[Any]:
    return [node_name(snapshot[0]), snapshot[1]]


def _of_ids(machine: Any, local: Any) -> dict[str, Any]:
    """The fields of a process with ids: what it holds, and for each snapshot that it has recorded the others' fields."""
    snapshots = [
        {
            ID: _named(snapshot),
            "recorded": sorted(part.state),
            "channels": {
                node_name(channel[0]): list(kept)
                for channel, kept in zip(machine.inputs, part.rec_chan, strict=True)
                if kept
            },
            "complete": part.complete,
        }
        for snapshot, part in local.parts
    ]
    return {"items": sorted(local.app), "snapshots": sorted(snapshots, key=lambda each: each[ID])}


# -- the messages ----------------------------------------------------------------------------------------------

_COMPUTATION: Final[Mapping[str, Callable[..., Event | None]]] = {
    "send": lambda _, channel, msg: Event("send", channel, (("msg", msg),)),
    "accept": lambda _, channel, message: Event("message", channel, (("msg", message.msg),)),
}


def _barrier(_: Any, channel: Channel, queued: tuple[Any, ...] = ()) -> Event | None:
    return None if queued else Event("barrier", channel)


def _overtaking(_: Any, channel: Channel, queued: tuple[Any, ...] = ()) -> Event | None:
    return Event("barrier", channel, (("overtakes", queued),))


def _barriers(
    name: str, *, barrier: Callable[..., Event | None] = _barrier, **others: Callable[..., Event | None]
) -> HeldProtocol:
    handlers = {**_COMPUTATION, "initiate": lambda _: Event("initiate"), "accept_barrier": barrier, **others}
    return HeldProtocol(name, _of_barriers, handlers, dataflow=True)


def _found(machine: Any, found: tuple[tuple[Any, ...], ...]) -> Event:
    pairs = ((channel[0], kept) for channel, kept in zip(machine.inputs, found, strict=True) if kept)
    return Event("record", None, ((FOUND, tuple(pairs)),))


def _marker_of(_: Any, channel: Channel, marker: SnapshotMarker) -> Event:
    return Event("marker", channel, ((ID, marker.id),))


_PROTOCOLS: Final = (
    HeldProtocol(
        "ChandyLamport",
        _of_markers,
        {
            **_COMPUTATION,
            "initiate": lambda _: Event("initiate"),
            "accept_marker": lambda _, channel: Event("marker", channel),
        },
    ),
    HeldProtocol(
        "Snapshots",
        _of_ids,
        {**_COMPUTATION, "initiate": lambda _: Event("initiate"), "accept_marker": _marker_of},
        constants={"Each": 2, "Overlap": 1},
    ),
    HeldProtocol(
        "StopTheWorld",
        _of_stopping,
        {
            **_COMPUTATION,
            "pause": lambda _: Event("pause"),
            "record": _found,
            "resume": lambda _: Event("resume"),
        },
    ),
    _barriers("AlignedBarriers"),
    _barriers("AtLeastOnceBarriers"),
    _barriers("TimeoutBarriers", barrier=_overtaking, time_out=lambda _: Event("time_out")),
    _barriers("UnalignedBarriers", barrier=_overtaking),
)

HELD: Final[Mapping[str, HeldProtocol]] = {held.name: held for held in _PROTOCOLS}
"""The protocols that programs are compared with, by the name of their spec."""


def find_held(name: str) -> HeldProtocol:
    """Return the messages of a protocol. Raises SpecError, with the nearest names, if it is not in ``HELD``."""
    if name not in HELD:
        raise SpecError.unknown("protocol of programs", name, HELD)
    return HELD[name]
