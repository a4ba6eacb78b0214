"""The committed traces: they survive ITF, and replay on the mutant but not on the algorithm."""

from __future__ import annotations

from pyharness.base.toolchain.spec_files import ROOT, shipped_mutants
from pyharness.machines.systems import MUTANTS, has_twin, implementation_of
from pyharness.tla.tlc.itf import from_itf
from tests.command import run
from tests.each_case import each_case
from tests.long import LONG
from tests.shipped_plans import shipped_plan

TRACES = ROOT / "traces"
FILES = sorted(TRACES.glob("*.itf.json"))
PLAN = shipped_plan("quick")
EXPORTED = sorted(
    {model.mutant for model in PLAN.models if model.mutant and implementation_of(model.spec) == model.spec}
)
"""The mutants that a spec with an implementation of its own sees; the others only ghosts see, of another module."""

BEGIN_WRONG = {
    "BeginsConcluded",
    "BeginsInFlight",
    "BeginsInMotion",
    "BeginsWithMessage",
    "BeginsWithRecord",
    "LeftOver",
}
"""Mutants that begin in a state in which the correct implementation does not begin."""

LAWFUL = {
    *(
        "CappedChannel",
        "InitiatesOnce",
        "UnfairChannel",
        "UnfairLastChannel",
        "RefuseWhite",
        "RefuseAtFirst",
        "FewerInitiators",
        "FinishEarly",
        "ForgetInput",
    ),
    *("IgnoreChannels", "OnlyInitiatorsReport"),
    "CrashesOnceRed",
    *("HoldsStill", "IdlesWhileRecording", "MarkerWaits", "OneIdAtATime", "SendsWhilePaused"),
    *("StaysBlocked", "StaysBlockedAfterTimeout", "StaysBlockedInCycles", "StaysPaused"),
}
"""Mutants whose steps the algorithm may take: it may do more, must do more in the end, or says less of it."""


def test_every_mutant_has_its_trace():
    assert {path.name.removesuffix(".itf.json") for path in FILES} >= set(EXPORTED)
    assert shipped_mutants() - set(EXPORTED) == {
        *("AlignFirstOnly", "ForgetCopy", "LogBackwards", "SkipFirst"),
        *("AnyMessage", "RemoveLast"),
        *("GiveWay", "KeepWhenBusy", "SendInFront", "TwoUnderWay"),
    }
    assert set(EXPORTED) >= MUTANTS
    assert set(EXPORTED) >= LAWFUL | BEGIN_WRONG


@each_case("mutant", EXPORTED[::3])
def test_the_mutant_takes_the_trace_and_violates_the_property(mutant):
    takes_and_violates(mutant)


@LONG
@each_case("mutant", EXPORTED)
def test_every_mutant_takes_its_trace(mutant):
    takes_and_violates(mutant)


def takes_and_violates(mutant):
    path = TRACES / f"{mutant}.itf.json"
    _, meta = from_itf(path.read_text(encoding="utf-8"))
    protocol = meta["spec"]
    result = run("trace", "replay", path, "--protocol", f"{protocol}:{mutant}")
    if has_twin(protocol, mutant):
        assert result.exit_code == 0, result.output
        assert f"{meta['violated']} is violated at step" in result.stdout
    else:
        assert result.exit_code == 2
        assert f"the mutant {mutant} is in TLA+ only: it has no twin in Python" in result.stderr
    correct = run("trace", "replay", path, "--protocol", protocol)
    if mutant in LAWFUL:
        assert correct.exit_code == 0
        assert "violated" not in correct.stdout
    else:
        assert correct.exit_code == 1
        begins = mutant in BEGIN_WRONG
        assert f"the implementation {'does not begin' if begins else 'cannot take'}" in correct.stderr
