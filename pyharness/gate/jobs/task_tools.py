"""Where a task of Spark finds Java, TLC, the specs and room for files: on the driver's machine, or on one with nothing.

A task on the driver's machine uses what the driver found. On any other machine the code, the specs and the jar come out
of an archive that travels with the task (:mod:`pyharness.base.toolchain.shipped_archive`), and Java is looked for there.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.jar import VARIABLE
from pyharness.base.toolchain.shipped_archive import JAR, OWN_SPECS, write_archive
from pyharness.base.toolchain.spec_files import ROOT, SPECS
from pyharness.gate.jobs.spark_session import is_local
from pyharness.models.machine_tools import Tools, find_tools
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark import SparkContext


class TaskTools(Protocol):
    """The resources of a task: the ``tools``, and the ``library`` of modules."""

    @property
    def tools(self) -> Tools:
        """Java, TLC and the directories of the specs. Raises ToolError where one is missing."""

    @property
    def library(self) -> Library:
        """The modules of the specs."""


@dataclass(frozen=True)
class DriversTools:
    """The driver's tools and library, for tasks on its machine."""

    tools: Tools
    library: Library


@dataclass(frozen=True)
class ShippedTools:
    """The tools and library beside the archive's code, and the machine's own Java, for tasks on any machine.

    ``jar_sha256`` and ``java_version`` are the driver's, after which results are named: the jar must be the same one,
    and Java of the same major version. ``own_specs`` is whether the archive has a user's specs.
    """

    jar_sha256: str
    java_version: str
    own_specs: bool

    @cached_property
    def tools(self) -> Tools:
        """Look for them here. Raises ToolError where one is missing, or is another one than the driver's."""
        tools = find_tools(
            ROOT / OWN_SPECS if self.own_specs else SPECS,
            {**os.environ, VARIABLE: str(ROOT / JAR)},
            train=False,
        )
        if tools.jar_sha256 != self.jar_sha256:
            raise ToolError("this is not the jar that was sent", where=str(tools.jar))
        if _major(tools.java_version) != _major(self.java_version):
            raise ToolError(
                f"Java is {tools.java_version} here, and {self.java_version} where the run was started",
                where=str(tools.java),
                hint="set JAVA_HOME to a Java of the same major version, there or here",
            )
        return tools

    @cached_property
    def library(self) -> Library:
        """The modules in the archive."""
        return Library(*self.tools.specs, jar=self.tools.jar)


@contextmanager
def tools_for_tasks(context: SparkContext, tools: Tools, library: Library) -> Iterator[TaskTools]:
    """Return the tools and library of the tasks of ``context``; unless they run on this machine, send them there.

    Python finds the archive's code in the tasks that are made meanwhile, and in no others of the session.

    Raises ToolError when the archive cannot be made, or tasks on this machine run other code than this process.
    """
    if is_local(context.master or ""):
        _require_same_code(context)
        yield DriversTools(tools, library)
        return
    specs = tools.specs[0]
    before = context.environment.get("PYTHONPATH")
    context.environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, (f"./{_sent(context, tools.jar, specs)}", before))
    )
    try:
        yield ShippedTools(tools.jar_sha256, tools.java_version, own_specs=specs.resolve() != SPECS)
    finally:
        del context.environment["PYTHONPATH"]
        if before is not None:
            context.environment["PYTHONPATH"] = before


def _require_same_code(context: SparkContext) -> None:
    """Require that tasks import this code: results are named by it. A session of someone else's may find another clone.

    What asks them travels with the task, so that it does not depend on the code that they have.
    """

    def place(_: int) -> str:
        found = find_spec("pyharness")  # where it is asked
        return str(Path(str(found and found.origin)).resolve().parent)

    ours = place(0)
    (theirs,) = context.runJob(context.parallelize([0], 1).map(place), list, [0])
    if theirs != ours:
        raise ToolError(
            f"Spark's tasks run the code in {theirs}, and not that in {ours}",
            where=context.master,
            hint="start the session with the PYTHONPATH of this process, and not in the directory of another clone",
        )


def _sent(context: SparkContext, jar: Path, specs: Path) -> str:
    """Let Spark bring the archive to its executors, once; return the name of the directory that they unpack it into."""
    from pyspark import SparkFiles  # noqa: PLC0415 - only what runs on Spark needs it

    # Spark serves the file for as long as the session goes on, and then removes this directory of its own.
    archive = write_archive(Path(SparkFiles.getRootDirectory()), jar, specs)
    if not any(archive.stem in each for each in context.listArchives):
        context.addArchive(f"{archive}#{archive.stem}")
    return archive.stem


def keep_files_with_spark() -> None:
    """Let temporary files of this process lie where Spark removes them with the application, even after a kill -9."""
    for directory in os.environ.get("SPARK_LOCAL_DIRS", "").split(","):
        if directory and Path(directory).is_dir():
            tempfile.tempdir = directory
            return


def _major(version: str) -> str:
    return re.split(r"\D", version, maxsplit=1)[0]
