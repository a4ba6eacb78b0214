"""Sequences of events: which there are, and that their text is theirs. None of this needs Flink."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.base.errors import SpecError
from pyharness.hold.flink.event_sequences import Grammar, parse_sequence, sequence_text
from pyharness.hold.flink.real_handlers import FLINK_MODES
from pyharness.machines.protocols import TIMEOUT, Barrier, Cancel, EndOfInput, Overtaking, drive


def test_every_sequence_is_there_once():
    """With one input and one id there are a record, a barrier, a cancellation and an end."""
    found = [sequence_text(events) for events in Grammar("aligned", 1, 1).every(2)]
    assert sorted(found) == sorted(
        {
            *("0:a, 0:b", "0:a, 0:barrier 1", "0:a, 0:cancel 1", "0:a, 0:end", "0:end"),
            *("0:barrier 1, 0:b", "0:barrier 1, 0:cancel 1", "0:barrier 1, 0:end"),
            *("0:cancel 1, 0:b", "0:cancel 1, 0:end"),
        }
    )


@pytest.mark.parametrize(("mode", "count"), [("aligned", 822), ("unaligned", 1778), ("timeout", 2374)])
def test_as_many_as_were_counted(mode, count):
    assert len(set(Grammar(mode, 2, 2).every(3))) == count


@given(
    st.sampled_from(FLINK_MODES), st.integers(1, 3), st.integers(1, 3), st.booleans(), st.integers(0, 2**32)
)
def test_a_random_sequence_can_be_driven_and_written_down(mode, inputs, ids, any_order, seed):
    events = Grammar(mode, inputs, ids, any_order).random(Random(seed), 12)
    assert len(drive(events, inputs, mode)) == len(events)
    assert parse_sequence(sequence_text(events)) == events
    if not any_order:
        for source in range(inputs):
            assert rises([element for origin, element in events if origin == source and element != TIMEOUT])


def rises(elements):
    """Barriers have rising ids, cancellations as well, and no barrier comes after its cancellation."""
    barriers, cancelled = [0], [0]
    for element in elements:
        if isinstance(element, EndOfInput):
            return element is elements[-1]
        barrier = element.barrier if isinstance(element, Overtaking) else element
        if isinstance(barrier, Barrier):
            if barrier.id <= max(barriers[-1], cancelled[-1]):
                return False
            barriers.append(barrier.id)
        elif isinstance(element, Cancel):
            if element.id <= cancelled[-1] or element.id < barriers[-1]:
                return False
            cancelled.append(element.id)
    return True


@pytest.mark.parametrize(
    "text", ["", "barrier 1", "0:barrier", "0:barrier x", "0:cancel 1 overtakes a", "x:a", "0:a,"]
)
def test_what_is_no_event_is_refused_with_its_place(text):
    with pytest.raises(SpecError, match="event"):
        parse_sequence(text)
