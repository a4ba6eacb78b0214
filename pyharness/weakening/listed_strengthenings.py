"""The committed result of strengthening: what could be said as well, why it is not, and each property's digest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.systems.toml_fields import Fields, toml_document
from pyharness.toolchain.bounded_files import toml_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyharness.weakening.strengthening import Strengthened

FILE: Final = "strengthenings.toml"
"""The file, beside the specs."""

FORMAT: Final = "pyharness-strengthenings/1"
_BEGIN: Final = (
    "# -- The properties that were strengthened, as they were: `pyharness strengthen --update` writes this"
)


@dataclass(frozen=True, slots=True)
class StrengtheningListing:
    """What holds as well, by property and change, with the reason why the property does not say it; and digests."""

    reasons: Mapping[tuple[str, str], str]
    digests: Mapping[str, str]


def read_strengthenings(path: Path) -> StrengtheningListing:
    """Read the file. Raises SpecError for what is no such file, and for an entry without a reason or listed twice."""
    given = toml_document(path, FORMAT, ("holds", "property"))
    reasons: dict[tuple[str, str], str] = {}
    for number, entry in enumerate(toml_tables(given, "holds", path.name), start=1):
        fields = Fields(entry, f"{path.name}, entry {number}")
        names, changes = fields.texts("properties"), fields.texts("changes")
        reason = fields.take("reason", str)
        if not reason or fields.names():
            raise fields.error("reason", "an entry has properties, changes and a reason")
        for pair in ((name, change) for name in names for change in changes):
            if pair in reasons:
                raise fields.error("changes", f"listed twice: {': '.join(pair)}")
            reasons[pair] = reason
    digests = given.get("property", {})
    if not isinstance(digests, dict) or not all(isinstance(each, str) for each in digests.values()):
        raise SpecError("the digests are texts, by property", where=path.name)
    return StrengtheningListing(reasons, digests)


def never_strengthened(digests: Mapping[str, str], listing: StrengtheningListing) -> list[str]:
    """Say which properties were never strengthened as they are."""
    return [
        f"{key} was never strengthened, as it is: `make weaken` does"
        for key, digest in digests.items()
        if listing.digests.get(key) != digest
    ]


def strengthening_document(
    found: Sequence[Strengthened], listing: StrengtheningListing, *, whole: bool = True
) -> dict[str, Any]:
    """Return the document that the command prints.

    ``unlisted`` has what holds in all models and is not listed, and ``problems`` say what else is wrong with the list.
    Of a part that is not ``whole``, what is listed and was not looked for is no problem.
    """
    holds = [one for one in found if not one.refuted]
    refuted = {(one.key, one.change): one.refuted for one in found if one.refuted}
    known = {(one.key, one.change) for one in found}
    return {
        "format": FORMAT,
        "strengthenings": len(found),
        "refuted": len(refuted),
        "listed": [
            {"property": one.key, "strengthening": one.change, "reason": listing.reasons[one.key, one.change]}
            for one in holds
            if (one.key, one.change) in listing.reasons
        ],
        "unlisted": [
            {"property": one.key, "strengthening": one.change, "models": len(one.looked)}
            for one in holds
            if (one.key, one.change) not in listing.reasons
        ],
        "problems": [
            f"listed, and {name} refutes it: {': '.join(pair)}"
            for pair in listing.reasons
            if (name := refuted.get(pair))
        ]
        + [
            f"listed, and no strengthening: {': '.join(pair)}"
            for pair in listing.reasons
            if whole and pair not in known
        ],
    }


def with_digests(text: str, digests: Mapping[str, str]) -> str:
    """Return the file's text with these digests in the place of those that it has."""
    rows = (f"{json.dumps(name)} = {json.dumps(digest)}\n" for name, digest in sorted(digests.items()))
    return "".join([text.partition(_BEGIN)[0].rstrip("\n"), "\n\n", _BEGIN, "\n\n[property]\n", *rows])
