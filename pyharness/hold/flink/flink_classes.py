"""Flink's own classes, in a Java virtual machine of this process.

Everything comes from one jar, ``flink-dist-*.jar``, and two optional packages: ``JPype1`` starts the machine,
``apache-flink-libraries`` has the jar. Neither is part of the base environment (the extra ``flink``).

There is one machine in a process, with one jar: to compare another version of Flink with the spec, use another
process.
"""

from __future__ import annotations

import os
import zipfile
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.extras import install, require_extra
from pyharness.base.toolchain.java_in_process import start_java

HANDLERS = "org.apache.flink.streaming.runtime.io.checkpointing."
"""The package that the barrier handlers are in."""

_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dslf4j.internal.verbosity=ERROR")

_NAMES = {
    "Single": f"{HANDLERS}SingleCheckpointBarrierHandler",
    "Tracker": f"{HANDLERS}CheckpointBarrierTracker",
    "Timer": f"{HANDLERS}BarrierAlignmentUtil$DelayableTimer",
    "Cancellable": f"{HANDLERS}BarrierAlignmentUtil$Cancellable",
    "Task": "org.apache.flink.runtime.jobgraph.tasks.CheckpointableTask",
    "Coordinator": "org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinator",
    "Input": "org.apache.flink.runtime.io.network.partition.consumer.CheckpointableInput",
    "Persister": "org.apache.flink.runtime.io.network.partition.consumer.ChannelStatePersister",
    "Writer": "org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter",
    "Channel": "org.apache.flink.runtime.checkpoint.channel.InputChannelInfo",
    "Clock": "org.apache.flink.util.clock.ManualClock",
    "Barrier": "org.apache.flink.runtime.io.network.api.CheckpointBarrier",
    "Cancellation": "org.apache.flink.runtime.io.network.api.CancelCheckpointMarker",
    "Options": "org.apache.flink.runtime.checkpoint.CheckpointOptions",
    "Alignment": "org.apache.flink.runtime.checkpoint.CheckpointOptions$AlignmentType",
    "CheckpointType": "org.apache.flink.runtime.checkpoint.CheckpointType",
    "Location": "org.apache.flink.runtime.state.CheckpointStorageLocationReference",
    "Events": "org.apache.flink.runtime.io.network.api.serialization.EventSerializer",
    "Buffer": "org.apache.flink.runtime.io.network.buffer.NetworkBuffer",
    "Recycler": "org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler",
    "Memory": "org.apache.flink.core.memory.MemorySegmentFactory",
    "Version": "org.apache.flink.runtime.util.EnvironmentInformation",
    "Class": "java.lang.Class",
    "List": "java.util.ArrayList",
}


class FlinkClasses:
    """The classes of one jar, as attributes with short names; ``version`` is the one that Flink reports."""

    def __init__(self, jar: Path) -> None:
        import jpype  # noqa: PLC0415 - optional

        self.jpype: Any = jpype
        self.jar = jar
        try:
            for name, full in _NAMES.items():
                setattr(self, name, jpype.JClass(full))
        except TypeError as error:
            raise SpecError(
                f"no class that the comparison needs: {error}",
                where=str(jar),
                hint="versions 1.18 to 2.3 of Flink have them all",
            ) from error
        self.version = str(self.Version.getVersion())

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def find_jar(given: Path | None = None) -> Path:
    """Return the ``flink-dist`` jar that is ``given``, or that of the installed package.

    Raises SpecError without a jar, and for a file without barrier handlers.
    """
    if given is None:
        require_extra("flink", "apache-flink-libraries")
        lib = Path(str(metadata.distribution("apache-flink-libraries").locate_file("pyflink/lib")))
        found = sorted(lib.glob("flink-dist-*.jar"))
        if len(found) != 1:
            raise SpecError(f"{len(found)} files flink-dist-*.jar", where=str(lib), hint=install("flink"))
        given = found[0]
    entry = f"{HANDLERS}SingleCheckpointBarrierHandler".replace(".", "/") + ".class"
    try:
        with zipfile.ZipFile(given) as archive:
            archive.getinfo(entry)
    except (OSError, zipfile.BadZipFile) as error:
        raise SpecError(f"no jar: {error}", where=str(given), hint="give flink-dist-VERSION.jar") from error
    except KeyError:
        hint = "give flink-dist-VERSION.jar, of 1.18 or newer"
        raise SpecError("no barrier handler in this jar", where=str(given), hint=hint) from None
    return given.resolve()


def start_flink(jar: Path | None = None) -> FlinkClasses:
    """Start the machine with a jar, the installed one if none is given, and return its classes.

    Once started, it stays: the same call again returns the same. Raises SpecError without the optional packages,
    and for a second jar in the same process; ToolError when the machine does not start.
    """
    require_extra("flink", "JPype1")
    return _started(find_jar(jar))


@cache
def _started(jar: Path) -> FlinkClasses:
    jpype = start_java(_OPTIONS, [os.fspath(jar)])
    out = jpype.JClass("java.io.PrintStream")
    jpype.java.lang.System.setErr(out(jpype.JClass("java.io.OutputStream").nullOutputStream()))
    return FlinkClasses(jar)
