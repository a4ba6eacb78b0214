"""What a run makes of jobs that left nothing: it is said of each of them, and is no pass."""

from __future__ import annotations

from pyharness.gate.jobs.jobs import ExampleJob
from pyharness.gate.pipeline.stages import examples_without_a_row
from pyharness.models.table_rows import ExampleRow
from pyharness.models.verdicts import Verdict

JOBS = [ExampleJob("1", "kuper"), ExampleJob("2", "clairvoyant"), ExampleJob("3", "all-at-once")]


def test_each_example_that_left_no_row_has_one_that_is_no_pass():
    told = [ExampleRow("kuper", Verdict.PASS.text, "")]
    found = examples_without_a_row(JOBS, told, {"2": "the example job did not finish: lost"})
    assert found == [
        ExampleRow("clairvoyant", Verdict.ERROR.text, "the example job did not finish: lost"),
        ExampleRow("all-at-once", Verdict.INCOMPLETE.text, "its job left nothing"),
    ]
    assert examples_without_a_row(JOBS[:1], told, {}) == []
