"""A cache of texts that take time to make, in files; each name is a digest of all that the text is made from.

A text without the seal of this user is made again: a repository may hold files of any name and content.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_bytes
from pyharness.base.toolchain.own_files import remove, write_text
from pyharness.base.toolchain.seal import is_sealed, seal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_NAME: Final = re.compile(r"[0-9a-f]{32}")
_MOST: Final = 3000
"""The number of texts that are kept in a directory when a command begins to add others."""


def name_of_content(*parts: str) -> str:
    """Return the name for a text that is made from these parts: 32 hexadecimal digits."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


class KeptTexts:
    """A cache of the newest texts of one ``kind`` in ``directory``; without a directory none is kept."""

    def __init__(self, directory: Path | None, kind: str) -> None:
        self._directory = directory
        self._kind = kind
        self._pruned = False
        self._used: set[str] = set()

    def text(self, made_from: tuple[str, ...], make: Callable[[], str]) -> str:
        """Return the text made from these parts, which determine it, and ``make`` it if it is not kept.

        Raises what ``make`` raises.
        """
        name = name_of_content(*made_from)
        text = self.find(name)
        if text is None:
            text = make()
            self.keep(name, text)
        return text

    def find(self, name: str) -> str | None:
        """Return the text of a name, or ``None`` if none with this user's seal is kept."""
        if self._directory is None:
            return None
        self._used.add(name)
        try:
            found, _, text = read_bytes(self._directory / name, MOST_KEPT_BYTES).decode().partition("\n")
        except (SpecError, UnicodeDecodeError):
            return None
        return text if is_sealed(found, self._kind, name, text) else None

    def keep(self, name: str, text: str) -> None:
        """Keep a text under a name, if the directory can be written; otherwise it is only made again later."""
        if self._directory is None:
            return
        with suppress(OSError, SpecError):
            write_text(self._directory / name, f"{seal(self._kind, name, text)}\n{text}")
            if not self._pruned:
                self._pruned = True
                for old in sorted(self._texts(), key=lambda path: path.stat().st_mtime)[:-_MOST]:
                    remove(old)

    def forget_unused(self) -> None:
        """Remove the texts that were not looked up through this object."""
        for path in self._texts():
            if path.name not in self._used:
                with suppress(OSError):
                    remove(path)

    def _texts(self) -> list[Path]:
        if self._directory is None or not self._directory.is_dir():
            return []
        return [path for path in self._directory.iterdir() if _NAME.fullmatch(path.name)]
