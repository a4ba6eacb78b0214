"""Differences made smaller: what is left differs, nothing of it can be left out, and it is the same difference."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from pyharness.base.errors import SpecError
from pyharness.hold.programs import HELD, Difference, document
from pyharness.hold.programs.case_runs import minimise, repeat
from pyharness.hold.programs.program_walks import random_walks
from tests.long import some

BUGS = [
    ("StopTheWorld", "ForgetRecord"),
    ("Snapshots", "SkipsNumber"),
    ("AlignedBarriers", "NoBlocking"),
    ("TimeoutBarriers", "ForgetToRecord"),
    ("ChandyLamport", "Loop"),
    ("ChandyLamport", "LateTurn"),
    ("ChandyLamport", "DropChannelState"),
    ("ChandyLamport", "MarkerAfterMessage"),
    ("Snapshots", "RecordsForOne"),
    ("UnalignedBarriers", "OvertakenLost"),
    ("Snapshots", "ForgetsThird"),
]


@pytest.mark.parametrize(("protocol", "mutant"), some(BUGS, 4))
def test_a_walk_s_difference_is_made_as_small_as_it_gets(protocol, mutant, programs, in_process):
    mine = programs(["--mutant", mutant])
    found = random_walks(HELD[protocol], mine, 200)
    assert isinstance(found, Difference)
    small = minimise(found, mine)
    assert small.fields <= found.fields
    assert small.case.size <= found.case.size
    assert repeat(small.case, mine).mismatches == small.mismatches
    assert repeat(small.case, programs(["--stateful"])) is None
    assert not small.cut
    for case in smaller(small.case):
        try:
            again = repeat(case, mine)
        except SpecError:
            continue
        assert again is None or not again.fields <= small.fields
    assert len(small.case.steps) <= 8
    assert small.case.topology.processes <= 4


def smaller(case):
    """Yield the case without any one or two steps."""
    count = range(len(case.steps))
    for gone in (*combinations(count, 1), *combinations(count, 2)):
        yield replace(case, steps=tuple(step for at, step in enumerate(case.steps) if at not in gone))


def test_a_limit_that_is_met_is_said(programs, in_process):
    mine = programs(["--mutant", "ForgetsThird"])
    found = random_walks(HELD["Snapshots"], mine, 50)
    small, cut = minimise(found, mine), minimise(found, mine, requests=20)
    assert small.case.size < cut.case.size
    assert (small.cut, cut.cut) == (False, True)
    assert "perhaps not the smallest case" in str(cut)
    assert "perhaps" not in str(small)
    assert [document(each)["cut"] for each in (small, cut)] == [False, True]


def test_the_same_walk_is_drawn_again(programs, in_process):
    once, again = (
        random_walks(HELD["ChandyLamport"], programs(["--mutant", "LateTurn"]), 50, seed=3) for _ in range(2)
    )
    assert once == again
    other = random_walks(HELD["ChandyLamport"], programs(["--mutant", "LateTurn"]), 50, seed=4)
    assert other != once
