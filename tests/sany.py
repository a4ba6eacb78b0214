"""What SANY, TLC's parser, says of a module and of all that it needs: the XML that the tests of the specs' text read.

The parser runs once for the same modules in a session, as TLC does in ``tests/shared_tlc.py``.
"""

from __future__ import annotations

import gc
import hashlib
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from pyharness.base.toolchain import find_java, find_tla2tools, quick_start
from tests.shared_tlc import alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pyharness.tla.modules.library import Library


def sany(root: Path, kept: Path, libraries: Sequence[Path] = ()) -> ET.Element:
    """Return the document of the module in the file ``root``, from ``kept`` if it is there.

    Further modules are looked up beside it and in ``libraries``.
    """
    places = [root.parent, *(path for path in libraries if path != root.parent)]
    digest = hashlib.sha256(root.name.encode())
    for file in (file for place in places for file in sorted(place.glob("*.tla"))):
        digest.update(f"{file.parent == root.parent} {file.name}\n".encode() + file.read_bytes())
    kept.mkdir(exist_ok=True)
    with alone(kept / f"{digest.hexdigest()}.lock"):
        made = kept / f"{digest.hexdigest()}.xml"
        if not made.is_file():
            text = _told(root, places[1:])
            made.write_text(text, encoding="utf-8")
        return _parsed(made.read_text(encoding="utf-8"))


def roots_of(library: Library) -> list[str]:
    """Return the modules of a library that no other extends."""
    names = sorted(library.names())
    extended = {other for name in names for other in library.module(name).sees}
    return [name for name in names if name not in extended]


def within_one(directory: Path, groups: Iterable[Iterable[str]]) -> Path:
    """Return a root with a module within it for each group of modules, which extends them: SANY reads all in one run.

    What stands in two groups may define one name, each its own.
    """
    lines = [
        f"---- MODULE All{number} ----\nEXTENDS {', '.join(group)}\n===="
        for number, group in enumerate(groups)
    ]
    root = directory / "All.tla"
    root.write_text("\n".join(["---- MODULE All ----", *lines, "===="]), encoding="utf-8")
    return root


def _parsed(text: str) -> ET.Element:
    """Parse a document of some hundred thousand elements, none of which is garbage while it is made."""
    gc.disable()
    try:
        return ET.fromstring(text)  # noqa: S314 - SANY's words on our own modules
    finally:
        gc.enable()


def _told(root: Path, libraries: Sequence[Path]) -> str:
    java, jar = find_java(), find_tla2tools()
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *quick_start(java, jar)]
    with tempfile.TemporaryDirectory() as own:  # where SANY unpacks the standard modules
        command = [str(java.executable), *options, f"-Djava.io.tmpdir={own}", "-cp", str(jar.path)]
        command += ["tla2sany.xml.XMLExporter", "-o"]
        command += [word for path in libraries for word in ("-I", str(path))]
        done = subprocess.run(
            [*command, root.name],
            cwd=root.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    assert "<modules" in done.stdout, done.stdout[-500:] + done.stderr[-500:]
    return done.stdout[done.stdout.index("<modules") :]
