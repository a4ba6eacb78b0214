"""When the tables of a run are written, and what is said when they cannot be."""

from __future__ import annotations

import errno
import sys

import pytest

from pyharness.base.errors import ToolError
from pyharness.gate.jobs import table_schemas
from pyharness.gate.pipeline.stages import write_tables
from pyharness.models.table_rows import TABLES, ExampleRow

ROWS = [ExampleRow("kuper", "pass", "as published")]


@pytest.fixture
def written(monkeypatch):
    """The tables that were written, in order."""
    names = []

    def write(_kind, rows, path):
        path.mkdir(parents=True, exist_ok=True)
        (path / "part-0.parquet").write_text(str(len(list(rows))), encoding="utf-8")
        names.append(path.name)

    monkeypatch.setattr(table_schemas, "write_rows", write)
    return names


def test_tables_are_written_when_their_rows_are_other_ones_or_one_is_gone(tmp_path, written):
    write_tables(ROWS, tmp_path)
    assert written == list(TABLES)
    write_tables(ROWS, tmp_path)
    assert written == list(TABLES)
    write_tables([], tmp_path)
    assert written == list(TABLES) * 2
    (tmp_path / "kills" / "part-0.parquet").unlink()
    write_tables([], tmp_path)
    assert written == list(TABLES) * 3


def test_tables_of_other_columns_are_written_anew(tmp_path, written, monkeypatch):
    write_tables(ROWS, tmp_path)
    monkeypatch.setattr("pyharness.gate.pipeline.stages.rows_version", lambda: "another")
    write_tables(ROWS, tmp_path)
    assert written == list(TABLES) * 2


def test_a_table_that_was_damaged_is_written_anew(tmp_path, written):
    write_tables(ROWS, tmp_path)
    (tmp_path / "runs" / "part-0.parquet").write_text("garbage", encoding="utf-8")
    write_tables(ROWS, tmp_path)
    assert written == list(TABLES) * 2
    assert (tmp_path / "runs" / "part-0.parquet").read_text(encoding="utf-8") == "0"


def test_a_full_disk_is_said_and_the_tables_are_written_the_next_time(tmp_path, written, monkeypatch):
    write_tables(ROWS, tmp_path)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(table_schemas, "write_rows", full)
        with pytest.raises(ToolError) as caught:
            write_tables([], tmp_path)
    said = "the tables cannot be written: No space left on device"
    assert str(caught.value) == f"{tmp_path}: {said}"
    write_tables(ROWS, tmp_path)
    assert written == list(TABLES) * 2


def test_without_pyarrow_no_table_of_other_rows_is_left(tmp_path, monkeypatch):
    write_tables(ROWS, tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    write_tables([], tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
