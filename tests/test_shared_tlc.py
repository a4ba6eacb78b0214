"""Runs that the tests share are equal runs: whatever the result depends on, a change of it makes a run of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.models import tlc_runs
from pyharness.tla.tlc import EndedBy, Outcome, Simulation, TlcRun, run_tlc
from pyharness.tla.tlc.result import Result
from tests.shared_tlc import SharedRuns

SUCCESS = Result(Outcome.SUCCESS, 0, finished=True, distinct=7)


@pytest.fixture
def run(tmp_path):
    """A run whose modules and jar are files of the test's own."""
    for name in ("model", "specs"):
        (tmp_path / name).mkdir()
    (tmp_path / "model" / "M.tla").write_text("---- MODULE M ----\n====\n", encoding="utf-8")
    (tmp_path / "model" / "M.cfg").write_text("INIT Init\n", encoding="utf-8")
    (tmp_path / "specs" / "Base.tla").write_text("---- MODULE Base ----\n====\n", encoding="utf-8")
    (tmp_path / "tla2tools.jar").write_bytes(b"a jar")
    specs = (tmp_path / "specs",)
    return TlcRun(Path("java"), tmp_path / "tla2tools.jar", tmp_path / "model", "M", libraries=specs)


@pytest.fixture
def shared(tmp_path):
    """Shared runs of a TLC that finds what its attribute ``found`` is, and dumps how often it ran."""

    def real(run, **_):
        if run.dump:
            run.dump.write_text(f"run {runs.made}", encoding="utf-8")
        return real.found

    real.found = SUCCESS
    runs = SharedRuns(tmp_path / "kept", real)
    return runs


def test_the_same_run_is_made_once_and_its_dump_is_there_again(run, shared, tmp_path):
    dumps = [tmp_path / "a.dot", tmp_path / "b.dot"]
    assert [shared(replace(run, dump=dump)) for dump in dumps] == [SUCCESS, SUCCESS]
    assert shared.made == 1
    assert {dump.read_text(encoding="utf-8") for dump in dumps} == {"run 1"}
    assert SharedRuns(shared.kept, None)(replace(run, dump=tmp_path / "c.dot")) == SUCCESS


def test_where_things_are_does_not_matter(run, shared, tmp_path):
    shared(run)
    for name in ("model", "specs"):
        (tmp_path / name).rename(tmp_path / f"another {name}")
    shared(replace(run, directory=tmp_path / "another model", libraries=(tmp_path / "another specs",)))
    assert shared.made == 1


CHANGES = {
    "a module": lambda run: (run.directory / "M.tla").write_text("---- MODULE M ----\nA == 1\n====\n"),
    "its configuration": lambda run: (run.directory / "M.cfg").write_text("INIT Next\n"),
    "a module that it may extend": lambda run: (run.libraries[0] / "Base.tla").write_text("\n"),
    "another module": lambda run: (run.libraries[0] / "More.tla").write_text("\n"),
    "the jar": lambda run: run.jar.write_bytes(b"another jar"),
    "Java": {"java": Path("/tmp/lying/java")},
    "the heap": {"heap_mib": 12},
    "coverage": {"coverage": True},
    "a dump": lambda run: {"dump": run.directory / "graph.dot"},
    "the seed": {"seed": 1},
    "the modules in their order": lambda run: {"libraries": (run.directory, *run.libraries)},
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_the_result_depends_on_makes_another_run(run, shared, what):
    shared(run)
    change = CHANGES[what]
    fields = change if isinstance(change, dict) else change(run)
    shared(replace(run, **fields) if isinstance(fields, dict) else run)
    assert shared.made == 2


ALWAYS = {
    "little time": {"timeout": 0.5},
    "random behaviours": {"simulation": Simulation(1)},
    "other options": {"options": ("-note",)},
}


@pytest.mark.parametrize("what", ALWAYS)
def test_some_runs_are_always_made(run, shared, what):
    for _ in range(2):
        shared(replace(run, **ALWAYS[what]))
    assert shared.made == 2


def test_a_run_that_writes_its_output_is_always_made(run, shared, tmp_path):
    for _ in range(2):
        shared(run, output=tmp_path / "output.txt", on_progress=None)
    assert shared.made == 2


@pytest.mark.parametrize(
    "found",
    [
        replace(SUCCESS, finished=False),
        replace(SUCCESS, ended_by=EndedBy.TIMEOUT),
        replace(SUCCESS, outcome=Outcome.INCOMPLETE),
        replace(SUCCESS, outcome=Outcome.OUT_OF_MEMORY),
        replace(SUCCESS, outcome=Outcome.TOOL_ERROR),
    ],
)
def test_what_did_not_end_by_itself_is_not_kept(run, shared, found):
    shared.real.found = found
    assert shared(run) == found
    shared.real.found = SUCCESS
    assert shared(run) == SUCCESS
    assert shared.made == 2


def test_only_who_asks_shares(request):
    assert tlc_runs.run_tlc is run_tlc
    shared = request.getfixturevalue("shared_tlc")
    assert tlc_runs.run_tlc is shared
