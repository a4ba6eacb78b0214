"""A trace for comments on GitHub and GitLab: as a summary in Markdown, and as a Mermaid sequence diagram.

A trace as a Mermaid sequence diagram, as GitHub and GitLab draw it in comments and files. Mermaid draws an arrow at one
moment. So a message is an arrow when it is accepted, which says when it was sent, and a note when it is sent.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

from pyharness.explain import why
from pyharness.report.trace.captions import about, completed
from pyharness.report.trace.diagram import diagram_of
from pyharness.report.trace.events import (
    MOST_TEXT,
    consequences,
    ending,
    left_out,
    one_line,
    signs,
    verdict,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.report.trace.events import Diagram, Event, Message
    from pyharness.tlc import Trace


MOST_EVENTS: Final = 100
"""The most events that are drawn, the last ones."""

_MOST_MERMAID: Final = 25_000
"""The most characters of what is drawn of the events; Mermaid refuses more than 50,000 in all."""

_WIDTH: Final = 44
"""The characters after which a note goes on in a new line."""

_SAFE: Final = frozenset(" _-.,()=+*/'○●→…")


def to_mermaid(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Write a trace as a Mermaid sequence diagram; of a long one the last :data:`MOST_EVENTS` events, which it says.

    A control, such as a marker, is dashed. A lasso is a loop. Every text of the trace is escaped.
    """
    diagram = diagram_of(trace, completed(meta or {}))
    names = [lane.name for lane in diagram.lanes] or ["system"]
    lines = ["sequenceDiagram"]
    lines += [f"    participant L{i} as {_mermaid_text(name, 40)}" for i, name in enumerate(names)]
    drawn = ["\n".join(f"    {line}" for line in _event(diagram, event)) for event in diagram.events]
    first = left_out(drawn, MOST_EVENTS, _MOST_MERMAID)
    if first:
        lines.append(f"    {_over(diagram)}: steps 1 to {first} are not drawn")
    if diagram.lasso is None:
        lines += drawn[first:]
    else:
        enters = max(first, diagram.lasso + 1)
        lines += [*drawn[first:enters], f"    loop {ending(diagram)}", *drawn[enters:], "    end"]
    lines += [f"    {line}" for line in _end(diagram)]
    return "\n".join(lines) + "\n"


def _event(diagram: Diagram, event: Event) -> Iterator[str]:
    """Draw one event: an arrow for each message that it takes from a channel, and a note for what else it is."""
    arrows = [m for m in diagram.messages if m.end == event.index and m.sent < event.index]
    said = f"{event.number} {signs(event)} {event.text}"
    if len(arrows) == 1 and arrows[0].lost is None:
        yield f"{_arrow(arrows[0])}: {_mermaid_text(said, 80)}{_sent(arrows[0])}"
    else:
        yield f"{_over(diagram, event.lanes)}: {_note(said)}"
        for message in arrows:
            yield f"{_arrow(message)}: {_mermaid_text(message.label, 60)}{_sent(message)}"
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


def _arrow(message: Message) -> str:
    line = "--" if message.is_control else "-"
    return f"L{message.source}{line}{')' if message.lost is None else 'x'}L{message.target}"


def _sent(message: Message) -> str:
    return f" (sent in {message.sent + 1})" if message.lost is None else " is lost"


def _over(diagram: Diagram, lanes: tuple[int, ...] = ()) -> str:
    """Begin a note over some lanes, or over all."""
    chosen = lanes or tuple(range(max(1, len(diagram.lanes))))
    low, high = min(chosen), max(chosen)
    return f"Note over L{low}" if low == high else f"Note over L{low},L{high}"


def _note(text: str) -> str:
    """Escape the text of a note, which Mermaid does not wrap by itself."""
    return "<br/>".join(map(_mermaid_text, textwrap.wrap(one_line(text), _WIDTH)))


def _mermaid_text(text: str, most: int = 200) -> str:
    """Escape a text: what Mermaid, Markdown or HTML could take for more than text is the number of its character."""
    shown = one_line(text, most)
    return "".join(c if c.isalnum() or c in _SAFE else f"#{ord(c)};" for c in shown) or "…"


MOST_ROWS: Final = 100
"""The most steps in the table, the last ones; GitHub takes 65,536 characters in a comment."""

_MOST_CHARACTERS: Final = 30_000
"""The most characters of the table, and of the diagram, which else is left out."""

_MOST_WORDS: Final = 1000

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>#|~&$!{}^]")


def to_markdown(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Write a trace as Markdown: what is violated and where, a table of its steps, and a folded sequence diagram.

    Text of the trace is only ever text: no markup, link, mention or HTML. Of a long trace the table has the last
    :data:`MOST_ROWS` steps, and says so.
    """
    known, diagram = about(meta or {}), diagram_of(trace, completed(meta or {}))
    parts = [f"### {_text(known.title or diagram.title)}", ""]
    for said in filter(None, (known.question, known.summary)):
        parts += [_text(said, _MOST_WORDS), ""]
    parts += _headline(diagram)
    reason = why(diagram.violated, trace, completed(meta or {})) if diagram.violated else None
    if reason is not None:
        parts += [_text(reason, _MOST_WORDS), ""]
    if isinstance(refused := (meta or {}).get("refused"), str):
        parts += [f"- {_text(line.strip(), _MOST_WORDS)}" for line in refused.splitlines()[:8]]
        parts.append("")
    if known.claim:
        parts += [f"> {_text(known.claim, _MOST_WORDS)}", ""]
    parts += ["| step | at | | what happens |", "|---:|---|---|---|"]
    rows = [_row(diagram, event) for event in diagram.events]
    if first := left_out(rows, MOST_ROWS, _MOST_CHARACTERS):
        parts.append(f"| 1–{first} | | | {first} steps, not shown |")
    parts += rows[first:]
    if said := ending(diagram):
        parts.append(f"| | | | {said} |")
    if any(signs(event) for event in diagram.events):
        parts += ["", "○ white, before recording; ● red, after it."]
    picture = to_mermaid(trace, meta)
    if len(picture) <= _MOST_CHARACTERS:
        parts += ["", "<details>", "<summary>Sequence diagram</summary>", "", "```mermaid"]
        parts += [picture.rstrip("\n"), "```", "", "</details>"]
    return "\n".join(parts) + "\n"


def _headline(diagram: Diagram) -> Iterator[str]:
    said = verdict(diagram)
    if not said:
        return
    last = diagram.events[diagram.violated_at] if diagram.violated_at is not None else None
    place = f" at {where(diagram, last)}" if last and last.lanes else ""
    yield f"**{_text(said)}**{_text(f': {last.text}{place}') if last else ''}."
    yield ""


def _row(diagram: Diagram, event: Event) -> str:
    violated = [f"{diagram.violated} is violated"] if event.index == diagram.violated_at else []
    texts = [_text(text) for text in (event.text, *consequences(diagram, event))]
    texts += [f"**{_text(text)}**" for text in violated]
    return f"| {event.number} | {_text(where(diagram, event))} | {signs(event)} | {'; '.join(texts)} |"


def _text(text: str, most: int = MOST_TEXT) -> str:
    """Escape a text of the trace: neither markup, nor a link, nor the mention of a user."""
    escaped = _MARKUP.sub(r"\\\g<0>", one_line(text, most))
    unlinked = escaped.replace("://", ":\\/\\/").replace("www.", "www\\.").replace("WWW.", "WWW\\.")
    return unlinked.replace("@", "@&#8203;")
