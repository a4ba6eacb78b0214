"""The tables of a run as Parquet has them: schemas derived from the classes of their rows, written by this process.

All rows come here, wherever the jobs ran: a table is written where the command runs, never by Spark's executors,
whose disks may be other ones.
"""

from __future__ import annotations

import uuid
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import parquet

from pyharness.base.toolchain.own_files import own_directory, remove
from pyharness.models.table_rows import TABLES, columns, to_plain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_FILE: Final = "part-0.parquet"

_KINDS: Final[dict[type, pa.DataType]] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}


def schema_of(kind: type) -> pa.Schema:
    """Return the schema of a class of rows: its columns, their types, and which may be null."""
    found = []
    for column in columns(kind):
        single = pa.string() if issubclass(column.kind, Enum) else _KINDS[column.kind]
        data_type = pa.list_(pa.field("element", single, nullable=False)) if column.many else single
        found.append(pa.field(column.name, data_type, column.nullable))
    return pa.schema(found)


def write_rows(kind: type, rows: Iterable[Any], directory: Path) -> None:
    """Write rows of one class as the one Parquet file in ``directory``, in place of what is there, or not at all.

    Raises OSError when it cannot be written.
    """
    table = pa.Table.from_pylist([to_plain(row) for row in rows], schema_of(kind))
    own_directory(directory)
    draft = directory / f".{uuid.uuid4().hex}"
    try:
        parquet.write_table(table, draft)
        others = [path for path in directory.glob("*.parquet") if path.is_file() and path.name != _FILE]
        draft.replace(directory / _FILE)
    finally:
        draft.unlink(missing_ok=True)
    for path in others:
        remove(path)


SCHEMAS: Final = {name: schema_of(kind) for name, kind in TABLES.items()}
"""Every table's schema by its name."""
