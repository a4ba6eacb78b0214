"""The history of runs: what is appended is read again, bounded, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.topology import Topology
from pyharness.gate.judge.plan_report import Evidence, ModelReport, PlanReport
from pyharness.gate.judge.run_history import append_history, history_rows, read_history
from pyharness.models.model import Model
from pyharness.models.verdicts import Verdict
from tests.table_rows import tables

RING = Topology.of(2, [(1, 2), (2, 1)], [1])
RUN = {
    "kind": "check",
    "outcome": "SUCCESS",
    "finished": True,
    "exit_status": 0,
    "distinct": 30,
    "generated": 60,
    "depth": 9,
    "seconds": 1.5,
}
EVIDENCE = Evidence(
    actions_of_spec=("Send", "Accept"),
    witnesses_asked=(),
    **tables(
        runs=[RUN, RUN | {"kind": "reach", "seconds": 0.5}],
        actions=[{"run": 0, "action": "Send", "total": 3}, {"run": 0, "action": "Accept", "total": 0}],
        conformances=[{"transitions": 60, "mismatches": 0}],
    ),
)
MODEL = Model("tiny", "ChandyLamport", (RING,), invariants=("TypeOK",))
BUG = replace(MODEL, name="bug", mutant="LateTurn", expect="violation")
REPORT = PlanReport(
    SimpleNamespace(name="quick", path=Path("quick.toml"), whole=True),
    Verdict.INCOMPLETE,
    (),
    (
        ModelReport(MODEL, Verdict.PASS, (), EVIDENCE),
        ModelReport(BUG, Verdict.INCOMPLETE, ("no run of TLC",), Evidence((), ())),
    ),
    None,
    (),
    (),
    5,
    2,
)
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_rows_say_what_was_measured_and_nothing_more():
    tiny, bug = history_rows(REPORT, NOON.astimezone(timezone(timedelta(hours=5))), 7.0)
    assert tiny.run == bug.run == "20260102T120000.000000Z"
    assert tiny.began == "2026-01-02T12:00:00+00:00"
    assert (tiny.distinct, tiny.generated, tiny.seconds, tiny.depth) == (30, 60, 2.0, 9)
    assert (tiny.transitions, tiny.taken) == (60, ("Send",))
    assert (bug.verdict, bug.plan_verdict, bug.distinct, bug.seconds) == (
        "incomplete",
        "incomplete",
        None,
        None,
    )


def test_runs_are_appended_and_the_last_ones_read(tmp_path):
    assert read_history(tmp_path) == []
    runs = [history_rows(REPORT, NOON + timedelta(seconds=n), float(n)) for n in range(3)]
    for rows in runs[1], runs[0], runs[2]:
        append_history(tmp_path, rows)
    kept = read_history(tmp_path, runs=2)
    assert kept == sorted(runs[1] + runs[2], key=lambda row: (row.run, row.model))
    with pytest.raises(ToolError, match="already"):
        append_history(tmp_path, runs[0])
    (tmp_path / "history" / ".20260102T120009.000000Z.json").write_text(
        "{"
    )  # a run that was killed while it wrote
    assert read_history(tmp_path, runs=2) == kept
    file = tmp_path / "history" / f"{runs[2][0].run}.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    for row in content["rows"]:
        del row["taken"]  # as an older version wrote it
    file.write_text(json.dumps(content | {"more": "of a newer one"}), encoding="utf-8")
    assert [row.taken for row in read_history(tmp_path, runs=1)] == [None, None]
    for damaged in ("no JSON", "[]", '{"format": "another"}', json.dumps(content | {"rows": [{"run": "r"}]})):
        file.write_text(damaged, encoding="utf-8")
        with pytest.raises(ToolError, match="cannot be read"):
            read_history(tmp_path)
