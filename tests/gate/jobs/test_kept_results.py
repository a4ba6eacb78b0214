"""Results are kept only when they are finished, whole and still understood; a directory has one run at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.own_files import locked
from pyharness.gate.jobs.job_store import finished_rows, leave_rows, left_rows
from pyharness.gate.jobs.table_schemas import SCHEMAS
from pyharness.models import table_rows
from pyharness.models.table_rows import (
    TABLES,
    ConformanceRow,
    ExampleRow,
    ReorderingRow,
    RunRow,
    TopologyRow,
    columns,
    from_plain,
    rows_version,
    to_plain,
)
from pyharness.models.tlc_verdict import meaning, require_success
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.result import Result
from tests.table_rows import made

ENDED = {"job": "j", "kind": "check", "finished": True, "exit_status": 0, "evaluated": ["TypeOK"]}
RUN = made(RunRow, ENDED)


def ran(**other):
    return made(RunRow, ENDED | other)


SORTED = ReorderingRow(
    "j", "m", "simulation", 0, "n2-6-i1", complete=True, agreed=True, accepted=True, itf="{}"
)
ROWS = (RUN, TopologyRow("j", "m", "n2-6-i1", "success", None))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "job.json"
    leave_rows(path, ROWS)
    return path


def test_what_a_job_left_is_read_again(file):
    assert finished_rows(file) == ROWS
    assert left_rows(file.with_name("other.json")) == left_rows(file.with_name("none.json"))
    assert finished_rows(file.with_name("other.json")) is None


UNFINISHED = {
    "nothing": [],
    "killed": [ran(outcome=Outcome.INCOMPLETE, finished=False, exit_status=-9)],
    "out of memory": [ran(outcome=Outcome.OUT_OF_MEMORY)],
    "a tool that failed": [ran(outcome=Outcome.TOOL_ERROR)],
    "success, but not its exit status": [ran(exit_status=137)],
    "a violation, and then killed": [ran(outcome=Outcome.INVARIANT, finished=False)],
    "one of two runs": [RUN, ran(run=1, outcome=Outcome.INCOMPLETE)],
    "an example that TLC did not finish": [ExampleRow("e", "incomplete", "killed")],
    "a reordering that TLC did not judge": [replace(SORTED, accepted=None)],
    "a comparison with an error": [ConformanceRow("j", "m", "correct", error="TLC did not finish")],
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_what_did_not_finish_is_run_again(file, what):
    leave_rows(file, UNFINISHED[what])
    left = left_rows(file)
    assert (left.rows, left.finished, left.problem) == (tuple(UNFINISHED[what]), False, None)
    assert finished_rows(file) is None


FINISHED = {
    "a violation": [ran(outcome=Outcome.INVARIANT, exit_status=12)],
    "a spec that cannot be read": [ran(outcome=Outcome.PARSE_ERROR, exit_status=150)],
    "an example that does not agree": [ExampleRow("e", "nonconformance", "differs")],
    "a reordering": [SORTED],
    "a trace that is not complete": [ReorderingRow("j", "m", "simulation", 0, "n2-6-i1", complete=False)],
    "a comparison": [ConformanceRow("j", "m", "correct", 1, 2, 0)],
}


@pytest.mark.parametrize("what", FINISHED)
def test_what_another_run_would_find_again_is_kept(file, what):
    leave_rows(file, FINISHED[what])
    assert finished_rows(file) == tuple(FINISHED[what])


def changed(content):
    content["rows"][1][1]["distinct"] = 8
    return json.dumps(content)


DAMAGES = {
    "cut off": (lambda content: json.dumps(content)[:-20], "cannot be read"),
    "another count": (changed, "checksum"),
    "said to be finished": (lambda content: json.dumps(content | {"finished": False}), "checksum"),
    "no checksum": (lambda content: json.dumps({k: v for k, v in content.items() if k != "sha256"}), "checksum"),
    "the form of older versions": (lambda content: json.dumps(content["rows"]), "another version"),
    "not text": (lambda _: "\x00", "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_run_again_and_said(file, damage):
    change, problem = DAMAGES[damage]
    file.write_text(change(json.loads(file.read_text(encoding="utf-8"))), encoding="utf-8")
    left = left_rows(file)
    assert (left.rows, left.finished) == ((), False)
    assert problem in left.problem
    assert finished_rows(file) is None


def test_the_rows_of_another_job_are_not_taken(file):
    other = file.with_name("other.json")
    other.write_bytes(file.read_bytes())
    assert left_rows(other).problem == "it is of another job"
    assert finished_rows(other) is None


def test_rows_of_other_columns_are_run_again(file, monkeypatch):
    monkeypatch.setattr("pyharness.gate.jobs.job_store.rows_version", lambda: "another")
    assert "other columns" in left_rows(file).problem


def test_the_version_is_of_every_table_and_column(monkeypatch):
    before = rows_version.__wrapped__()
    monkeypatch.setattr(table_rows, "TABLES", {k: v for k, v in TABLES.items() if k != "kills"})
    assert rows_version.__wrapped__() != before


# -- columns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_its_schema_with_what_may_be_null(table):
    kind = TABLES[table]
    blank = made(kind, {})
    assert from_plain(kind, json.loads(json.dumps(to_plain(blank)))) == blank
    assert [(f.name, f.nullable) for f in SCHEMAS[table]] == [(c.name, c.nullable) for c in columns(kind)]


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (0, "distinct", "7"),
        (0, "distinct", True),
        (1, "topology", None),
        (1, "outcome", 1),
        (1, "job", ["j"]),
    ],
)
def test_a_value_of_another_type_is_refused_and_the_column_named(row, column, value):
    plain = to_plain(ROWS[row])
    with pytest.raises(TypeError, match=column):
        from_plain(type(ROWS[row]), plain | {column: value})
    with pytest.raises(TypeError, match=column):
        to_plain(replace(ROWS[row], **{column: value}))


def test_other_columns_and_unknown_outcomes_are_refused():
    plain = to_plain(ROWS[1])
    with pytest.raises(ValueError, match="colour"):
        from_plain(TopologyRow, plain | {"colour": "red"})
    with pytest.raises(ValueError, match="SPLENDID"):
        from_plain(RunRow, to_plain(RUN) | {"outcome": "SPLENDID"})


# -- what a run of TLC means -----------------------------------------------------------------------------------


MEANINGS = {
    Outcome.SUCCESS: Verdict.PASS,
    Outcome.ASSUMPTION: Verdict.SPEC_ERROR,
    Outcome.PARSE_ERROR: Verdict.SPEC_ERROR,
    Outcome.CONFIG_ERROR: Verdict.SPEC_ERROR,
    Outcome.EVALUATION_ERROR: Verdict.SPEC_ERROR,
    Outcome.OUT_OF_MEMORY: Verdict.INCOMPLETE,
    Outcome.STACK_OVERFLOW: Verdict.INCOMPLETE,
    Outcome.INCOMPLETE: Verdict.INCOMPLETE,
    Outcome.TOOL_ERROR: Verdict.ERROR,
}
ERRORS = {
    Verdict.SPEC_ERROR: SpecError,
    Verdict.ERROR: ToolError,
    Verdict.INCOMPLETE: IncompleteError,
    Verdict.VIOLATION: IncompleteError,
}


@pytest.mark.parametrize("outcome", Outcome)
def test_each_outcome_has_one_meaning_for_rows_results_and_errors(outcome):
    expected = MEANINGS.get(outcome, Verdict.VIOLATION)
    assert ran(outcome=outcome).verdict is expected
    result = Result(outcome, 0, finished=True)
    assert meaning(result).verdict is expected
    assert bool(meaning(result).reason) == (expected is not Verdict.PASS)
    if expected is Verdict.PASS:
        require_success(result, "here")
        return
    with pytest.raises(ToolError if expected is not Verdict.SPEC_ERROR else SpecError) as caught:
        require_success(result, "here")
    assert type(caught.value) is ERRORS[expected]


@pytest.mark.parametrize("change", [{"exit_status": 1}, {"exit_status": None}, {"finished": False}])
def test_a_success_that_is_not_whole_is_no_pass(change):
    assert ran(**change).verdict is Verdict.INCOMPLETE


# -- one run at a time -----------------------------------------------------------------------------------------


def test_a_second_run_in_a_directory_is_told_of_the_first(tmp_path):
    out = tmp_path / "out"
    with locked(out), pytest.raises(ToolError, match=r"(?s)another run.*--out"), locked(out):
        pass
    with locked(out), locked(tmp_path / "other"):
        pass


def test_a_run_that_was_killed_holds_nothing(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from pyharness.base.toolchain.own_files import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(ToolError, match=f"process {process.pid}"), locked(tmp_path):
            pass
        process.kill()
    with locked(tmp_path):
        pass


@pytest.mark.parametrize(
    ("violated", "detail", "reason"),
    [
        (
            "RefinesWhiteRed",
            "Action property line 26, col 36 to line 26, col 77 of module Model is violated.",
            "RefinesWhiteRed is violated by a step",
        ),
        ("TypeOK", "Invariant TypeOK is violated.", "TypeOK: Invariant TypeOK is violated."),
        (
            None,
            "Action property line 1, col 1 to line 1, col 9 of module M is violated.",
            "action property violated: Action property line 1, col 1 to line 1, col 9 of module M is violated.",
        ),
    ],
)
def test_the_reason_names_the_property_and_no_place_in_a_module_that_nobody_wrote(violated, detail, reason):
    found = ran(outcome=Outcome.ACTION_PROPERTY, violated=violated, detail=detail)
    assert (found.verdict, found.reason) == (Verdict.VIOLATION, reason)
