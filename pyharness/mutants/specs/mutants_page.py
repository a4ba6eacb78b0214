"""The page of the mutants of specs: a section for each spec, which a run of its mutants replaces."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from pyharness.mutants.specs.mutant_verdict import Class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.mutants.specs.mutant_runs import MutatedSpec

_INTRODUCTION: Final = """# Mutants of the specs

Each spec is changed in one place at a time, by machine, and TLC tells who notices: [how](../how-to/mutate-a-spec.md).
A section is written by the command that it names, with `--page`. What it says is so in the models that were run alone.
"""


def with_section(
    text: str,
    name: str,
    command: str,
    asked: str,
    mutated: MutatedSpec,
    reasons: Mapping[tuple[str, ...], str],
) -> str:
    """Return the page ``text``, perhaps empty, with the section of the spec ``name`` made anew.

    ``command`` is what was run, ``asked`` the digest of what that asks for, ``reasons`` are those of the mutants that
    are accepted, by their keys.
    """
    head, *sections = re.split(r"^(?=## )", text or _INTRODUCTION, flags=re.MULTILINE)
    others = [each for each in sections if not each.startswith(f"## {name}\n")]
    own = "\n".join(_section(name, command, asked, mutated, reasons)) + "\n"
    parts = sorted([*(each.rstrip("\n") + "\n" for each in others), own])
    return head.rstrip("\n") + "\n\n" + "\n".join(parts)


def _section(
    name: str, command: str, asked: str, mutated: MutatedSpec, reasons: Mapping[tuple[str, ...], str]
) -> list[str]:
    counts = Counter(each.verdict for each in mutated.verdicts)
    by = Counter(each.by for each in mutated.verdicts if each.verdict is Class.NOTICED)
    idle = sum(bool(each.idle) for each in mutated.verdicts if each.verdict is Class.FEWER)
    several = f" in {mutated.models} models" if mutated.models > 1 else ""
    noticed = ", ".join(f"{prop} ({count})" for prop, count in by.most_common())
    lines = [
        f"## {name}",
        "",
        f"`{command}`: {mutated.states:,} states{several}, {len(mutated.verdicts)} mutants.",
        "",
        f"<!-- asked: {asked} -->",
        "",
        "| verdict | mutants |",
        "|---|---|",
        *(f"| {each.value} | {counts[each]} |" for each in Class if counts[each]),
        "",
        f"Noticed by {noticed}. Of those that only take steps away, an action is never taken in {idle}.",
    ]
    if mutated.unnoticed:
        lines += ["", "| nothing notices | it was | it is | why that is right |", "|---|---|---|---|"]
    for each in mutated.unnoticed:
        mutant = each.mutant
        occurrence = f", place {mutant.occurrence}" if mutant.occurrence else ""
        cells = (
            f"{mutant.definition}, {mutant.kind}{occurrence}",
            _code(mutant.old_text),
            _code(mutant.new_text),
            reasons.get(mutant.key, ""),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""
