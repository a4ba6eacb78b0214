"""The Spark session: local unless told otherwise, quiet, on a Java that is known to work."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.errors import ToolError
from pyharness.toolchain import find_java, java_home_for_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

__all__ = ["LOCAL", "spark_session", "spark_when_needed"]

LOCAL = "local[2,4]"
"""Two tasks at a time, and up to four attempts at one that fails (``local[2]`` alone never retries)."""


_QUICK: Final = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


@contextmanager
def spark_when_needed(master: str | None = None) -> Iterator[Callable[[], SparkSession]]:
    """Return a function that starts a session as :func:`spark_session` does when it is first called.

    What never calls it waits for no Java machine.
    """
    with ExitStack() as stack:
        yield cache(lambda: stack.enter_context(spark_session(master, quick=True)))


@contextmanager
def spark_session(master: str | None = None, *, quick: bool = False) -> Iterator[SparkSession]:
    """Start a session on ``master`` (default :data:`LOCAL`), and stop it in the end.

    With ``quick`` Java leaves out what pays for large data only, which halves the time of a start and the first jobs,
    and logs nothing: what fails is an error of the call.
    A session that already runs is used as it is, and goes on.

    Speculation is off: it would run TLC twice. Driver and executors take at most 4 GiB together; TLC's own heap
    is bounded by each model's budget.

    Raises ToolError when Spark does not start.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 - half a second, and not every command needs it

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    with tempfile.TemporaryDirectory(prefix="pyharness-spark-") as scratch:
        settings = {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "LC_ALL": "C.UTF-8",  # under C, Java misreads file names: Spark would wait for a file that never comes
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "JAVA_HOME": str(java_home_for_spark(find_java(), Path(scratch))),
        }
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        try:
            session = (
                SparkSession.builder.master(master or LOCAL)
                .appName("pyharness")
                .config("spark.ui.enabled", "false")
                .config("spark.ui.showConsoleProgress", "false")
                .config("spark.speculation", "false")
                .config("spark.driver.memory", "2g")
                .config("spark.executor.memory", "2g")
                .config("spark.driver.extraJavaOptions", _QUICK if quick else "")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "4")
                .config("spark.sql.files.maxPartitionBytes", "32m")
                .config("spark.local.dir", scratch)
                .config("spark.sql.warehouse.dir", str(Path(scratch) / "warehouse"))
                .config("spark.log.level", "ERROR")
                .getOrCreate()
            )
        except Exception as error:
            raise ToolError(
                f"Spark does not start: {error}", hint="run `pyharness doctor --spark`"
            ) from error
        try:
            session.sparkContext.setLogLevel("OFF" if quick else "ERROR")
            yield session
        finally:
            session.stop()
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
