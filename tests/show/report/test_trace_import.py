"""Every third committed trace comes back equal from ITF, from another tool's ITF and from TLC's text; imports can be used."""

from __future__ import annotations

import json

import pytest
from itf_py import trace_from_json, trace_to_json

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.tla.tlc import parse_trace, read_trace
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.values import to_tla
from tests.command import run
from tests.each_case import each_case

TRACES = ROOT / "traces"
FILES = sorted(TRACES.glob("*.itf.json"))
SAMPLES = ROOT / "tests" / "tla" / "tlc" / "samples"
every_third = each_case("path", FILES[::3])


def console(trace, violated):
    """Write a trace as TLC prints it without -tool."""
    lines = [f"Error: Invariant {violated} is violated.", "Error: The behavior up to this point is:"]
    for number, step in enumerate(trace.steps, start=1):
        lines.append(
            f"State {number}: <{step.action or 'Initial predicate'} line 1, col 1 to line 1, col 2 of module M>"
        )
        lines += [*(f"/\\ {name} = {to_tla(value)}" for name, value in step.state.items()), ""]
    if trace.lasso is not None:
        lines += [f"Back to state {trace.lasso + 1}: <Act>", ""]
    if trace.stuttering:
        lines.append(f"State {len(trace) + 1}: Stuttering")
    return "\n".join([*lines, "Finished in 00s at (2026-11-21 15:18:17)\n"])


@every_third
def test_itf_py_there_and_back(path):
    theirs = trace_from_json(json.loads(path.read_text(encoding="utf-8")))
    again = json.dumps(trace_to_json(theirs))
    assert from_itf(again) == read_trace(path)


@every_third
def test_text_of_tlc_there_and_back(path):
    trace, meta = read_trace(path)
    read, said = parse_trace(console(trace, meta.get("violated", "Property")), where="here")
    assert [(step.action, step.state) for step in read.steps] == [(s.action, s.state) for s in trace.steps]
    assert (read.lasso, read.stuttering) == (trace.lasso, trace.stuttering)
    assert said["violated"] == meta.get("violated", "Property")


def test_what_tlc_printed_is_replayed(tmp_path):
    trace, meta = read_trace(TRACES / "LateTurn.itf.json")
    file = tmp_path / "out.txt"
    file.write_text(console(trace, meta["violated"]), encoding="utf-8")
    mutant = run("trace", "replay", file, "--protocol", "ChandyLamport:LateTurn")
    assert mutant.exit_code == 0
    assert "NoRedInWhite is violated at step 5" in mutant.stdout
    assert run("trace", "replay", file, "--protocol", "ChandyLamport").exit_code == 1


@pytest.mark.parametrize("name", ["2.15-text/invariant.stdout", "2.15/invariant.stdout"])
def test_a_cut_output_is_incomplete(name, tmp_path):
    text = (SAMPLES / name).read_text(encoding="utf-8")
    file = tmp_path / "cut"
    file.write_text(text[: text.index("x = 3")], encoding="utf-8")
    result = run("trace", "export", file, "--to", "text")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "cut off" in result.stderr
