"""The tables of a run as Spark has them: schemas derived from the classes of their rows."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from pyharness.run.table_columns import columns, to_plain
from pyharness.run.table_rows import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

__all__ = ["SCHEMAS", "STATES", "schema_of", "write_rows"]

_KINDS: Final[dict[type, DataType]] = {
    str: StringType(),
    int: LongType(),
    float: DoubleType(),
    bool: BooleanType(),
}


def schema_of(kind: type) -> StructType:
    """Return the schema of a class of rows: its columns, their types, and which may be null."""
    found = []
    for column in columns(kind):
        single = StringType() if issubclass(column.kind, Enum) else _KINDS[column.kind]
        data_type = ArrayType(single, containsNull=False) if column.many else single
        found.append(StructField(column.name, data_type, column.nullable))
    return StructType(found)


def write_rows(spark: SparkSession, kind: type, rows: Iterable[Any], path: Path) -> None:
    """Write rows of one class as one Parquet file in the directory ``path``, in place of what is there."""
    data = [tuple(to_plain(row).values()) for row in rows]
    spark.createDataFrame(data, schema_of(kind)).coalesce(1).write.mode("overwrite").parquet(str(path))


SCHEMAS: Final = {name: schema_of(kind) for name, kind in TABLES.items()}
"""Every table's schema by its name."""


def _schema(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind, nullable=True) for name, kind in fields.items()])


_TEXT, _LONG, _BOOL = StringType(), LongType(), BooleanType()

STATES = _schema(
    id=_LONG, initial=_BOOL, topology=_TEXT, key=_LONG, successors=MapType(_TEXT, ArrayType(_LONG)),
    problem=_TEXT, spec=_BOOL,
)  # fmt: skip
"""A state of TLC's graph and the implementation's successors: see :mod:`pyharness.conformance.spark_tables`."""
