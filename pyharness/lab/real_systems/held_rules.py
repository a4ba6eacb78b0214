"""The findings on a real system: rules, how often each was checked, where it did not hold; and a page of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import ConformanceError, IncompleteError, SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable


FORMAT: Final = "pyharness-systems/1"
"""Names the JSON document and its version."""

_SHOWN: Final = 5
"""The differences of a rule that are kept: the first ones."""


@dataclass
class Rule:
    """A rule that a system is held against: in words, and the claims of specs/claims.toml that it is part of."""

    name: str
    statement: str
    claims: str
    checked: int = 0
    differences: int = 0
    shown: list[str] = field(default_factory=list)

    def check(self, where: str, found: object, wanted: object) -> None:
        """Count one check, and note a difference, with its place, if what is found is not what is wanted."""
        self.checked += 1
        if found != wanted:
            self.differences += 1
            if len(self.shown) < _SHOWN:
                self.shown.append(f"{where}: {found}, and not {wanted}")


@dataclass
class Held:
    """A system in one version, the command that held it, what was done to it (``did``: counts by name), and the rules.

    A count of ``did`` that is 0, or a rule that was never checked, makes the run incomplete. ``seen`` counts what is
    allowed and worth telling, such as records that an at-least-once sink was sent twice; it may be 0.
    """

    system: str
    version: str
    command: str
    did: dict[str, int]
    rules: list[Rule]
    seen: dict[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """The evidence that a verdict needs and lacks."""
        undone = [f"0 {name}" for name, count in self.did.items() if not count]
        return undone + [f"{rule.name}: nothing was checked" for rule in self.rules if not rule.checked]

    @property
    def exit_code(self) -> int:
        """Return 1 if a rule did not hold, else 3 if something is missing, else 0."""
        if any(rule.differences for rule in self.rules):
            return ConformanceError.exit_code
        return IncompleteError.exit_code if self.missing else 0

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "format": FORMAT,
            "system": self.system,
            "version": self.version,
            "command": self.command,
            "exit_code": self.exit_code,
            "did": self.did,
            "seen": self.seen,
            "missing": self.missing,
            "rules": [vars(rule) for rule in self.rules],
        }

    def text(self) -> str:
        """Return it as lines of text."""
        verdict = {0: "pass", ConformanceError.exit_code: "nonconformance"}.get(self.exit_code, "incomplete")
        did = ", ".join(f"{count:,} {name}" for name, count in self.did.items())
        lines = [f"{self.system} ({self.version}): {verdict}; {did}"]
        for rule in self.rules:
            lines.append(
                f"  {rule.name} ({rule.claims}): {rule.checked:,} checked, {rule.differences:,} differ: {rule.statement}"
            )
            lines += [f"    {each}" for each in rule.shown]
        lines += [f"  {count:,} {name}" for name, count in self.seen.items()]
        lines += [f"  missing: {each}" for each in self.missing]
        return "\n".join(lines)


def held_of_document(document: dict[str, Any], where: str) -> Held:
    """Return what :meth:`Held.to_document` wrote. Raises SpecError, naming the file, for anything else."""
    try:
        if document["format"] != FORMAT:
            raise SpecError(
                f"no document of format {FORMAT}", where=where, hint="run `pyharness systems` anew"
            )
        rules = [Rule(**rule) for rule in document["rules"]]
        kept = ("system", "version", "command", "did", "seen")
        return Held(rules=rules, **{name: document[name] for name in kept})
    except (KeyError, TypeError) as error:
        raise SpecError(
            f"not as it should be: {error}", where=where, hint="run `pyharness systems` anew"
        ) from error


_HEAD = """# Real systems held against the theory

Made by `make systems`, from the results that `pyharness systems` keeps; do not edit it.
[Spark, Bytewax and Flink's jobs](../explanation/other-systems.md) explains the runs and the differences.

| system | rule | claims | statement | checked | differ |
|---|---|---|---|--:|--:|
"""


def matrix_page(found: Iterable[Held]) -> str:
    """Return the page, as Markdown."""
    each = list(found)
    rows = [
        f"| {held.system} | {rule.name} | {rule.claims} | {rule.statement} | {rule.checked:,} | {rule.differences:,} |\n"
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
