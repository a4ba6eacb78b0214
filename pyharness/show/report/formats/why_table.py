"""Why each seeded bug is caught by each property that catches it, as a table in Markdown."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pyharness.machines.explain import why
from pyharness.tla.tlc.itf import from_itf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.models.model import Model
    from pyharness.models.table_rows import TraceRow

Reason = tuple[str, str, str, str | None]
"""A spec, a mutant, a property that catches it, and the sentence; ``None`` where there is none."""


def reasons_of(models: Iterable[Model], traces: Iterable[TraceRow]) -> list[Reason]:
    """Explain for each mutant and each property that is to catch it why that is violated, by the traces of the models.

    TLC reports one violation of a state and no more, so a property without a trace of its own is violated in a state
    with which another trace of the model ends. Of several models the one with the shortest trace decides, and of those
    the first by name: the same traces give the same table, in whatever order they were found.
    """
    own: dict[str, list[TraceRow]] = defaultdict(list)
    for row in traces:
        if row.kind == "counterexample":
            own[row.model].append(row)
    found: dict[tuple[str, str, str], list[TraceRow]] = defaultdict(list)
    for model in models:
        for name in model.caught_by if model.mutant else ():
            traces = own[model.name]
            named = [row for row in traces if row.violated == name]
            found[model.spec, str(model.mutant), name] += named or traces
    return [(*key, _sentence(key[2], traces)) for key, traces in sorted(found.items())]


def _sentence(name: str, traces: Sequence[TraceRow]) -> str | None:
    for row in sorted(traces, key=lambda row: (row.violated != name, row.length, row.model, row.itf)):
        trace, meta = from_itf(row.itf)
        if (said := why(name, trace, meta)) is not None:
            return said
    return None


def to_why_table(reasons: Iterable[Reason]) -> str:
    """Write the table, a section for each spec."""
    lines = [
        "# Why each seeded bug is caught",
        "",
        "<!-- made by `pyharness plan mutants quick --why docs/reference/why.md`; do not edit -->",
        "",
        "Every pair of the kill matrix: a bug, a property that catches it, and the sentence that the counterexample's",
        "page, its text and `pyharness check` say of it. It is made from the states of the",
        "shortest trace that TLC found.",
    ]
    before = None
    for spec, mutant, name, said in reasons:
        if spec != before:
            lines += ["", f"## {spec}", "", "| bug | property | why |", "|---|---|---|"]
            before = spec
        escaped = (said or "**no sentence**").replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| {mutant} | {name} | {escaped} |")
    return "\n".join([*lines, ""])
