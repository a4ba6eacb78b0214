"""A directory of our own for each run of TLC or SANY, with copies of the modules that it needs, and nothing else.

TLC takes a compiled class that it finds beside a module for what the module defines, and runs it. So it is never shown
a directory of somebody else's: whatever lies there or below it, is linked there, or is put there during a run, it sees
the text of the modules as it was when the run began.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pyharness.toolchain.bounded_files import MOST_MODULE_BYTES, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NAME: Final = re.compile(rb"[A-Za-z0-9_]+")
_MODULE: Final = re.compile(r"([A-Za-z0-9_]+)\.tla")


def private_modules(
    root: Path, module: str, libraries: Iterable[Path], into: Path, config: str | None = None
) -> tuple[Path, Path]:
    """Copy ``module`` and ``config`` of ``root`` and all modules that they may name; return the two places.

    The first, below ``into``, has what was in ``root``, the second what was in the ``libraries``, the nearest of each
    name. A module is needed if its name stands in the text of one that is: no text loads a module that it does not
    name. Only regular files are copied, or what a link to one has.

    Raises SpecError for a file that cannot be read, or is too large.
    """
    own, others = into / "root", into / "library"
    own.mkdir()
    others.mkdir()
    there = [(own, root, _modules(root)), *((others, place, _modules(place)) for place in libraries)]
    if config is not None and (root / config).is_file():
        _copy(root / config, own / config)
    known = set[str]().union(*(names for _, _, names in there))
    waiting, seen = [module], {module}
    while waiting:
        name = waiting.pop()
        for target, place, names in there:
            if name in names and (place / f"{name}.tla").is_file():
                text = _copy(place / f"{name}.tla", target / f"{name}.tla")
                found = {word.decode() for word in _NAME.findall(text)} & known - seen
                seen |= found
                waiting += sorted(found)
                break
    return own, others


def java_environment() -> dict[str, str]:
    """Return the environment of TLC and SANY: no variable with options for Java, nor any that says what is loaded.

    The encoding is said, for under C Java misreads file names that are not ASCII.
    """
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8"}


def _modules(place: Path) -> frozenset[str]:
    with suppress(OSError):  # a directory of a user's specs may be missing
        names = os.listdir(place)  # noqa: PTH208 - there are many, and a run of TLC for each of many models
        return frozenset(found[1] for name in names if (found := _MODULE.fullmatch(name)))
    return frozenset()


def _copy(source: Path, target: Path) -> bytes:
    text = read_bytes(source, MOST_MODULE_BYTES)
    target.write_bytes(text)
    return text
