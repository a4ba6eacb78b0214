"""The committed lists of properties: digests, what catches the mutants, and what is equivalent or holds besides, with reasons."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import toml_tables
from pyharness.machines.systems.toml_fields import Fields, toml_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

FORMAT: Final = "pyharness-weakenings/1"
STRENGTHENINGS_FORMAT: Final = "pyharness-strengthenings/1"
STRENGTHENINGS_FILE: Final = "strengthenings.toml"
_BEGIN: Final = (
    "# -- The properties, as they are pinned and were measured; see `pyharness mutate property` and `pins` "
)

_KINDS: Final = {"digest": str, "weakenings": int, "noticed": int, "equivalent": int}


@dataclass(frozen=True, slots=True)
class Figures:
    """What was found with one property's text: its digest, how many weakenings, how many noticed and equivalent.

    A text that is pinned and was not weakened since it was changed has only a digest.
    """

    digest: str
    weakenings: int | None = None
    noticed: int | None = None
    equivalent: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What is listed: by property and weakening why that is equivalent, by property the figures, and what is pinned.

    That is, by the model of a mutant and the property that catches it, the lengths of the shortest traces (``kills``)
    and the numbers of states that violate it (``states``), each in the order of the graphs on which there are some.
    ``stated`` has digests of the theorems of each spec, and of the names of its properties in Python.
    """

    equivalent: Mapping[tuple[str, str], str]
    figures: Mapping[str, Figures]
    kills: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)


def read_weakenings(path: Path) -> Listing:
    """Read the file.

    Raises SpecError for what is no such file, and for an entry without a reason or listed twice.
    """
    given = toml_document(path, FORMAT, ("equivalent", "property", "kills", "states", "stated"))
    equivalent: dict[tuple[str, str], str] = {}
    for entry in toml_tables(given, "equivalent", path.name):
        for pair in _pairs(entry, path):
            if pair in equivalent:
                raise SpecError(f"listed twice: {': '.join(pair)}", where=path.name)
            equivalent[pair] = entry["reason"]
    figures = {}
    rows = given.get("property", {})
    if not isinstance(rows, dict):
        raise SpecError("property must be a table of figures", where=path.name)
    for name, row in rows.items():
        kinds = {k: type(v) for k, v in row.items()} if isinstance(row, dict) else {}
        if kinds not in (_KINDS, {"digest": str}):
            raise SpecError(f"the figures of {name} are not {', '.join(_KINDS)}", where=path.name)
        figures[name] = Figures(**row)
    kills, states = (_pinned(key, given.get(key, {}), path) for key in ("kills", "states"))
    stated = given.get("stated", {})
    if not isinstance(stated, dict) or not all(isinstance(each, str) for each in stated.values()):
        raise SpecError("stated has digests, by words", where=path.name)
    return Listing(equivalent, figures, kills, states, stated)


def _pinned(key: str, table: Any, path: Path) -> dict[str, dict[str, list[int]]]:
    rows = [row for row in table.values() if isinstance(row, dict)] if isinstance(table, dict) else []
    lengths = [value for row in rows for value in row.values()]
    if not isinstance(table, dict) or len(rows) != len(table) or not all(map(_are_numbers, lengths)):
        raise SpecError(f"{key} are lists of numbers, by model and property", where=path.name)
    return table


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int for number in value)


def _pairs(entry: Any, path: Path) -> list[tuple[str, str]]:
    """Return the properties and weakenings of an entry: one reason may stand for several of each."""
    if (
        not isinstance(entry, dict)
        or set(entry) != {"properties", "weakenings", "reason"}
        or not all(_words(entry[key]) for key in ("properties", "weakenings"))
        or not isinstance(entry["reason"], str)
        or not entry["reason"]
    ):
        hint = "an entry has lists of properties and weakenings, and a reason"
        raise SpecError(f"not an entry of equivalent: {entry}", where=path.name, hint=hint)
    return [(name, change) for name in entry["properties"] for change in entry["weakenings"]]


def _words(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def with_figures(
    text: str,
    figures: Mapping[str, Figures],
    kills: Mapping[str, Mapping[str, Sequence[int]]],
    states: Mapping[str, Mapping[str, Sequence[int]]],
    stated: Mapping[str, str],
) -> str:
    """Return the file's text with these figures, kills, states and digests in the place of those that it has."""
    rows = []
    for name, row in sorted(figures.items()):
        measured = f", weakenings = {row.weakenings}, noticed = {row.noticed}, equivalent = {row.equivalent}"
        rest = "" if row.weakenings is None else measured
        rows.append(f"{json.dumps(name)} = {{ digest = {json.dumps(row.digest)}{rest} }}\n")
    head = text.partition(_BEGIN)[0].rstrip("\n")
    bar = "-" * (119 - len(_BEGIN))
    parts = [
        "[property]\n",
        *rows,
        "\n[kills]\n",
        *_rows(kills),
        "\n[states]\n",
        *_rows(states),
        "\n[stated]\n",
    ]
    parts += [f"{json.dumps(key)} = {json.dumps(digest)}\n" for key, digest in sorted(stated.items())]
    return "".join([head, "\n\n", _BEGIN, bar, "\n\n", *parts])


def _rows(pinned: Mapping[str, Mapping[str, Sequence[int]]]) -> Iterator[str]:
    for model, row in sorted(pinned.items()):
        shown = ", ".join(f"{name} = {json.dumps(list(numbers))}" for name, numbers in row.items())
        yield f"{model} = {{ {shown} }}\n"


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


def changed_statements(stated: Mapping[str, str], listing: Listing) -> list[str]:
    """Name the theorems, and the lists of Python's properties, that are not those that are pinned."""
    keys = sorted({*stated, *listing.stated})
    return [
        f"{key}: changed since pinned"
        if key in stated and key in listing.stated
        else f"{key}: not pinned"
        if key in stated
        else f"{key}: pinned, and not in the plan"
        for key in keys
        if stated.get(key) != listing.stated.get(key)
    ]


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


_BEGIN_DIGESTS: Final = "# -- The properties that were strengthened, as they were: `pyharness mutate premise --update` writes this"


@dataclass(frozen=True, slots=True)
class StrengtheningListing:
    """What holds as well, by property and change, with the reason why the property does not say it; and digests."""

    reasons: Mapping[tuple[str, str], str]
    digests: Mapping[str, str]


def read_strengthenings(path: Path) -> StrengtheningListing:
    """Read the file. Raises SpecError for what is no such file, and for an entry without a reason or listed twice."""
    given = toml_document(path, STRENGTHENINGS_FORMAT, ("holds", "property"))
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


def with_digests(text: str, digests: Mapping[str, str]) -> str:
    """Return the file's text with these digests in the place of those that it has."""
    rows = (f"{json.dumps(name)} = {json.dumps(digest)}\n" for name, digest in sorted(digests.items()))
    return "".join(
        [text.partition(_BEGIN_DIGESTS)[0].rstrip("\n"), "\n\n", _BEGIN_DIGESTS, "\n\n[property]\n", *rows]
    )
