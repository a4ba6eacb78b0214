"""A Java virtual machine within this process, by JPype1, which is an extra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.extras import require_extra
from pyharness.base.toolchain.java import find_java

if TYPE_CHECKING:
    from collections.abc import Sequence


def start_java(options: Sequence[str], classpath: Sequence[str]) -> Any:
    """Start the one machine that a process can have, and return ``jpype``.

    Raises SpecError without JPype1, or where a machine runs already; ToolError when it does not start.
    """
    require_extra("flink", "JPype1")
    import jpype  # noqa: PLC0415 - optional

    if jpype.isJVMStarted():
        raise SpecError(
            "a Java virtual machine runs here already", where=classpath[0], hint="take another process"
        )
    library = find_java().executable.resolve().parent.parent / "lib" / "server" / "libjvm.so"
    path = str(library) if library.is_file() else jpype.getDefaultJVMPath()
    try:
        jpype.startJVM(path, *options, classpath=list(classpath), convertStrings=False)
    except (OSError, RuntimeError, TypeError, jpype.JVMNotFoundException) as error:
        raise ToolError(f"no Java virtual machine in this process: {error}", where=path) from error
    return jpype
