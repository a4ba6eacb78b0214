"""The explorer as a site of one user: requests are commands of a session, and its page shows the session.

Each command answers with the way back to the page, which is complete without JavaScript.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Response

from pyharness.base.errors import HarnessError, SpecError
from pyharness.base.toolchain.clean_text import clean
from pyharness.show.explorer.private_site import PrivateSite
from pyharness.show.report.state_graphs.state_svg import CSS as STATES_CSS
from pyharness.show.report.state_graphs.state_svg import states_svg
from pyharness.show.report.trace.table_page import table_style
from pyharness.show.report.trace.trace_page import page_style, templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyharness.show.explorer.explored_subject import Truth
    from pyharness.show.explorer.session import Session
    from pyharness.show.report.state_graphs.state_picture import StateGraph


ACTION_KEYS: Final = "123456789abcdefghijklmnopqrstuvwxyz"
"""The keys that take the enabled actions, in their order."""

_MOST_HISTORIES: Final = 30


def page_values(session: Session, graph: StateGraph | str, *, failed: bool = False) -> dict[str, Any]:
    """Return the template's values; ``failed`` is the reason why the last command could not be done."""
    line, subject = session.here.line(), session.subject
    picture = subject.picture(*session.trace(line), line, session.here)
    judged = session.truths()
    return {
        "name": session.name,
        "facts": list(subject.facts()),
        "message": session.message,
        "failed": failed,
        "at": session.here.number,
        "step": session.here.steps,
        "line": " ".join(str(moment.number) for moment in line),
        "picture": picture,
        "can": {"undo": session.here.before is not None, "redo": session.here.last is not None},
        "choices": [
            {
                "number": choice.number,
                "text": clean(choice.text),
                "key": ACTION_KEYS[choice.number] if choice.number < len(ACTION_KEYS) else "",
                "taken": choice.taken is not None,
            }
            for choice in session.choices()
        ],
        "definitions": list(_definitions(session, judged)),
        "truths": judged,
        "failing": [truth for truth in judged if truth.holds is False],
        "round": _round(session),
        "endless": any(truth.kind == "behaviour" for truth in judged),
        "earlier": [truth for truth in judged if truth.holds is not False and truth.failed_at is not None],
        "state": subject.rows(session.here.before and session.here.before.state, session.here.state),
        "beginnings": len(session.beginnings),
        "beginning": session.beginnings.index(session.here.past()[0].state),
        "histories": list(_histories(session)),
        "properties": session.properties,
        "goals": list(session.goals.values()),
        "ends": subject.ends,
        "unjudged": subject.unjudged,
        "notes": subject.notes,
        "formats": sorted(subject.formats),
        "file": session.name,
        "replay": session.name if subject.replayed else None,
        **_graph(session, graph),
    }


def _definitions(session: Session, judged: Sequence[Truth]) -> Iterator[tuple[str, str, bool]]:
    """Yield the last action and each property with its text in TLA+, and whether that fails here."""
    here = session.here
    names = {here.action.name: False} if here.action else {}
    names |= {truth.name: truth.holds is False for truth in judged}
    for name, fails in names.items():
        if text := session.subject.definition(name):
            yield name, clean(text), fails


def _round(session: Session) -> str:
    """Explain that the history comes back to a state it was in, and whether it could do so forever."""
    found, subject = session.goes_on(), session.subject
    if found is None or found.stays:
        return ""
    first, last = found.begins + 1, session.here.steps
    steps = f"steps {first} to {last}" if first < last else f"step {first}"
    back = f"This is the state of step {first} again, so {steps} can repeat."
    if found.neglected:
        waiting = " and ".join(clean(subject.in_words(*action)) for action in found.neglected[:3])
        return f"{back} To do so forever would not be fair: {waiting} could always be taken, and never is."
    return f"{back} To do so forever is fair{', and violates ' + ', '.join(found.missing) if found.missing else ''}."


