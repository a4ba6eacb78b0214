"""``pyharness trace replay``: a trace that lacks what it says of itself is no pass."""

from __future__ import annotations

import json

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.machines.systems import MUTANTS, PROTOCOLS
from tests.command import run

TRACES = sorted((SPECS.parent / "traces").glob("*.itf.json"))
LATE_TURN = SPECS.parent / "traces" / "LateTurn.itf.json"


def replayed(path, *options):
    return run("trace", "replay", path, *options)


def cut(tmp_path, states):
    document = json.loads(LATE_TURN.read_text(encoding="utf-8"))
    document["states"] = document["states"][:states]
    path = tmp_path / "cut.itf.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def own_protocol(path):
    """Return the implementation that a trace is of, its mutant's where it is one's; none where Python has none."""
    meta = json.loads(path.read_text(encoding="utf-8"))["#meta"]
    spec, mutant = meta.get("spec"), meta.get("mutant")
    if spec not in PROTOCOLS or (mutant and mutant not in MUTANTS):
        return None
    return f"{spec}:{mutant}" if mutant else spec


def test_the_traces_of_the_project_have_what_they_say():
    found = {path: own_protocol(path) for path in TRACES}
    said = {
        path.name: replayed(path, "--protocol", protocol).exit_code
        for path, protocol in found.items()
        if protocol
    }
    assert len(said) > 40
    assert {name: code for name, code in said.items() if code} == {}


@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_a_counterexample_without_its_end_is_incomplete(tmp_path, states):
    result = replayed(cut(tmp_path, states), "--protocol", "ChandyLamport:LateTurn")
    assert result.exit_code == 3
    assert result.stdout.startswith("1 step agrees\n" if states == 1 else f"{states} steps agree\n")
    assert "the trace is given as a violation of NoRedInWhite, and is not" in result.stderr


def test_a_mutants_trace_that_the_algorithm_takes_need_not_violate_anything_there(tmp_path):
    """An end that the mutant cannot leave is none where the algorithm goes on."""
    assert replayed(cut(tmp_path, 4), "--protocol", "ChandyLamport").exit_code == 1
    assert replayed(cut(tmp_path, 3), "--protocol", "ChandyLamport").exit_code == 0
    assert replayed(cut(tmp_path, 5), "--protocol", "ChandyLamport:LateTurn").exit_code == 0


def test_a_list_for_a_set_is_told_with_its_file(tmp_path):
    path = tmp_path / "log.itf.json"
    document = {"#meta": {"spec": "WhiteRed"}, "states": [{"topo": "n2-6-i1", "state": [[1], []]}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    result = replayed(path)
    assert result.exit_code == 2
    assert f"{path}, step 1, variable state: not every process holds a set" in result.stderr
    assert 'write {"#set": [...]}' in result.stderr


def test_a_trace_of_a_spec_that_python_does_not_have_is_told_as_that(tmp_path):
    """Not as one of another application: there is none that would help."""
    path = tmp_path / "own.itf.json"
    states = [{"topo": "n2-6-i1", "votes": {"#map": [[1, "yes"], [2, "no"]]}}]
    path.write_text(json.dumps({"#meta": {"spec": "TwoPhase"}, "states": states}), encoding="utf-8")
    for options, said in (
        ((), "Python has no TwoPhase"),
        (("--protocol", "TwoPhase"), "no protocol 'TwoPhase'"),
    ):
        result = replayed(path, *options)
        assert result.exit_code == 2
        assert said in result.stderr
        assert "application" not in result.stderr
