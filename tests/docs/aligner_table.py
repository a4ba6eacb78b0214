"""How systems that are used align checkpoints: the table of docs/explanation/how-systems-align.md.

``aligners.toml`` has the rules, each with the file that was read, and the shortest sequences of events after which a
rule breaks a claim. Nothing of those systems is run here. The checked operator takes the same sequences, and the table
shows what it does at the end of each.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.hold.flink.event_sequences import parse_sequence
from pyharness.machines.protocols import drive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.machines.protocols.checkpoints.operator_drive import Reaction

_FILE: Final = Path(__file__).with_name("aligners.toml")


@cache
def read_aligners() -> dict[str, Any]:
    """Return the tables of the file: ``question``, ``system`` and ``violation``."""
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def operator_at_end(violation: dict[str, str]) -> str:
    """Say what the checked operator does with the checkpoints of a sequence, in the order in which it does it."""
    moments = drive(parse_sequence(violation["events"]), mode=violation.get("mode", "aligned"))
    done = [f"{kind} {number}" for moment in moments for kind, number in _ended(moment)]
    waits = [f"waits for {number}" for number in moments[-1].pending]
    return ", ".join([*done, *waits])


def _ended(moment: Reaction) -> Iterator[tuple[str, int]]:
    for effect in moment.effects:
        if effect.kind in {"completed", "aborted"} and effect.id is not None:
            yield ("completes" if effect.kind == "completed" else "aborts"), effect.id


def aligner_table() -> str:
    """Return the tables: the answers of each system, the violations, and the rules with their sources."""
    tables = read_aligners()
    questions, systems, violations = tables["question"], tables["system"], tables["violation"]
    answers = [
        (system["name"], *(_answer(system["answers"][question["name"]]) for question in questions))
        for system in systems
    ]
    broken = [
        (str(number), f"`{each['events']}`", each["wrong"], operator_at_end(each))
        for number, each in enumerate(violations, 1)
    ]
    rules = [(system["name"], system["rule"], f"{system['file']}, {system['version']}") for system in systems]
    return "\n".join(
        [
            *_table(("system", *(question["text"] for question in questions)), answers),
            "",
            *_table(("", "on two inputs comes", "this rule", "the checked operator"), broken),
            "",
            *_table(("system", "rule", "file that was read, version"), rules),
            "",
        ]
    )


def _answer(answer: str | int) -> str:
    return answer if isinstance(answer, str) else f"no [{answer}]"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |"
