"""The driver that :mod:`~pyharness.lab.real_systems.spark_batches` kills: two streaming queries over a directory of files.

``counts`` keeps, by key, how many records came and the sum of their values, as its state, and gives each batch's
changed rows to ``foreachBatch``; ``copies`` writes the records to a file sink. Run as
``python -m pyharness.lab.real_systems.spark_driver PLACE FILES-A-BATCH STORE``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.gate.jobs.spark_session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

STORES: Final = ("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")
"""The providers of a state store."""

STARTED: Final = "started"
FINISHED: Final = "finished"
"""The files in which the driver notes its progress."""

SENT: Final = "sent.jsonl"
"""The batches that ``foreachBatch`` was given: a line of JSON each time."""

_SETTINGS: Final = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",  # code for a few records costs more than it saves
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # else a query whose first plan was being written at the kill never starts again
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
}


def _run(place: Path, files: int, store: str) -> None:
    def send(rows: DataFrame, batch: int) -> None:
        found = sorted([row["key"], row["number"], int(row["total"])] for row in rows.collect())
        with (place / SENT).open("a", encoding="utf-8") as file:
            file.write(json.dumps([batch, found]) + "\n")
            file.flush()
            os.fsync(file.fileno())

    with spark_session("local[2,4]") as spark:
        for name, value in _SETTINGS.items():
            spark.conf.set(name, value)
        spark.conf.set(
            "spark.sql.streaming.stateStore.providerClass",
            f"org.apache.spark.sql.execution.streaming.state.{store}",
        )
        records = (
            spark.readStream.schema("id long, key long, value decimal(38,0)")
            .option("maxFilesPerTrigger", files)
            .json(str(place / "input"))
        )
        counted = records.groupBy("key").agg({"*": "count", "value": "sum"}).toDF("key", "number", "total")
        (place / STARTED).touch()
        queries = [
            counted.writeStream.outputMode("update")
            .foreachBatch(send)
            .option("checkpointLocation", str(place / "counts"))
            .start(),
            records.select("id")
            .writeStream.format("json")
            .option("checkpointLocation", str(place / "copies"))
            .start(str(place / "sink")),
        ]
        for query in queries:
            query.processAllAvailable()
        (place / FINISHED).touch()
        for query in queries:
            query.stop()


if __name__ == "__main__":
    _run(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
