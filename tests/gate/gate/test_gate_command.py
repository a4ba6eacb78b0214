"""The command: exit code, files and annotations all say the same, and none of them is of an earlier run."""

from __future__ import annotations

import errno
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner
from junitparser import JUnitXml

import pyharness.cli.gate_command
from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.own_files import locked
from pyharness.cli.main import cli
from pyharness.gate.pipeline import job_tasks
from pyharness.show.report.ci.junit import to_junit
from tests.gate.gate.gate_reports import SABOTAGES, run, violation


@pytest.fixture(autouse=True)
def nowhere(monkeypatch):
    """No CI system around the tests."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Run the command on a run that never was, or on an error; further arguments are the command's."""

    def call(ran, *args):
        def fake(_plan, **_options):
            if isinstance(ran, BaseException):
                raise ran
            return ran

        monkeypatch.setattr(pyharness.cli.gate_command, "run_chosen", fake)
        return CliRunner().invoke(cli, ["check", "--ci", "quick", "--out", str(tmp_path / "out"), *args])

    return call


def outputs(directory):
    """The verdict of each file: red or green, or that it is not there."""
    out = directory / "out"
    junit, summary = out / "junit.xml", out / "summary.md"
    if not junit.exists() and not summary.exists():
        return None
    read = JUnitXml.fromfile(str(junit))
    title = summary.read_text(encoding="utf-8").splitlines()[0]
    return read.failures, read.errors, title.rpartition(": ")[2], (out / "failures").exists()


def test_a_green_run_is_green_everywhere(tmp_path, gate):
    result = gate(run(tmp_path), "--annotations")
    assert result.exit_code == 0, result.output
    assert outputs(tmp_path) == (0, 0, "PASS", False)
    assert "::error" not in result.stdout
    assert "::warning" not in result.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".lock", "junit.xml", "summary.md"]


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_a_red_run_is_red_everywhere(tmp_path, gate, sabotage):
    changes, code, status, name = SABOTAGES[sabotage]
    result = gate(run(tmp_path, **changes), "--annotations")
    assert result.exit_code == code
    failures, errors, title, _ = outputs(tmp_path)
    assert (failures if status == "failure" else errors) > 0
    assert title != "PASS"
    lines = [line for line in result.stdout.splitlines() if line.startswith("::error ")]
    assert any(f"%3A {name}::" in line for line in lines)


def test_a_violation_says_file_line_and_trace_everywhere(tmp_path, gate):
    result = gate(run(tmp_path, algorithm=violation("NoRedInWhite")), "--annotations")
    trace = tmp_path / "out" / "failures" / "algorithm-NoRedInWhite.html"
    assert trace.exists()
    (line,) = [line for line in result.stdout.splitlines() if "NoRedInWhite::" in line]
    assert line.startswith("::error file=specs/ChandyLamport.tla,line=")
    assert line.endswith(f"trace: {trace}")
    for name in ("junit.xml", "summary.md"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "specs/ChandyLamport.tla" in text
        assert trace.name in text


def test_annotations_are_printed_on_github_or_when_asked_for(tmp_path, gate, monkeypatch):
    red = run(tmp_path, algorithm=violation("NoRedInWhite"))
    assert "::error" not in gate(red).stdout
    assert "::error" in gate(red, "--annotations").stdout
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    (tmp_path / "step.md").write_text("before\n", encoding="utf-8")
    assert "::error" in gate(red).stdout
    summary = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "step.md").read_text(encoding="utf-8") == f"before\n{summary}"


ERRORS = [
    (SpecError("no such key", where="quick.toml:3"), 2, "no such key"),
    (IncompleteError("cut off"), 3, "cut off"),
    (KeyboardInterrupt(), 3, "interrupted; what has finished is kept"),
    (ToolError("no Java", hint="install one"), 4, "no Java"),
    (ZeroDivisionError("<b>|"), 4, "ZeroDivisionError: <b>|"),
]


