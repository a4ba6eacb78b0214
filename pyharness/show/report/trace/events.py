"""A trace as a space-time diagram: lanes, events, messages, cuts, derived from its states alone; and events in words.

The events of a step are the differences between the states before and after it: an element that is gone from a
channel was accepted, one that is new at its end was sent, a process whose recorded state is new has recorded. So the
diagram shows a counterexample of any protocol, and of a mutant too, as it is. A trace of another tool, whose states
have no such variables, gives lanes and messages as far as they can be known, and else only its steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.clean_text import one_line as on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


WHITE: Final = "white"
RED: Final = "red"


@dataclass(frozen=True, slots=True)
class Lane:
    """A line of the diagram: a process (``P1``), or who stands outside: the coordinator, collector or observer.

    ``key`` is the process as the trace has it, ``None`` of who stands outside.
    """

    name: str
    key: Any = None

    @property
    def is_process(self) -> bool:
        """Whether the lane is a process's."""
        return self.key is not None


@dataclass(frozen=True, slots=True)
class DrawnEvent:
    """One step of the trace.

    ``index`` is the step's (the first state has 0 and is an event at no lane); people see ``number``, from 1.
    ``action`` is its name in the spec, ``words`` what people read ("accept marker"), ``detail`` what it is about
    ("C12 m1"; may be empty). ``lanes`` are the indices of the lanes at which it happens, and ``before`` and
    ``after`` the colours there (``None`` where there are none). ``records`` are the lanes that record their state
    in it. ``crash`` means that all that was under way is lost. ``notes`` are its other effects ("checkpoint 1 is
    complete").
    """

    index: int
    action: str | None
    words: str
    detail: str = ""
    lanes: tuple[int, ...] = ()
    before: tuple[str | None, ...] = ()
    after: tuple[str | None, ...] = ()
    records: tuple[int, ...] = ()
    crash: bool = False
    notes: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number of the state it leads to, from 1, as TLC and the text of a trace have it."""
        return self.index + 1

    @property
    def text(self) -> str:
        """The event in words: "accept marker C12"."""
        return f"{self.words} {self.detail}".strip()


@dataclass(frozen=True, slots=True)
class DrawnMessage:
    """Something that travels from the lane with index ``source`` to the one with index ``target``.

    ``kind`` is ``message``, or the control it is: ``marker``, ``barrier``, ``cancel``, ``end``; or ``report`` to a
    collector, ``trigger`` from a coordinator. ``channel`` is the name of its channel, empty for the last two.
    ``label`` is its short text, and ``raw`` its value as TLA+ where the label is in words. ``colour`` is white, red, or
    ``None`` for what has none.

    ``sent``, ``accepted`` and ``lost`` are indices of events. One that was there in the first state is sent at 0;
    ``restored`` means that it was put back into its channel in a crash, at ``sent``. One that is neither accepted
    nor lost is still in transit at the end. ``overtakes`` means that it was accepted before others that were ahead of it.
    ``crossing`` is ``red in white`` for a red message accepted in a white action, which breaks the one rule, and
    ``white in red`` for one that belongs to the channel's state.
    """

    id: int
    kind: str
    channel: str
    source: int
    target: int
    label: str
    colour: str | None
    sent: int
    accepted: int | None = None
    lost: int | None = None
    restored: bool = False
    overtakes: bool = False
    crossing: str | None = None
    raw: str = ""

    @property
    def is_control(self) -> bool:
        """Whether it belongs to the protocol, and not to the computation."""
        return self.kind != "message"

    @property
    def end(self) -> int | None:
        """The event at which it is accepted or lost; ``None`` while it is in transit."""
        return self.accepted if self.accepted is not None else self.lost


@dataclass(frozen=True, slots=True)
class DrawnCut:
    """A snapshot: ``at`` maps the index of each lane that has recorded to the time at which it did.

    A time is the index of the event in which the lane records, or lies half-way between two. ``name`` is
    ``snapshot``, or ``checkpoint 1``, and ``number`` 0, or that of the checkpoint. ``states`` holds each lane's
    recorded state as TLA+.
    """

    name: str
    at: Mapping[int, float]
    states: Mapping[int, str]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of a recorded channel state: ``text`` was recorded of ``channel`` at event ``at``, for cut ``cut``.

    ``message`` is the id of the message that it is, ``None`` if it is none that was in the channel then.
    """

    cut: str
    channel: str
    text: str
    at: int
    message: int | None = None


