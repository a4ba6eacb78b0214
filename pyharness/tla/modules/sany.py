"""Run SANY, TLC's own parser, on modules: it writes a description of them as XML, or a complaint about them."""

from __future__ import annotations

import re
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain import find_java, find_tla2tools, quick_start
from pyharness.tla.tlc.codes import error_outcome, trouble_of_machine
from pyharness.tla.tlc.run import java_environment, private_modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.base.toolchain import Tla2Tools

ROOT: Final = "RootOfAllThatIsRead"
"""The name of the module that SANY reads: it has an inner module for each module to be described."""

_SECONDS: Final = 300
_BEGINS: Final = re.compile(rb"-{4,}[ \t]*MODULE\b")
_ERRORS: Final = "*** Errors:"
_REFUSED: Final = (_ERRORS, "***Parse Error***", "*** Abort messages:")
_PLACE: Final = re.compile(r"\*\*\* Errors: \d+\s+line \d+, col \d+ to line \d+, col \d+ of module (\w+)")


class Refused(Exception):  # noqa: N818 - it is reported as a SpecError, with the lines it is about
    """SANY refuses a module; its message is the only argument."""

    def module(self) -> str | None:
        """Return the name of the module in which the first error is, if SANY gives its place."""
        found = _PLACE.search(str(self))
        return found[1] if found else None


@contextmanager
def exported(
    names: Sequence[str], directories: Sequence[Path], jar: Tla2Tools | None = None
) -> Iterator[Path]:
    """Yield a temporary file in which SANY describes some modules, and those that they need, as XML.

    They are looked for in the ``directories``, the nearest first; a standard module is found in the ``jar``,
    which is this process's default if it is not given.

    Raises Refused with SANY's message if it refuses one, SpecError if one is nested too deep, and ToolError if SANY cannot
    be run, or the machine has no room.
    """
    java, jar = find_java(), jar or find_tla2tools()
    with tempfile.TemporaryDirectory(prefix="pyharness-read-") as scratch:
        (Path(scratch) / f"{ROOT}.tla").write_text(_within_one(names), encoding="utf-8")
        own, others = private_modules(Path(scratch), ROOT, directories, Path(scratch))
        command = [
            *(str(java.executable), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *quick_start(java, jar)),
            *("-Xss64m", f"-Djava.io.tmpdir={scratch}", f"-DTLA-Library={others}", "-cp", str(jar.path)),
        ]
        document = Path(scratch) / "modules.xml"
        with document.open("wb") as file:
            code, errors = _run(
                [*command, "tla2sany.xml.XMLExporter", "-o", "-I", str(others), ROOT], own, file
            )
        if code >= 0 and _ERRORS in errors:  # semantic ones are printed in full, before the export fails
            raise Refused(errors.partition("failed for node")[0].partition("Exception in thread")[0])
        if code or any(sign in errors for sign in _REFUSED):
            code, words = _run([*command, "tla2sany.SANY", ROOT], own, subprocess.PIPE)
            if "StackOverflowError" in errors + words:
                hint = "give parts of its expressions names of their own"
                raise SpecError("nested too deep to be parsed", where=", ".join(names)[:300], hint=hint)
            if code < 0 or error_outcome((), [words]) is not None or not any(s in words for s in _REFUSED):
                if code > 0 and not trouble_of_machine(words):
                    _require_modules(path for place in (own, others) for path in sorted(place.glob("*.tla")))
                why = trouble_of_machine(words) or errors.strip().split("\n", 1)[0] or f"status {code}"
                raise ToolError(f"the specs cannot be parsed: {why}")
            raise Refused(words)
        yield document


def _require_modules(files: Iterable[Path]) -> None:
    """Require that each file has the beginning of a module, for SANY has no message if one does not. Raises Refused."""
    for path in files:
        if not _BEGINS.search(path.read_bytes()):
            words = f"no module begins in this file: it needs ---- MODULE {path.stem} ----"
            raise Refused(f"*** Abort messages: 1\n\nIn module {path.stem}\n\n{words}\n")


def _run(command: Sequence[str], directory: Path, output: int | IO[bytes]) -> tuple[int, str]:
    """Run Java in a directory; return its exit status, and what it printed to its standard error and to a pipe."""
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env=java_environment(),
            stdout=output,
            stderr=subprocess.PIPE,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"the specs cannot be parsed: {error}") from error
    printed = [part.decode("utf-8", "replace") for part in (done.stdout, done.stderr) if part]
    return done.returncode, "\n".join(printed)


def _within_one(names: Sequence[str]) -> str:
    """Return a module with an inner module that extends it for each name, so that a module needed by several is parsed once.

    No module sees two of them, for they may define the same names.
    """
    inner = (f"---- MODULE {ROOT}{number} ----\nEXTENDS {name}\n====\n" for number, name in enumerate(names))
    return f"---- MODULE {ROOT} ----\n{''.join(inner)}====\n"
