"""What TLC must come to for a worked example to agree: each piece of it is missed, without running TLC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pyharness.base.errors import IncompleteError
from pyharness.gate.jobs import example_check
from pyharness.gate.jobs.example_check import ExampleResult, check_schedule, example_row
from pyharness.machines.replay.worked_examples import judge, load_example, take
from pyharness.models.schedule_model import AS_CLAIMED, STEP, UNFINISHED
from pyharness.tla.tlc import Outcome, Result, Trace, TraceStep, Violation
from pyharness.tla.values import Fn

TOOLS = SimpleNamespace(java=Path("java"), jar=Path("jar"), specs=(Path("specs"),), jvm_options=())


def honest(schedule):
    """What TLC comes to on a schedule that agrees."""
    if schedule.rejected_at is not None:
        return Result(Outcome.SUCCESS, 0, finished=True, depth=schedule.rejected_at)
    taken = take(schedule)
    steps = tuple(
        TraceStep(
            None if number == 1 else "Next", Fn({**taken.system.variables(state), STEP: number}.items())
        )
        for number, state in enumerate(taken.path, start=1)
    )
    name = UNFINISHED if schedule.constants else schedule.violates or UNFINISHED
    found = Violation(Outcome.INVARIANT, name, None, "", Trace(steps))
    return Result(Outcome.INVARIANT, 12, finished=True, violations=(found,), depth=len(steps))


def checked(monkeypatch, schedule, change=lambda result: result):
    result = change(honest(schedule))
    monkeypatch.setattr(example_check, "run_texts", lambda *_, **__: result)
    return check_schedule(schedule, None)


def violating(**change):
    return lambda result: replace(result, violations=(replace(result.violations[0], **change),))


def with_state(at, variable, value):
    """Let a variable be something else in a state of the trace."""

    def change(result):
        steps = list(result.trace.steps)
        steps[at] = replace(steps[at], state=steps[at].state.updated(Fn([(variable, value)])))
        return violating(trace=Trace(tuple(steps)))(result)

    return change


def without_its_first_message(result):
    channels = result.trace.steps[-1].state["recChan"]
    full = next(channel for channel, queue in channels.items() if queue)
    return with_state(-1, "recChan", channels.updated(Fn([(full, ())])))(result)


EVERY_KIND = ("four-channels", "clairvoyant", "wrong-recordings-no-token", "skipped-alignment-duplicate")


@pytest.mark.parametrize("name", EVERY_KIND)
def test_whole_evidence_agrees(monkeypatch, name):
    found = checked(monkeypatch, load_example(name))
    assert found.agreed, found.message


SUCCESS = Result(Outcome.SUCCESS, 0, finished=True)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("four-channels", lambda _: replace(SUCCESS, depth=16), "the snapshot is not complete"),
        ("four-channels", lambda _: replace(SUCCESS, depth=9), "step 9 is refused"),
        ("four-channels", violating(name="NoRedInWhite"), "NoRedInWhite is violated, not Unfinished"),
        ("four-channels", violating(name=None), "is violated, not Unfinished"),
        ("four-channels", with_state(3, STEP, 3), "the trace counts its steps"),
        ("four-channels", with_state(-1, "recState", (frozenset(),) * 3), "recState ends as"),
        ("four-channels", without_its_first_message, "recChan ends as"),
        ("four-channels", with_state(2, "state", (frozenset(),) * 3), "the implementation cannot take"),
        ("wrong-recordings-no-token", violating(name=UNFINISHED), "Unfinished is violated, not Consistent"),
        ("skipped-alignment-duplicate", violating(name=AS_CLAIMED), "is not violated first by step"),
        ("skipped-alignment-duplicate", violating(name="TypeOK"), "TypeOK is violated, not Unfinished"),
        ("skipped-alignment-duplicate", with_state(-1, "completed", frozenset()), "completed ends as"),
        ("clairvoyant", lambda result: replace(result, depth=1), "step 1 is refused, not step 2"),
        ("clairvoyant", lambda result: replace(result, depth=3), "step 3 is refused, not step 2"),
        (
            "clairvoyant",
            lambda result: replace(
                result,
                outcome=Outcome.INVARIANT,
                violations=(Violation(Outcome.INVARIANT, "TypeOK", None, "", None),),
            ),
            "TypeOK is violated",
        ),
    ],
)
def test_what_tlc_finds_otherwise_is_a_disagreement(monkeypatch, name, change, said):
    found = checked(monkeypatch, load_example(name), change)
    assert not found.agreed
    assert found.message.startswith("TLC: ")
    assert said in found.message


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("clairvoyant", lambda result: replace(result, depth=None)),
        ("clairvoyant", lambda result: replace(result, exit_status=137)),
        ("clairvoyant", lambda result: replace(result, outcome=Outcome.INCOMPLETE)),
        ("clairvoyant", lambda result: replace(result, finished=False)),
        ("four-channels", violating(trace=None)),
        ("four-channels", lambda result: replace(result, finished=False)),
        ("four-channels", lambda result: replace(result, outcome=Outcome.OUT_OF_MEMORY)),
    ],
)
def test_what_tlc_does_not_tell_is_no_agreement(monkeypatch, name, change):
    with pytest.raises(IncompleteError):
        checked(monkeypatch, load_example(name), change)


def test_tlc_checks_all_that_the_protocol_claims():
    """What is left out is what a schedule says is violated, or what the protocol does not claim of its constants."""
    assert {"TypeOK", "NoRedInWhite", "RecordedIsSSS"} <= set(
        example_check._invariants(load_example("four-channels"))
    )
    duplicate = load_example("skipped-alignment-duplicate")
    asked = set(example_check._invariants(duplicate))
    assert {"TypeOK"} < asked
    assert duplicate.violates not in asked


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (ExampleResult("kuper", True, None, None, "the snapshot is complete"), "pass"),
        (ExampleResult("kuper", False, None, None, "TLC: step 3 is refused"), "nonconformance"),
        (IncompleteError("TLC did not finish"), "incomplete"),
    ],
)
def test_the_row_of_an_example_is_a_pass_only_if_all_agree(monkeypatch, found, verdict):
    def check(*_, **__):
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(example_check, "check_example", check)
    assert example_row("kuper", TOOLS).verdict == verdict


@pytest.mark.parametrize("name", ["four-channels", "wrong-recordings-no-token", "kuper-negative"])
def test_a_property_that_is_violated_besides_is_no_agreement(name):
    """The implementation's own judgement: what it violates is just what the schedule says, and when."""
    schedule = load_example(name)
    taken = take(schedule)
    assert judge(schedule, taken) is None
    more = replace(taken, violated=(*taken.violated, ("NoRedInWhite", 1)))
    assert "NoRedInWhite at step 1" in judge(schedule, more)
