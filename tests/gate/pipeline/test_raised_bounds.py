"""What a raised bound shows: nothing is the same unless TLC came to its own end and found what was found before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.judge.plan_report import ModelReport, evidence_of
from pyharness.gate.pipeline.raised_bounds import Raised, raise_bounds, what_changed
from pyharness.gate.plans.plan import read_plan
from pyharness.models.table_rows import KillRow, RunRow, TraceRow
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome
from tests.table_rows import made

TEXT = """format = "pyharness-plan/1"
[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = ["ring:2"]
items = 1
invariants = ["TypeOK", "NoRedInWhite"]
[[model]]
name = "shallow"
spec = "ChandyLamport"
topologies = ["ring:2"]
depth = 4
invariants = ["TypeOK"]
[[model]]
name = "crashes"
spec = "Checkpoints"
application = "Dataflow"
topologies = ["join:3"]
stop = ""
constants = { Mode = "aligned", MaxCheckpoints = 1, Overlap = 0, MaxDeclines = 0, MaxCrashes = 1, Ends = 0 }
invariants = ["TypeOK"]
"""
RUN = made(
    RunRow, {"job": "j", "model": "m", "kind": "check", "finished": True, "exit_status": 0, "distinct": 9}
)
NO_RESULT = [outcome for outcome in Outcome if outcome is not Outcome.SUCCESS and not outcome.is_violation]
CAUGHT = ("NoRedInWhite", "RefinesWhiteRed")


@pytest.fixture(scope="module")
def raised(tmp_path_factory):
    path = tmp_path_factory.mktemp("raised") / "tiny.toml"
    path.write_text(TEXT, encoding="utf-8")
    return raise_bounds(read_plan(path, SPECS))


def test_each_bound_is_raised_by_one_and_alone(raised):
    """A dataflow has records and no items: with more of these it would be the same model."""
    shown = {(r.original.name, r.bound): (r.before, r.after, r.model) for r in raised}
    assert {key: value[:2] for key, value in shown.items()} == {
        ("tiny", "items"): (1, 2),
        ("shallow", "depth"): (4, 5),
        ("crashes", "Records"): (2, 3),
        ("crashes", "MaxCheckpoints"): (1, 2),
        ("crashes", "MaxDeclines"): (0, 1),
        ("crashes", "MaxCrashes"): (1, 2),
    }
    for (_, bound), (before, after, model) in shown.items():
        own = model.constants[bound] if bound in model.constants else getattr(model, bound)
        assert own == after == before + 1
        assert str(after) in model.name
    assert shown["crashes", "MaxCrashes"][2].constants["MaxDeclines"] == 0


def shown(raised, *rows, caught_by=(), failures=()):
    """What the rows of a raised model show, of one that is to violate ``caught_by``."""
    entry = Raised(replace(raised[0].original, caught_by=caught_by), raised[0].model, "items", 1, 2)
    report = ModelReport(entry.model, Verdict.PASS, ("why",), evidence_of((), (), rows, failures))
    return what_changed(entry, report)


def test_a_run_that_found_nothing_new_shows_the_same(raised):
    assert shown(raised, RUN) == ("same", "9 states")


@pytest.mark.parametrize(
    "rows",
    [
        (),
        (replace(RUN, kind="simulate"),),
        (replace(RUN, finished=False),),
        (RUN, replace(RUN, run=1, finished=False)),
        (replace(RUN, exit_status=137),),
        *((replace(RUN, outcome=outcome),) for outcome in NO_RESULT),
    ],
)  # fmt: skip
def test_a_run_that_did_not_come_to_its_own_end_shows_nothing(raised, rows):
    """TLC says that it has finished also after an error of the spec, or out of memory."""
    assert shown(raised, *rows) == ("unfinished", "why")


def test_a_job_that_failed_shows_nothing(raised):
    assert shown(raised, RUN, failures=("lost",)) == ("unfinished", "why")


def trace(name, kind="counterexample"):
    return made(TraceRow, {"job": "j", "model": "m", "kind": kind, "violated": name, "itf": "{}"})


def kill(name):
    return made(KillRow, {"job": "j", "model": "m", "property": name})


def test_a_violation_that_was_not_there_or_is_there_no_more_is_a_change(raised):
    violation = replace(RUN, outcome=Outcome.INVARIANT, exit_status=12)
    assert shown(raised, violation, trace("TypeOK")) == ("changed", "also violated: TypeOK")
    both = (violation, trace("NoRedInWhite"), kill("NoRedInWhite"), kill("RefinesWhiteRed"))
    assert shown(raised, *both, caught_by=CAUGHT)[0] == "same", "TLC has traced one of the two"
    assert shown(raised, *both, caught_by=CAUGHT[:1]) == ("changed", "also violated: RefinesWhiteRed")
    words = "no longer violated: RefinesWhiteRed"
    assert shown(raised, *both[:3], caught_by=CAUGHT) == ("changed", words)
    assert shown(raised, RUN, trace("TypeOK", "simulation"))[0] == "same"


def test_a_violation_of_which_there_is_no_trace_is_a_change_too(raised):
    violation = replace(RUN, outcome=Outcome.INVARIANT, exit_status=12, violated="TypeOK")
    assert shown(raised, violation) == ("changed", "also violated: TypeOK")
