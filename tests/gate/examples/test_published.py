"""Each worked example comes out as published: on the implementation, by TLC, and at the command line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli.main import cli
from pyharness.gate.jobs.example_check import check_schedule
from pyharness.machines.replay.schedule import parse_schedule
from pyharness.machines.replay.worked_examples import load_example, take
from pyharness.machines.systems import build_system
from pyharness.models.machine_tools import find_tools
from pyharness.tla.values import to_tla

SNAPSHOTS = {
    "all-at-once": "P1={} P2={} C12=[a] C21=[b]",
    "four-channels": "P1={a,b} P2={c,f} P3={e,i} C12=[] C21=[d] C23=[] C31=[g,h]",
    "kuper": "P1={A,B} P2={F,G,H} P3={I} C12=[] C13=[] C21=[m3] C23=[] C31=[] C32=[]",
    "kuper-token": "P1={m4} P2={m1,m2} P3={} C12=[] C13=[] C21=[token] C23=[] C31=[] C32=[]",
    "nondeterministic": "P1=A P2=D C12=[] C21=[M']",
    "single-token": "P1={} P2={} C12=[] C21=[token]",
    "wrong-recordings-no-token": "P1={} P2={} C12=[] C21=[]",
    "wrong-recordings-two-tokens": "P1={token} P2={} C12=[token] C21=[]",
}
ENDINGS = {
    "abort-racing-cancel": {"completed": "{2}", "aborted": "{1}", "aborts": "<<<<0, 0>>, <<1, 0>>, <<1, 0>>>>"},
    "checkpoint-in-recovery": {"completed": "{1, 2}", "output": "(2 :> <<<<1>>, <<>>>>)"},
    "completed-in-order": {"completed": "{1, 2}", "committed": "(2 :> <<<<1>>, <<>>>>)"},
    "four-steps": {"paused": "{}", "recChan": "(<<1, 2>> :> <<>> @@ <<2, 3>> :> <<>>)"},
    "loop-log-saves-records": {"completed": "{1}", "output": "(4 :> <<<<1>>, <<>>, <<>>, <<>>>>)"},
    "overtaken-at-the-sink": {"aborted": "{1}", "committed": "(2 :> <<<<1, 1>>, <<>>>>)"},
    "skipped-alignment-duplicate": {"completed": "{1}", "output": "(3 :> <<<<2>>, <<0>>, <<>>>>)"},
    "unaligned-restore-in-flight": {"completed": "{1}", "output": "(3 :> <<<<1>>, <<1>>, <<>>>>)"},
}  # fmt: skip


def run(*arguments):
    return CliRunner().invoke(cli, ["trace", "example", *arguments])


def test_the_nondeterministic_snapshot_is_none_of_the_states_passed():
    taken = take(load_example("nondeterministic"))
    passed = {
        (tuple(own.app for own in s.local), tuple(tuple(e[0] for e in q if len(e) > 1) for q in s.queues))
        for s in taken.path
    }
    s0, s1 = (("A", "C"), ((), ())), (("B", "C"), (("M",), ()))
    s2, s3 = (("B", "D"), (("M",), ("M'",))), (("A", "D"), (("M",), ()))
    assert passed == {s0, s1, s2, s3}
    assert tuple(taken.snapshot) not in passed
    assert not taken.occurs


def test_if_the_channel_were_no_queue_the_message_would_overtake_the_marker():
    schedule = load_example("kuper-negative")
    bag = build_system("ChandyLamport", schedule.topology, schedule.application, mutant="NonFifoChannel")
    taken = take(schedule, bag)
    assert taken.snapshot.lines(schedule.topology)[:2] == ["P1={A,B,C,D}", "P2={E}"]
    assert ("NoRedInWhite", 7) in taken.violated


# -- TLC -----------------------------------------------------------------------------------------------------


@pytest.mark.tlc
def test_a_recording_that_fits_together_is_consistent():
    text = (SPECS / "examples" / "wrong-recordings-no-token.toml").read_text()
    early = text.replace(
        '"RecordChannel C12",\n  "Send C12 token",', '"Send C12 token",\n  "RecordChannel C12",'
    )
    early = early.replace('violates = "Consistent"\n', "").replace("why =", "#")
    early = early.replace("C12 = []", 'C12 = ["token"]').replace("occurs = false", "occurs = true")
    early = early.replace("name = ", 'name = "right"\n#')
    result = check_schedule(parse_schedule(early), find_tools())
    assert result.agreed, result.message


# -- the command line ----------------------------------------------------------------------------------------


def test_the_command_prints_the_published_snapshot_one_a_line():
    wrong = {}
    for name, snapshot in SNAPSHOTS.items():
        done, lines = run(name), snapshot.split()
        if done.exit_code or done.output.splitlines()[: len(lines)] != lines:
            wrong[name] = done.output
    assert not wrong


@pytest.mark.parametrize("name", ENDINGS)
def test_the_command_prints_the_last_state_and_the_question(name):
    done, question = run(name, "--text"), load_example(name).question
    assert done.exit_code == 0
    assert question.endswith((".", "?"))
    assert f"\nquestion: {question}\n" in done.output
    assert "<<<<" not in done.output
    if name == "loop-log-saves-records":
        assert (
            "acks[1][P2]: folded record 1 of source 1; logged record 1 of source 1, lap 1 of C32\n"
            in done.output
        )
    ending = take(load_example(name)).ending
    assert {variable: to_tla(ending[variable]) for variable in ENDINGS[name]} == ENDINGS[name]
    assert ("ExactlyOnce is violated by step 8, Crash\nwhy: " in done.output) == (
        name == "skipped-alignment-duplicate"
    )


def test_what_the_command_does_not_know_it_says():
    assert run("nothing").exit_code == 2
    assert run().exit_code == 2


def test_a_schedule_of_ones_own_that_does_not_come_out_as_it_says_is_a_failure(tmp_path):
    text = (SPECS / "examples" / "all-at-once.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert run(str(path)).exit_code == 0
    path.write_text(text.replace('C12 = ["a"]', "C12 = []"))
    done = run(str(path))
    assert done.exit_code == 1
    assert "the snapshot is P1={}" in done.output


@pytest.mark.tlc
def test_the_command_checks_with_tlc():
    assert run("clairvoyant", "--check").output.endswith("TLC agrees\n")
