"""The benchmarks' own logic, and that they go through at their smallest; what they measure is no test's business."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from tests.long import LONG

BENCHMARKS = ROOT / "benchmarks"

DUMP = """State 1:
/\\ topo = "n2-6-i1"
/\\ red = {1, 2}
/\\ chan = ( <<1, 2>> :> <<"a">> @@
  <<2, 1>> :> << >> )

State 2:
/\\ topo = "n2-6-i1"
/\\ red = {}
/\\ chan = (<<1, 2>> :> << >> @@ <<2, 1>> :> <<"a", "b">>)

"""


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def run(script, *words, cwd):
    command = [sys.executable, str(BENCHMARKS / script), *words]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env=os.environ.copy(), check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_ratio_is_the_others_by_ours_and_a_cost_ours_by_the_others():
    from pairs import Comparison

    assert Comparison("speed", "", (1.0, 2.0, 4.0), (4.0, 4.0, 4.0)).median == 2
    assert Comparison("cost", "", (1.0, 2.0, 4.0), (4.0, 4.0, 4.0), cost=True).median == 0.5


def test_each_side_is_first_in_every_second_pair():
    from pairs import compared

    order = []
    compared("order", "", lambda: order.append("ours"), lambda: order.append("other"), pairs=3)
    assert order == ["ours", "other", "other", "ours", "ours", "other"]


def test_readers_agree_on_a_dump_and_what_one_leaves_as_text_is_named(tmp_path):
    from other_readers import first_states, lark_states, left_as_text
    from read_dump import equal

    from pyharness.tla.tlc import read_states

    dump = tmp_path / "states.dump"
    dump.write_text(DUMP, encoding="utf-8")
    ours, plain = list(read_states(dump)), list(lark_states(dump))
    assert len(ours) == 2
    assert all(map(equal, ours, plain))
    assert not equal(ours[0], plain[1])
    assert left_as_text(ours[0], {**plain[0], "chan": "(<<1, 2>> :> ..."}) == ["chan"]
    assert len(list(lark_states(first_states(dump, 1, tmp_path / "one")))) == 1


def test_a_page_says_which_aims_were_missed_and_draws_lines(tmp_path, monkeypatch):
    import page
    import pairs

    monkeypatch.setattr(pairs, "OUT", tmp_path)
    monkeypatch.setattr(page, "OUT", tmp_path)
    pairs.leave(pairs.Comparison("a", "a reached", (1.0,), (5.0,), wanted=4))
    pairs.leave(pairs.Comparison("b", "b missed", (1.0,), (3.0,), wanted=4))
    pairs.leave(
        pairs.Comparison("c", "no aim", (1.0,), (1.0,)),
        table=[{"states": 12345, "seconds": None}],
        lines={"a step": [(10, 2.0), (1000, 1.5)]},
    )
    assert page.main() == 0
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert text.count('class="number reached"') == 1
    assert text.count('class="number missed"') == 1
    assert "12,345" in text
    assert text.count("<polyline") == 1


def test_events_over_a_pipe_are_counted(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no cc here")
    said = run("bench_programs.py", "--pairs", "1", "--events", "400", cwd=tmp_path)
    left = json.loads((tmp_path / "build/bench/programs.json").read_text())
    assert left["table"][0]["program"] == "C"
    assert left["table"][0]["both ends"] > 0
    assert "events a CPU second" in said


@LONG
@pytest.mark.slow
@pytest.mark.tlc
def test_they_go_through_at_their_smallest(tmp_path):
    few = ("--model", "chandy-lamport-chain", "--pairs", "1")
    run("bench_reading.py", *few, "--lark", "9", "--tlakit", "9", "--modelator", "1", cwd=tmp_path)
    run("bench_cores.py", "--pairs", "1", "--models", "1", cwd=tmp_path)
    left = {path.stem: json.loads(path.read_text()) for path in (tmp_path / "build" / "bench").glob("*.json")}
    assert set(left) == {"reading", "cores"}
    assert left["cores"]["facts"]["states"] > 0
    run("page.py", cwd=tmp_path)
