"""Flink's own handlers against the spec's: what agrees, what is known to differ, and that a difference is seen."""

from __future__ import annotations

from functools import partial

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError, ToolError
from pyharness.cli.flink_command import flink as command
from pyharness.hold.flink import FLINK_MODES, flink_compare, flink_drive
from pyharness.hold.flink import handler_runs as runs
from pyharness.hold.flink.event_sequences import Grammar, parse_sequence
from pyharness.hold.flink.expected_differences import recheck
from pyharness.hold.flink.flink_task import FlinkTask
from pyharness.hold.flink.handler_comparison import Comparer
from pyharness.hold.flink.handler_runs import Request, run_comparison
from pyharness.hold.flink.transition_tour import (
    take_every_transition,
)
from pyharness.machines.protocols import OPERATOR_MUTANTS, Operator
from pyharness.machines.protocols.checkpoints.operator_drive import Effect
from tests.hold.flink.unit_tests import unit_tests

pytestmark = pytest.mark.flink


# -- the real handlers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", [t for t in unit_tests() if t.sequence], ids=lambda t: f"{t.test}-{t.mode}")
def test_flinks_own_unit_test_comes_out_as_it_asserts(flink, each):
    """What is played around the handler is good enough for what Flink's tests assert of it."""
    task = FlinkTask(flink, each.inputs, each.mode, after_ends=each.after_ends)
    moments = task.drive(each.events).moments
    for name in ("triggered", "aborted"):
        if getattr(each, name) is not None:
            assert tuple(n for m in moments for n in getattr(m, name)) == getattr(each, name)
    if each.alignments is not None:
        sent = [effect for moment in moments for effect in moment.effects if effect.kind == "triggered"]
        assert tuple(effect.alignment for effect in sent) == each.alignments


@pytest.mark.parametrize("mode", FLINK_MODES)
def test_short_sequences_agree_but_for_known_differences(flink, mode):
    run = run_comparison(flink, Request(Grammar(mode, 2, 2), 3))
    assert run.agreed, run.unexpected
    assert run.sequences > 800


TOURS = {
    ("aligned", False): (18, 108, 0, 0),
    ("unaligned", False): (60, 564, 0, 0),
    ("timeout", False): (30, 186, 0, 0),
    ("at-least-once", False): (30, 240, 2, 0),
    ("unaligned", True): (90, 996, 0, 0),
    ("timeout", True): (202, 1968, 6, 36),
}
"""By the mode, and whether barriers say how they are aligned: the states and transitions of TLC's graph, with two
inputs and two ids; and those transitions that are known to differ, and that cannot be reached but past one."""


@pytest.mark.parametrize(("mode", "own"), TOURS)
def test_flink_takes_every_transition_of_the_specs_state_graph(flink, mode, own):
    tour = take_every_transition(Comparer(flink, mode), 2, 2, own_alignment=own)
    assert (tour.states, tour.transitions, tour.expected, tour.after_expected) == TOURS[mode, own]
    assert tour.same == tour.transitions - tour.expected - tour.after_expected
    assert (tour.agreed, tour.apart, tour.unexpected) == (True, [], [])


# -- sensitivity: what is broken is seen -----------------------------------------------------------------------

KILLED = {
    "NoBlocking": ("aligned", "0:barrier 1"),
    "WrongChannelsLogged": ("unaligned", "0:barrier 1, 1:a"),
    "UnblockAtTimeout": ("timeout", "0:barrier 1, timeout"),
    "AbortPerMarker": ("aligned", "0:cancel 1, 1:cancel 1"),
    "DropLog": ("unaligned", "0:barrier 1, 1:a"),
    "ForgetFinished": ("aligned", "0:end, 1:barrier 1"),
    "KeepBlocked": ("aligned", "0:barrier 1, 1:cancel 1"),
    "SilentDrop": ("at-least-once", "0:barrier 1, 1:cancel 2"),
    "AnnouncedArrives": ("timeout", "0:barrier 1 queued behind a"),
}
"""For each mutant of the operator a sequence at the last event of which real Flink does something else."""


@pytest.mark.parametrize("name", OPERATOR_MUTANTS)
def test_real_flink_kills_every_mutant_of_the_operator(flink, name):
    mode, text = KILLED[name]
    events = parse_sequence(text)
    found = Comparer(flink, mode, OPERATOR_MUTANTS[name]).compare(events, 2)
    assert found is not None
    assert found.events == events
    assert flink_compare(events, mode=mode) is None


class LosesAResume(FlinkTask):
    """A task in which the handler does not resume its first input."""

    def resume(self, channel):
        if channel != 0:
            super().resume(channel)


class LosesAnAbort(FlinkTask):
    """A task that does not hear of an abort."""

    def abort(self, checkpoint):
        pass


class LosesALog(FlinkTask):
    """A task whose channels do not hear that a checkpoint began."""

    def start(self, checkpoint):
        pass


class LosesAnEnd(FlinkTask):
    """A task whose channels go on logging."""

    def stop(self, checkpoint):
        pass


