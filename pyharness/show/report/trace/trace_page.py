"""A trace as a page: one HTML file that opens from disk, fetches nothing, and can be read without JavaScript.

The picture, the steps and the snapshot are there as they are. A script of the page, allowed by its hash and by
nothing else, adds stepping, the state at each step, projection, and the equivalent computation swap by swap.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pyharness.base.errors import HarnessError, SpecError
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.machines.explain import Wording, why
from pyharness.machines.explain.state_values import words
from pyharness.machines.replay.reorder import Reordering, reorder
from pyharness.models.trace_system import coloured_system
from pyharness.show.report.trace.captions import about, completed
from pyharness.show.report.trace.diagram import diagram_of
from pyharness.show.report.trace.diagram_svg import CSS, draw, legend_list
from pyharness.show.report.trace.layout import MOST_STEPS, layout
from pyharness.show.report.trace.state_rows import changes
from pyharness.tla.tlc.itf import itf_document, itf_line
from pyharness.tla.values import parse_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyharness.show.report.trace.events import Diagram, DrawnMessage
    from pyharness.tla.tlc import Trace
    from pyharness.tla.values import Value


_MOST_SORTED = 120
"""Longer traces are not reordered for a page: the number of swaps grows with the square of the length."""


def equivalent(trace: Trace, meta: Mapping[str, Any]) -> Reordering | str | None:
    """Reorder a trace, with the mutant that took it; or return the reason why that cannot be done.

    ``None`` for a trace without a recorded state, and one of a protocol that is not ours: it has no reordering.
    """
    if "recState" not in trace.steps[0].state:
        return None
    if len(trace) > _MOST_SORTED:
        return f"It has more than {_MOST_SORTED} steps: `pyharness trace reorder` sorts it, swap by swap."
    spec, mutant = meta.get("spec"), meta.get("mutant")
    protocol = f"{spec}:{mutant}" if isinstance(spec, str) and isinstance(mutant, str) else None
    try:
        system = coloured_system(trace, meta, protocol)
    except HarnessError:
        return None
    try:
        return reorder(trace, system)
    except HarnessError as error:
        return str(error.message)


_TEMPLATES: Final = Path(__file__).parent / "templates"
_NARROW = 900


def to_html(trace: Trace, meta: Mapping[str, Any] | None = None) -> str:
    """Write a trace as a page; ``meta`` is its document's. The same trace gives the same text."""
    meta = dict(meta or {})
    known = about(meta)
    full_meta = completed(meta)
    diagram = diagram_of(trace, full_meta)
    scale = layout(diagram)
    found = equivalent(trace, meta)
    script = (_TEMPLATES / "trace.js").read_text(encoding="utf-8")
    return render(
        "trace.html.jinja",
        script=script,
        title=clip(clean(known.title or diagram.title), 200),
        diagram=diagram,
        facts=[(name, clean(value)) for name, value in _facts(trace, meta, diagram)],
        known=known,
        broken=_broken(trace, full_meta, diagram),
        picture=Markup(draw(diagram, key=False)),  # noqa: S704 - every text in it is escaped where it is written
        legend=legend_list(diagram),
        narrow=scale.width <= _NARROW,
        steps=list(_steps(trace, diagram, Wording(trace, meta), scale.first, scale.last)),
        notices=[*scale.notices, *_notices(trace, scale.first, scale.last)],
        processes=[(i, clean(lane.name)) for i, lane in enumerate(diagram.lanes) if lane.is_process],
        cuts=[_snapshot(diagram, number, Wording(trace, meta)) for number in range(len(diagram.cuts))],
        reordering=_reordering(found) if isinstance(found, Reordering) else None,
        reason=clean(found) if isinstance(found, str) else None,
        itf=Markup(_embedded(trace, meta)),  # noqa: S704 - JSON, with each < written as \u003c
    )


def render(template: str, script: str = "", *, also: str = "", **values: Any) -> str:
    """Render a page, with its style and what it has ``also``, its script, and the policy that lets nothing else in."""
    style = page_style() + also
    return (
        templates("pyharness.show.report.trace", words=words)
        .get_template(template)
        .render(
            policy=content_policy(style, script),
            style=Markup(style),  # noqa: S704 - ours
            script=Markup(script),  # noqa: S704 - ours
            **values,
        )
    )


