"""The Spark session: local by default, quiet, on a Java that is known to work; and the causes of its failures."""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ToolError
from pyharness.base.toolchain import find_java, java_home_for_spark
from pyharness.base.toolchain.extras import install, missing, require_extra
from pyharness.base.toolchain.interrupts import interrupts_wait
from pyharness.base.toolchain.machine_size import tasks_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark import SparkContext
    from pyspark.sql import SparkSession


_RAISED: Final = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?P<cause>\S.*)", re.MULTILINE
)
_LOST: Final = re.compile(r"most recent failure: (?:Lost task [^:]*?\): )?(?P<cause>\S.*)")
_CAUSED: Final = re.compile(r"^Caused by: (?P<cause>\S.*)", re.MULTILINE)
_THROWN: Final = re.compile(r"^: (?P<cause>\S.*)", re.MULTILINE)


def cause_of(error: BaseException) -> str:
    """Return the cause in one line: what Python raised in a task, why the task was lost, or what Java threw first.

    Without any of these it is the first line of the message, or the error's name if the message is empty.
    """
    text = str(error).strip()
    for pattern, nth in ((_RAISED, -1), (_LOST, 0), (_CAUSED, -1), (_THROWN, 0)):
        if found := list(pattern.finditer(text)):
            return found[nth]["cause"].strip()
    return text.partition("\n")[0] or type(error).__name__


_LOG: Final = "spark.log"

_MASTER: Final = re.compile(r"(\[[^]]+\]|[^:,]+):(\d+)")
"""A machine and a port; there may be several, with commas between them, of which one is the master."""

_SECONDS: Final = 20.0
"""The seconds that a master may take to answer."""

_QUICK: Final = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def instead_of_spark() -> str:
    """Return in words where a plan's jobs run without the extra ``spark``, and what is missing; "" if it is installed."""
    absent = missing("spark")
    if not absent:
        return ""
    tables = ", and no tables are written" if "pyarrow" in absent else ""
    where = f"jobs in {tasks_at_once()} local processes: Spark is not installed (no {' and no '.join(absent)}){tables}"
    return f"{where}; {install('spark')}"


@contextmanager
def spark_when_needed(master: str | None = None) -> Iterator[Callable[[], SparkSession | None]]:
    """Return a function that starts a session as :func:`spark_session` does when it is first called.

    A run that never calls it does not wait for a Java machine. Without the extra ``spark`` it returns ``None``.

    Raises SpecError for a ``master`` without the extra.
    """
    if missing("spark"):
        if master:
            require_extra("spark")
        yield lambda: None
        return
    with ExitStack() as stack:
        yield cache(lambda: stack.enter_context(spark_session(master)))


@contextmanager
def spark_session(master: str | None = None) -> Iterator[SparkSession]:
    """Start a session on ``master`` (default :func:`local_master`), and stop it in the end.

    Java leaves out what pays for large data only, which halves the time of a start and the first jobs.
    Workers on other machines need a Python of this version; ``PYSPARK_PYTHON`` names it if it is not ``python3.N``.

    A session that already runs is used as it is, and goes on: a notebook's, or that of ``spark-submit``.

    Speculation is off: it would run TLC twice. The driver's Java takes at most 2 GiB; TLC's own heap is bounded by each
    model's budget.

    Raises SpecError without the extra ``spark``, ToolError when Spark does not start.
    """
    require_extra("spark")
    from py4j.protocol import Py4JError  # noqa: PLC0415 - half a second, and not every command needs it
    from pyspark.sql import SparkSession  # noqa: PLC0415

    running = _running()
    if running is not None:
        yield running
        return
    master = master or local_master()
    address = driver_address(master)
    with tempfile.TemporaryDirectory(prefix="pyharness-spark-") as scratch:
        settings = {
            "LC_ALL": "C.UTF-8",  # under C, Java misreads file names: Spark would wait for a file that never comes
            "PYSPARK_PYTHON": _python_of_tasks(master),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "JAVA_HOME": str(java_home_for_spark(find_java(), Path(scratch))),
            **({"SPARK_LOCAL_IP": address} if address else {}),
        }
        with _environment(settings), _without_words_of_py4j():
            try:
                session = SparkSession(_context(master, address, Path(scratch)))
            except Exception as error:
                log = _last_lines(Path(scratch) / _LOG)
                raise ToolError(
                    f"Spark does not start: {cause_of(error)}{log}", hint="run `pyharness doctor --spark`"
                ) from error
            try:
                yield session
            finally:
                with suppress(OSError, Py4JError):  # its Java is gone where both got a signal
                    session.stop()


