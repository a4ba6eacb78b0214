"""The claims of the theory: which properties state each, which models check it, which mutants prove the check.

``specs/claims.toml`` says what each claim is stated by; plans say what is checked. See :func:`claim_rows`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from pyharness.pipeline.model import Model
    from pyharness.pipeline.plan import Plan

__all__ = ["FORMAT", "Claim", "ClaimRow", "claim_rows", "read_claims"]

FORMAT = "pyharness-claims/1"
_LISTS = ("properties", "refuted", "models")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: its number, its words, and what states it (see ``specs/claims.toml``)."""

    id: str
    says: str
    properties: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    harness: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What a plan does for a claim: the models that check it, and the mutants that its properties catch.

    ``unchecked`` names what no model of the plan checks; the claim is covered if there is nothing.
    """

    claim: Claim
    models: tuple[str, ...]
    mutants: tuple[str, ...]
    unchecked: tuple[str, ...]


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
    return Claim(str(table["id"]), str(table["says"]), harness=str(harness) if harness else None, **lists)


def claim_rows(claims: Collection[Claim], plan: Plan, stages: Collection[str] = ()) -> tuple[ClaimRow, ...]:
    """Say for each claim what a plan does for it; ``stages`` are the harness checks that the plan has."""
    return tuple(_row(claim, plan, stages) for claim in claims)


def _row(claim: Claim, plan: Plan, stages: Collection[str]) -> ClaimRow:
    models: dict[str, None] = {}
    unchecked: list[str] = []
    for name in claim.properties:
        found = [m.name for m in plan.models if m.expect == "pass" and name in _stated(m)]
        models.update(dict.fromkeys(found))
        unchecked += [] if found else [name]
    for name in claim.refuted:
        found = [m.name for m in plan.models if m.mutant is None and name in _stated(m, m.caught_by)]
        models.update(dict.fromkeys(found))
        unchecked += [] if found else [f"not {name}"]
    for name in claim.models:
        found = [m.name for m in plan.models if m.name == name and m.expect == "pass"]
        models.update(dict.fromkeys(found))
        unchecked += [] if found else [f"model {name}"]
    if claim.harness and claim.harness not in stages:
        unchecked.append(claim.harness)
    mutants = [
        str(m.mutant)
        for m in plan.models
        if m.mutant and set(claim.properties) & set(_stated(m, m.caught_by))
    ]
    return ClaimRow(claim, tuple(models), tuple(dict.fromkeys(mutants)), tuple(unchecked))


def _stated(model: Model, names: Collection[str] | None = None) -> Iterator[str]:
    for name in (*model.invariants, *model.properties) if names is None else names:
        yield f"{model.spec}.{name}"