def _histories(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the histories of the tree, the newest first: where each parts from the one that is looked at."""
    here = {moment.number for moment in session.here.line()}
    ends = list(session.tree.ends())[::-1][:_MOST_HISTORIES]
    for end in ends:
        past = end.past()
        common = sum(moment.number in here for moment in past)
        broken = next((moment for moment in past if moment.fails), None)
        yield {
            "to": end.number,
            "here": end.number in here,
            "steps": end.steps + 1,
            "last": clean(session.describe(end)) or "the beginning",
            "parts": common if common < len(past) else None,
            "fails": None if broken is None else f"{broken.fails[0]} at step {broken.steps + 1}",
        }


def _graph(session: Session, graph: StateGraph | str) -> dict[str, Any]:
    if isinstance(graph, str):
        return {"graph": None, "no_graph": graph, "graph_here": None, "graph_states": 0}
    here = session.subject.state_text(session.here.state)
    number = next((node.number for node in graph.nodes if node.text == here), None)
    picture = states_svg(graph, f"All states of {session.subject.title}", style=False)
    return {
        "graph": Markup(picture),  # noqa: S704 - escaped where it is written
        "no_graph": None,
        "graph_here": number,
        "graph_states": len(graph.nodes),
    }


_TEMPLATES: Final = Path(__file__).parent / "templates"
_SUFFIXES: Final = {"itf": "itf.json", "text": "txt"}


class ExplorerSite(PrivateSite):
    """The pages and commands of one session."""

    def __init__(self, session: Session, hosts: Iterable[str] = (), token: str | None = None) -> None:
        super().__init__(hosts, token)
        self._session = session
        self._graph = session.subject.graph()
        self._lock = threading.Lock()
        self._failed = False
        self._commands: Mapping[str, Callable[[_Form], None]] = {
            "take": lambda form: session.take(form.number("at"), form.number("n")),
            "undo": lambda _: session.back(),
            "redo": lambda _: session.forward(),
            "first": lambda _: session.go(session.here.past()[0].number),
            "last": lambda _: session.go(session.here.line()[-1].number),
            "go": lambda form: session.go(form.number("to")),
            "begin": lambda form: session.begin(form.number("initial") - 1),
            "walk": lambda form: session.walk(form.number("seed"), form.number("steps")),
            "run": lambda form: session.run_until_fails(form.text("property")),
            "find": lambda form: session.find(form.text("goal")),
            "reach": lambda form: self._reach(form.number("state")),
        }

    def show(self, path: str, asked: Mapping[str, str]) -> Response:
        """Return the page, one of its resources, or the history in a format to be saved."""
        if path == "":
            return self._page()
        if path == "save":
            return self._save(asked.get("format", ""))
        if path == "explorer.js":
            return Response((_TEMPLATES / path).read_text(encoding="utf-8"), mimetype="text/javascript")
        if path == "explorer.css":
            own = (_TEMPLATES / path).read_text(encoding="utf-8")
            return Response(page_style() + table_style() + str(STATES_CSS) + own, mimetype="text/css")
        raise NotFound

    def _page(self) -> Response:
        with self._lock:
            values = page_values(self._session, self._graph, failed=self._failed)
        return Response(
            templates("pyharness.show.explorer").get_template("explorer.html.jinja").render(**values),
            mimetype="text/html",
        )

    def command(self, name: str, form: Mapping[str, str]) -> Response:
        """Run a form's command in the session, and redirect to the page."""
        if name not in self._commands:
            raise NotFound
        fields = _Form(form)
        with self._lock:
            self._failed = False
            try:
                self._commands[name](fields)
            except HarnessError as error:
                self._failed = True
                self._session.message = str(error).replace("\n", " ")
        return redirect(f"/{self.token}/", 303)

    def _save(self, wanted: str) -> Response:
        formats = self._session.subject.formats
        if wanted not in formats:
            raise NotFound
        with self._lock:
            trace, meta = self._session.trace()
            try:
                written = formats[wanted](trace, meta)
            except SpecError as error:
                return Response(f"{error}\n", status=422, mimetype="text/plain")
            name = self._session.name.replace(":", "-")
        name = f"{name}-{len(trace)}-steps.{_SUFFIXES.get(wanted, wanted)}"
        response = Response(written, mimetype="application/octet-stream")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    def _reach(self, number: int) -> None:
        if isinstance(self._graph, str):
            raise SpecError(self._graph)
        node = next((node for node in self._graph.nodes if node.number == number), None)
        if node is None:
            raise SpecError(f"there is no state {number}", hint=f"there are {len(self._graph.nodes)}")
        text, subject = node.text, self._session.subject
        self._session.reach(lambda state: subject.state_text(state) == text, f"state {number} of the graph")


class _Form:
    """The fields of a form; one that is missing or has another form is a bad request."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        if name not in self._fields:
            raise BadRequest
        return self._fields[name]

    def number(self, name: str) -> int:
        text = self.text(name)
        if not (text.isascii() and text.isdecimal() and len(text) <= 9):
            raise SpecError(f"{text[:20]!r} is not a number", where=name)
        return int(text)
