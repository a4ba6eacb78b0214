"""What a diagram's events say, in words, for the formats that are text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.report.trace.events import RED, WHITE
from pyharness.toolchain.clean_text import one_line as on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.report.trace.events import Diagram, Event

MOST_TEXT: Final = 200
"""The most characters of one text from a trace that these formats show."""

_SIGNS: Final = {WHITE: "○", RED: "●"}


def one_line(text: str, most: int = MOST_TEXT) -> str:
    """Write a text on one line, at most ``most`` characters: what cannot be seen or turns the direction is escaped."""
    return on_one_line(text, most)


def left_out(parts: Sequence[str], most: int, most_characters: int) -> int:
    """Count the first of ``parts`` to leave out, so that at most ``most`` remain, of so many characters in all."""
    room = most_characters
    for kept, part in enumerate(reversed(parts)):
        room -= len(part)
        if kept == most or room < 0:
            return len(parts) - kept
    return 0


def where(diagram: Diagram, event: Event) -> str:
    """Name the lanes at which an event happens: ``P1, P2``."""
    return one_line(", ".join(diagram.lanes[lane].name for lane in event.lanes))


def signs(event: Event, lane: int | None = None) -> str:
    """Show the colour of an event's action: ``○`` white, ``●`` red, ``○→●`` turns red; empty without colours.

    ``lane`` chooses one of the event's lanes; without it, all lanes must agree.
    """
    pairs = zip(event.lanes, event.before, event.after, strict=True)
    found = {(before, after) for at, before, after in pairs if lane in (None, at)}
    if len(found) != 1:
        return ""
    before, after = (_SIGNS.get(colour or "", "") for colour in found.pop())
    return before if before == after or not after else f"{before}→{after}" if before else after


def consequences(diagram: Diagram, event: Event) -> Iterator[str]:
    """Tell what comes of an event: who records, what a channel's state keeps, a message across the cut, its notes."""
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
    """Tell which property is violated and where; empty if none is named."""
    if diagram.violated is None:
        return ""
    if diagram.violated_at is None:
        return f"{diagram.violated} is violated, it never comes"
    return f"{diagram.violated} is violated at step {diagram.violated_at + 1}"


def ending(diagram: Diagram) -> str:
    """Tell how the behaviour goes on after its last step; empty if that is open."""
    if diagram.lasso is not None:
        return f"back to step {diagram.lasso + 1}, for ever"
    return "nothing happens ever after" if diagram.stuttering else ""
