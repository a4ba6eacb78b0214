"""The tables of a run as Parquet, written by Spark, and only when they are not there already with the same rows."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from pyharness.errors import ToolError
from pyharness.run.table_columns import rows_version, to_plain
from pyharness.run.table_rows import TABLES, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pyharness.run.table_rows import TableRow

__all__ = ["write_tables"]

_CONTENT: Final = "content.sha256"
"""The file beside the tables that says what they hold; it is there only when they are whole."""


def write_tables(spark: Callable[[], SparkSession], rows: Sequence[TableRow], directory: Path) -> None:
    """Write the rows of all tables below ``directory``, in place of what is there.

    Where it is the same already, nothing is written, and ``spark`` is not called.

    Raises ToolError when they cannot be written.
    """
    by_table = {name: rows_of(kind, rows) for name, kind in TABLES.items()}
    digest, said = _digest(by_table), directory / _CONTENT
    whole = said.is_file() and all((directory / name / "_SUCCESS").is_file() for name in TABLES)
    if whole and said.read_text(encoding="utf-8") == digest:
        return
    from pyharness.run.table_schemas import write_rows  # noqa: PLC0415 - only what writes needs Spark

    session = spark()
    try:
        said.unlink(missing_ok=True)
        for name, kind in TABLES.items():
            write_rows(session, kind, by_table[name], directory / name)
        said.write_text(digest, encoding="utf-8")
    except Exception as error:
        raise ToolError(f"the tables cannot be written: {_cause(error)}", where=str(directory)) from error


def _digest(by_table: dict[str, list[TableRow]]) -> str:
    digest = hashlib.sha256(rows_version().encode())
    for name, rows in by_table.items():
        digest.update(json.dumps([name, [list(to_plain(row).values()) for row in rows]]).encode())
    return digest.hexdigest()


def _cause(error: Exception) -> str:
    """Return what Java says was the first cause, or the first line of what Python says."""
    lines = str(error).strip().split("\n")
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return (causes or lines[:1])[-1]
