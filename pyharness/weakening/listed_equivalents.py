"""The committed result of weakening: what is equivalent and why, and each property's digest with figures."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import SpecError
from pyharness.systems.toml_fields import toml_document
from pyharness.toolchain.bounded_files import toml_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

FORMAT: Final = "pyharness-weakenings/1"
_BEGIN: Final = (
    "# -- The properties, as they are pinned and were measured; see `pyharness weaken` and `pins` "
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
    """

    equivalent: Mapping[tuple[str, str], str]
    figures: Mapping[str, Figures]
    kills: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)


def read_weakenings(path: Path) -> Listing:
    """Read the file.

    Raises SpecError for what is no such file, and for an entry without a reason or listed twice.
    """
    given = toml_document(path, FORMAT, ("equivalent", "property", "kills", "states"))
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
    pinned = (_pinned(key, given.get(key, {}), path) for key in ("kills", "states"))
    return Listing(equivalent, figures, *pinned)


def _pinned(key: str, table: Any, path: Path) -> dict[str, dict[str, list[int]]]:
    rows = [row for row in table.values() if isinstance(row, dict)] if isinstance(table, dict) else []
    lengths = [value for row in rows for value in row.values()]
    if not isinstance(table, dict) or len(rows) != len(table) or not all(map(_numbers, lengths)):
        raise SpecError(f"{key} are lists of numbers, by model and property", where=path.name)
    return table


def _numbers(value: Any) -> bool:
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
) -> str:
    """Return the file's text with these figures, kills and states in the place of those that it has."""
    rows = []
    for name, row in sorted(figures.items()):
        measured = f", weakenings = {row.weakenings}, noticed = {row.noticed}, equivalent = {row.equivalent}"
        rest = "" if row.weakenings is None else measured
        rows.append(f"{json.dumps(name)} = {{ digest = {json.dumps(row.digest)}{rest} }}\n")
    head = text.partition(_BEGIN)[0].rstrip("\n")
    bar = "-" * (119 - len(_BEGIN))
    parts = ["[property]\n", *rows, "\n[kills]\n", *_rows(kills), "\n[states]\n", *_rows(states)]
    return "".join([head, "\n\n", _BEGIN, bar, "\n\n", *parts])


def _rows(pinned: Mapping[str, Mapping[str, Sequence[int]]]) -> Iterator[str]:
    for model, row in sorted(pinned.items()):
        shown = ", ".join(f"{name} = {json.dumps(list(numbers))}" for name, numbers in row.items())
        yield f"{model} = {{ {shown} }}\n"
