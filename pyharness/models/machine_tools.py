"""Find the tools that jobs need: Java, TLC, and the directories of the specs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.base.errors import ToolError
from pyharness.base.toolchain import find_java, find_tla2tools, quick_start
from pyharness.base.toolchain.java import java_version
from pyharness.base.toolchain.spec_files import SPECS, module_directories, require_no_java

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Tools:
    """The tools that jobs need: the Java executable, the jar and its digest, the directories of the specs.

    ``jvm_options`` are for Java, and change no result. ``java_version`` is the version that Java prints.
    """

    java: Path
    jar: Path
    jar_sha256: str
    specs: tuple[Path, ...]
    jvm_options: tuple[str, ...] = ()
    java_version: str = ""


def find_tools(specs: Path = SPECS, environ: Mapping[str, str] | None = None, *, train: bool = True) -> Tools:
    """Find Java and TLC, whose digest is checked, and the directories of ``specs`` and of the specs that they extend.

    ``environ`` stands in for the process's environment. Without ``train`` no archive of TLC's classes is made or used:
    it costs seconds, and pays only where it is there for the next run, too.

    Raises ToolError when one is missing, SpecError when there is Java among the specs, which TLC would run.
    """
    require_no_java(specs)
    jar = find_tla2tools(environ)
    java = find_java(environ)
    return Tools(
        java.executable,
        jar.path,
        jar.sha256,
        module_directories(specs),
        quick_start(java, jar, environ) if train else (),
        java.version,
    )


def require_unchanged(tools: Tools) -> None:
    """Require that Java and the jar are still those that were found, because a result names the ones that made it.

    Raises ToolError when one was replaced meanwhile, or is gone.
    """
    now = java_version(tools.java)
    if now != tools.java_version:
        raise ToolError(
            f"Java changed during the run: it was {tools.java_version}, and is {now or 'gone, or does not start'}",
            where=str(tools.java),
            hint="run it again; what it made is not kept",
        )
    try:
        same = hashlib.sha256(tools.jar.read_bytes()).hexdigest() == tools.jar_sha256
    except OSError:
        same = False
    if not same:
        raise ToolError(
            "TLC's jar changed during the run",
            where=str(tools.jar),
            hint="run it again; what it made is not kept",
        )
