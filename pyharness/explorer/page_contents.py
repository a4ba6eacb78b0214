"""What the explorer's page shows of a session, as values for its template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from pyharness.report.state_graphs.state_svg import states_svg
from pyharness.toolchain.clean_text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.explorer.session import Session
    from pyharness.report.state_graphs.state_picture import StateGraph

ACTION_KEYS: Final = "123456789abcdefghijklmnopqrstuvwxyz"
"""The keys that take the enabled actions, in their order."""

_MOST_HISTORIES: Final = 30


def small_graph(session: Session) -> StateGraph | str:
    """Return the graph of all states that can be reached, or why there is no picture of it."""
    return session.subject.graph()


def page_values(session: Session, graph: StateGraph | str, *, failed: bool = False) -> dict[str, Any]:
    """Return what the template asks for; ``failed`` says that the last command could not be done."""
    line, subject = session.here.line(), session.subject
    picture = subject.picture(*session.trace(line), line, session.here)
    judged = session.truths()
    return {
        "name": session.name,
        "facts": list(subject.facts()),
        "said": session.said,
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


def _round(session: Session) -> str:
    """Say that the history comes back to a state it was in, and whether it could do so for ever."""
    found, subject = session.goes_on(), session.subject
    if found is None or found.stays:
        return ""
    first, last = found.begins + 1, session.here.steps
    steps = f"steps {first} to {last}" if first < last else f"step {first}"
    back = f"This is the state of step {first} again, so {steps} can repeat."
    if found.neglected:
        waiting = " and ".join(clean(subject.in_words(*action)) for action in found.neglected[:3])
        return f"{back} To do so for ever would not be fair: {waiting} could always be taken, and never is."
    return f"{back} To do so for ever is fair{', and violates ' + ', '.join(found.missing) if found.missing else ''}."


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
            "last": clean(session.told(end)) or "the beginning",
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
