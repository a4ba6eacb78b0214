"""``pyharness explore FOO.tla``: a module's behaviours by hand, on TLC's own graph."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import Client

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.cli import explore_command
from pyharness.show.any_spec.spec_graph import GraphReader
from pyharness.show.explorer.explorer_site import ExplorerSite
from pyharness.show.explorer.private_site import LoopbackServer
from pyharness.show.explorer.session import Session
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.tlc.outcome import NO_DEADLOCK
from tests.command import run
from tests.show.any_spec.graphs import SPECS, subject

HOST = "127.0.0.1:8000"

pytestmark = pytest.mark.tlc


@pytest.fixture(scope="module")
def graphs():
    """The subjects, which never change, by name; a session is made anew for each test."""
    return {name: subject(name) for name in ("Mutex", "Odd", "MCQueue")}


@pytest.fixture
def odd(graphs):
    return Session(graphs["Odd"])


def values(session):
    return [session.subject.variables(moment.state)["n"] for moment in session.here.past()]


def page(session, path="", method="GET", **form):
    client = Client(ExplorerSite(session, (HOST,), "token"))
    answer = client.open(f"/token/{path}", method=method, data=form, headers={"Host": HOST})
    return answer.get_data(as_text=True)


def test_the_shortest_way_to_a_state_where_an_invariant_fails(odd):
    odd.run_until_fails("Few")
    assert values(odd) == [0, 1, 2, 3]
    assert "Found after 3 more steps: a state where Few fails." in odd.message
    truths = {truth.name: truth for truth in odd.truths()}
    assert truths["Few"].holds is False
    assert truths["Even"].failed_at == 2
    assert truths["Few"].claim == "Len(words) < 3"


def test_a_deadlock_fails_where_the_configuration_looks_for_it(graphs, odd):
    odd.run_until_fails(NO_DEADLOCK)
    assert values(odd) == [0, 1, 3] or values(odd) == [0, 2, 3]
    assert graphs["Mutex"].properties == ("TypeOK", "Exclusion", "Flagged"), "CHECK_DEADLOCK FALSE"
    assert graphs["Mutex"].unjudged == ("Enters",)
    assert NO_DEADLOCK not in graphs["MCQueue"].properties, "what is beyond the constraint is not known"
    assert "deadlock" in graphs["MCQueue"].unjudged


def test_a_goal_is_a_predicate_that_the_module_defines(odd):
    assert [goal.text for goal in odd.goals.values()] == [
        "nothing can happen any more",
        "Init holds",
        "Ends holds",
        "First holds",
        "Small holds",
    ]
    odd.find("Ends")
    assert values(odd)[-1] == 3
    assert len(values(odd)) == 3
    odd.find("Init")
    assert odd.message.startswith("There is none: a state where Init holds.")


def test_a_predicate_is_evaluated_once_and_one_that_cannot_be_says_so(graphs, odd, monkeypatch):
    odd.find("Small")
    monkeypatch.setattr(GraphReader, "where_not", None)
    odd.find("Small")
    assert odd.message == "Here Small holds already."
    monkeypatch.undo()
    with pytest.raises(SpecError, match="cannot evaluate First"):
        odd.find("First")
    text = page(Session(graphs["Odd"]), "")
    assert 'value="First"' in text


def test_the_page_is_a_table_of_variables_and_steps_with_what_changed(odd):
    odd.take(0, 0)
    text = page(odd)
    assert re.search(
        r'<th scope="col"><button id="step-0" name="to" value="0">1</button> <bdi>Initial state', text
    )
    assert re.search(
        r'<th scope="col" aria-current="step"><button id="step-1" name="to" value="1">2</button>', text
    )
    assert '<td class="changed"><code><bdi>1</bdi></code></td>' in text
    assert "✗ Even</strong> fails." in text
    assert "n % 2 = 0" in text
    assert "<div><dt>configuration</dt><dd><bdi>Odd.cfg</bdi></dd></div>" in text
    assert "All states, 6" in text
    assert "This is state 2." in text
    assert "Pyharness" not in text
    assert "pyharness replay" not in text
    assert "snapshot" not in text


def test_what_a_spec_says_is_only_text(odd):
    odd.take(0, 0)
    text = page(odd)
    assert "&lt;&lt;&#34;a\\&#34;b\\\\&lt;&lt;" in text
    assert "b\\\\<<" not in text


def test_what_is_not_judged_and_what_is_not_shown_is_said(graphs):
    text = page(Session(graphs["Mutex"]))
    assert "Not judged here: Enters." in text
    assert "Note: nothing beyond Few was looked at." in page(Session(graphs["MCQueue"]))


def test_histories_are_saved_as_traces(odd):
    odd.run_until_fails("Few")
    trace, meta = from_itf(page(odd, "save?format=itf"))
    assert [step.state["n"] for step in trace.steps] == [0, 1, 2, 3]
    assert [step.action for step in trace.steps][1:] == ["Up"] * 3
    assert meta["violated"] in ("Few", "Even")
    table = page(odd, "save?format=text")
    assert table.startswith("Odd.tla under Odd.cfg, 3 steps\n")
    assert "*3" in table
    assert "<title>Odd.tla under Odd.cfg, 3 steps</title>" in page(odd, "save?format=html")
    assert page(odd, "save?format=svg").startswith("404")
    assert "<code>pyharness explore Odd.tla --trace FILE</code>.</p>" in page(odd)


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_serves_the_page_and_prints_its_address(monkeypatch):
    monkeypatch.setattr(LoopbackServer, "run", lambda _: None)
    done = run("explore", SPECS / "Counter.tla", "--constant", "Most=3")
    assert done.exit_code == 0, done.output
    assert re.search(
        r"^Counter.tla under the theorems of Counter: http://127\.0\.0\.1:\d+/[\w-]{32}/$",
        done.stdout,
        re.MULTILINE,
    )


def test_a_graph_that_is_too_large_or_not_whole_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(LoopbackServer, "run", lambda _: pytest.fail("it serves"))
    monkeypatch.setattr("pyharness.cli.explore_command.MOST_GRAPH_STATES", 10)
    done = run("explore", SPECS / "Mutex.tla")
    assert done.exit_code == 2
    assert "Mutex.tla: the graph has more than 10 states" in done.stderr

    def late(*_):
        raise IncompleteError("TLC was not through")

    monkeypatch.setattr(explore_command, "read_file_graph", late)
    assert run("explore", SPECS / "Mutex.tla").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Odd.tla", "--trace", "a.itf.json"], "a.itf.json"),
        (["Odd.tla", "--step", "2"], "no trace to go to a step of"),
        (["ChandyLamport.tla"], "name the module: pyharness explore ChandyLamport"),
        (["ChandyLamport", "--topology", "ring:2", "--config", "Odd.cfg"], "of the file of a module"),
    ],
)
def test_bad_input_gets_a_message(monkeypatch, arguments, says):
    monkeypatch.chdir(SPECS)
    done = run("explore", *arguments)
    assert done.exit_code == 2
    assert says in done.stderr