class TriggersTwice(FlinkTask):
    """A task that records its state twice."""

    def trigger(self, checkpoint, alignment):
        super().trigger(checkpoint, alignment)
        self.effects.append(Effect("triggered", id=checkpoint))


@pytest.mark.parametrize(
    ("task", "mode"),
    [
        (LosesAResume, "aligned"),
        (LosesAResume, "timeout"),
        (LosesAnAbort, "aligned"),
        (LosesAnAbort, "unaligned"),
        (LosesAnAbort, "at-least-once"),
        (LosesALog, "unaligned"),
        (LosesALog, "timeout"),
        (LosesAnEnd, "unaligned"),
        (TriggersTwice, "at-least-once"),
    ],
)
def test_a_handler_of_which_one_call_is_lost_is_seen(flink, task, mode):
    run = run_comparison(flink, Request(Grammar(mode, 2, 2), 3), Comparer(flink, mode, task=task))
    assert run.unexpected
    assert not run.agreed


# -- known differences -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", FLINK_MODES)
def test_the_known_differences_are_as_they_are_recorded(flink, mode):
    assert recheck(Comparer(flink, mode)) == []


# -- the command and the library -------------------------------------------------------------------------------


def test_an_end_aborts_in_both_when_checkpoints_after_ends_are_off(flink):
    events = parse_sequence("0:barrier 1, 1:end")
    assert FlinkTask(flink, 2, "aligned", after_ends=False).drive(events).moments[-1].aborted == (1,)
    assert FlinkTask(flink, 2, "aligned").drive(events).moments[-1].aborted == ()
    assert Comparer(flink, "aligned", after_ends=False).compare(events, 2) is None


def test_the_command_says_what_it_compared(flink):
    result = CliRunner().invoke(command, ["--mode", "timeout", "--random", "50", "--seed", "3"])
    assert result.exit_code == 0
    assert f"timeout: Flink {flink.version}, 2 inputs, 2 ids: 50 sequences (random, seed 3, " in result.output


@pytest.mark.usefixtures("flink")
def test_the_command_exits_with_1_at_an_unexpected_difference_and_shows_it_side_by_side(monkeypatch):
    monkeypatch.setattr(runs, "Comparer", partial(Comparer, kind=OPERATOR_MUTANTS["KeepBlocked"]))
    result = CliRunner().invoke(command, ["--mode", "aligned", "--length", "3"])
    assert result.exit_code == 1
    assert ">  2  1:cancel 1   aborted 1, blocked 0  aborted 1" in result.output


@pytest.mark.usefixtures("flink")
def test_a_run_with_too_many_differences_stops_and_fails(monkeypatch):
    monkeypatch.setattr(runs, "MANY", 1)
    monkeypatch.setattr(runs, "Comparer", partial(Comparer, kind=OPERATOR_MUTANTS["NoBlocking"]))
    result = CliRunner().invoke(command, ["--mode", "aligned", "--length", "3"])
    assert result.exit_code == 1
    assert "Stopped" in result.output


def test_flink_has_fifty_checkpoints_pending_and_no_other_number(flink):
    request = Request(Grammar("at-least-once", 2, 2), 4, pending=50)
    assert runs.run_comparison(flink, request).agreed
    for other in (49, 51):
        bounded = Comparer(flink, "at-least-once", kind=bounded_operator(other))
        assert not runs.run_comparison(flink, request, bounded).agreed


def bounded_operator(most):
    class Bounded(Operator):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **{**named, "most_pending": most})

    return Bounded


def test_a_run_of_nothing_is_no_pass(flink):
    assert not runs.HandlerRun(Request(Grammar("aligned", 2, 2), 3), flink.version).agreed


@pytest.mark.usefixtures("flink")
@pytest.mark.parametrize(
    ("text", "mode", "code", "words"),
    [
        ("0:barrier 1, 1:a, 1:barrier 1", "aligned", 0, "the same"),
        ("0:barrier 1 aligned, 0:cancel 3, 1:barrier 2 overtakes c", "unaligned", 0, "the same"),
        ("0:barrier 1, 0:end, 1:barrier 2, 1:end", "at-least-once", 1, "IllegalStateException"),
        ("0:barrier 1, 7:a", "aligned", 2, "no input 7"),
        ("0:barrier", "aligned", 2, "no event"),
    ],
)
def test_one_sequence(text, mode, code, words):
    from pyharness.cli.main import cli

    result = CliRunner().invoke(cli, ["hold", "flink", "--mode", mode, "--sequence", text])
    assert (result.exit_code, words in result.output + result.stderr) == (code, True), result.output


@pytest.mark.usefixtures("flink")
def test_what_the_handler_throws_is_told_with_the_event():
    with pytest.raises(ToolError, match="event 4: Flink's handler threw IllegalStateException"):
        flink_drive(parse_sequence("0:barrier 1, 0:end, 1:barrier 2, 1:end"), mode="at-least-once")


@pytest.mark.usefixtures("flink")
def test_events_that_cannot_be_and_modes_that_flink_has_not_are_refused():
    with pytest.raises(SpecError, match="no input 2"):
        flink_drive([(2, "a")])
    with pytest.raises(SpecError, match="cyclic"):
        flink_compare([(0, "a")], mode="cyclic")
