"""The committed list of properties: the digest of each text, how far it was changed, and which mutants it catches how."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.toml_tables import TEXT, Kind, by_name, integer, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pyharness.base.toolchain.toml_tables import Table

FORMAT: Final = "pyharness-weakenings/1"
_FIGURES: Final[Mapping[str, Kind[Any]]] = {
    "digest": TEXT,
    **dict.fromkeys(("weakenings", "noticed", "equivalent"), integer()),
}


@dataclass(frozen=True, slots=True)
class Figures:
    """The results for one property's text: its digest, how many weakenings, how many noticed and equivalent.

    A text that is pinned and was not weakened since it was changed has only a digest.
    """

    digest: str
    weakenings: int | None = None
    noticed: int | None = None
    equivalent: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The figures of each property, and the pinned values.

    That is, by the model of a mutant and the property that catches it, the lengths of the shortest traces (``kills``)
    and the numbers of states that violate it (``states``), each in the order of the graphs on which there are some.
    ``stated`` has digests of the theorems of each spec, and of the names of its properties in Python, ``premises`` those
    of the properties whose premises were dropped.
    """

    figures: Mapping[str, Figures]
    kills: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)
    premises: Mapping[str, str] = field(default_factory=dict)


def read_weakenings(path: Path) -> Listing:
    """Read the list of properties. Raises SpecError for a file that is not such a list."""
    given = read_table(path, FORMAT)
    rows = given.table("property", needed=False)
    listing = Listing(
        {name: rows.take(name, _figures) for name in [*rows.left]},
        **{key: given.take(key, _PINNED, {}) for key in ("kills", "states")},
        **{key: given.take(key, _DIGESTS, {}) for key in ("stated", "premises")},
    )
    given.close()
    return listing


def _figures(rows: Table, name: str) -> Figures:
    row = rows.table(name)
    if row.left.keys() not in (_FIGURES.keys(), {"digest"}):
        raise row.error(f"the figures of {name} are not {', '.join(_FIGURES)}")
    return row.read(Figures, _FIGURES)


def _has_numbers(row: Mapping[str, Any]) -> bool:
    return all(isinstance(each, list) and {*map(type, each)} <= {int} for each in row.values())


_DIGESTS: Final = by_name(str, "digests, by words")
_PINNED: Final = by_name(dict, "lists of numbers, by model and property", _has_numbers)


_HEAD: Final = """\
# The properties of the plan quick, as they are pinned and were measured: `pyharness mutate property` and `mutate premise`
# with --update, and `pyharness plan pins --update`, write this. The weakenings that nothing notices are in survivors.toml.
"""


def listing_text(listing: Listing) -> str:
    """Return a list as the text of its file."""
    rows = []
    for name, row in sorted(listing.figures.items()):
        measured = f", weakenings = {row.weakenings}, noticed = {row.noticed}, equivalent = {row.equivalent}"
        rest = "" if row.weakenings is None else measured
        rows.append(f"{json.dumps(name)} = {{ digest = {json.dumps(row.digest)}{rest} }}\n")
    parts = [_HEAD, f"format = {json.dumps(FORMAT)}\n\n[property]\n", *rows]
    parts += ["\n[kills]\n", *_rows(listing.kills), "\n[states]\n", *_rows(listing.states)]
    for key, digests in (("stated", listing.stated), ("premises", listing.premises)):
        parts.append(f"\n[{key}]\n")
        parts += [f"{json.dumps(name)} = {json.dumps(digest)}\n" for name, digest in sorted(digests.items())]
    return "".join(parts)


def _rows(pinned: Mapping[str, Mapping[str, Sequence[int]]]) -> Iterator[str]:
    for model, row in sorted(pinned.items()):
        shown = ", ".join(f"{name} = {json.dumps(list(numbers))}" for name, numbers in row.items())
        yield f"{model} = {{ {shown} }}\n"


def changed_texts(digests: Mapping[str, str], listing: Listing) -> list[str]:
    """Return in words which texts are not those that are pinned."""
    found = []
    for key, digest in digests.items():
        known = listing.figures.get(key)
        if known is None:
            found.append(f"the text of {key} is not pinned")
        elif known.digest != digest:
            found.append(f"the text of {key} has changed")
    return found + [f"{key} is listed, but no property" for key in listing.figures if key not in digests]


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
    """Return in words which texts were never weakened in their present form."""
    return [
        f"{key} was never weakened"
        for key, digest in digests.items()
        if (known := listing.figures.get(key)) and known.digest == digest and known.weakenings is None
    ]


def may_be_less(
    digests: Mapping[str, str],
    stated: Mapping[str, str],
    kills: Mapping[str, Mapping[str, Sequence[int]]],
    listing: Listing,
) -> dict[str, str]:
    """Return, by name, how the pins may have been weakened: a text or a statement that changed, a kill that is gone.

    A kill is named ``model.property``; on fewer graphs it is less, too.
    """
    pinned = {key: row.digest for key, row in listing.figures.items()}
    found = {
        key: "has another text, which may be weaker" if key in now else "is gone"
        for now, then in ((digests, pinned), (stated, listing.stated))
        for key, digest in then.items()
        if now.get(key) != digest
    }
    for model, row in listing.kills.items():
        for name, lengths in row.items():
            now = kills.get(model, {}).get(name, ())
            if len(now) < len(lengths):
                found[f"{model}.{name}"] = f"catches it on {len(now)} of {len(lengths)} graphs"
    return found


def pinned_figures(digests: Mapping[str, str], listing: Listing) -> dict[str, Figures]:
    """Return the figures for texts with these digests: those that are listed, if they are of the same text."""
    known = {(key, row.digest): row for key, row in listing.figures.items()}
    return {key: known.get((key, digest), Figures(digest)) for key, digest in digests.items()}


def changed_kills(
    kills: Mapping[str, Mapping[str, Sequence[int]]],
    states: Mapping[str, Mapping[str, Sequence[int]]],
    listing: Listing,
) -> list[str]:
    """Return in words which mutants are caught by other properties, or with other lengths of traces or numbers of states."""
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


def never_strengthened(digests: Mapping[str, str], listing: Listing) -> list[str]:
    """Return in words which properties kept their premises in every trial, in their present form."""
    return [
        f"{key} was never strengthened, as it is: `pyharness mutate property` does"
        for key, digest in digests.items()
        if listing.premises.get(key) != digest
    ]
