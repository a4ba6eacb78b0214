"""The page that tells what came of weakening: figures by property, and what is equivalent and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.mutants.weakening.noticing import Weakened

_HEAD: Final = """\
# Weakenings of the properties, made by machine

<!-- made by `make weaken`; do not edit -->

A check is worth what would be noticed if it were weaker. `pyharness weaken` weakens one place of a property's TLA+
text at a time (a conjunct is left out, `=` becomes one direction of it, a quantifier ranges over less, an antecedent
asks for more, a refinement does without its `Init`, `<>` stands for `<>[]`, ...) and asks whether **some seeded bug of
the plan's matrices tells**: it escapes the weakening although the property catches it, or is caught by a longer trace
only or in fewer states, or TLC cannot evaluate the weakening. All weakenings of states and steps are evaluated in one
run for each mutant, where the property is violated. What is not noticed must mean the same: it is listed with the
reason, and no state or step of any model may tell it from the property.
"""


def weakening_page(found: Sequence[Weakened], document: Mapping[str, Any]) -> str:
    """Return the page."""
    how = Counter(min(one.noticed.values(), key=_RANK.index) for one in found if one.noticed)
    rows: list[tuple[object, ...]] = [
        ("weakenings", document["weakenings"]),
        ("noticed", document["noticed"]),
    ]
    rows += [(f"... {_WORDS[name]}", how[name]) for name in _RANK]
    rows += [("equivalent", len(document["equivalent"])), ("not noticed", len(document["unnoticed"]))]
    parts = [
        _HEAD,
        "## Result\n",
        _table(("", ""), rows),
        "\n## By property\n",
        _by_property(found, document),
    ]
    parts += ["\n## Equivalent\n", _equivalent(document)]
    if document["unnoticed"]:
        rows = [(f"`{e['property']}`", _code(e["weakening"]), e["reason"]) for e in document["unnoticed"]]
        parts += ["\n## Not noticed\n", _table(("property", "weakening", ""), rows)]
    return "\n".join(parts)


_RANK: Final = ("escapes", "cannot be evaluated", "at another length", "in fewer states")
_WORDS: Final = {
    "escapes": "as a mutant escapes",
    "cannot be evaluated": "as TLC cannot evaluate it",
    "at another length": "only as a mutant is caught by a longer trace",
    "in fewer states": "only as fewer states of a mutant violate it",
}


def _by_property(found: Sequence[Weakened], document: Mapping[str, Any]) -> str:
    equivalent = Counter(entry["property"] for entry in document["equivalent"])
    rows = []
    for key in sorted({one.key for one in found}):
        own = [one for one in found if one.key == key]
        rows.append((f"`{key}`", len(own), sum(1 for one in own if one.noticed), equivalent[key]))
    return _table(("property", "weakenings", "noticed", "equivalent"), rows)


def _equivalent(document: Mapping[str, Any]) -> str:
    by_reason: dict[str, list[str]] = {}
    for entry in document["equivalent"]:
        by_reason.setdefault(entry["reason"], []).append(
            f"- `{entry['property']}`: {_code(entry['weakening'])}\n"
        )
    return "\n".join(f"**{reason}**\n\n{''.join(lines)}" for reason, lines in by_reason.items())


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
