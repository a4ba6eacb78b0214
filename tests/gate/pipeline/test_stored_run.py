"""A plan whose results go to a store, through the command line: taken over, held, lost. Its jobs run here."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from junitparser import JUnitXml

from pyharness.cli import cli
from pyharness.gate.jobs.store import Store, StoreClaim
from pyharness.gate.jobs.store_uri import StoreUri
from pyharness.gate.pipeline import job_runs
from tests.gate.pipeline.test_job_runs import TEXT, Here
from tests.gate.run.store_server import CREDENTIALS, started_store

pytestmark = [pytest.mark.tlc, pytest.mark.slow, pytest.mark.usefixtures("shared_tlc")]

PLAN = f'{TEXT}silent = ["Internal", "Exchange"]\n'


@pytest.fixture(scope="module")
def server():
    with started_store() as started:
        yield started


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch):
    """A machine with credentials and a directory for temporary files of its own, and a stand-in for Spark."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    @contextmanager
    def here(_master=None):
        yield Here()

    monkeypatch.setattr("pyharness.gate.jobs.spark_session.spark_when_needed", here)
    (tmp_path / "tiny.toml").write_text(PLAN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return temporary


def run(out, command="check"):
    return CliRunner().invoke(cli, [command, "tiny.toml", "--out", str(out)])


def left(machine):
    """The directories of results that a run has left on this machine."""
    return sorted(machine.glob("pyharness-tiny-*"))


def reused(result):
    return tuple(map(int, re.search(r"(\d+) of (\d+) jobs? taken over", result.stdout).groups()))


def jobs_there(server, prefix):
    return sorted(name for name in server.names(prefix) if name.startswith("jobs/"))


def test_a_run_goes_on_from_what_is_in_the_store(server, machine):
    """The second run has nothing but the store, and the third runs the one job again whose row was edited."""
    first = run(server.uri("on"))
    assert first.exit_code == 0, first.output
    assert reused(first) == (0, 2)
    assert first.stdout.endswith("report: s3://bucket/on/report/index.html\n")
    assert left(machine) == []
    there = server.names("on")
    assert {"report/index.html", "tables/runs/part-0.parquet", "failed.json"} < there
    assert not any(name.startswith(("lock/", "report-parts/", ".")) for name in there)
    page = server.get("report/index.html", "on").decode()
    assert "<title>PASS: tiny, " in page
    assert server.uri("on").replace("&", "&amp;") in page

    second = run(server.uri("on"), "gate")
    assert second.exit_code == 0, second.output
    assert reused(second) == (2, 2)
    assert left(machine) == []
    assert JUnitXml.fromstring(server.get("junit.xml", "on")).errors == 0
    assert "s3://bucket/on/report/index.html" in unescape(server.get("summary.md", "on").decode())
    assert sum(name.startswith("history/") for name in server.names("on")) == 2

    (explored,) = [n for n in jobs_there(server, "on") if b'"explorations"' in server.get(n, "on")]
    row = json.loads(server.get(explored, "on"))
    row["rows"][0][1]["distinct"] = 361
    server.put(explored, json.dumps(row).encode(), "on")
    third = run(server.uri("on"))
    assert third.exit_code == 0, third.output
    assert reused(third) == (1, 2)
    assert (
        "tiny (explore) is not used, the job runs again: its checksum is not that of its content"
        in third.stderr
    )
    assert json.loads(server.get(explored, "on"))["rows"][0][1]["distinct"] == 362
    assert "junit.xml" not in server.names("on"), "it is of the run before"


def test_what_cannot_begin_is_said_and_leaves_nothing(server, machine, tmp_path, monkeypatch):
    held = StoreClaim(Store(StoreUri.parse(server.uri("held"))))
    second = run(server.uri("held"))
    assert second.exit_code == 4
    assert "another run uses this store (process " in second.stderr
    assert len(server.names("held")) == 1
    held.release()

    summary = tmp_path / "step.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    nowhere = run(server.uri(bucket="none"), "gate")
    assert nowhere.exit_code == 4
    assert "there is no such bucket" in nowhere.stderr
    assert "there is no such bucket" in summary.read_text(encoding="utf-8")
    assert left(machine) == []

    other = CliRunner().invoke(cli, ["plan", "mutants", "tiny.toml", "--out", server.uri()])
    assert (other.exit_code, "only check and gate" in other.stderr) == (2, True)
    spec = CliRunner().invoke(cli, ["check", "ChandyLamport", "--topology", "ring:2", "--out", server.uri()])
    assert (spec.exit_code, "a store is for a plan" in spec.stderr) == (2, True)


def test_a_broken_off_run_says_so_in_the_store_and_lets_go_of_it(server, machine, tmp_path):
    (tmp_path / "tiny.toml").write_text("format = 'none'", encoding="utf-8")
    assert run(server.uri("broken"), "gate").exit_code == 2
    assert JUnitXml.fromstring(server.get("junit.xml", "broken")).errors == 1
    assert not any(name.startswith("lock/") for name in server.names("broken"))
    assert left(machine) == []


@pytest.mark.parametrize("command", ["check", "gate"])
def test_a_store_that_dies_in_the_middle_is_no_pass(machine, monkeypatch, command):
    """All jobs end and all models pass; then the results stand here only, and the message says where."""
    with started_store() as own:
        uri = own.uri("dies")

        def leave(path, rows, real=job_runs.leave_rows):
            own.kill()
            real(path, rows)

        with monkeypatch.context() as patch:
            patch.setattr(job_runs, "leave_rows", leave)
            result = run(uri, command)
    assert result.exit_code == 4
    assert "the store does not answer" in result.stderr
    assert "the results are not in the store" in result.stderr
    (directory,) = left(machine)
    assert str(directory) in result.stderr
    assert Path(re.search(r"^report: (.*)$", result.stdout, re.MULTILINE)[1]).resolve().is_file()
    if command == "gate":
        assert JUnitXml.fromfile(str(directory / "junit.xml")).errors == 1
        assert "not in the store" in (directory / "summary.md").read_text(encoding="utf-8")
    again = run(directory)
    assert again.exit_code == 0, again.output
    assert reused(again) == (2, 2)
