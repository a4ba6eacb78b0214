"""One process, several, or Spark: which is taken for what, and that they find the same."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from pyharness.base.errors import HarnessError, ToolError
from pyharness.gate.jobs.task_tools import tools_for_tasks
from pyharness.hold.conformance import plain_comparison
from pyharness.hold.conformance.comparison import (
    compare,
    compare_on_spark,
    conform_model,
    conformance_rows,
    conformance_rows_on_spark,
    is_plain,
)
from pyharness.hold.conformance.graph_comparison import write_graph
from pyharness.hold.conformance.spark_tables import written_graph
from pyharness.hold.conformance.subject import subject_of
from pyharness.models.bounds import Budget, Pins
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Job, Model
from tests.hold.conformance.places import DATAFLOW_PLACES, LIBRARY, RING2, WITH_A_DECLINE
from tests.hold.conformance.tiny_model import MODEL, SUBJECT
from tests.long import some

pytestmark = pytest.mark.usefixtures("shared_tlc")


@pytest.mark.tlc
def test_a_mutant_of_the_spec_is_compared_up_to_a_depth():
    model = Model("m", "ChandyLamport", (RING2,), items=1, mutant="NonFifoChannel", depth=9)
    found = conform_model(model, LIBRARY, find_tools())
    assert found.mismatches
    assert conform_model(model, LIBRARY, find_tools(), implementation="NonFifoChannel").agreed
    assert conform_model(replace(model, mutant=None), LIBRARY, find_tools()).agreed


BOTH = {
    "mutants that lead elsewhere": (MODEL, "NonFifoChannel"),
    "a mutant of the spec": (replace(MODEL, topologies=(RING2,), mutant="NonFifoChannel", depth=9), None),
    "both, to a depth": (replace(MODEL, mutant="LateTurn", depth=6), "LateTurn"),
    "a mutant of checkpoints": (Model("m", "Checkpoints", **WITH_A_DECLINE), "KeepBlocked"),
    "barriers": (Model("m", "UnalignedBarriers", **DATAFLOW_PLACES[1]), "OvertakenLost"),
}
"""A model and a mutant of its implementation; `test_graph_comparison.py` has both find what can differ in one step."""


def timeless(found):
    return replace(found, seconds=0.0, tlc_seconds=0.0)


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("case", some(BOTH, 2))
def test_spark_and_plain_python_find_the_same(case, spark, tmp_path):
    """Counts, rows and their traces are equal, for one reading process and for several."""
    model, mutant = BOTH[case]
    dump = tmp_path / "graph.dot"
    result = write_graph(model, LIBRARY, find_tools(), dump)
    subject = subject_of(model, mutant)
    plain = timeless(compare(model, subject, dump, result))
    assert plain == timeless(compare_on_spark(model, subject, written_graph(spark, dump), result))
    assert plain.agreed == (case == "both, to a depth")


@pytest.mark.tlc
@pytest.mark.parametrize("mutant", [None, "LateTurn"])
@pytest.mark.parametrize("part", [3000, 700])
def test_several_processes_find_the_same_as_one(dumped, tmp_path, monkeypatch, mutant, part):
    """The dump is cut at any byte, even within a line; nothing is read twice or left out."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    subject = replace(SUBJECT, mutant=mutant)
    one = timeless(compare(MODEL, subject, dump, dumped[1]))
    monkeypatch.setattr(plain_comparison, "_PART", part)
    monkeypatch.setattr(plain_comparison, "ProcessPoolExecutor", Inline)
    assert timeless(compare(MODEL, subject, dump, dumped[1], processes=30)) == one


@pytest.mark.tlc
@pytest.mark.parametrize("at", [0.1, 0.9])
@pytest.mark.parametrize("line", ["nonsense", "}", "strict digraph Other {", '7 [label="x"];', "7 -> 8"])
def test_what_is_wrong_in_any_part_is_told_as_it_is_of_the_whole(dumped, tmp_path, monkeypatch, line, at):
    lines = dumped[0].splitlines()
    lines.insert(round(at * len(lines)), line)
    dump = tmp_path / "graph.dot"
    dump.write_text("\n".join([*lines, ""]), encoding="utf-8")
    with pytest.raises(HarnessError) as whole:
        compare(MODEL, SUBJECT, dump, dumped[1])
    monkeypatch.setattr(plain_comparison, "_PART", 1000)
    monkeypatch.setattr(plain_comparison, "ProcessPoolExecutor", Inline)
    with pytest.raises(type(whole.value)) as parts:
        compare(MODEL, SUBJECT, dump, dumped[1], processes=30)
    assert str(parts.value) == str(whole.value)


class Inline:
    """A pool that does the work itself."""

    def __init__(self, count, mp_context):
        assert count > 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    map = staticmethod(map)


@pytest.mark.tlc
@pytest.mark.slow
def test_two_processes_of_their_own_find_the_same(dumped, tmp_path, monkeypatch):
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    one = timeless(compare(MODEL, replace(SUBJECT, mutant="LateTurn"), dump, dumped[1]))
    monkeypatch.setattr(plain_comparison, "_PART", len(dumped[0]) // 3)
    assert timeless(compare(MODEL, replace(SUBJECT, mutant="LateTurn"), dump, dumped[1], processes=2)) == one


def test_a_graph_with_too_many_names_is_refused():
    names = plain_comparison._Names({str(number): number for number in range(1 << 16)})
    assert names.number("0") == 0
    with pytest.raises(ToolError, match="names of actions"):
        names.number("another")


def test_large_graphs_are_for_spark():
    assert is_plain(MODEL)
    assert is_plain(replace(MODEL, pins=Pins(500_000)))
    assert not is_plain(replace(MODEL, pins=Pins(500_001)))


@pytest.mark.tlc
@pytest.mark.slow
def test_a_graph_that_turns_out_large_is_compared_on_spark(spark, monkeypatch):
    monkeypatch.setattr("pyharness.hold.conformance.comparison.MOST_PLAIN_STATES", 10)
    monkeypatch.setattr("pyharness.hold.conformance.comparison.compare", None)
    assert conform_model(MODEL, LIBRARY, find_tools()).agreed


@pytest.mark.tlc
def test_a_model_that_cannot_be_compared_has_its_error_in_its_row():
    bad = replace(MODEL, name="bad", spec="WhiteRedHistory")
    (row,) = conformance_rows(Job("1", "conform", bad), LIBRARY, find_tools())
    assert "WhiteRedHistory cannot be compared" in row.error
    (row,) = conformance_rows(Job("2", "conform", MODEL), LIBRARY, find_tools())
    assert row.error is None
    assert row.mismatches == 0 < row.transitions


@pytest.mark.tlc
@pytest.mark.slow
def test_a_job_on_spark_finds_what_a_plain_one_does(spark):
    """TLC runs in a task there, which tells the others of its graph."""
    job = Job("2", "conform", MODEL)
    with tools_for_tasks(spark.sparkContext, find_tools(), LIBRARY) as given:
        (row,) = conformance_rows_on_spark(job, spark, given)
        (cut_off,) = conformance_rows_on_spark(
            replace(job, model=replace(MODEL, budget=Budget(seconds=0, heap_mb=64))), spark, given
        )
    assert timeless(row) == timeless(*conformance_rows(job, LIBRARY, find_tools()))
    assert "TLC" in cut_off.error
    assert cut_off.states is None


def test_comparing_in_plain_python_needs_no_spark():
    """Not even its import, which takes half a second."""
    code = "import sys, pyharness.hold.conformance.comparison; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
