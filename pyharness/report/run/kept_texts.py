"""Texts that take time to make, kept beside a report by the digest of what they are made from.

One without the seal of this user is made anew: among them are scripts, which run where the report is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pyharness.toolchain.own_files import remove, write_text
from pyharness.toolchain.seal import is_sealed, seal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["KeptTexts"]

_NAME: Final = re.compile(r"[0-9a-f]{32}")


class KeptTexts:
    """Texts kept in ``directory``; without one, each is made whenever it is asked for."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._used: set[str] = set()

    def text(self, made_from: tuple[str, ...], make: Callable[[], str]) -> str:
        """Return the text made from this, which says all that it depends on, and ``make`` it if it is not kept.

        A directory that cannot be written costs time, and no text. Raises what ``make`` does.
        """
        if self._directory is None:
            return make()
        name = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:32]
        self._used.add(name)
        path = self._directory / name
        with suppress(OSError, UnicodeDecodeError):
            digest, _, text = path.read_text(encoding="utf-8").partition("\n")
            if is_sealed(digest, name, text):
                return text
        text = make()
        with suppress(OSError):
            write_text(path, f"{seal(name, text)}\n{text}")
        return text

    def forget_unused(self) -> None:
        """Remove the texts that nobody asked for."""
        if self._directory is not None and self._directory.is_dir():
            for path in self._directory.iterdir():
                if _NAME.fullmatch(path.name) and path.name not in self._used:
                    with suppress(OSError):
                        remove(path)
