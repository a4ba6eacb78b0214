"""What ``import pyharness`` does by way of Spark: the tables of a run, and conformance."""

from __future__ import annotations

import pytest

import pyharness
from pyharness.run.table_schemas import SCHEMAS


def test_a_table_of_a_run_is_a_data_frame(spark, tmp_path):
    row = {"model": "tiny", "verdict": "incomplete", "expected": "pass", "reasons": ["no pins", "<script>"]}
    schema = SCHEMAS["verdicts"]
    data = [tuple(row[field.name] for field in schema)]
    spark.createDataFrame(data, schema).write.parquet(str(tmp_path / "tables" / "verdicts"))
    frame = pyharness.read_table("verdicts", tmp_path)
    assert frame.to_dict("records") == [row]


def test_an_empty_table_has_its_columns(spark, tmp_path):
    spark.createDataFrame([], SCHEMAS["kills"]).write.parquet(str(tmp_path / "tables" / "kills"))
    assert list(pyharness.read_table("kills", tmp_path).columns) == SCHEMAS["kills"].fieldNames()


@pytest.mark.tlc
def test_conformance_and_where_a_mutant_parts(spark):
    tiny = {"topology": "n2-6-i1", "items": 1}
    assert pyharness.conform("ChandyLamport", **tiny).agreed
    found = pyharness.conform("ChandyLamport", mutant="LateTurn", **tiny)
    assert found.mismatches > 0
    assert found.rows[0].action == "AcceptMarker"
