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

    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["LOCAL", "spark_session", "spark_when_needed"]

LOCAL = "local[2,4]"
"""Two tasks at a time, and up to four attempts at one that fails (``local[2]`` alone never retries)."""

_LOG: Final = "spark.log"

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

    With ``quick`` Java leaves out what pays for large data only, which halves the time of a start and the first jobs.
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
            session = SparkSession(_context(master or LOCAL, Path(scratch), quick=quick))
        except Exception as error:
            said = _last_lines(Path(scratch) / _LOG)
            raise ToolError(
                f"Spark does not start: {error}{said}", hint="run `pyharness doctor --spark`"
            ) from error
        try:
            yield session
        finally:
            session.stop()
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _context(master: str, scratch: Path, *, quick: bool) -> SparkContext:
    """Start Spark, whose own words and those of its workers go to a file: people read ours."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    settings = {
        "spark.master": master,
        "spark.app.name": "pyharness",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.speculation": "false",
        "spark.driver.memory": "2g",
        "spark.executor.memory": "2g",
        "spark.driver.extraJavaOptions": _QUICK if quick else "",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.log.level": "ERROR",
    }
    conf = SparkConf().setAll(list(settings.items()))
    if SparkContext._gateway is not None:  # noqa: SLF001 - a Java machine of this process, which Spark keeps
        return SparkContext(conf=conf)
    with (scratch / _LOG).open("ab") as log:
        gateway = launch_gateway(  # type: ignore[no-untyped-call]
            conf, popen_kwargs={"stdout": log, "stderr": log}
        )
    return SparkContext(conf=conf, gateway=gateway)


def _last_lines(path: Path) -> str:
    """Return the end of Spark's own log, where there is one."""
    text = path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else ""
    return "".join(f"\n  {line}" for line in text.splitlines()[-5:])
