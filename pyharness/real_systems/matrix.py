"""The results of all systems as a page: systems, what was done to them, rules, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.real_systems.held_rules import Held

_HEAD = """# Real systems held against the theory

Made by `make systems`, from the results that `pyharness systems` keeps; do not edit it.
[Spark, Bytewax and Flink's jobs](../explanation/other-systems.md) says what is run, and what the differences mean.

| system | rule | claims | what it says | checked | differ |
|---|---|---|---|--:|--:|
"""


def matrix_page(found: Iterable[Held]) -> str:
    """Return the page, as Markdown."""
    each = list(found)
    rows = [
        f"| {held.system} | {rule.name} | {rule.claims} | {rule.says} | {rule.checked:,} | {rule.differences:,} |\n"
        for held in each
        for rule in held.rules
    ]
    return _HEAD + "".join(rows) + "".join(_section(held) for held in each)


def _section(held: Held) -> str:
    verdict = {0: "pass", 1: "nonconformance"}.get(held.exit_code, "incomplete")
    lines = [f"\n## {held.system}\n\n`{held.command}`: {held.version}; {verdict}.\n\n"]
    lines += [f"- {count:,} {name}\n" for name, count in (*held.did.items(), *held.seen.items())]
    lines += [f"- differs, {rule.name}: {shown}\n" for rule in held.rules for shown in rule.shown]
    return "".join(lines)
