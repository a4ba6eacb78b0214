"""Schedules of Checkpoints: what was tampered with, and seeded bugs, are noticed; files that are none are named."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs import example_check as examples
from pyharness.machines.replay.schedule import parse_schedule
from pyharness.machines.replay.worked_examples import Taken, judge, take
from pyharness.machines.systems import build_system
from pyharness.models.machine_tools import find_tools
from tests.long import some

DUPLICATE, RESTORE, ABORT, LOOP = (
    "skipped-alignment-duplicate",
    "unaligned-restore-in-flight",
    "abort-racing-cancel",
    "loop-log-saves-records",
)


def tampered(name, old, new):
    text = (SPECS / "examples" / f"{name}.toml").read_text()
    assert old in text
    return parse_schedule(text.replace(old, new, 1))


def checked(schedule, **options):
    """Check a schedule on the implementation and by TLC, which starts quickly."""
    return examples.check_schedule(schedule, find_tools(), **options)


# name, what is replaced, by what; what the implementation says; what TLC says
TAMPERED = [
    (DUPLICATE, 'completed = "{1}"', 'completed = "{}"', "completed ends as {1}, not as {}", None),
    (DUPLICATE, "<<<<2>>, <<0>>, <<>>>>, <<>>, <<>>", "<<<<1>>, <<0>>, <<>>>>, <<>>, <<>>", "state ends as", None),
    (RESTORE, "<<1, 3>> :> <<<<1, 1, 0>>>>", "<<1, 3>> :> <<>>", "acks ends as", None),
    (ABORT, "<<1, 0>>, <<1, 0>>>>", "<<1, 0>>, <<2, 0>>>>", "aborts ends as", None),
    (LOOP, "(4 :> <<<<1>>", "(4 :> <<<<2>>", "output ends as", None),
    # dropped steps
    (DUPLICATE, '  "Inject P2",\n', "", "step 6, AcceptBarrier C23, is refused", "step 6 is refused"),
    (RESTORE, '  "Crash",\n', "", "crashes ends as 0, not as 1", None),
    (ABORT, '  "AcceptCancel C23",', "", "step 9, Accept C13, is refused", "step 9 is refused"),
    (ABORT, '  "Commit P3",\n', "", "committed ends as", None),
    (LOOP, '  "Accept C32",        # logged\n', "", "step 9, Send C23, is refused", "step 9 is refused"),
    # what is violated, and where
    (DUPLICATE, "violated_at = 8", "violated_at = 7", "violated: ExactlyOnce at step 8", "violated first by step 7"),
    (DUPLICATE, "violated_at = 8", "", "violated: ExactlyOnce at step 8", "violated first by step 10"),
    (DUPLICATE, '"ExactlyOnce"', '"CommittedOnce"', "violated: nothing", "CommittedOnce is not violated first"),
    (DUPLICATE, '"ExactlyOnce"', '"CheckpointExact"', "CheckpointExact at step 7", "is not violated first"),
    (RESTORE, "[graph]", 'violates = "ExactlyOnce"\nwhy = "."\n[graph]', "violated: nothing", "first by step 10"),
    # where records may not pass, they do not
    (DUPLICATE, '"at-least-once"', '"aligned"', "step 5, Accept C13, is refused", "step 5 is refused"),
    (RESTORE, '"unaligned"', '"aligned"', "step 6, AcceptBarrier C13, is refused", "step 6 is refused"),
    (ABORT, "MaxDeclines = 1", "MaxDeclines = 0", "step 4, Decline P2, is refused", "step 4 is refused"),
    (LOOP, "MaxCrashes = 1", "MaxCrashes = 0", "step 14, Crash, is refused", "step 14 is refused"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "said", "_"), TAMPERED)
def test_the_implementation_notices_what_was_tampered_with(name, old, new, said, _):
    schedule = tampered(name, old, new)
    assert said in judge(schedule, take(schedule))


TO_TLC = [TAMPERED[number] for number in (0, 1, 5, 8, 10, 12, 13, 14, 15, 17)]
"""Two of each kind, and of what is violated all but one: TLC's traces are all judged alike."""


@pytest.mark.tlc
@pytest.mark.parametrize(("name", "old", "new", "by_us", "by_tlc"), some(TO_TLC, 3))
def test_tlc_notices_what_was_tampered_with(name, old, new, by_us, by_tlc, monkeypatch):
    """With the implementation's judgement out of the way, TLC comes to its own."""
    schedule = tampered(name, old, new)
    monkeypatch.setattr(examples, "judge", lambda *_: None)
    result = checked(schedule)
    assert not result.agreed
    assert result.message.startswith("TLC: ")
    assert (by_tlc or by_us) in result.message


