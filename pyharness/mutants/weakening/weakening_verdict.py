"""The committed result of weakening: what is equivalent and why, and digests; and what was found, held against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.gate.judge.pinned_lists import FORMAT, Figures, Listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.mutants.weakening.noticing import Weakened


def weakening_document(found: Sequence[Weakened], listing: Listing, *, whole: bool = True) -> dict[str, Any]:
    """Return the document that the command prints.

    ``unnoticed`` has each weakening that no model notices and that is not listed, or that is listed and differs from
    the property in some model. ``problems`` says what else is wrong with the list. Of a part that is not ``whole``,
    what is listed and was not looked for is no problem.
    """
    noticed = [one for one in found if one.noticed]
    rest = [one for one in found if not one.noticed]
    equivalent = [one for one in rest if (one.key, one.change) in listing.equivalent and not one.differs]
    names = {(one.key, one.change) for one in found}
    problems = [
        f"listed as equivalent, and noticed by {min(one.noticed)}: {one.key}: {one.change}"
        for one in noticed
        if (one.key, one.change) in listing.equivalent
    ]
    if whole:
        problems += [
            f"listed, and no weakening: {key}: {change}"
            for key, change in listing.equivalent
            if (key, change) not in names
        ]
    return {
        "format": FORMAT,
        "weakenings": len(found),
        "noticed": len(noticed),
        "equivalent": [
            {"property": one.key, "weakening": one.change, "reason": listing.equivalent[one.key, one.change]}
            for one in equivalent
        ],
        "unnoticed": [
            {
                "property": one.key,
                "weakening": one.change,
                "reason": _why(one, listed=(one.key, one.change) in listing.equivalent),
            }
            for one in rest
            if one not in equivalent
        ],
        "problems": problems,
    }


def _why(one: Weakened, *, listed: bool) -> str:
    if one.differs:
        where = f"{min(one.differs)}, where no kill tells"
        return f"listed as equivalent, and differs in {where}" if listed else f"it differs in {where}"
    if not one.looked:
        return "no model looks for it"
    return f"in none of {len(one.looked)} models it differs from the property"


def figures_of(
    found: Sequence[Weakened], document: Mapping[str, Any], digests: Mapping[str, str]
) -> dict[str, Figures]:
    """Return by property the figures that are committed; ``digests`` are those of all properties of the plan."""
    equivalent = [entry["property"] for entry in document["equivalent"]]
    figures = {}
    for key, digest in digests.items():
        own = [one for one in found if one.key == key]
        figures[key] = Figures(digest, len(own), sum(1 for one in own if one.noticed), equivalent.count(key))
    return figures
