"""The claims of the theory, part by part, and what states each, as ``specs/claims.toml`` says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError, nearest
from pyharness.plan.model_features import FEATURES
from pyharness.toolchain.bounded_files import MOST_TOML_BYTES, parse_toml, read_utf8, toml_tables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.plan.model import Model

FORMAT = "pyharness-claims/2"
_LISTS: Final = ("properties", "refuted", "needs", "mutants")
_FIELDS: Final = ("granularity", "placement", "application", "predicate", "stop", "fair", "items")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a claim's words say, and what states it (see ``specs/claims.toml``).

    ``where`` are fields of a model, or constants, with the values that a model must have to count; ``needs`` are
    features (:mod:`pyharness.plan.model_features`).
    """

    says: str
    properties: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    harness: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()

    def concerns(self, model: Model) -> bool:
        """Tell whether a model has what the part says in ``where``."""
        constants = {**model.defaults, **model.constants}
        return all(
            (getattr(model, key) if key in _FIELDS else constants.get(key)) == value
            for key, value in self.where.items()
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: its number, its words, its parts, and what of it is proved."""

    id: str
    says: str
    parts: tuple[Part, ...] = ()
    proved: tuple[str, ...] = ()
    proved_part: str = ""

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that must hold, of all parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.properties))

    @property
    def refuted(self) -> tuple[str, ...]:
        """The properties that must be violated, of all parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.refuted))

    @property
    def harness(self) -> tuple[str, ...]:
        """The stages of the harness that check something for every trace, of all parts."""
        return tuple(dict.fromkeys(part.harness for part in self.parts if part.harness))


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Read the claims. Raises SpecError for a file that cannot be read or has other keys."""
    return _read(read_utf8(path, MOST_TOML_BYTES), path.name)


@lru_cache(maxsize=4)
def _read(text: str, file: str) -> tuple[Claim, ...]:
    """Read the text of a file of claims; the same text once, as each page of a trace asks for the claim it is of."""
    document = parse_toml(text, file)
    tables = toml_tables(document, "claim", file)
    if document.get("format") != FORMAT or not tables:
        raise SpecError(f"must have format {FORMAT!r} and [[claim]] tables", where=file)
    return tuple(_claim(table, file) for table in tables)


def _claim(table: dict[str, object], file: str) -> Claim:
    where = f"{file}, claim {table.get('id')}"
    known = {"id", "says", "part", "proved", "proved_part"}
    _only(table, known, {"id", "says"}, "a claim", where)
    parts = toml_tables(table, "part", where)
    if not parts:
        raise SpecError("nothing states this claim", where=where, hint="add [[claim.part]] tables")
    return Claim(
        str(table["id"]),
        str(table["says"]),
        tuple(_part(part, f"{where}, part {number}") for number, part in enumerate(parts, start=1)),
        _names(table, "proved", where),
        str(table.get("proved_part", "")),
    )


def _part(table: dict[str, object], where: str) -> Part:
    _only(table, set(Part.__dataclass_fields__), {"says"}, "a part", where)
    lists = {key: _names(table, key, where) for key in _LISTS}
    harness = table.get("harness")
    if not lists["properties"] and not lists["refuted"] and not harness:
        raise SpecError("nothing states this part", where=where, hint="give properties, refuted or harness")
    for name in lists["needs"]:
        if name not in FEATURES:
            raise SpecError(f"no feature {name!r}", where=where, hint=nearest(name, FEATURES))
    for name in (*lists["properties"], *lists["refuted"]):
        if name.count(".") != 1:
            raise SpecError(f"{name!r} must be Spec.Property", where=where)
    asked = table.get("where", {})
    if not isinstance(asked, dict):
        raise SpecError("where must be a table of a model's fields or constants", where=where)
    return Part(str(table["says"]), harness=str(harness) if harness else None, where=asked, **lists)


def _only(table: dict[str, object], known: set[str], needed: set[str], what: str, where: str) -> None:
    wrong = sorted(set(table) - known) or sorted(needed - set(table))
    if wrong:
        hint = f"{what} has {', '.join(sorted(known))}"
        raise SpecError(f"unknown or missing keys: {', '.join(wrong)}", where=where, hint=hint)


def _names(table: dict[str, object], key: str, where: str) -> tuple[str, ...]:
    given = table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise SpecError(f"{key} must be a list of names", where=where)
    return tuple(given)
