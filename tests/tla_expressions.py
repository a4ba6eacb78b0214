"""Expressions of TLA+ for tests, read by SANY as all others: many in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.tla.modules.expressions import Expression

OTHER = "---- MODULE Other ----\nCONSTANT k\nInit == k = 1\nNext == k = 2\nvars == k\nSpec == Init\n====\n"


def library_of(directory: Path, **modules: str) -> Library:
    """Write modules, of which the texts are what stands between head and end, and return their library."""
    for name, text in modules.items():
        (directory / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{text}\n====\n", encoding="utf-8")
    return Library(directory)


def read_all(directory: Path, texts: Iterable[str], declared: str, head: str = "") -> dict[str, Expression]:
    """Return the expressions by their texts; ``declared`` are the constants in them, and X(n) is an instance."""
    wanted = list(dict.fromkeys(texts))
    (directory / "Other.tla").write_text(OTHER, encoding="utf-8")
    lines = [f"E{number} ==\n  " + text.replace("\n", "\n  ") for number, text in enumerate(wanted)]
    head = f"EXTENDS Integers, Sequences, TLC\nCONSTANTS {declared}\nX(k) == INSTANCE Other\n{head}"
    library = library_of(directory, Expressions="\n".join([head, *lines]))
    found = library.module("Expressions").definitions
    return {text: found[f"E{number}"].body for number, text in enumerate(wanted)}
