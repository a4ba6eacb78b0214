"""The text of a definition as it stands in a module, found by its layout alone: no Java is needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyharness.base.toolchain.bounded_files import read_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MOST_BYTES = 1 << 20
_EXTENDS = re.compile(r"^EXTENDS\s+([\w\s,]+?)$", re.MULTILINE)


def definition_text(name: str, module: str, directories: Sequence[Path]) -> str:
    """Return the lines of the definition of ``name``, with the comment above them, in a module or one that it extends.

    It begins in the first column, and ends before the next line that does. Without one the text is empty.
    """
    for text in _texts(module, directories, set()):
        lines = text.splitlines()
        begins = next(
            (n for n, line in enumerate(lines) if re.match(rf"{re.escape(name)}\s*(\(|==)", line)), None
        )
        if begins is None:
            continue
        ends = next(
            (n for n in range(begins + 1, len(lines)) if lines[n][:1].strip() or not lines[n].strip()),
            len(lines),
        )
        while begins and lines[begins - 1].startswith("(*"):
            begins -= 1
        return "\n".join(lines[begins:ends])
    return ""


def _texts(module: str, directories: Sequence[Path], seen: set[str]) -> Iterator[str]:
    path = next((each for place in directories if (each := place / f"{module}.tla").is_file()), None)
    if path is None or module in seen:
        return
    seen.add(module)
    text = read_utf8(path, _MOST_BYTES)
    yield text
    for names in _EXTENDS.findall(text):
        for name in re.findall(r"\w+", names):
            yield from _texts(name, directories, seen)
