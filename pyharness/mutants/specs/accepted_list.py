"""Lists of mutants, and of weakenings, that nothing notices and that are right as they are, each with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_toml

if TYPE_CHECKING:
    from pathlib import Path

_KEYS: Final = {
    "mutant": ("definition", "kind", "old", "new"),
    "weakening": ("property", "weakening"),
}
_OCCURRENCE: Final = "occurrence"
"""Which of several places it is in, of a mutant whose definition has the same change in each of them."""


def read_accepted(path: Path, what: str, spec: str) -> dict[tuple[str, ...], str]:
    """Read the reasons that a list gives for the mutants, or weakenings, of a spec, by what tells them apart.

    ``what`` is ``mutant`` or ``weakening``, and so each entry is a table ``[[mutant]]``, with ``definition``, ``kind``,
    ``old`` and ``new`` (empty for what is dropped), or ``[[weakening]]``, with ``property`` and ``weakening``. It has a
    ``reason``; one that has ``spec``, too, is of that spec alone. A list may have entries of both sorts. A mutant whose
    definition has the same change in several places has ``occurrence``, too: which of them it is, from 1.

    Raises SpecError for a file that cannot be read, for an entry without a reason, or with what no entry has, and for
    two entries that are of one mutant.
    """
    _, document = read_toml(path)
    if set(document) - set(_KEYS) or not all(isinstance(entries, list) for entries in document.values()):
        raise SpecError("a list has [[mutant]] and [[weakening]] tables and nothing else", where=path.name)
    found: dict[tuple[str, ...], str] = {}
    for number, entry in enumerate(document.get(what, []), start=1):
        where, keys = f"{path.name}, {what} {number}", _KEYS[what]
        may = {"spec", _OCCURRENCE} if what == "mutant" else {"spec"}
        if not isinstance(entry, dict) or set(entry) - may != {*keys, "reason"}:
            raise SpecError(
                f"it must have {', '.join(keys)} and reason, and may have {' and '.join(sorted(may))}",
                where=where,
            )
        texts = [value for key, value in entry.items() if key != _OCCURRENCE]
        if any(not isinstance(value, str) for value in texts) or not entry["reason"].strip():
            raise SpecError("each of them is a text, and the reason is not empty", where=where)
        occurrence = entry.get(_OCCURRENCE, "")
        if occurrence != "" and (type(occurrence) is not int or occurrence < 1):
            raise SpecError(f"{_OCCURRENCE} is a number from 1 on", where=where)
        if entry.get("spec", spec) == spec:
            key = tuple(entry[each] for each in keys) + ((str(occurrence),) if what == "mutant" else ())
            if key in found:
                raise SpecError(f"an earlier entry is of the same {what}", where=where)
            found[key] = entry["reason"]
    return found
