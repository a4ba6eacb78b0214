"""The committed list of mutants that nothing sees, and why; and of functions that no model runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_utf8, toml_tables
from pyharness.machines.systems.toml_fields import toml_document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.mutants.code.code_mutants import CodeMutant

FORMAT = "pyharness-mutation/1"


@dataclass(frozen=True)
class Listed:
    """A mutant that is not seen, and why.

    ``equivalent`` says that it does the same as the original wherever it can be called. ``plan`` is the plan that does
    see it, where a smaller one does not.
    """

    mutant: str
    reason: str
    equivalent: bool = False
    plan: str | None = None


@dataclass(frozen=True)
class Listing:
    """What is listed: mutants by their ids, and by patterns of functions why no model runs them."""

    mutants: Mapping[str, Listed]
    outside: Mapping[str, str]

    def lists(self, mutant: CodeMutant) -> bool:
        """Tell whether a mutant is listed, or its function is one that no model runs."""
        return mutant.id in self.mutants or self.pattern_of(f"{mutant.file} {mutant.function}") is not None

    def pattern_of(self, function: str) -> str | None:
        """Return the pattern that puts a function (its file and qualified name) outside, if one does."""
        return next((pattern for pattern in self.outside if fnmatchcase(function, pattern)), None)


def read_listing(path: Path) -> Listing:
    """Read the list.

    Raises SpecError for what is no such list, and for an entry without a reason or listed twice.
    """
    given = toml_document(path, FORMAT, ("outside", "equivalent", "survivor"))
    mutants: dict[str, Listed] = {}
    for kind in ("equivalent", "survivor"):
        for entry in toml_tables(given, kind, path.name):
            known = {"mutant", "reason"} | ({"plan"} if kind == "survivor" else set())
            if set(entry) - known or not _named(entry):
                hint = "an entry has a mutant, a reason, and as a survivor perhaps a plan"
                raise SpecError(f"not an entry of {kind}: {entry}", where=path.name, hint=hint)
            if entry["mutant"] in mutants:
                raise SpecError(f"listed twice: {entry['mutant']}", where=path.name)
            mutants[entry["mutant"]] = Listed(**entry, equivalent=kind == "equivalent")
    outside = given.get("outside", {})
    if not isinstance(outside, dict) or not all(isinstance(r, str) and r for r in outside.values()):
        raise SpecError("a function outside needs a reason", where=path.name)
    return Listing(mutants, outside)


def _named(entry: dict[str, object]) -> bool:
    return all(isinstance(entry.get(key), str) and entry[key] for key in ("mutant", "reason"))


def read_survivors(path: Path) -> frozenset[str]:
    """Read the ids of the survivors from what `pyharness mutate code --json` printed.

    Raises SpecError for what is no such document.
    """
    try:
        given = json.loads(read_utf8(path, MOST_KEPT_BYTES))
        if given["format"] == FORMAT:
            return frozenset(row["mutant"] for row in given["survivors"])
    except (SpecError, ValueError, KeyError, TypeError, RecursionError):
        pass
    hint = "`pyharness mutate code --json` prints one"
    raise SpecError("not the result of a measurement of mutants", where=path.name, hint=hint)
