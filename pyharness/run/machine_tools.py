"""What jobs need of the machine: Java, TLC, and the directories of the specs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.toolchain import find_java, find_tla2tools, quick_start
from pyharness.toolchain.spec_files import SPECS, module_directories

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Tools", "find_tools"]


@dataclass(frozen=True)
class Tools:
    """What jobs need of the machine: the Java executable, the jar and its digest, the directories of the specs.

    ``jvm_options`` are for Java, and change no result. ``java_version`` is Java's own word.
    """

    java: Path
    jar: Path
    jar_sha256: str
    specs: tuple[Path, ...]
    jvm_options: tuple[str, ...] = ()
    java_version: str = ""


def find_tools(specs: Path = SPECS) -> Tools:
    """Find Java and TLC, whose digest is checked, and the directories of ``specs`` and of those it extends.

    Raises ToolError when one is missing.
    """
    jar = find_tla2tools()
    java = find_java()
    return Tools(
        java.executable,
        jar.path,
        jar.sha256,
        module_directories(specs),
        quick_start(java, jar),
        java.version,
    )
