"""What each protocol demands of those who take snapshots by it, and what is known of a snapshot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyharness.logs.log_events import Channel, Event


@dataclass(frozen=True)
class Rules:
    """What a protocol demands of its processes.

    ``markers`` says that there are any; ``begin`` that whoever has no input is who begins; ``all_inputs`` that a
    process records at the last of its inputs' markers instead of the first; ``blocks`` that it receives nothing from
    an input whose marker has come until then; ``overtakes`` that a marker may come before messages sent before it;
    ``exact`` that a snapshot is a consistent cut; ``stops`` that the world stops for it.
    """

    markers: bool = True
    begin: bool = False
    all_inputs: bool = False
    blocks: bool = False
    overtakes: bool = False
    exact: bool = True
    stops: bool = False


PROTOCOLS: Final = {
    "ChandyLamport": Rules(),
    "AlignedBarriers": Rules(begin=True, all_inputs=True, blocks=True),
    "UnalignedBarriers": Rules(begin=True, overtakes=True),
    "AtLeastOnceBarriers": Rules(begin=True, all_inputs=True, exact=False),
    "StopTheWorld": Rules(markers=False, stops=True),
    "WhiteRed": Rules(markers=False),
}
"""The protocols of which a log is understood, by their spec's name."""


@dataclass
class Snapshot:
    """What is known of a snapshot: who has recorded, with what state, and at which messages.

    ``sent`` and ``got`` are, by channel, the messages sent before its source recorded and received before its target
    did; ``closed`` the channels of which all is known: whose marker was accepted, or, without markers, whose messages
    sent before the record were all received. ``done`` are those who say that their part is complete, ``early`` the
    events of those that say so before all is known that it takes to judge it, with the messages received until then.
    ``told`` are those who told what they recorded. ``recorded`` is, by channel, what crossed the cut, ``last`` the
    event after which nothing was open, and ``behind`` counts the messages that were sent behind the records.
    ``paused`` and ``resumed`` have the events of a world that stops.
    """

    id: str
    states: dict[str, Any] = field(default_factory=dict)
    sent: dict[Channel, int] = field(default_factory=dict)
    got: dict[Channel, int] = field(default_factory=dict)
    closed: set[Channel] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    recorded: dict[Channel, list[Any]] = field(default_factory=dict)
    early: list[tuple[Event, dict[Channel, int]]] = field(default_factory=list)
    last: Event | None = None
    behind: int = 0
    paused: dict[str, Event] = field(default_factory=dict)
    resumed: dict[str, Event] = field(default_factory=dict)
