"""The table of rules and claims, as text of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.aligners.aligner_claims import LENGTH, QUESTIONS, sequences, shortest_violation
from pyharness.aligners.aligner_rules import RULES
from pyharness.flink.event_sequences import sequence_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.aligners.aligner_claims import Question, Violation
    from pyharness.aligners.aligner_rules import Rule


def aligner_table(length: int = LENGTH) -> str:
    """Return the table: a row for each rule, a column for each question, and below it each violation in full."""
    violations: list[Violation] = []

    def cell(rule: Rule, question: Question) -> str:
        if (question.ends and not rule.ends) or (question.cancels and not rule.cancels):
            return "has none"
        violation = shortest_violation(rule, question, length)
        if violation is None:
            return "yes"
        if violation not in violations:
            violations.append(violation)
        return f"no [{violations.index(violation) + 1}]"

    questions = QUESTIONS.values()
    rows = [(rule.name, *(cell(rule, question) for question in questions)) for rule in RULES]
    counts = ", ".join(f"{len(sequences(question, length)):,}" for question in questions)
    return "\n".join(
        [
            *_table(("rule", *(f"{question.says} ({question.claim})" for question in questions)), rows),
            "",
            *(f"{n}. `{sequence_text(v.events)}`: {v.says}" for n, v in enumerate(violations, 1)),
            "",
            f"Each cell tries all sequences of up to {length} events on two inputs: of {length}, by column,",
            f"{counts}, and more where barriers overtake.",
            "",
            *_table(("rule", "file that was read", "version"), [(r.name, r.file, r.version) for r in RULES]),
            "",
        ]
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |"
