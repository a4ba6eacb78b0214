"""Report which of the harness's tools this machine has, with advice about those that are missing.

Nothing is printed here: :func:`diagnose` returns findings, the command line shows them.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import HarnessError
from pyharness.base.toolchain.extras import EXTRAS, install, missing
from pyharness.base.toolchain.jar import find_tla2tools, tlc_version
from pyharness.base.toolchain.java import Java, find_java, java_home_for_spark
from pyharness.base.toolchain.machine_size import CGROUP, cores, memory
from pyharness.base.toolchain.spec_files import SPECS, require_specs

if TYPE_CHECKING:
    from collections.abc import Mapping

_MIN_PYTHON = (3, 11)
_MIN_MEMORY = 2 * 1024**3
_SESSION_SECONDS = 180.0

_SESSION_SCRIPT = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
print("sum", session.sparkContext.parallelize(range(10), 2).sum())
session.stop()
"""


@dataclass(frozen=True, slots=True)
class ToolFinding:
    """One finding of the doctor.

    ``name`` is the subject (``Java``), ``found`` describes what was found, ``ok`` is whether that is enough, and
    ``advice`` states what to do, or to know although all is well; empty if there is no advice.
    """

    name: str
    found: str
    ok: bool
    advice: str = ""


def diagnose(
    *, spark: bool = False, environ: Mapping[str, str] | None = None, cgroup: Path = CGROUP
) -> list[ToolFinding]:
    """Look at Python, Java, TLC, Spark, the shipped specs, the extras, the cores and the memory, in this order.

    ``spark`` also starts a Spark session and runs a job in it, which takes up to half a minute; without it, only
    the installed version is reported. ``environ`` stands in for the process's environment, ``cgroup`` for the
    directory where Linux keeps a container's limits. Each failure becomes a finding; nothing is raised.
    """
    environment = dict(os.environ if environ is None else environ)
    java, java_finding = _java(environment)
    findings = [
        _python(),
        java_finding,
        _tlc(java, environment),
        _extra("Spark", "spark", use="plans on Spark and the tables of a run"),
        _specs(),
        _extra("Solvers", "prove", use="`pyharness prove`"),
        _extra("Flink", "flink", use="`pyharness hold flink`"),
        _extra("Bytewax", "bytewax", use="`pyharness systems bytewax`"),
    ]
    if spark:
        findings.append(_spark_session(java, environment))
    return [*findings, ToolFinding("Cores", str(cores(cgroup)), ok=True), _memory(cgroup)]


def _python() -> ToolFinding:
    needed = ".".join(map(str, _MIN_PYTHON))
    good = sys.version_info >= _MIN_PYTHON
    advice = "" if good else f"Needs {needed} or newer: make setup PYTHON=/path/to/python{needed}"
    return ToolFinding("Python", f"{platform.python_version()} ({sys.executable})", good, advice)


def _java(environ: Mapping[str, str]) -> tuple[Java | None, ToolFinding]:
    try:
        java = find_java(environ)
    except HarnessError as error:
        return None, _failure("Java", error)
    passed_over = "".join(
        f"Passed over: {reason}. " for reason in java.rejected if " has no java" not in reason
    )
    found = f"{java.version} from {java.source} ({java.executable})"
    return java, ToolFinding("Java", found, ok=True, advice=passed_over.strip())


def _tlc(java: Java | None, environ: Mapping[str, str]) -> ToolFinding:
    try:
        jar = find_tla2tools(environ)
        if java is None:
            return ToolFinding("TLC", f"{jar.source}, not started", ok=False, advice="Needs Java, see above.")
        version = tlc_version(java, jar)
    except HarnessError as error:
        return _failure("TLC", error)
    return ToolFinding("TLC", f"{version} from {jar.source}, sha256 {jar.sha256}", ok=True)


def _specs() -> ToolFinding:
    try:
        modules = len(list(require_specs().rglob("*.tla")))
    except HarnessError as error:
        return _failure("Specs", error)
    return ToolFinding("Specs", f"{modules} modules in {SPECS}", ok=True)


def _extra(name: str, extra: str, *, use: str) -> ToolFinding:
    """Return the finding for an optional extra: all of it is installed, or nothing of it; both are well."""
    absent = missing(extra)
    versions = [f"{each} {importlib.metadata.version(each)}" for each in EXTRAS[extra] if each not in absent]
    if not absent:
        return ToolFinding(name, ", ".join(versions), ok=True)
    found = f"{', '.join(versions)}, and not {', '.join(absent)}" if versions else "not installed (optional)"
    advice = f"For {use} alone: {install(extra)}."
    return ToolFinding(name, found, ok=not versions, advice=advice)


def _spark_session(java: Java | None, environ: Mapping[str, str]) -> ToolFinding:
    """Run a small job in a process of its own, so that this one is left without a JVM."""
    name = "Spark session"
    if java is None:
        return ToolFinding(name, "not started", ok=False, advice="Needs Java, see above.")
    if missing("spark"):
        return ToolFinding(name, "not started", ok=False, advice="Needs Spark, see above.")
    with tempfile.TemporaryDirectory(prefix="pyharness-doctor-") as directory:
        try:
            home = java_home_for_spark(java, Path(directory))
            run = subprocess.run(
                [sys.executable, "-P", "-c", _SESSION_SCRIPT],
                cwd=directory,
                env={
                    **environ,
                    "JAVA_HOME": str(home),
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    "SPARK_LOCAL_DIRS": directory,
                    "PYSPARK_PYTHON": sys.executable,
                },
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SESSION_SECONDS,
                check=False,
            )
        except HarnessError as error:
            return _failure(name, error)
        except subprocess.TimeoutExpired:
            waited = f"no answer within {_SESSION_SECONDS:.0f} s"
            return ToolFinding(name, waited, ok=False, advice="Try again on a machine that is less busy.")
    output = run.stdout.decode("utf-8", "replace").strip()
    if run.returncode == 0 and "sum 45" in output.splitlines():
        return ToolFinding(name, "started and ran a job", ok=True)
    last = output.splitlines()[-1][:300] if output else "it printed nothing"
    advice = f"It ended with: {last}. Set JAVA_HOME to a full JDK 17 or newer."
    return ToolFinding(name, f"failed with status {run.returncode}", ok=False, advice=advice)


def _memory(cgroup: Path) -> ToolFinding:
    usable = memory(cgroup)
    if usable is None:
        return ToolFinding("Memory", "unknown", ok=True, advice="This system does not report it.")
    found = f"{usable / 1024**3:.1f} GiB"
    if usable < _MIN_MEMORY:
        needed = (
            f"TLC and Spark need {_MIN_MEMORY // 1024**3} GiB: raise the limit of this machine or container."
        )
        return ToolFinding("Memory", found, ok=False, advice=needed)
    return ToolFinding("Memory", found, ok=True)


def _failure(name: str, error: HarnessError) -> ToolFinding:
    place = f"{error.where}: " if error.where else ""
    return ToolFinding(name, f"{place}{error.message}", ok=False, advice=error.hint or "")
