"""Hold what was found of weakenings against what is listed, and texts of properties against their digests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.weakening.listed_equivalents import FORMAT, Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.weakening.listed_equivalents import Listing
    from pyharness.weakening.noticing import Weakened


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


def changed_texts(digests: Mapping[str, str], listing: Listing) -> list[str]:
    """Say which texts are not those that are pinned."""
    found = []
    for key, digest in digests.items():
        known = listing.figures.get(key)
        if known is None:
            found.append(f"the text of {key} is not pinned")
        elif known.digest != digest:
            found.append(f"the text of {key} has changed")
    return found + [f"{key} is listed, and is no property" for key in listing.figures if key not in digests]


def never_weakened(digests: Mapping[str, str], listing: Listing) -> list[str]:
    """Say which texts were never weakened, as they are."""
    return [
        f"{key} was never weakened"
        for key, digest in digests.items()
        if (known := listing.figures.get(key)) and known.digest == digest and known.weakenings is None
    ]


def pinned_figures(digests: Mapping[str, str], listing: Listing) -> dict[str, Figures]:
    """Return the figures for texts with these digests: those that are listed, if they are of the same text."""
    known = {(key, row.digest): row for key, row in listing.figures.items()}
    return {key: known.get((key, digest), Figures(digest)) for key, digest in digests.items()}


def changed_kills(
    kills: Mapping[str, Mapping[str, Sequence[int]]],
    states: Mapping[str, Mapping[str, Sequence[int]]],
    listing: Listing,
) -> list[str]:
    """Say which mutants are caught by other properties, by traces of other lengths, or in other numbers of states."""
    found = []
    for model, row in kills.items():
        pinned = listing.kills.get(model, {})
        for name in sorted({*row, *pinned}):
            now, then = list(row.get(name, ())), list(pinned.get(name, ()))
            if now != then:
                found.append(f"{model}: {name} catches it by {_states(now)}, pinned are {_states(then)}")
                continue
            now, then = (list(of.get(model, {}).get(name, ())) for of in (states, listing.states))
            if now != then:
                found.append(f"{model}: {_numbers(now)} states violate {name}, pinned are {_numbers(then)}")
    return found


def _numbers(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts)) or "0"


def _states(lengths: Sequence[int]) -> str:
    return f"traces of {', '.join(map(str, lengths))} states" if lengths else "none"
