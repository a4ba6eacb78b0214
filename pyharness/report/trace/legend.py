"""What the signs of a space-time diagram mean: only of those that occur in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from pyharness.report.trace.events import RED, WHITE
from pyharness.report.trace.layout import text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.report.trace.events import Diagram

_SHAFT = (
    '<line class="shaft" x1="0" y1="0" x2="22" y2="0"/>'
    '<polyline class="head" points="20,-4.5 29,0 20,4.5 20,-4.5"/>'
)


class Sign(NamedTuple):
    """A sign: its markup, which is 30 wide around a base line at 0, and what it means."""

    markup: str
    means: str


def legend(diagram: Diagram, top: float, width: float) -> tuple[list[str], float]:
    """Draw the legend from ``top`` down, in rows not wider than ``width``; give it and where it ends."""
    parts, x, y = [], 14.0, top + 14
    for sign in _signs(diagram):
        size = 54 + text_width(sign.means)
        if x > 14 and x + size > width - 8:
            x, y = 14.0, y + 22
        parts.append(
            f'<g class="key" transform="translate({x:.0f} {y:.0f})">{sign.markup}'
            f'<text class="aside" x="36" y="4">{sign.means}</text></g>'
        )
        x += size
    return parts, y + 20


def legend_list(diagram: Diagram) -> Markup:
    """Return the legend as items of a list, each with its sign as a picture of its own."""
    return Markup("\n").join(
        Markup(
            '<li><svg class="std" width="34" height="20" viewBox="-2 -10 34 20" aria-hidden="true">{}</svg> {}</li>'
        ).format(Markup(sign.markup), sign.means)  # noqa: S704 - ours
        for sign in _signs(diagram)
    )


def _signs(diagram: Diagram) -> Iterator[Sign]:
    colours = {colour for event in diagram.events for colour in (*event.before, *event.after)}
    if WHITE in colours:
        yield Sign('<circle class="dot" cx="15" cy="0" r="6.5"/>', "white action")
    if RED in colours:
        yield Sign('<circle class="dot is-red" cx="15" cy="0" r="6.5"/>', "red action")
    if any(event.records for event in diagram.events):
        yield Sign(
            '<polygon class="record" points="5.5,0 15,-9.5 24.5,0 15,9.5"/>'
            '<polygon class="half" points="15,-9.5 24.5,0 15,9.5"/>',
            "records its state, turns red",
        )
    kinds = {(m.kind, m.colour) for m in diagram.messages}
    if {("message", WHITE), ("message", None)} & kinds:
        said = "white message" if WHITE in colours else "message"
        yield Sign(f'<g class="message is-white">{_SHAFT}</g>', said)
    if ("message", RED) in kinds:
        yield Sign(f'<g class="message is-red">{_SHAFT}</g>', "red message")
    for kind in sorted(
        {kind for kind, _ in kinds} & {"marker", "barrier", "cancel", "end", "report", "trigger"}
    ):
        yield Sign(f'<g class="message control {kind}">{_SHAFT}</g>', kind)
    if any(m.end is None for m in diagram.messages):
        yield Sign(
            '<g class="message"><line class="shaft" x1="0" y1="0" x2="22" y2="0"/>'
            '<circle class="open" cx="24" cy="0" r="4"/></g>',
            "in transit",
        )
    if any(m.restored or not m.sent for m in diagram.messages):
        yield Sign(
            '<g class="message"><line class="shaft" x1="8" y1="0" x2="22" y2="0"/>'
            '<polyline class="head" points="20,-4.5 29,0 20,4.5 20,-4.5"/>'
            '<circle class="open" cx="6" cy="0" r="4"/></g>',
            "put back, or there from the start",
        )
    if any(m.lost is not None for m in diagram.messages):
        yield Sign('<path class="lost" d="M10,-5 l10,10 m0,-10 l-10,10"/>', "lost")
    if diagram.cuts:
        yield Sign('<line class="cut" x1="0" y1="0" x2="30" y2="0"/>', "snapshot line")
    if any(kept.message is not None for kept in diagram.kept):
        yield Sign(
            '<rect class="pill" x="4" y="-7" width="22" height="14" rx="4"/>', "recorded as a channel's state"
        )
