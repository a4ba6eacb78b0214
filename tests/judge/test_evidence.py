"""The evidence of a model: every row has its place, and what failed is not forgotten."""

from __future__ import annotations

from dataclasses import fields

from pyharness.judge.evidence import Evidence, evidence_of
from pyharness.run.table_rows import TABLES
from tests.table_rows import made

OF_NO_MODEL = {"examples", "verdicts"}
"""The tables whose rows are of no one model, or what is made of the evidence."""


def test_the_rows_of_each_table_are_kept_as_they_came():
    rows = [made(kind, {}) for kind in TABLES.values() for _ in range(2)]
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
