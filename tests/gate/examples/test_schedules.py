"""Schedules that were tampered with are refused, by whoever can know; files that are none are named."""

from __future__ import annotations

import re

import pytest

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.spec_files import SPECS, module_directories
from pyharness.gate.jobs import example_check as examples
from pyharness.machines.replay.schedule import load_schedule, parse_schedule
from pyharness.machines.replay.worked_examples import Taken, judge, take
from pyharness.models.machine_tools import find_tools
from pyharness.tla.modules.library import Library
from tests.long import some


def text_of(name):
    return (SPECS / "examples" / f"{name}.toml").read_text()


def tampered(name, old, new):
    text = text_of(name)
    assert old in text
    return parse_schedule(text.replace(old, new, 1))


def checked(schedule, specs=SPECS, **options):
    """Check a schedule on the implementation and by TLC, which starts quickly."""
    return examples.check_schedule(schedule, find_tools(specs), **options)


TAMPERED = [
    ("four-channels", '  "Send C31 h",\n', "", "step 13, Accept C31 h, is refused"),
    ("four-channels", '  "AcceptMarker C31",\n', "", "not complete"),
    ("four-channels", '"Accept C21 d",\n  "AcceptMarker C21"', '"AcceptMarker C21",\n  "Accept C21 d"', "step 11"),
    ("four-channels", 'C21 = ["d"]', "C21 = []", "the snapshot is"),
    ("kuper", '"m3"]', '"m3", "m3"]', "the snapshot is"),
    ("kuper", 'P3 = ["I"]', 'P3 = ["I", "J"]', "the snapshot is"),
    ("nondeterministic", "occurs = false", "occurs = true", "none of the states"),
    ("single-token", "occurs = true", "occurs = false", "one of the states"),
    ("clairvoyant", "rejected_at = 2", "rejected_at = 1", "step 2"),
    ("kuper-negative", '"Initiate P2",\n  "F: Send C21 m2"', '"F: Send C21 m2",\n  "Initiate P2"', "every step was taken"),
    ("wrong-recordings-no-token", 'violates = "Consistent"\n', "", "Consistent at step 5"),
    ("all-at-once", '  "RecordAll",\n', "", "not complete"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "printed"), TAMPERED)
def test_the_implementation_refuses_a_tampered_schedule(name, old, new, printed):
    text = text_of(name).replace("why =", "#") if "violates" in old else text_of(name)
    schedule = parse_schedule(text.replace(old, new, 1))
    assert printed in judge(schedule, take(schedule))


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("name", "old", "new", "printed"), some([TAMPERED[number] for number in (0, 3, 9, 10, 1, 8)], 4)
)
def test_tlc_refuses_a_tampered_schedule(name, old, new, printed, monkeypatch):
    """With the implementation's judgement out of the way, TLC comes to its own."""
    text = text_of(name).replace("why =", "#") if "violates" in old else text_of(name)
    schedule = parse_schedule(text.replace(old, new, 1))
    monkeypatch.setattr(examples, "judge", lambda *_: None)
    result = checked(schedule)
    assert not result.agreed
    assert result.message.startswith("TLC: ")
    if "refused" in printed or "not complete" in printed:
        assert printed.replace(", Accept C31 h,", "") in result.message


@pytest.mark.tlc
def test_other_states_of_the_implementation_are_noticed(monkeypatch):
    schedule = parse_schedule(text_of("four-channels"))
    honest = take(schedule)
    lie = Taken(honest.system, honest.path[:-1], None, honest.snapshot, ())
    monkeypatch.setattr(examples, "take", lambda _: lie)
    assert "other states" in checked(schedule).message


@pytest.mark.tlc
def test_no_evidence_is_incomplete():
    with pytest.raises(IncompleteError):
        checked(parse_schedule(text_of("clairvoyant")), timeout=0.05)


@pytest.mark.tlc
def test_a_spec_that_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / "Digraph.tla").write_text("---- MODULE Digraph ----\nno TLA+\n====\n")
    with pytest.raises(SpecError, match="Could not parse module Digraph"):
        checked(parse_schedule(text_of("clairvoyant")), specs=tmp_path)


@pytest.mark.tlc
def test_tlc_finds_the_modules_that_the_job_of_an_example_is_named_by(tmp_path):
    """Also one that stands in for another from a user's mutants or inductive: the job is named by its text."""
    for place in ("mutants", "inductive"):
        own = tmp_path / place
        (own / place).mkdir(parents=True)
        (own / place / "Digraph.tla").write_text("---- MODULE Digraph ----\nno TLA+\n====\n")
        assert Library(*module_directories(own)).path("Digraph").is_relative_to(own)
        with pytest.raises(SpecError, match="Could not parse module Digraph"):
            checked(parse_schedule(text_of("clairvoyant")), specs=own)


