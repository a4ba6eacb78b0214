"""What travels: the messages of a trace, followed from state to state through each channel."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pyharness.explain.state_values import channel_name, entries, is_channel, show
from pyharness.report.trace.events import Message
from pyharness.tla import Fn, Value, same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.explain.readable_values import Wording

_Channel = tuple[Value, ...]


def channels_of(state: Mapping[Value, Value], variable: str = "chan") -> dict[_Channel, tuple[Value, ...]]:
    """Return the queue of each channel, of a variable that maps pairs of processes to sequences; else nothing."""
    found: dict[_Channel, tuple[Value, ...]] = {}
    for key, queue in entries(state.get(variable)).items():
        if not isinstance(key, tuple) or not is_channel(key) or not isinstance(queue, tuple):
            return {}
        found[key] = queue
    return found


@dataclass
class Moved:
    """What travelled in one step: ids of messages by channel."""

    sent: dict[_Channel, list[int]] = field(default_factory=lambda: defaultdict(list))
    accepted: dict[_Channel, list[int]] = field(default_factory=lambda: defaultdict(list))
    lost: list[int] = field(default_factory=list)


class Flow:
    """Follows messages. ``lanes`` maps each process to the index of its lane, ``wording`` names what they say.

    An element of a queue has no name, so two equal ones are told apart by their places: what is gone is taken for
    the foremost that it can be.
    """

    def __init__(self, lanes: Mapping[Value, int], wording: Wording) -> None:
        self._lanes = lanes
        self._wording = wording
        self._large = len(lanes) > 9
        self._drafts: list[Message] = []
        self._payloads: list[Value] = []
        self._queues: dict[_Channel, list[int]] = {}

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        return tuple(self._drafts)

    def name(self, channel: _Channel) -> str:
        """Name a channel."""
        return channel_name(channel, large=self._large)

    def payload(self, number: int) -> Value:
        """Return what a message says, without its colour."""
        return self._payloads[number]

    def message(self, number: int) -> Message:
        """Return one message, as it is known so far."""
        return self._drafts[number]

    def queue(self, channel: _Channel) -> tuple[int, ...]:
        """Return the ids of what is in a channel now, first to be accepted first."""
        return tuple(self._queues.get(channel, ()))

    def step(
        self,
        index: int,
        after: Mapping[_Channel, tuple[Value, ...]],
        before: Mapping[_Channel, tuple[Value, ...]],
        *,
        crash: bool = False,
    ) -> Moved:
        """Follow the step with this index; ``crash`` says that whatever is in a channel is lost or put back."""
        moved = Moved()
        for channel, queue in after.items():
            if not all(end in self._lanes for end in channel):
                continue
            old = before.get(channel, ())
            if crash or index == 0:
                moved.lost += self._queues.get(channel, [])
                self._queues[channel] = []
                self._append(moved, channel, queue, index, restored=crash)
            elif not same(old, queue):
                self._follow(moved, channel, old, queue, index)
        self._settle(moved, index)
        return moved

    def _follow(
        self, moved: Moved, channel: _Channel, old: Sequence[Value], new: Sequence[Value], index: int
    ) -> None:
        ids = self._queues.setdefault(channel, [])
        kept = _kept(old, new)
        gone = [ids[i] for i in range(len(old)) if i not in set(kept)]
        if gone:
            moved.accepted[channel] += gone
        if kept and gone and ids.index(gone[0]) > kept[0]:
            self._drafts[gone[0]] = replace(self._drafts[gone[0]], overtakes=True)
        self._queues[channel] = [ids[i] for i in kept]
        self._append(moved, channel, new[len(kept) :], index)

    def _append(
        self,
        moved: Moved,
        channel: _Channel,
        elements: Sequence[Value],
        index: int,
        *,
        restored: bool = False,
    ) -> None:
        for element in elements:
            kind, colour, payload = _read(element)
            label = self._wording.element(element) if kind != "message" else self._wording.label(payload)
            number = self._new(
                kind, self.name(channel), channel, label, colour, index, payload, restored=restored
            )
            self._queues.setdefault(channel, []).append(number)
            moved.sent[channel].append(number)

    def _new(
        self,
        kind: str,
        name: str,
        ends: _Channel,
        label: str,
        colour: str | None,
        index: int,
        payload: Value,
        *,
        restored: bool = False,
    ) -> int:
        source, target = (self._lanes[end] for end in ends)
        number = len(self._drafts)
        self._drafts.append(
            Message(
                number,
                kind,
                name,
                source,
                target,
                label,
                colour,
                index,
                restored=restored,
                raw=_raw(payload, label),
            )
        )
        self._payloads.append(payload)
        return number

    def _settle(self, moved: Moved, index: int) -> None:
        """Tell an accepted message from a lost one: an action accepts one per input, at one process."""
        targets = {channel[1] for channel in moved.accepted}
        if len(targets) > 1 or any(len(gone) > 1 for gone in moved.accepted.values()):
            moved.lost += [number for gone in moved.accepted.values() for number in gone]
            moved.accepted.clear()
        for number in moved.lost:
            self._drafts[number] = replace(self._drafts[number], lost=index)
        for gone in moved.accepted.values():
            for number in gone:
                self._drafts[number] = replace(self._drafts[number], accepted=index)

    def change(self, number: int, **changes: object) -> None:
        """Note more of a message: any of its fields."""
        self._drafts[number] = replace(self._drafts[number], **changes)  # type: ignore[arg-type]

    def add(self, kind: str, source: int, target: int, label: str, sent: int) -> int:
        """Add what travels outside the channels: a report, a trigger. Gives its id."""
        number = len(self._drafts)
        self._drafts.append(Message(number, kind, "", source, target, label, None, sent))
        self._payloads.append(())
        return number


def _kept(old: Sequence[Value], new: Sequence[Value]) -> tuple[int, ...]:
    """Return the positions in ``old`` of the longest beginning of ``new`` that is left of it, the last there are."""
    for size in range(min(len(old), len(new)), 0, -1):
        places: list[int] = []
        at = len(old)
        for element in reversed(new[:size]):
            at -= 1
            while at >= 0 and not same(old[at], element):
                at -= 1
            if at < 0:
                break
            places.append(at)
        if len(places) == size:
            return tuple(reversed(places))
    return ()


def _read(element: Value) -> tuple[str, str | None, Value]:
    """Read an element of a queue: its kind, colour, and payload."""
    if isinstance(element, Fn) and "msg" in element:
        colour = element.get("colour")
        return "message", colour if isinstance(colour, str) else None, element["msg"]
    if isinstance(element, Fn) and isinstance(element.get("control"), str):
        return str(element["control"]), None, element
    return "message", None, element


def _raw(payload: Value, label: str) -> str:
    """Return a payload as TLA+ where its label is not that already; nothing of a control, which is its label."""
    if isinstance(payload, str | Fn) or label == show(payload).replace(", ", ","):
        return ""
    return show(payload)