@pytest.mark.parametrize(("error", "code", "message"), ERRORS, ids=lambda value: type(value).__name__)
def test_a_run_that_stops_half_way_leaves_an_error_and_nothing_of_the_run_before(
    tmp_path, gate, monkeypatch, error, code, message
):
    gate(run(tmp_path, algorithm=violation("NoRedInWhite")))
    gate(run(tmp_path))
    assert outputs(tmp_path)[:3] == (0, 0, "PASS")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    result = gate(error, "--annotations")
    assert result.exit_code == code
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")
    assert list((tmp_path / "out" / "failures").iterdir()) == []
    ((case,),) = JUnitXml.fromfile(str(tmp_path / "out" / "junit.xml"))
    assert message in case.result[0].message
    summary = (tmp_path / "step.md").read_text(encoding="utf-8")
    assert "ERROR" in summary
    assert ("Traceback" in summary) == isinstance(error, ZeroDivisionError), (
        "only a bug of ours is shown with one"
    )
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("::error ")]
    assert ("file=specs/plans/quick.toml,line=3" in line) == isinstance(error, SpecError)


@pytest.mark.parametrize("part", ["cases", "write_failures", "gate_summary", "to_junit", "annotation_lines"])
def test_an_output_that_cannot_be_made_is_an_error_and_not_a_green_file(tmp_path, gate, monkeypatch, part):
    real = getattr(pyharness.cli.gate_command, part)
    calls = []

    def broken(*args, **options):
        calls.append(args)
        if len(calls) == 1:
            raise RuntimeError("broken")
        return real(*args, **options)

    monkeypatch.setattr(pyharness.cli.gate_command, part, broken)
    assert gate(run(tmp_path), "--annotations").exit_code == 4
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")


def test_a_process_that_is_killed_leaves_no_file(tmp_path, gate, monkeypatch):
    assert gate(run(tmp_path)).exit_code == 0
    monkeypatch.setattr(pyharness.cli.gate_command, "_leave_error", lambda *_args, **_options: None)
    gate(SystemExit(9))
    assert outputs(tmp_path) is None
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".lock"]


def test_a_summary_of_the_job_that_cannot_be_written_is_an_error_and_no_green_file(
    tmp_path, gate, monkeypatch
):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "nowhere" / "step.md"))
    result = gate(run(tmp_path), "--annotations")
    assert result.exit_code == 4
    assert "the job's summary cannot be written: No such file or directory" in result.stderr
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")
    assert "::error " in result.stdout


def test_an_error_is_in_the_files_though_nothing_else_takes_it(tmp_path, gate, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "nowhere" / "step.md"))
    monkeypatch.setattr(pyharness.cli.gate_command.click, "echo", broken_pipe)
    assert gate(run(tmp_path), "--annotations").exit_code == 3
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")
    assert gate(SpecError("no such key"), "--annotations").exit_code == 2
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")


def test_a_reader_who_has_seen_enough_makes_no_green_file(tmp_path, gate, monkeypatch):
    """`pyharness check --ci | grep -m1 PASS`: the line that names the page finds nobody, and the exit code says so."""
    monkeypatch.setattr(pyharness.cli.gate_command, "page_line", broken_pipe)
    assert gate(run(tmp_path), "--annotations").exit_code == 3
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")


def broken_pipe(*_args, **_options):
    """Say something to someone who has gone."""
    raise BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_a_gate_that_is_refused_leaves_the_files_of_the_one_that_runs(tmp_path, gate):
    gate(run(tmp_path))
    with locked(tmp_path / "out"):
        second = gate(run(tmp_path, algorithm=violation("NoRedInWhite")), "--annotations")
    assert second.exit_code == 4
    assert "another run uses this directory" in second.stderr
    assert "::error title=plan%3A run::" in second.stdout
    assert outputs(tmp_path)[:3] == (0, 0, "PASS")


