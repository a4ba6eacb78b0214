"""A trace as a Mermaid sequence diagram, as GitHub and GitLab draw it in comments and files.

Mermaid draws an arrow at one moment. So a message is an arrow when it is accepted, labelled with when it was sent, and
a note when it is sent.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

from pyharness.show.report.trace.captions import completed
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.events import consequences, ending, left_out, one_line, signs, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.show.report.trace.events import Diagram, DrawnEvent, DrawnMessage
    from pyharness.tla.tlc import Trace

MOST_EVENTS: Final = 100
"""The most events that are drawn, the last ones."""

_MOST_CHARACTERS: Final = 25_000
"""The most characters of what is drawn of the events; Mermaid refuses more than 50,000 in all."""

_WIDTH: Final = 44
"""The characters after which a note goes on in a new line."""

_SAFE: Final = frozenset(" _-.,()=+*/'○●→…")


def to_mermaid(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Write a trace as a Mermaid sequence diagram; of a long one the last :data:`MOST_EVENTS` events, with a note.

    A control, such as a marker, is dashed. A lasso is a loop. Every text of the trace is escaped.
    """
    diagram = diagram_of(trace, completed(meta or {}))
    names = [lane.name for lane in diagram.lanes] or ["system"]
    lines = ["sequenceDiagram"]
    lines += [f"    participant L{i} as {_text(name, 40)}" for i, name in enumerate(names)]
    drawn = ["\n".join(f"    {line}" for line in _event(diagram, event)) for event in diagram.events]
    first = left_out(drawn, MOST_EVENTS, _MOST_CHARACTERS)
    if first:
        lines.append(f"    {_over(diagram)}: steps 1 to {first} are not drawn")
    if diagram.lasso is None:
        lines += drawn[first:]
    else:
        enters = max(first, diagram.lasso + 1)
        lines += [*drawn[first:enters], f"    loop {ending(diagram)}", *drawn[enters:], "    end"]
    lines += [f"    {line}" for line in _end(diagram)]
    return "\n".join(lines) + "\n"


def _event(diagram: Diagram, event: DrawnEvent) -> Iterator[str]:
    """Draw one event: an arrow for each message that it takes from a channel, and a note for what else it is."""
    arrows = [m for m in diagram.messages if m.end == event.index and m.sent < event.index]
    said = f"{event.number} {signs(event)} {event.text}"
    if len(arrows) == 1 and arrows[0].lost is None:
        yield f"{_arrow(arrows[0])}: {_text(said, 80)}{_sent(arrows[0])}"
    else:
        yield f"{_over(diagram, event.lanes)}: {_note(said)}"
        for message in arrows:
            yield f"{_arrow(message)}: {_text(message.label, 60)}{_sent(message)}"
    if what := ", ".join(consequences(diagram, event)):
        yield f"{_over(diagram, event.records or event.lanes)}: {_note(what)}"
    if event.index == diagram.violated_at:
        yield f"{_over(diagram)}: {_note(verdict(diagram))}"


def _end(diagram: Diagram) -> Iterator[str]:
    left = [m for m in diagram.messages if m.end is None]
    if left:
        shown = ", ".join(f"{m.label} in {m.channel}" if m.channel else m.label for m in left)
        yield f"{_over(diagram)}: {_note(f'in transit {shown}')}"
    if diagram.violated and diagram.violated_at is None:
        yield f"{_over(diagram)}: {_note(verdict(diagram))}"
    if diagram.stuttering:
        yield f"{_over(diagram)}: {_note(ending(diagram))}"


def _arrow(message: DrawnMessage) -> str:
    line = "--" if message.is_control else "-"
    return f"L{message.source}{line}{')' if message.lost is None else 'x'}L{message.target}"


def _sent(message: DrawnMessage) -> str:
    return f" (sent in {message.sent + 1})" if message.lost is None else " is lost"


def _over(diagram: Diagram, lanes: tuple[int, ...] = ()) -> str:
    """Begin a note over some lanes, or over all."""
    chosen = lanes or tuple(range(max(1, len(diagram.lanes))))
    low, high = min(chosen), max(chosen)
    return f"Note over L{low}" if low == high else f"Note over L{low},L{high}"


def _note(text: str) -> str:
    """Escape the text of a note, which Mermaid does not wrap by itself."""
    return "<br/>".join(map(_text, textwrap.wrap(one_line(text), _WIDTH)))


def _text(text: str, most: int = 200) -> str:
    """Escape a text: a character that Mermaid, Markdown or HTML could take for markup becomes its number."""
    shown = one_line(text, most)
    return "".join(c if c.isalnum() or c in _SAFE else f"#{ord(c)};" for c in shown) or "…"
