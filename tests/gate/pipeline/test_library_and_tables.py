"""What ``import pyharness`` does with a finished run: its tables as data frames; and conformance."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pyarrow import parquet

import pyharness
from pyharness.gate.jobs.table_schemas import SCHEMAS, write_rows
from pyharness.models.table_rows import TABLES, KillRow, VerdictRow


def test_a_table_of_a_run_is_a_data_frame(tmp_path):
    row = {"model": "tiny", "verdict": "incomplete", "expected": "pass", "reasons": ["no pins", "<script>"]}
    write_rows(
        VerdictRow, [VerdictRow(**row | {"reasons": tuple(row["reasons"])})], tmp_path / "tables" / "verdicts"
    )
    frame = pyharness.read_table("verdicts", tmp_path)
    assert frame.to_dict("records") == [row]


def test_an_empty_table_has_its_columns(tmp_path):
    write_rows(KillRow, [], tmp_path / "tables" / "kills")
    assert list(pyharness.read_table("kills", tmp_path).columns) == SCHEMAS["kills"].names


def test_a_table_takes_the_place_of_what_was_there(tmp_path):
    """Even where that are the several files that Spark writes, of which those with rows go."""
    for name in ("_SUCCESS", "part-00000-abc.snappy.parquet", ".part-00000-abc.snappy.parquet.crc"):
        (tmp_path / name).write_bytes(b"of another run")
    write_rows(KillRow, [], tmp_path)
    assert [path.name for path in tmp_path.glob("*.parquet")] == ["part-0.parquet"]
    before = (tmp_path / "part-0.parquet").read_bytes()
    with pytest.raises(TypeError, match="job is None, and should be str"):
        write_rows(KillRow, [KillRow(*(None,) * len(fields(KillRow)))], tmp_path)
    rows = [(path.name, path.read_bytes()) for path in tmp_path.glob("*.parquet")]
    assert rows == [("part-0.parquet", before)]


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_written_and_read_with_its_schema(table, tmp_path):
    write_rows(TABLES[table], [], tmp_path)
    assert parquet.read_schema(tmp_path / "part-0.parquet").equals(SCHEMAS[table])


@pytest.mark.tlc
def test_conformance_and_where_a_mutant_parts():
    tiny = {"topology": "n2-6-i1", "items": 1}
    assert pyharness.conform("ChandyLamport", **tiny).agreed
    found = pyharness.conform("ChandyLamport", mutant="LateTurn", **tiny)
    assert found.mismatches > 0
    assert found.rows[0].action == "AcceptMarker"