def test_the_place_is_held_until_the_files_are_there(tmp_path, gate, monkeypatch):
    def also(*args, **options):
        with pytest.raises(ToolError, match="another run uses this directory"), locked(tmp_path / "out"):
            pass
        return to_junit(*args, **options)

    monkeypatch.setattr(pyharness.cli.gate_command, "to_junit", also)
    assert gate(run(tmp_path)).exit_code == 0
    assert outputs(tmp_path)[:3] == (0, 0, "PASS")


@pytest.mark.parametrize("name", ["quick", "mine"])
def test_a_plan_of_ones_own_is_named_where_it_is_wrong(tmp_path, name):
    """It is looked for in --specs, also by who tells of the error: not a shipped plan of the same name."""
    plan = tmp_path / "specs" / "plans" / f"{name}.toml"
    plan.parent.mkdir(parents=True)
    plan.write_text('format = "pyharness-plan/1"\nbudgt = 1\n', encoding="utf-8")
    out = tmp_path / "out"
    options = ("--specs", str(tmp_path / "specs"), "--out", str(out), "--annotations")
    result = CliRunner().invoke(cli, ["check", "--ci", name, *options])
    assert result.exit_code == 2
    assert f"{name}.toml:2: budgt: no such key" in result.stderr
    assert f"::error file={plan},line=2," in result.stdout
    assert f'file="{plan}" line="2"' in (out / "junit.xml").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_no_pass(tmp_path, gate):
    result = gate(replace(run(tmp_path), page=ToolError("the report cannot be written")), "--annotations")
    assert result.exit_code == 4
    assert outputs(tmp_path)[:3] == (0, 1, "ERROR")
    assert "::error title=plan%3A report::the report cannot be written" in result.stdout


TINY = """format = "pyharness-plan/1"

[[model]]
name = "holds"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
invariants = ["TypeOK", "NoRedInWhite"]
silent = ["Internal", "Exchange"]
pins = { distinct = 362, depth = 16 }

[[model]]
name = "broken"
spec = "Checkpoints"
topologies = [{ dataflow = "pipeline", processes = 2 }]
application = "Dataflow"
stop = ""
invariants = ["OutputOnce"]
pins = { distinct = 3, depth = 1 }

[model.constants]
Mode = "aligned"
Records = 1
MaxCheckpoints = 1
Overlap = 0
MaxDeclines = 0
MaxCrashes = 1
Ends = 0
"""


@pytest.mark.slow
@pytest.mark.tlc
@pytest.mark.usefixtures("spark_here")
def test_the_gate_on_tlc_red_then_selected_green_then_over_its_budget(tmp_path, monkeypatch):
    plan, out = tmp_path / "tiny.toml", tmp_path / "out"
    plan.write_text(TINY, encoding="utf-8")

    def gate_on_tlc(*args):
        return CliRunner().invoke(cli, ["check", "--ci", str(plan), "--out", str(out), *args])

    red = gate_on_tlc("--annotations")
    assert red.exit_code == 1, red.output
    assert "::error file=specs/Checkpoints.tla,line=" in red.stdout
    assert (out / "failures" / "broken-OutputOnce.itf.json").exists()
    assert outputs(tmp_path)[:3] == (1, 1, "VIOLATION")

    green = gate_on_tlc("--only", "holds", "--annotations")
    assert green.exit_code == 0, green.output
    assert outputs(tmp_path)[:3] == (0, 0, "PASS")
    assert list((out / "failures").iterdir()) == []

    plan.write_text(TINY.replace("\n\n", "\nbudget_seconds = 1\n\n", 1), encoding="utf-8")
    job_rows = job_tasks.job_rows
    monkeypatch.setattr(job_tasks, "job_rows", lambda *given: (time.sleep(1.1), job_rows(*given))[1])
    over = gate_on_tlc("--only", "holds", "--fresh")
    assert over.exit_code == 3, over.output
    assert outputs(tmp_path)[:3] == (0, 1, "INCOMPLETE")
    assert "over its budget" in (out / "summary.md").read_text(encoding="utf-8")
