"""``pyharness hold``: what it says, what it leaves, how it exits."""

from __future__ import annotations

import json

import conftest
import pytest
from click.testing import CliRunner

import pyharness
from pyharness.base.errors import SpecError
from pyharness.cli.main import cli
from pyharness.hold.programs import Difference, HoldPlan, case_of, document, hold, read_case
from pyharness.hold.programs.difference import trace_of

RING = ("--topology", "ring:2", "--walks", "3")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return CliRunner().invoke(cli, ["hold", *words])


def test_a_pass_of_a_program_that_keeps_its_state_says_up_to_what(here, in_process):
    result = run(*RING, "--", "--stateful")
    assert result.exit_code == 0, result.output
    assert "PASS: --stateful against ChandyLamport" in result.stdout
    assert "exhaustive up to what is shown: the program keeps its state" in result.stdout
    assert "3 second ways were asked too, and agreed" in result.stdout
    assert "1 graph, 1 item: 32 states, 37 transitions" in result.stdout
    assert not list(here.iterdir())


class Growing(conftest.InProcess):
    """Counts the events in the state that it hands out; ``--to N`` at most so many."""

    def __init__(self, command, *others):
        super().__init__(command, *others)
        machine, self.most = self.program, int(command[command.index("--to") + 1])
        plain = machine.bodies

        def bodies(source, body):
            count = 0
            if body["type"] == "step":
                count = min(body["state"]["count"] + 1, self.most)
                body = body | {"state": body["state"]["own"]}
            for dest, more in plain(source, body):
                if "state" in more:
                    more["state"] = {"own": more["state"], "count": count}
                yield dest, more

        machine.bodies = bodies


def test_a_state_that_grows_is_told_and_gives_no_verdict(here, in_process, monkeypatch):
    monkeypatch.setattr("pyharness.hold.programs.node.ChildProcess", Growing)
    result = run(*RING, "--max-states", "300", "--", "--pure", "--to", "1000000")
    assert result.exit_code == 3
    assert "more than 300 pairs of a state of the spec (32 of these)" in result.output
    assert "may grow without an end" in result.output
    assert '"count":' in result.output


def test_a_difference_is_shown_and_left_as_a_page_and_as_a_case_that_can_be_asked_again(here, in_process):
    bad = ("--mutant", "LateTurn")
    result = run(*RING, "--", *bad)
    assert result.exit_code == 1
    assert "n2 gets marker from n1" in result.stdout
    assert "the spec     []\n       the program  null" in result.stdout
    assert "again: pyharness hold --replay build/hold/difference.json -- --mutant LateTurn" in result.stderr
    page = (here / "build/hold/difference.html").read_text()
    assert "the program null" in page
    assert "n2 gets marker from n1" in page
    assert sorted(path.name for path in (here / "build/hold").iterdir()) == [
        "difference.html",
        "difference.json",
    ]
    again = run("--replay", "build/hold/difference.json", "--", *bad)
    assert again.exit_code == 1
    assert "n2 gets marker from n1" in again.stdout
    assert run("--replay", "build/hold/difference.json", "--", "--stateful").exit_code == 0


def test_the_trace_of_a_difference_is_the_spec_s(here, in_process):
    found = hold(["--mutant", "DropChannelState"], HoldPlan(graphs=tuple(pyharness.topologies("ring:2"))))
    trace, meta = trace_of(found.difference)
    assert len(trace) == len(found.difference.case.steps) + 2
    assert pyharness.Trace(trace, meta).replay("ChandyLamport").agreed
    assert meta["refused"].endswith('channels: the spec has {"n2":[1]}, the program {}')


def test_the_self_test_alone_says_nothing_of_the_protocol(here, in_process):
    result = run("--self-test", "--", "--mutant", "LateTurn")
    assert result.exit_code == 0
    assert "the protocol is not checked yet" in result.stdout
    assert "PASS" not in result.output


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--protocol", "Operator", "--topology", "ring:2", "--", "--stateful"),
        ("--protocol", "AlignedBarriers", "--topology", "ring:3", "--", "--stateful"),
        ("--replay", "nowhere.json", "--", "--stateful"),
        ("--timeout", "0", "--", "--stateful"),
    ],
)
def test_bad_input_is_said_in_words(words, here, in_process):
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output


def test_nothing_is_written_through_a_link(here, in_process):
    (here / "elsewhere").mkdir()
    (here / "build").symlink_to(here / "elsewhere")
    result = run(*RING, "--", "--mutant", "LateTurn")
    assert result.exit_code == 2
    assert not list((here / "elsewhere").iterdir())


GOOD = {
    "format": "pyharness-hold-case/1",
    "protocol": "ChandyLamport",
    "topology": "n2-6-i1",
    "held": [[1], []],
    "steps": [[{"process": 1, "event": "initiate"}]],
    "last": {"process": 2, "event": "marker", "channel": [1, 2]},
}


def test_a_case_is_read_as_it_was_written(here):
    case = case_of(GOOD)
    assert case_of(document(Difference(case, ()))) == case


@pytest.mark.parametrize(
    "change",
    [
        {"format": "pyharness-hold-case/9"},
        {"protocol": "Operator"},
        {"protocol": "Operator", "mode": "aligned", "inputs": 2, "events": "hello there"},
        {"topology": "n2-zz"},
        {"held": [[1]]},
        {"held": [["x"], []]},
        {"steps": [[{"process": "1", "event": "initiate"}]]},
        {"last": {"process": 2, "event": "marker", "channel": [1]}},
        {"last": {"process": 2, "event": {"a": 1}}},
        {"last": {"process": 2, "event": "send", "channel": [2, 1], "msg": {"a": 1}}},
    ],
)
def test_what_is_no_case_is_refused_in_words(change, here):
    (here / "case.json").write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(SpecError) as caught:
        read_case(here / "case.json")
    assert "case.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[1]", "{}", "[" * 100_000, '{"format": NaN}', "\x00"])
def test_what_is_no_document_is_refused_in_words(text, here):
    (here / "case.json").write_text(text)
    with pytest.raises(SpecError):
        read_case(here / "case.json")


@pytest.mark.parametrize(
    "change",
    [
        {"last": {"process": 2, "event": "marker", "channel": [2, 1]}},
        {"last": {"process": 1, "event": "resume"}},
        {"steps": [[{"process": 2, "event": "marker", "channel": [1, 2]}]]},
        {"last": {"process": 9, "event": "initiate"}},
    ],
)
def test_a_case_that_the_spec_has_not_is_bad_input(change, here, in_process):
    (here / "case.json").write_text(json.dumps({**GOOD, **change}))
    result = run("--replay", "case.json", "--", "--stateful")
    assert result.exit_code == 2, result.output