@contextmanager
def _without_words_of_py4j() -> Iterator[None]:
    """Keep Py4J, and PySpark's server of accumulators, from printing the tracebacks of calls that an interrupt cut off.

    An error of our own calls is raised as before.
    """
    from pyspark.accumulators import AccumulatorTCPServer  # noqa: PLC0415 - as above

    def ours(record: logging.LogRecord) -> bool:
        return Path(record.pathname).parent.name != "py4j"

    root = logging.getLogger()  # Py4J logs to it, by no name of its own
    root.addFilter(ours)
    printing = AccumulatorTCPServer.handle_error
    AccumulatorTCPServer.handle_error = lambda *_: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        root.removeFilter(ours)
        AccumulatorTCPServer.handle_error = printing  # type: ignore[method-assign]


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables, and put back in the end what was there."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def local_master() -> str:
    """Return the master of a session here: as many tasks at a time as this machine is good for.

    A task that fails has up to four attempts; with the number of tasks alone (``local[2]``) Spark never retries.
    """
    return f"local[{tasks_at_once()},4]"


def is_local(master: str) -> bool:
    """Return whether tasks run in Spark's own process on this machine."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def driver_address(master: str) -> str | None:
    """Return the address on which executors reach this process: the one from which it reaches the master.

    For a cluster the environment variable ``SPARK_LOCAL_IP`` goes before that. ``None`` leaves it to Spark and its
    configuration, where the master's address is not a machine's (YARN, Kubernetes).

    Raises ToolError when there is no answer at the master's address.
    """
    if re.match(r"local\b", master):
        return "127.0.0.1"
    problem = ""
    for host, port in _MASTER.findall(
        master.removeprefix("spark://") if master.startswith("spark://") else ""
    ):
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS) as connection:
                return os.environ.get("SPARK_LOCAL_IP") or str(connection.getsockname()[0])
        except OSError as error:
            problem = error.strerror or str(error)
    if problem:
        raise ToolError(f"the Spark master does not answer: {problem}", where=master, hint="check --master")
    return os.environ.get("SPARK_LOCAL_IP")


def _python_of_tasks(master: str) -> str:
    """Return the Python of tasks: this one on this machine, elsewhere the user's choice, or one of the same version."""
    if is_local(master):
        return sys.executable
    return os.environ.get("PYSPARK_PYTHON") or f"python{sys.version_info.major}.{sys.version_info.minor}"


def _imports() -> dict[str, str]:
    """Have tasks on this machine import what this process does: by themselves they look in the working directory first.

    That may be another clone than the one whose code runs here. It is for tasks alone: what else this process starts
    imports what it always does.
    """
    return {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        "spark.executorEnv.PYTHONSAFEPATH": "1",
    }


def _running() -> SparkSession | None:
    """Return the session that already runs, or that of ``spark-submit``, if it started this process."""
    from pyspark import SparkContext  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    session = SparkSession.getActiveSession()
    started = SparkContext._active_spark_context is not None or "PYSPARK_GATEWAY_PORT" in os.environ  # noqa: SLF001
    return SparkSession.builder.getOrCreate() if session is None and started else session


def _context(master: str, address: str | None, scratch: Path) -> SparkContext:
    """Start Spark, whose own words and those of its workers go to a file: people read ours."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    settings = {
        "spark.master": master,
        "spark.app.name": "pyharness",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.speculation": "false",
        # Others on this machine reach its ports, too: Spark makes a secret of this session's own.
        **({"spark.authenticate": "true", **_imports()} if is_local(master) else {}),
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": _QUICK,
        **({"spark.driver.bindAddress": address, "spark.driver.host": address} if address else {}),
        # Else Spark's copy of the archive would stay in /tmp after a kill -9; its directory of the executor is cleaned.
        **(
            {"spark.executor.defaultJavaOptions": "-Djava.io.tmpdir=."}
            if master.startswith("spark://")
            else {}
        ),
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.log.level": "ERROR",
    }
    conf = SparkConf().setAll(list(settings.items()))
    if SparkContext._gateway is not None:  # noqa: SLF001 - a Java machine of this process, which Spark keeps
        return SparkContext(conf=conf)
    with (scratch / _LOG).open("ab") as log, interrupts_wait():
        gateway = launch_gateway(  # type: ignore[no-untyped-call]
            conf, popen_kwargs={"stdout": log, "stderr": log}
        )
    return SparkContext(conf=conf, gateway=gateway)


def _last_lines(path: Path) -> str:
    """Return the end of Spark's own log, where there is one, without the frames of Java's calls below a cause."""
    text = path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else ""
    lines = [line for line in text.splitlines() if not re.match(r"\s+(at |\.\.\. )", line)]
    return "".join(f"\n  {line}" for line in lines[-5:])
