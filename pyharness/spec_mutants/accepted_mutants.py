"""The list of mutants that nothing notices and that are right as they are, each with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.errors import SpecError
from pyharness.toolchain.bounded_files import read_toml

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_accepted"]

_KEYS = ("definition", "kind", "old", "new")


def read_accepted(path: Path, spec: str) -> dict[tuple[str, str, str, str], str]:
    """Read what a list says of the mutants of a spec: the reasons, by definition, kind, old and new.

    Each ``[[mutant]]`` has these four, ``new`` empty for what is dropped, and ``reason``. One that has ``spec``, too,
    is of that spec alone.

    Raises SpecError for a file that cannot be read, and for an entry without a reason, or with what no entry has.
    """
    _, document = read_toml(path)
    found: dict[tuple[str, str, str, str], str] = {}
    entries = document.get("mutant", [])
    if set(document) - {"mutant"} or not isinstance(entries, list):
        raise SpecError("a list of mutants has [[mutant]] and nothing else", where=path.name)
    for number, entry in enumerate(entries, start=1):
        where = f"{path.name}, mutant {number}"
        if not isinstance(entry, dict) or set(entry) - {"spec"} != {*_KEYS, "reason"}:
            raise SpecError(f"it must have {', '.join(_KEYS)} and reason, and may have spec", where=where)
        if any(not isinstance(value, str) for value in entry.values()) or not entry["reason"].strip():
            raise SpecError("each of them is a text, and the reason is not empty", where=where)
        definition, kind, old, new = (entry[key] for key in _KEYS)
        if entry.get("spec", spec) == spec:
            found[definition, kind, old, new] = entry["reason"]
    return found
