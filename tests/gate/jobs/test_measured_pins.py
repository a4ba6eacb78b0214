"""What is pinned is the same with every build of TLC."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.gate.judge.judgement import measured_pins
from pyharness.models.bounds import Pins
from pyharness.models.table_rows import ConformanceRow, RunRow
from pyharness.tla.tlc import Outcome
from tests.table_rows import made
from tests.tla.tlc.samples import output, result

ENDED = {"kind": "check", "finished": True, "exit_status": 0, "distinct": 8, "depth": 5}
RUN = made(RunRow, ENDED)


@pytest.mark.parametrize("name", ["success", "success_coverage", "print", "dump_plain", "dump_dot_ok"])
def test_recorded_outputs_of_both_builds_come_to_the_same(name):
    found = [result(output(build, name), 0) for build in ("2.15", "modern")]
    pins = [
        measured_pins(
            [made(RunRow, ENDED | {"outcome": r.outcome, "distinct": r.distinct, "depth": r.depth})]
        )
        for r in found
    ]
    assert pins[0] == pins[1]
    assert pins[0].depth is not None


def test_runs_that_passed_are_summed_and_comparisons_that_ended():
    cut = made(RunRow, ENDED | {"outcome": Outcome.INCOMPLETE, "distinct": 100})
    rows = [RUN, replace(RUN, run=1, depth=9), cut]
    compared = [
        ConformanceRow("j", "m", "correct", 16, 40, 0),
        ConformanceRow("j", "m", "correct", error="cut"),
    ]
    assert measured_pins(rows) == Pins(16, 9)
    assert measured_pins(rows, compared) == Pins(16, 9, 40)
    assert measured_pins(rows[2:], compared) is None


def test_pins_say_what_they_are():
    assert str(Pins(1440, 9, 2720)) == "1,440 distinct states, depth 9, 2,720 transitions"
    assert Pins(1440, 9).toml == "{ distinct = 1440, depth = 9 }"