@cache
def templates(package: str, **filters: Callable[..., Any]) -> Environment:
    """Return the environment of a package's templates, one for all pages; every text in them is escaped."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    return environment


@cache
def page_style() -> str:
    """Return the style of our pages, with that of pictures."""
    return (_TEMPLATES / "trace.css").read_text(encoding="utf-8") + CSS


def content_policy(style: str, script: str = "") -> str:
    """Return the Content-Security-Policy that lets in this style and this script, by their hashes, and nothing else."""

    def source(text: str) -> str:
        digest = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'" if text else "'none'"

    return (
        f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _facts(trace: Trace, meta: Mapping[str, Any], diagram: Diagram) -> Iterator[tuple[str, str]]:
    for key in ("spec", "mutant", "example"):
        if isinstance(meta.get(key), str) and meta[key]:
            yield key, meta[key]
    topology = trace.steps[0].state.get("topo")
    if isinstance(topology, str):
        yield "topology", topology
    if processes := sum(lane.is_process for lane in diagram.lanes):
        yield "processes", str(processes)
    yield "steps", str(len(trace))


def _broken(trace: Trace, meta: Mapping[str, Any], diagram: Diagram) -> list[str]:
    """Explain why the property is violated, and which red messages were accepted in white actions before that."""
    if isinstance(meta.get("refused"), str):
        return [clean(line.strip()) for line in meta["refused"].split("\n") if line.strip()][:8]
    reason = why(diagram.violated, trace, meta) if diagram.violated else None
    crossing = [m for m in diagram.messages if m.crossing == "red in white"]
    if reason is not None:
        crossing = [m for m in crossing if m.accepted != diagram.violated_at]
    return [*([clean(reason)] if reason else []), *(_shown(message, diagram) for message in crossing)][:5]


def _shown(message: DrawnMessage, diagram: Diagram) -> str:
    ends = [clean(diagram.lanes[lane].name) for lane in (message.source, message.target)]
    return (
        f"At step {(message.accepted or 0) + 1} {ends[1]}, which has not recorded yet, accepts {clean(message.label)}, "
        f"which {ends[0]} sent at step {message.sent + 1}, after it had recorded."
    )


def _steps(
    trace: Trace, diagram: Diagram, wording: Wording, first: int, last: int
) -> Iterator[dict[str, Any]]:
    for event, changed in zip(diagram.events, changes(trace, diagram.lanes, wording), strict=True):
        if event.index > last:
            return
        if event.index < first:
            continue
        yield {
            "event": event,
            "text": clean(event.text),
            "where": ", ".join(clean(diagram.lanes[lane].name) for lane in event.lanes),
            "lanes": " ".join(map(str, event.lanes)),
            "colour": _colour(event.before, event.after),
            "notes": [clean(note) for note in event.notes],
            "changes": changed,
        }


def _colour(before: tuple[str | None, ...], after: tuple[str | None, ...]) -> str:
    colours = sorted({a if a == b else f"{a} to {b}" for a, b in zip(before, after, strict=True) if a and b})
    return ", ".join(colours)


def _notices(trace: Trace, first: int, last: int) -> Iterator[str]:
    if last - first + 1 < len(trace):
        yield f"The table below has these {MOST_STEPS} steps too; `pyharness trace export --to text` has them all."


def _snapshot(diagram: Diagram, number: int, wording: Wording) -> dict[str, Any]:
    cut = diagram.cuts[number]
    return {
        "name": cut.name,
        "states": [
            (clean(diagram.lanes[lane].name), *_in_words(text, wording.local), int(cut.at[lane]) + 1)
            for lane, text in cut.states.items()
        ],
        "missing": [
            clean(lane.name) for i, lane in enumerate(diagram.lanes) if lane.is_process and i not in cut.at
        ],
        "kept": [
            (clean(kept.channel), *_in_words(kept.text, wording.message), kept.at + 1)
            for kept in diagram.kept
            if kept.cut == cut.name
        ],
    }


def _in_words(text: str, gloss: Callable[[Value], str | None]) -> tuple[str, str]:
    """Return a value that is written as TLA+, and its meaning, which is empty where it has no words."""
    try:
        words = gloss(parse_value(text))
    except SpecError:
        words = None
    return clip(clean(text), 400), "" if words in (None, text) else clip(clean(words), 400)


def _reordering(r: Reordering) -> dict[str, Any]:
    topology = r.computation.topology
    left = list(range(len(r.original)))
    order = sorted(left, key=lambda i: r.original[i].colour == "red")
    texts = [{"text": clean(a.text(topology)), "colour": a.colour} for a in r.original]
    picture = draw(diagram_of(r.trace, {"title": "White before red", "sss": r.whites}))
    return {
        "original": texts,
        "order": order,
        "whites": r.whites,
        "swaps": [
            {
                "at": swap.position,
                "red": clean(swap.red.text(topology)),
                "white": clean(swap.white.text(topology)),
                "left": swap.inversions,
            }
            for swap in r.swaps
        ],
        "occurred": r.occurred,
        "picture": Markup(picture),  # noqa: S704 - escaped where it is written
    }


def _embedded(trace: Trace, meta: Mapping[str, Any]) -> str:
    """Return the trace as ITF in which each state has only its changes, fit to stand in a ``script`` element."""
    kept = {key: value for key, value in meta.items() if not key.startswith("format")}
    document = itf_document(trace, kept)
    before: dict[str, Any] = {}
    states = []
    for state in document["states"]:
        states.append(
            {key: value for key, value in state.items() if key not in before or before[key] != value}
        )
        before = state
    document["states"] = states
    text = itf_line(document)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
