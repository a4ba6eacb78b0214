"""Make text of others safe to show: it moves no cursor, reverses no line, gives no command, and is valid in XML.

A writer to a terminal, a log of CI or a document calls this where the text leaves, not where it comes from.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_COMMAND: Final = re.compile(r"^(\s*):(?=:)|##(?=\[)", re.MULTILINE)
"""GitHub's commands: two colons at the beginning of a line, the older form anywhere."""


def clip(text: str, most: int) -> str:
    """Cut a text that is longer than ``most`` characters, and mark the cut with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def clean(text: str) -> str:
    r"""Make a text safe to show: control characters and others without a shape are written as ``\u202e``.

    A line feed stays, and so do the characters that join the parts of one sign.
    """
    if text.isprintable():
        return text
    return "".join(
        f"\\u{ord(c):04x}" if c not in "\n\u200d" and unicodedata.category(c) in _UNSEEN else c for c in text
    )


def one_line(text: str, most: int) -> str:
    """Write a text :func:`clean`, on one line of at most ``most`` characters."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in clip(text, most))
    return clip(" ".join(shown.split()), most)


def cleaned(text: str) -> str:
    """Write a text :func:`clean`, for a terminal or the log of a CI system: none of its lines is a command there."""
    return _COMMAND.sub(
        lambda found: f"{found[1]}\\u003a" if found[1] is not None else "#\\u0023", clean(text)
    )
