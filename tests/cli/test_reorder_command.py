"""``pyharness trace reorder``: what it prints, what it writes, and how it exits."""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import ROOT, shipped_mutants
from pyharness.machines.systems import PROTOCOLS, implementation_of
from pyharness.tla.tlc.itf import from_itf
from tests.command import run
from tests.each_case import each_case

TRACES = ROOT / "traces"


def test_both_computations_stand_side_by_side_with_sss_between():
    result = run("trace", "reorder", TRACES / "nondeterministic.itf.json", "--no-tlc")
    assert result.exit_code == 0
    assert result.stdout == (
        "   as it happened            white before red\n"
        "1  red    P1 Send C12 M      white  P2 Send C21 M'\n"
        "                             ------ SSS ------------\n"
        "2  white  P2 Send C21 M'     red    P1 Send C12 M\n"
        "3  red    P1 Accept C21 M'   red    P1 Accept C21 M'\n"
        "\n"
        "swap 1: P2 Send C21 M' comes before P1 Send C12 M, at 1; 0 inversions left\n"
        "\n"
        "S0   P1=A P2=C C12=[] C21=[]\n"
        "SSS  P1=A P2=D C12=[] C21=[M']   which never occurred\n"
        "S1   P1=A P2=D C12=[M] C21=[]\n"
    )


@pytest.mark.tlc
def test_tlc_accepts_the_reordered_trace_which_is_written(tmp_path):
    out = tmp_path / "reordered.itf.json"
    result = run("trace", "reorder", TRACES / "nondeterministic.itf.json", "--out", out)
    assert result.exit_code == 0
    assert "TLC accepts" in result.stdout
    trace, meta = from_itf(out.read_text(encoding="utf-8"))
    assert (meta["spec"], meta["sss"], len(trace)) == ("Computation", 1, 4)


def test_a_refusal_by_tlc_is_a_failure(monkeypatch):
    from pyharness.cli import reorder_command as reorder
    from pyharness.gate.jobs.reordering_rows import Walk

    monkeypatch.setattr(reorder, "find_tools", lambda: None)
    monkeypatch.setattr(reorder, "walk_traces", lambda *_: [Walk(2, 4)])
    result = run("trace", "reorder", TRACES / "nondeterministic.itf.json")
    assert result.exit_code == 1
    assert "at state 3 of 4" in result.stderr
    assert "accepts" not in result.stdout


@each_case("path", [p for m in sorted(shipped_mutants()) for p in TRACES.glob(f"{m}.itf.json")])
def test_a_mutants_trace_is_reordered_only_if_it_is_one_of_the_algorithm_too(path):
    spec = from_itf(path.read_text(encoding="utf-8"))[1]["spec"]
    protocol = implementation_of(spec)
    if protocol is None:  # Commuting, whose functions no program has
        return
    result = run("trace", "reorder", path, "--no-tlc", "--protocol", protocol)
    if not PROTOCOLS[protocol].coloured:
        assert result.exit_code == 2
        assert "no colours to sort by" in result.stderr
        return
    followed = run("trace", "replay", path, "--protocol", protocol).exit_code == 0
    assert followed or result.exit_code == 1
    assert followed == ("this is not to be reordered" not in result.stderr)
    if result.exit_code:
        assert result.stdout == ""
        assert "this is not to be reordered" in result.stderr or "is not complete" in result.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nothing.json"], "cannot be read"),
        ([ROOT / "LICENSE"], "no trace in a format that is known"),
        ([TRACES / "wrong-recordings-no-token.itf.json"], "has no colours"),
        ([TRACES / "LateTurn.itf.json", "--protocol", "Nothing"], "no protocol 'Nothing'"),
        ([TRACES / "LateTurn.itf.json", "--protocol", "ChandyLamport:LateTurn"], "is not complete"),
    ],
)
def test_what_cannot_be_reordered_is_said(args, said):
    result = run("trace", "reorder", *args, "--no-tlc")
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
