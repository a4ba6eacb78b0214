"""One file with all that a task needs on a machine that has nothing of ours: the code, the specs, and TLC's jar.

Spark brings it to its executors and unpacks it there, so that no machine needs a clone or a directory that it shares
with others. Python and PySpark are the cluster's own, and so is Java. Its content, side by side::

    pyharness/                the package, as it is here
    igraph/, jinja2/, ...     the packages that tasks import
    specs/                    the shipped specs
    own-specs/                the user's, if there are any
    tla2tools.jar
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.spec_files import SPECS

if TYPE_CHECKING:
    from collections.abc import Iterator

JAR: Final = "tla2tools.jar"
OWN_SPECS: Final = "own-specs"

_IMPORTED: Final = ("igraph", "jinja2", "lark")
"""The distributions that tasks import; what these need travels with them."""

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_SPEC_FILES: Final = ("*.tla", "*/*.tla", "examples/*.toml")
_NAME: Final = re.compile(r"[\w.-]+")


def write_archive(directory: Path, jar: Path, specs: Path = SPECS) -> Path:
    """Write the archive into ``directory``, and return its file ``pyharness-DIGEST.zip``, named by its content.

    The same files make the same archive. ``specs`` are the user's own, or the shipped ones.

    Raises ToolError when a package cannot be taken along, or the archive cannot be written.
    """
    files = dict(sorted({**_code(), **_packages(), **_specs(specs), JAR: jar}.items()))
    try:
        contents = {name: path.read_bytes() for name, path in files.items()}
        digest = hashlib.sha256()
        for name, content in contents.items():
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        archive = directory / f"pyharness-{digest.hexdigest()[:16]}.zip"
        with zipfile.ZipFile(archive, "w") as writer:
            for name, content in contents.items():
                writer.writestr(_entry(name), content, zipfile.ZIP_DEFLATED, 1)
    except OSError as error:
        raise ToolError(
            f"the archive for the cluster cannot be made: {error}", where=str(directory)
        ) from error
    return archive


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o100644 << 16
    return entry


def distributions() -> tuple[str, ...]:
    """Return the names of the distributions that travel along: those that tasks import, and all that these need.

    Raises ToolError when one is not installed.
    """
    found: dict[str, None] = {}
    waiting = list(_IMPORTED)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            raise ToolError(f"the package {name} is not installed", hint="run `make setup`") from None
        found[name] = None
        waiting += [_NAME.match(text)[0] for text in needed if "extra ==" not in text]  # type: ignore[index]
    return tuple(found)


def _packages() -> dict[str, Path]:
    return {name: path for each in distributions() for name, path in _installed(each)}


def _installed(name: str) -> Iterator[tuple[str, Path]]:
    """Return the files of an installed distribution, as its list of them has them, by their place beside the others."""
    files = importlib.metadata.files(name)
    if not files:
        raise ToolError(
            f"the package {name} cannot be taken along: it was installed without a list of its files",
            hint="install pyharness with pip, in an environment of its own",
        )
    for file in files:
        if file.suffix != ".pyc" and file.parts[0] != "..":
            yield file.as_posix(), Path(str(file.locate()))


def _code() -> dict[str, Path]:
    return {
        f"pyharness/{path.relative_to(_PACKAGE).as_posix()}": path
        for path in _PACKAGE.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not path.is_relative_to(_PACKAGE / "specs")
    }


def _specs(specs: Path) -> dict[str, Path]:
    layers = {"specs": SPECS} if specs.resolve() == SPECS else {"specs": SPECS, OWN_SPECS: specs}
    return {
        f"{place}/{path.relative_to(layer).as_posix()}": path
        for place, layer in layers.items()
        for pattern in _SPEC_FILES
        for path in layer.glob(pattern)
        if path.is_file()
    }
