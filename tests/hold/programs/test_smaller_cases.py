"""Differences made smaller: what is left differs, nothing of it can be left out, and it is the same difference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyharness.base.errors import SpecError
from pyharness.hold.programs import HELD, Difference
from pyharness.hold.programs.case_runs import minimise, repeat
from pyharness.hold.programs.program_walks import random_walks

BUGS = [
    ("ChandyLamport", "LateTurn"),
    ("ChandyLamport", "DropChannelState"),
    ("ChandyLamport", "MarkerAfterMessage"),
    ("StopTheWorld", "ForgetRecord"),
    ("Snapshots", "SkipsNumber"),
    ("Snapshots", "RecordsForOne"),
    ("AlignedBarriers", "NoBlocking"),
    ("UnalignedBarriers", "OvertakenLost"),
    ("TimeoutBarriers", "ForgetToRecord"),
]


@pytest.mark.parametrize(("protocol", "mutant"), BUGS)
def test_a_walk_s_difference_is_made_as_small_as_it_gets(protocol, mutant, programs, in_process):
    mine = programs(["--mutant", mutant])
    found = random_walks(HELD[protocol], mine, 200)
    assert isinstance(found, Difference)
    small = minimise(found, mine)
    assert small.fields <= found.fields
    assert small.case.size <= found.case.size
    assert repeat(small.case, mine).mismatches == small.mismatches
    assert repeat(small.case, programs(["--stateful"])) is None
    for number in range(len(small.case.steps)):
        steps = small.case.steps[:number] + small.case.steps[number + 1 :]
        try:
            again = repeat(replace(small.case, steps=steps), mine)
        except SpecError:
            continue
        assert again is None or not again.fields <= small.fields
    assert small.case.topology.processes <= 3


def test_the_same_walk_is_drawn_again(programs, in_process):
    once, again = (
        random_walks(HELD["ChandyLamport"], programs(["--mutant", "LateTurn"]), 50, seed=3) for _ in range(2)
    )
    assert once == again
    other = random_walks(HELD["ChandyLamport"], programs(["--mutant", "LateTurn"]), 50, seed=4)
    assert other != once
