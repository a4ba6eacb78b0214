"""The whole pipeline, through the command line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pyharness.cli.main import cli

TINY = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
items = 2
invariants = ["TypeOK"]
properties = ["SSSReachable"]
silent = ["Internal", "Exchange"]
simulate = { traces = 40, depth = 20, seed = 1 }

[[model]]
name = "bug"
spec = "ChandyLamport"
mutant = "LateTurn"
topologies = [{ processes = 2 }]
depth = 8
invariants = ["TypeOK"]
properties = ["SSSReachable"]
expect = "violation"
caught_by = ["TypeOK", "SSSReachable"]
"""

MINIMUMS = """[minimums]
examples = 13
mutants = 1
replays = 40
refused = 1
transitions = 1000
reorderings = { tiny = 1 }
"""


def run(*args):
    return CliRunner().invoke(cli, ["check", *map(str, args)])


@pytest.mark.slow
@pytest.mark.tlc
@pytest.mark.usefixtures("spark_here")
def test_a_plan_runs_passes_and_is_not_run_again(tmp_path, monkeypatch):
    plan, out = tmp_path / "tiny.toml", tmp_path / "out"
    plan.write_text(TINY, encoding="utf-8")
    first = run(plan, "--out", out, "--json")
    assert first.exit_code == 3, first.output
    document = json.loads(first.stdout)
    assert document["format"] == "pyharness-check/1"
    tiny, bug = document["models"]
    assert tiny["verdict"] == "incomplete"
    assert bug["verdict"] == "pass"
    assert bug["caught_by"] == ["SSSReachable, TypeOK"]
    pins = f"pins = {{ distinct = {tiny['distinct']}, depth = {tiny['depth']} }}\nsilent"
    plan.write_text(TINY.replace("silent", pins, 1), encoding="utf-8")
    second = run(plan, "--out", out, "--json")
    assert second.exit_code == 0, second.output
    document = json.loads(second.stdout)
    assert document["verdict"] == "pass"
    assert document["reused"] == document["jobs"]
    assert document["models"][0]["replays"] == {"asked": 40, "replayed": 40, "agreed": 40, "refused": 0}
    assert [result.stderr.splitlines()[-1].startswith("report: ") for result in (first, second)] == [
        True,
        True,
    ]
    page = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "<title>PASS: tiny, " in page
    assert (out / "report" / "traces" / "ChandyLamport-LateTurn.html").is_file()
    content = (out / "tables" / "content.sha256").read_bytes()
    monkeypatch.setattr("pyharness.gate.jobs.spark_session.spark_session", None)  # nothing to do: no Spark
    third = run(plan, "--out", out, "--json")
    assert third.exit_code == 0, third.output
    assert json.loads(third.stdout)["models"] == document["models"]
    assert (out / "tables" / "content.sha256").read_bytes() == content
    tables = {path.name for path in (out / "tables").iterdir()}
    assert tables >= {"runs", "topologies", "traces", "replays", "verdicts"}
    claiming = plan.read_text("utf-8").replace("\n\n", "\nclaims = true\n\n", 1)
    plan.write_text(f"{claiming}\n{MINIMUMS}", encoding="utf-8")
    third = run(plan, "--out", out, "--json")
    assert third.exit_code == 3, third.output
    document = json.loads(third.stdout)
    assert document["reused"] == document["jobs"]
    reasons = "\n".join(document["reasons"])
    assert "0 worked examples that agree with the literature, the plan's minimum is 13" in reasons
    assert "0 transitions in which spec and implementation are equal, the plan's minimum is 1,000" in reasons
    assert (
        "claim E5 is not checked: only what was sent is accepted: WhiteRedHistory.NoClairvoyance:" in reasons
    )
    assert "traces replayed" not in reasons


def test_bad_usage_and_bad_plans_exit_with_2(tmp_path):
    plan = tmp_path / "bad.toml"
    plan.write_text(TINY.replace('["TypeOK"]', '["TypOK"]'), encoding="utf-8")
    for args in (["nothing"], [plan], ["quick", "--only", "nothing"], ["--no-such-option"]):
        result = run(*args)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