@pytest.mark.tlc
def test_other_states_of_the_implementation_are_noticed(monkeypatch):
    schedule = tampered(ABORT, "name", "name")
    honest = take(schedule)
    lie = Taken(honest.system, honest.path[:-1], None, None, ())
    monkeypatch.setattr(examples, "take", lambda _: lie)
    monkeypatch.setattr(examples, "judge", lambda *_: None)
    assert "other states" in checked(schedule).message


BUGS = [
    (RESTORE, "ReplayTwice", "chan ends as"),
    (ABORT, "KeepBlocked", "step 10, Accept C13, is refused"),
    (LOOP, "ReplayTwice", "violated: ExactlyOnce at step 14"),
    *((name, "ForgetCompleted", "completed ends as {}") for name in (DUPLICATE, RESTORE, LOOP)),
]


@pytest.mark.parametrize(("name", "bug", "said"), BUGS)
def test_a_seeded_bug_does_not_come_out_as_expected(name, bug, said):
    schedule = tampered(name, "name", "name")
    system = build_system(
        "Checkpoints", schedule.topology, schedule.application, mutant=bug, constants=schedule.constants
    )
    assert said in judge(schedule, take(schedule, system))


# -- files that are none -------------------------------------------------------------------------------------


BAD = [
    ('"Send C13"', '"Send C13 1.1"', "schedule: step 3", "not of the form 'Send C12'", "on this graph"),
    ('"Inject P1"', '"Inject P4"', "schedule: step 2", "not of the form 'Inject P1'", "on this graph"),
    ('"Crash"', '"Crash P1"', "schedule: step 8", "not of the form 'Crash'", "on this graph"),
    ('"Crash"', '"Initiate P1"', "schedule: step 8", "Checkpoints has no action 'Initiate'", "TimeOut"),
    ("[constants]", "[bounds]", "constants", "is missing", "it has"),
    ('"at-least-once"', '"once"', "constants.Mode", "cannot be 'once'", "there are aligned, cyclic"),
    ('"at-least-once"', "1", "constants.Mode", "must be one of aligned", None),
    ("Overlap = 0", "Overlap = 3", "constants.Overlap", "must be a number from 0 to 2, not 3", None),
    ("Records = 1", "Records = 0", "constants.Records", "must be a number from 1 to 9, not 0", None),
    ("Ends = 0", "Ends = false", "constants.Ends", "must be a number from 0 to 1, not False", None),
    ("Ends = 0", "", "constants.Ends", "is missing", "it has"),
    ("Ends = 0", "Ends = 0\nNeed = 1", "constants.Need", "no such key", ""),
    ("initiators = [1, 2]", "initiators = [1]", "graph.initiators", "its sources, here [1, 2]", "without inputs"),
    ("[[1, 3], [2, 3]]", "[[1, 2], [2, 1], [1, 3]]", "graph.initiators", "here there are none", "without inputs"),
    ('"ExactlyOnce"', '"Consistent"', "violates", "cannot be 'Consistent'", ""),
    ("violated_at = 8", "violated_at = 11", "violated_at", "must be a step from 1 to", None),
    ("violates =", "#", "violated_at", "no such key", ""),
    ("why =", "#", "why", "is missing", "it has"),
    ("[expected]", "[application]", "application", "no such key", ""),
    ("[expected]", "[application]\nitems = []\n[expected]", "application", "no such key", ""),
    ('completed = "{1}"', 'finished = "{1}"', "expected.finished", "Checkpoints has no such variable", "there are topo"),
    ('completed = "{1}"', 'completed = "{1"', "expected.completed", "not a TLA+ value, it ends too", "{1\n"),
    ('completed = "{1}"', "completed = [1]", "expected.completed", "must be text, not [1]", None),
    ("question =", "question = 1 #", "question", "must be text, not 1", None),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "message", "hint"), BAD)
def test_a_bad_file_is_refused_with_what_where_and_a_hint(old, new, field, message, hint):
    with pytest.raises(SpecError) as caught:
        tampered(DUPLICATE, old, new)
    assert caught.value.message.startswith(f"{field}: ")
    assert message in caught.value.message
    assert (hint or "") in (caught.value.hint or "")


def test_nothing_is_expected_of_no_variable():
    text = (SPECS / "examples" / f"{DUPLICATE}.toml").read_text().partition("[expected]")[0]
    with pytest.raises(SpecError) as caught:
        parse_schedule(text + "[expected]\n")
    assert caught.value.message.startswith("expected: this needs at least one")
    assert caught.value.hint


def test_violated_at_is_for_schedules_of_checkpoints():
    with pytest.raises(SpecError) as caught:
        tampered("wrong-recordings-no-token", "why =", "violated_at = 5\nwhy =")
    assert caught.value.message == "violated_at: no such key"
