"""Differences made smaller: what is left differs, nothing of it can be left out, and it is the same difference."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.hold.programs import HELD, Difference, case_of, case_runs, document
from pyharness.hold.programs.case_runs import minimise, repeat
from pyharness.hold.programs.difference import ProgramCase
from pyharness.hold.programs.program_walks import random_walks
from pyharness.hold.programs.vocabulary import ID, Event

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
    ("ChandyLamport", "Loop"),
    ("Snapshots", "ForgetsThird"),
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
    """Yield the case without any one or two steps, and without all moves of an item between two stays at a process."""
    count = range(len(case.steps))
    for gone in (*combinations(count, 1), *combinations(count, 2)):
        yield replace(case, steps=tuple(step for at, step in enumerate(case.steps) if at not in gone))
    for item in {item for held in case.held for item in held}:
        for first, last in combinations(range(len(case.steps) + 1), 2):
            moves = [at for at in range(first, last) if ("msg", item) in case.steps[at][0][1].said]
            if moves:
                yield replace(case, steps=tuple(s for at, s in enumerate(case.steps) if at not in moves))


def test_a_round_trip_is_left_out_that_no_two_steps_are(programs, in_process):
    """The item has to be at n1 in the end, and other steps are among those of its way there and back."""
    small = case_of(
        {
            "format": "pyharness-hold-case/1",
            "protocol": "ChandyLamport",
            "topology": "n3-0e4-i3",
            "held": [[1], [], []],
            "steps": [],
            "last": {"process": 1, "event": "marker", "channel": [3, 1]},
        }
    )
    trip = [Event("send", (1, 2)), Event("message", (1, 2)), Event("send", (2, 1)), Event("message", (2, 1))]
    trip = [((event.channel[event.type != "send"], event._replace(said=(("msg", 1),))),) for event in trip]
    begins = ((3, Event("initiate")),)
    case = replace(small, steps=(trip[0], trip[1], begins, trip[2], trip[3]))
    without = replace(small, steps=(begins,))
    assert without in case_runs._smaller(case)


def test_an_item_begins_where_its_way_leads_to(programs, in_process):
    """The spec begins with any item anywhere, but for a dataflow, where the sources have them."""
    way = [Event("send", (1, 2), (("msg", 1),)), Event("message", (1, 2), (("msg", 1),))]
    steps = (((1, way[0]),), ((2, way[1]),), ((1, Event("initiate")),))
    case = ProgramCase(
        "ChandyLamport", Topology.from_id("n2-6-i1"), ((1,), ()), steps, (2, Event("marker", (1, 2)))
    )
    assert replace(case, steps=steps[2:], held=((), (1,))) in case_runs._smaller(case)
    barriers = replace(case, protocol="AlignedBarriers")
    assert all(each.held[1] == () for each in case_runs._smaller(barriers) if len(each.held) == 2)


def test_a_limit_that_is_met_is_said(programs, in_process):
    mine = programs(["--mutant", "ForgetsThird"])
    found = random_walks(HELD["Snapshots"], mine, 50)
    small, cut = minimise(found, mine), minimise(found, mine, requests=20)
    assert small.case.size < cut.case.size
    assert (small.cut, cut.cut) == (False, True)
    assert "perhaps not the smallest case" in str(cut)
    assert "perhaps" not in str(small)
    assert [document(each)["cut"] for each in (small, cut)] == [False, True]


def test_a_snapshot_that_nothing_needs_is_left_out_at_once():
    begins, other = ((1, Event("initiate")),), ((2, Event("initiate")),)
    marker = ((2, Event("marker", (1, 2), ((ID, (1, 1)),))),)
    case = ProgramCase(
        "Snapshots", Topology.from_id("n2-6-i1_2"), ((1,), ()), (begins, other, marker), other[0]
    )
    assert replace(case, steps=(other,)) in case_runs._smaller(case)


def test_the_same_walk_is_drawn_again(programs, in_process):
    once, again = (
        random_walks(HELD["ChandyLamport"], programs(["--mutant", "LateTurn"]), 50, seed=3) for _ in range(2)
    )
    assert once == again
    other = random_walks(HELD["ChandyLamport"], programs(["--mutant", "LateTurn"]), 50, seed=4)
    assert other != once
