"""The table of systems: each answer is explained, and the checked operator does at the end what the page shows."""

from __future__ import annotations

import re

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.hold.flink.event_sequences import parse_sequence
from pyharness.machines.protocols import Barrier, drive

TABLES = [
    [[cell.strip() for cell in line.strip("|").split(" | ")] for line in block.splitlines()[2:]]
    for block in (ROOT / "docs/explanation/how-systems-align.md").read_text(encoding="utf-8").split("\n\n")
    if block.startswith("| ")
]
ANSWERS, VIOLATIONS, RULES = TABLES


def test_each_system_has_a_rule_and_each_no_a_sequence():
    assert [cells[0] for cells in ANSWERS] == [cells[0] for cells in RULES]
    answers = {answer for cells in ANSWERS for answer in cells[1:]}
    numbers = {match[1] for answer in answers if (match := re.fullmatch(r"no \[(\d)\]", answer))}
    assert answers - {f"no [{number}]" for number in numbers} == {"yes", "has none"}
    assert numbers == {cells[0] for cells in VIOLATIONS}


@pytest.mark.parametrize(("number", "events", "_wrong", "shown"), VIOLATIONS)
def test_the_checked_operator_ends_each_checkpoint_whose_barriers_came(number, events, _wrong, shown):
    mode, _, done = shown.rpartition(": ")
    sequence = parse_sequence(events.strip("`"))
    moments = drive(sequence, mode=mode or "aligned")
    ended = [
        f"{'completes' if effect.kind == 'completed' else 'aborts'} {effect.id}"
        for moment in moments
        for effect in moment.effects
        if effect.kind in {"completed", "aborted"}
    ]
    assert done == ", ".join([*ended, *(f"waits for {each}" for each in moments[-1].pending)])
    came = [each.id for _, each in sequence if isinstance(each, Barrier)]
    assert all(f"completes {each}" in ended for each in set(came) if came.count(each) == 2), number
