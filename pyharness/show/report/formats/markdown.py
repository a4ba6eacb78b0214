"""A trace as a summary in Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pyharness.machines.explain import why
from pyharness.show.report.formats.mermaid import to_mermaid
from pyharness.show.report.trace.captions import about, completed
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.events import (
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

    from pyharness.show.report.trace.events import Diagram, Event
    from pyharness.tla.tlc import Trace

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
