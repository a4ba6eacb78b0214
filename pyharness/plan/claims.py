"""The claims of the theory, and what states each, as ``specs/claims.toml`` says it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FORMAT", "Claim", "read_claims"]

FORMAT = "pyharness-claims/1"
_LISTS = ("properties", "refuted", "models", "proved")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: its number, its words, and what states it (see ``specs/claims.toml``)."""

    id: str
    says: str
    properties: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    harness: str | None = None
    proved: tuple[str, ...] = ()
    proved_part: str = ""


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Read the claims. Raises SpecError for a file that cannot be read or has other keys."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"not TOML: {error}", where=path.name) from None
    tables = document.get("claim")
    if document.get("format") != FORMAT or not isinstance(tables, list) or not tables:
        raise SpecError(f"must have format {FORMAT!r} and [[claim]] tables", where=path.name)
    return tuple(_claim(table, path.name) for table in tables)


def _claim(table: dict[str, object], file: str) -> Claim:
    where = f"{file}, claim {table.get('id')}"
    unknown = sorted(set(table) - set(Claim.__dataclass_fields__))
    if unknown or not {"id", "says"} <= set(table):
        hint = f"a claim has {', '.join(Claim.__dataclass_fields__)}"
        raise SpecError(
            f"unknown or missing keys: {', '.join(unknown) or 'id, says'}", where=where, hint=hint
        )
    lists = {}
    for key in _LISTS:
        given = table.get(key, [])
        if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
            raise SpecError(f"{key} must be a list of names", where=where)
        lists[key] = tuple(given)
    harness = table.get("harness")
    if not any(lists.values()) and not harness:
        raise SpecError("nothing states this claim", where=where, hint=f"give {', '.join(_LISTS)} or harness")
    return Claim(
        str(table["id"]),
        str(table["says"]),
        harness=str(harness) if harness else None,
        proved_part=str(table.get("proved_part", "")),
        **lists,
    )