BAD = [
    ('name = "four-channels"', 'name = "Four Channels"', "name"),
    ('name = "four-channels"', 'name = "a"\nfoo = 1', "foo"),
    ('title = "Three', 'title = 3 # "', "title"),
    ('title = "Three', '# "', "title"),
    ('protocol = "ChandyLamport"', 'protocol = "Chandy"', "protocol"),
    ('"Send C12 c"', '"Send C13 c"', "schedule: step 1"),
    ('"Send C12 c"', '"Sned C12 c"', "schedule: step 1"),
    ('"Send C12 c"', '"Send C12"', "schedule: step 1"),
    ('"Send C12 c"', '""', "schedule: step 1"),
    ('"Initiate P1"', '"Initiate P4"', "schedule: step 5"),
    ('"Initiate P1"', '"RecordAll"', "schedule: step 5"),
    ('"Initiate P1"', '"Initiate P1 3"', "schedule: step 5"),
    ('"Initiate P1"', "5", "schedule"),
    ("processes = 3", "processes = 2", "graph.channels"),
    ("processes = 3", 'processes = "3"', "graph.processes"),
    ("[3, 1]]", "[3]]", "graph.channels"),
    ("initiators = [1]", "initiators = [4]", "graph.channels"),
    ("initiators = [1]", "initiators = [1]\nroot = 1", "graph.root"),
    ('items = ["a", ', 'items = ["a", "a", ', "application.placement"),
    ('["g", "h", "i"] }', '["g", "h"] }', "application.placement"),
    ('P3 = ["g"', 'P4 = ["g"', "application.placement.P3"),
    ("[expected]", "[wanted]", "wanted"),
    ("C12 = []", "C12 = [1]", "expected.channels.C12"),
    ("C12 = [],", "", "expected.channels.C12"),
    ('["e", "i"]', "3", "expected.states.P3"),
    ("[expected]", "[expected]\nocurs = true", "expected.ocurs"),
    ('P3 = ["e", "i"] }', 'P3 = ["e", "i"], P4 = [] }', "expected.states.P4"),
    ("C12 = [],", "C12 = [], C13 = [],", "expected.channels.C13"),
    ("[graph]", "rejected = true\n[graph]", "rejected_at"),
    ("[graph]", "rejected_at = 3\n[graph]", "rejected_at"),
    ("[graph]", "rejected = true\nrejected_at = 99\n[graph]", "rejected_at"),
    ("[graph]", 'violates = "E4"\n[graph]', "why"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field"), BAD)
def test_a_bad_file_is_refused_with_file_and_field(old, new, field, tmp_path):
    path = tmp_path / "bad.toml"
    text = text_of("four-channels")
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        load_schedule(path)
    assert re.fullmatch(rf"{re.escape(str(path))}:\d+", caught.value.where)
    assert caught.value.message.startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('action = "Send"', 'action = "Sent"', "application.transitions.P1, line 1.action"),
        ('channel = "C12"', 'channel = "C21"', "application.transitions.P1, line 1.channel"),
        ('source = "A"', 'source = ["A"]', "application.transitions"),
        ('target = "B"', 'target = "B", why = 1', "application.transitions.P1, line 1.why"),
        ('P1 = "A", ', "", "application.initial.P1"),
        ("P2 = [\n", "P3 = [\n", "application.transitions.P3"),
    ],
)
def test_a_bad_automaton_is_refused(old, new, field):
    with pytest.raises(SpecError) as caught:
        tampered("nondeterministic", old, new)
    assert caught.value.message.startswith(f"{field}: ")


def test_the_first_step_is_that_of_number_1():
    with pytest.raises(SpecError, match="rejected_at: must be a step from 1 to 2"):
        tampered("clairvoyant", "rejected_at = 2", "rejected_at = 0")


@pytest.mark.parametrize("text", ["name = ", "[]", "\x00"])
def test_what_is_not_toml_is_refused(text):
    with pytest.raises(SpecError, match="not TOML"):
        parse_schedule(text)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(SpecError):
        load_schedule(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff")
    with pytest.raises(SpecError):
        load_schedule(tmp_path / "latin.toml")


def test_a_step_that_can_be_taken_in_two_ways_is_refused():
    schedule = tampered(
        "kuper",
        '{ source = [], action = "Internal", target = ["A"] },',
        '{ source = [], action = "Internal", target = ["A"] },\n'
        '  { source = [], action = "Internal", target = ["B"] },',
    )
    with pytest.raises(SpecError, match="two ways"):
        take(schedule)
