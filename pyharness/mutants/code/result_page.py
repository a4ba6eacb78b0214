"""The result of ``pyharness mutation`` as a Markdown page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pyharness.mutants.code.measurement import by_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.mutants.code.listed_survivors import Listing
    from pyharness.mutants.code.measurement import Measurement

_LARGER = ": models with more states were not taken, so the shares are lower bounds."

_HEAD = """\
# Mutants of the implementation, made by machine

<!-- made by `make mutation`; do not edit -->

`pyharness mutation` changes one place of `pyharness/machines/protocols/` at a time (a comparison, a condition, a number, an
index, a branch, an update that is left out) and asks whether **conformance and exploration alone** notice: no property,
replay or example takes part. The models are those of the plans; each mutant runs in a process of its own, on the
smallest models first, until it does something else than the spec says. Run `make mutation` again after a change of the
protocols or the plans.
"""


def result_page(
    found: Measurement,
    listing: Listing,
    document: Mapping[str, Any],
    most: int | None = None,
    most_equivalent: int | None = None,
) -> str:
    """Return the page: the figures, a table by file and by model, and what is not seen.

    ``most`` is the number of states that a model had at most, if only such were taken; ``most_equivalent`` that of
    those on which the mutants were tried that are listed as equivalent.
    """
    limits = [("--states", most), ("--states-of-equivalent", most_equivalent)]
    command = " ".join(
        ["pyharness mutation", *found.plans, *(f"{name} {limit}" for name, limit in limits if limit)]
    )
    made = f"Made by `{command}`{_LARGER if most else '.'}"
    if most_equivalent:
        made += f" Mutants listed as equivalent were tried on models of at most {most_equivalent:,} states."
    parts = [_HEAD, f"{made}\n", "## Result\n", _figures(document)]
    parts += ["\n## By file\n", _files(found, listing), "\n## By model\n", _models(found)]
    parts += ["\n## Not seen\n", _unseen(listing, document)]
    parts += ["\n## Functions that no model runs\n", "Their mutants are not counted.\n"]
    parts += [_table(("function", "why"), [(f"`{name}`", why) for name, why in listing.outside.items()])]
    return "\n".join(parts)


def _figures(document: Mapping[str, Any]) -> str:
    rows = [
        ("mutants", document["mutants"]),
        ("in functions that no model runs", document["outside"]),
        ("equivalent to the original", len(document["equivalent"])),
        ("counted", document["counted"]),
    ]
    for plan, row in document["plans"].items():
        rows.append((f"seen by {plan}", f"{row['seen']} ({row['share']:.1%})"))
    return _table(("", ""), rows)


def pairs_page(document: Mapping[str, Any], plans: Iterable[str], most: int | None = None) -> str:
    """Return the page of changes in two places at once; ``most`` as of :func:`result_page`."""
    limit = f" --states {most}" if most else ""
    command = f"pyharness mutation {' '.join(plans)} --pairs {document['pairs']}{limit}"
    head = (
        "# Mutants of the implementation, two at a time\n\n<!-- made by `make mutation`; do not edit -->\n\n"
        f"Made by `{command}`{_LARGER if most else '.'}\n\n"
        "Two changes may hide each other. These are drawn at random, both of one file, from the changes of\n"
        "[the other page](mutation.md) that are not listed there; each pair is tried as one change is.\n\n"
        f"Of {document['pairs']} pairs {document['seen']} are seen ({document['share']:.1%}).\n"
    )
    rows = [(_code(pair),) for pair in document["unseen"]]
    return f"{head}\n{_table(('not seen',), rows)}" if rows else head


def _files(found: Measurement, listing: Listing) -> str:
    rows = [(f"`{name}`", *row) for name, row in sorted(by_file(found, listing).items())]
    return _table(("file", "mutants", "outside", "equivalent", "seen"), rows)


def _models(found: Measurement) -> str:
    first = Counter((plan, model) for plan, model, _ in found.seen.values())
    rows = [(f"`{model}`", plan, f"{states:,}", first[plan, model]) for model, plan, states in found.models]
    return (
        "Each mutant counts for the first model that saw it; a model with 0 may still see many.\n\n"
        + _table(("model", "plan", "states", "seen first here"), rows)
    )


def _unseen(listing: Listing, document: Mapping[str, Any]) -> str:
    parts = []
    for title, chosen in (
        ("Equivalent: the changed function does the same wherever it can be called", lambda e: e.equivalent),
        ("Seen by a larger plan only", lambda e: not e.equivalent and e.plan),
        ("Survivors", lambda e: not e.equivalent and not e.plan),
    ):
        rows = [(_code(e.mutant), e.reason) for e in listing.mutants.values() if chosen(e)]
        if rows:
            parts += [f"### {title}\n", _table(("mutant", "why"), rows)]
    if others := [(_code(row["mutant"]),) for row in document["survivors"] if row["reason"] is None]:
        parts += [
            "### Not listed\n",
            f"{len(others)} more, for which no reason is listed.\n",
            _table(("mutant",), others),
        ]
    return "\n".join(parts)


def _code(mutant: str) -> str:
    return f"`{mutant.replace('|', chr(92) + '|')}`"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