@dataclass(frozen=True, slots=True)
class Diagram:
    """All of it. ``events[i]`` belongs to ``trace.steps[i]``.

    ``violated`` names the property that the trace violates, and ``violated_at`` is the index of the event where it
    does: the last, or ``None`` for what is violated by never coming. ``lasso`` is the index of the event that the
    end returns to; ``stuttering`` means that nothing happens any more.
    """

    title: str
    lanes: tuple[Lane, ...]
    events: tuple[DrawnEvent, ...]
    messages: tuple[DrawnMessage, ...] = ()
    cuts: tuple[DrawnCut, ...] = ()
    kept: tuple[Kept, ...] = ()
    violated: str | None = None
    violated_at: int | None = None
    lasso: int | None = None
    stuttering: bool = False


MOST_TEXT: Final = 200
"""The most characters of one text from a trace that these formats show."""

_SIGNS: Final = {WHITE: "○", RED: "●"}


def one_line(text: str, most: int = MOST_TEXT) -> str:
    """Write a text on one line, at most ``most`` characters; invisible or direction-changing ones are escaped."""
    return on_one_line(text, most)


def left_out(parts: Sequence[str], most: int, most_characters: int) -> int:
    """Count the first of ``parts`` to leave out, so that at most ``most``, of ``most_characters`` in all, remain."""
    room = most_characters
    for kept, part in enumerate(reversed(parts)):
        room -= len(part)
        if kept == most or room < 0:
            return len(parts) - kept
    return 0


def where(diagram: Diagram, event: DrawnEvent) -> str:
    """Name the lanes at which an event happens: ``P1, P2``."""
    return one_line(", ".join(diagram.lanes[lane].name for lane in event.lanes))


def signs(event: DrawnEvent, lane: int | None = None) -> str:
    """Show the colour of an event's action: ``○`` white, ``●`` red, ``○→●`` turns red; empty without colours.

    ``lane`` chooses one of the event's lanes; without it, all lanes must agree.
    """
    pairs = zip(event.lanes, event.before, event.after, strict=True)
    found = {(before, after) for at, before, after in pairs if lane in (None, at)}
    if len(found) != 1:
        return ""
    before, after = (_SIGNS.get(colour or "", "") for colour in found.pop())
    return before if before == after or not after else f"{before}→{after}" if before else after


def consequences(diagram: Diagram, event: DrawnEvent) -> Iterator[str]:
    """Describe the effect of an event: who records, what a channel's state keeps, a message across the cut, its notes."""
    if event.records:
        names = ", ".join(diagram.lanes[lane].name for lane in event.records)
        yield "records its state" if event.records == event.lanes else f"{names} records its state"
    labels: dict[int | None, str] = {message.id: message.label for message in diagram.messages}
    for kept in diagram.kept:
        if kept.at == event.index:
            yield f"{labels.get(kept.message, kept.text)} is recorded in {kept.channel}"
    for message in diagram.messages:
        if message.accepted == event.index and message.crossing == "red in white":
            yield "a red message in a white action"
    yield from event.notes


def verdict(diagram: Diagram) -> str:
    """Describe which property is violated and where; empty if none is named."""
    if diagram.violated is None:
        return ""
    if diagram.violated_at is None:
        return f"{diagram.violated} is violated, it never comes"
    return f"{diagram.violated} is violated at step {diagram.violated_at + 1}"


def ending(diagram: Diagram) -> str:
    """Describe how the behaviour goes on after its last step; empty if that is open."""
    if diagram.lasso is not None:
        return f"back to step {diagram.lasso + 1}, for ever"
    return "nothing happens ever after" if diagram.stuttering else ""
