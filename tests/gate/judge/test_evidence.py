"""The evidence of a model: every row has its place, and what failed is not forgotten."""

from __future__ import annotations

from dataclasses import fields

from pyharness.gate.judge.plan_minimums import found_evidence
from pyharness.gate.judge.plan_report import Evidence, ModelReport, evidence_of
from pyharness.models.table_rows import TABLES
from pyharness.models.verdicts import Verdict
from tests.shipped_plans import shipped_plan
from tests.table_rows import made, tables

OF_NO_MODEL = {"examples", "verdicts", "logs", "snapshots"}
"""The tables whose rows are of no one model, or what is made of the evidence."""


def test_the_rows_of_each_table_are_kept_as_they_came():
    rows = [made(kind, {}) for kind in TABLES.values() for _ in range(2)]
    assert set(TABLES) >= OF_NO_MODEL
    found = evidence_of(("Send",), ("ChannelState",), rows, ("a job was lost",))
    for table, kind in TABLES.items():
        if table not in OF_NO_MODEL:
            own = [row for row in rows if isinstance(row, kind)]
            alone = evidence_of((), (), own)
            assert getattr(found, table) == getattr(alone, table) == own, table
    assert (found.actions_of_spec, found.witnesses_asked) == (("Send",), ("ChannelState",))
    assert found.failures == ("a job was lost",)
    assert {field.name for field in fields(Evidence)} == {
        *(TABLES.keys() - OF_NO_MODEL), "actions_of_spec", "witnesses_asked", "failures",
    }  # fmt: skip


ENDED = {"kind": "check", "outcome": "SUCCESS", "exit_status": 0, "finished": True}


def test_what_claims_rest_on_is_what_checks_have_counted():
    """The states of the runs that passed, of checks alone, and the kills whose property is known."""
    model = shipped_plan("quick").models[0]
    runs = [
        ENDED | {"distinct": 20},
        ENDED | {"run": 1, "distinct": 10},
        ENDED | {"run": 2, "finished": False},
    ]
    simulated = ENDED | {"kind": "simulate", "distinct": 7}
    kills = [{"property": "TypeOK"}, {"property": None}]

    def found(runs):
        evidence = Evidence((), (), **tables(runs=runs, kills=kills))
        return found_evidence([ModelReport(model, Verdict.PASS, (), evidence)])

    assert found([*runs, simulated]).states == {model.name: 30}
    assert found([simulated]).states == {model.name: 0}
    assert found(runs).kills == {(model.name, "TypeOK")}
