"""Who may ask the explorer for what: everything without the token, by another name, or too large is refused."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from dataclasses import replace

import pytest
from werkzeug.test import Client

from pyharness.base.errors import SpecError
from pyharness.show.explorer.explorer_site import ExplorerSite
from pyharness.show.explorer.private_site import LARGEST_REQUEST, serve
from pyharness.show.report.formats.export_formats import FORMATS
from tests.command import run
from tests.show.explorer.sessions import late_turn, opened, running, take, texts

HOST = "127.0.0.1:8000"
TOKEN = "secret-token"  # noqa: S105


@pytest.fixture
def session():
    return opened(text="n2-6-i1")


@pytest.fixture
def client(session):
    return Client(ExplorerSite(session, (HOST, "localhost:8000"), TOKEN))


def ask(client, path="", host=HOST, **options):
    return client.open(f"/{TOKEN}/{path}", headers={"Host": host, **options.pop("headers", {})}, **options)


def test_the_page_is_whole_and_lets_in_only_itself(client):
    answer = ask(client)
    assert answer.status_code == 200
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
    assert answer.headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    text = answer.get_data(as_text=True)
    assert "<svg" in text
    assert not re.search(r"<script(?! src=)|<style|\son\w+=|\sstyle=|https?://(?!www\.w3\.org)", text)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/x/",
        "/secret-toke/",
        "/secret-token2/",
        "//",
        "/secret-token",
        "/explorer.js",
        "/favicon.ico",
        "/é/",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_without_the_token_there_is_nothing(client, session, path, method):
    answer = client.open(
        path if path != "/secret-token" else "/Secret-Token/", method=method, headers={"Host": HOST}
    )
    assert answer.status_code == 404
    assert session.here.number == 0
    assert TOKEN not in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "", "0.0.0.0:8000"]
)
def test_a_name_that_was_made_to_point_here_is_refused(client, session, host):
    assert ask(client, host=host).status_code == 400
    assert ask(client, "take", host=host, method="POST", data={"at": 0, "n": 0}).status_code == 400
    assert len(session.tree.moments) == 1


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:9"]
)
def test_a_page_of_another_site_cannot_send_a_command(client, session, origin):
    answer = ask(client, "take", method="POST", data={"at": 0, "n": 0}, headers={"Origin": origin})
    assert answer.status_code == 400
    assert len(session.tree.moments) == 1
    own = ask(client, "take", method="POST", data={"at": 0, "n": 0}, headers={"Origin": f"http://{HOST}"})
    assert own.status_code == 303


@pytest.mark.parametrize(
    "path", ["../", "explorer.html.jinja", "..%2fexplorer.css", "save", "save?format=passwd", "take"]
)
def test_nothing_else_can_be_read(client, path):
    assert ask(client, path).status_code == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(client, method):
    assert ask(client, method=method).status_code == 400


def test_a_large_form_is_refused(client, session):
    answer = ask(client, "run", method="POST", data={"property": "x" * (LARGEST_REQUEST + 1)})
    assert answer.status_code == 413
    assert ask(client, "run", method="POST", data={}).status_code == 400
    assert len(session.tree.moments) == 1


def test_what_cannot_be_done_is_said_on_the_page(client):
    commands = {
        "undo": {},
        "take": {"at": "99", "n": "0"},
        "go": {"to": "x" * 50},
        "find": {"goal": "<b>"},
        "walk": {"seed": "1", "steps": "100000"},
        "reach": {"state": "9"},
        "begin": {"initial": "0"},
    }
    for path, data in commands.items():
        assert ask(client, path, method="POST", data=data).status_code == 303
        page = ask(client).get_data(as_text=True)
        assert 'id="said" role="status" class="verdict"' in page, path
        assert "<b>" not in page
    ask(client, "walk", method="POST", data={"seed": "1", "steps": "2"})
    assert 'class="verdict">' not in ask(client).get_data(as_text=True).partition("<main")[0]


def test_commands_lead_through_the_bug_and_the_history_is_saved():
    session = late_turn()
    client = Client(ExplorerSite(session, (HOST,), TOKEN))
    for text in ("initiate P1", "send C12 1", "accept marker C12", "accept C12 1"):
        form = {"at": session.here.number, "n": texts(session).index(text)}
        assert ask(client, "take", method="POST", data=form).headers["Location"] == f"/{TOKEN}/"
    page = ask(client).get_data(as_text=True)
    assert "✗ NoRedInWhite</strong> fails" in page
    assert "is violated here" in page
    for name in FORMATS:
        saved = ask(client, f"save?format={name}")
        assert saved.status_code == 200
        assert saved.get_data()
        assert "attachment" in saved.headers["Content-Disposition"]
    for command in ("undo", "redo", "first", "last"):
        ask(client, command, method="POST")
    assert session.here.steps == 4


def test_hostile_text_in_a_trace_is_only_text(client, session):
    session.message = session.meta["mutant"] = "<img src=x onerror=alert(1)>"
    text = ask(client).get_data(as_text=True)
    assert "<img" not in text
    assert "&lt;img" in text


def status(url, **options):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, **options), timeout=30) as answer:  # noqa: S310
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def listening(port):
    """The addresses of this machine, IPv4 and IPv6, that anyone listens at on a port, as Linux has them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(table).readlines()[1:]:  # noqa: SIM115, PTH123
            address, state = line.split()[1], line.split()[3]
            if state == "0A" and int(address.rpartition(":")[2], 16) == port:
                found.add(address.rpartition(":")[0])
    return found


def test_it_listens_on_the_loopback_interface_alone(session):
    with running(session) as url:
        port = int(url.split(":")[2].split("/")[0])
        assert listening(port) == {"0100007F"}
        assert status(url) == 200
        assert status(url[:-2] + "/") == 404
        assert status(f"http://127.0.0.1:{port}/") == 404
        assert status(url, headers={"Host": "evil.example"}) == 400
        assert status(url + "take", data=b"x" * 100_000) == 413
        assert status(url, headers={"X-Long": "x" * 60_000}) == 431
        with pytest.raises(SpecError, match="cannot be had"):
            serve(ExplorerSite(session), port)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "name a spec"),
        ("ChandyLamport", "needs a graph"),
        ("ChandyLamport --topology 3", "one is asked for"),
        ("ChandyLamport --topology ring:3 --step 2", "no trace"),
        ("ChandyLamport:LateTurm --topology ring:3", "LateTurn"),
        ("--trace nowhere.itf.json", "nowhere.itf.json"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, says):
    result = run("explore", *arguments.split())
    assert result.exit_code == 2
    assert says in result.output


def test_the_text_of_the_last_action_and_of_each_property_stands_beside_the_state(client, session):
    assert "Initiate(p) ==" not in ask(client).get_data(as_text=True)
    take(session, "initiate P1")
    text = ask(client).get_data(as_text=True)
    assert "Initiate(p) ==" in text
    assert "NoRedInWhite ==" in text
    assert "✗ fails" not in text


def test_a_property_that_fails_is_opened_with_its_text(client, session, monkeypatch):
    monkeypatch.setattr(session.subject, "definition", {"NoRedInWhite": "A < B"}.get)
    failing = replace(next(each for each in session.truths() if each.name == "NoRedInWhite"), holds=False)
    monkeypatch.setattr(session, "truths", lambda: [failing])
    text = ask(client).get_data(as_text=True)
    assert '<details open><summary><bdi>NoRedInWhite</bdi> <span class="bad">✗ fails</span></summary>' in text
    assert "A &lt; B" in text
