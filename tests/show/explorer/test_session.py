"""A session without a server: every command, its bounds, and what a saved history is worth."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from pyharness.base.errors import SpecError
from pyharness.machines.replay import replay
from pyharness.machines.systems import PROTOCOLS
from pyharness.models.trace_system import system_for
from pyharness.show.explorer.protocol_subject import open_trace
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.tla.tlc.itf import from_itf
from tests.show.explorer.sessions import every_composition, late_turn, opened, take, texts
from tests.show.report.committed import read

BREAKS = ("initiate P1", "send C12 1", "accept marker C12", "accept C12 1")


def replayed(session):
    """Save the history as ITF, read it back, and hold it against the implementation that made it."""
    trace, meta = from_itf(FORMATS["itf"](*session.trace()))
    return replay(trace, system_for(trace, meta, session.name))


def test_two_hundred_random_walks_and_more_over_all_protocols_and_mutants():
    compositions = list(every_composition())
    assert {name for name, _, _ in compositions} == set(PROTOCOLS)
    walks = max(200, len(compositions))
    for walk, (protocol, mutant, text) in enumerate(islice(cycle(compositions), walks)):
        session = opened(protocol, text, mutant)
        session.walk(walk, 8)
        assert session.message.startswith(f"Random walk, seed {walk}")
        assert len(session.truths()) == len(session.properties)
        if walk % 5 == 0:
            assert replayed(session).agreed, (protocol, mutant, text)


def test_late_turn_breaks_the_rule_in_four_clicks():
    session = late_turn()
    for text in BREAKS:
        assert "NoRedInWhite" not in session.here.fails
        take(session, text)
    failing = {truth.name: truth for truth in session.truths() if truth.holds is False}
    assert failing["NoRedInWhite"].failed_at == 5
    assert failing["NoRedInWhite"].why.startswith("At step 5 P2, ")
    assert "which P1 sent at step 3, after it had recorded" in failing["NoRedInWhite"].why
    assert failing["NoRedInWhite"].claim == "E4: no red message was accepted in a white action."
    found = replayed(session)
    assert found.agreed
    assert found.violated_at["NoRedInWhite"] == 5
    assert session.trace()[1]["violated"] == "NoRedInWhite"


def test_undo_redo_and_branches_forget_nothing():
    session = opened()
    take(session, "initiate P1")
    take(session, "accept marker C12")
    first = session.here
    session.back()
    assert "accept marker C12" in session.message
    assert session.here.line()[-1] is first
    take(session, "send C23 2")
    second = session.here
    assert {end.number for end in session.tree.ends()} == {first.number, second.number}
    session.go(first.number)
    assert [session.describe(m) for m in session.here.past()[1:]] == ["initiate P1", "accept marker C12"]
    session.back()
    session.forward()
    assert session.here is first
    session.back()
    take(session, "send C23 2")
    assert session.here is second, "the same action leads to the same moment"
    assert len(session.tree.moments) == 4


def test_a_choice_belongs_to_the_moment_where_it_was_shown():
    session = opened()
    number = texts(session).index("initiate P1")
    session.take(0, number)
    session.take(0, number)
    assert len(session.tree.moments) == 2


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (lambda s: s.back(), "nothing to undo"),
        (lambda s: s.forward(), "nothing was undone"),
        (lambda s: s.take(0, 99), "no action 100"),
        (lambda s: s.take(7, 0), "no moment 7"),
        (lambda s: s.go(-1), "no moment -1"),
        (lambda s: s.begin(5), "no initial state 6"),
        (lambda s: s.walk(1, 0), "1 to 500"),
        (lambda s: s.run_until_fails("NoRedInWhit"), "no property"),
        (lambda s: s.find("__class__"), "no predicate"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(command, says):
    session = opened()
    with pytest.raises(SpecError, match=says):
        command(session)
    assert session.here.number == 0
    assert len(session.tree.moments) == 1


def test_run_until_a_property_fails_takes_the_shortest_way():
    session = late_turn()
    session.run_until_fails("NoRedInWhite")
    assert session.here.steps == 4
    assert "NoRedInWhite" in session.here.fails
    assert "No way is shorter" in session.message
    with pytest.raises(SpecError, match="already"):
        session.run_until_fails("NoRedInWhite")


def test_a_property_of_behaviours_fails_where_nothing_happens_any_more():
    session = opened("Collection", "n2-6-i1")
    session.find("still")
    judged = {truth.name: truth.holds for truth in session.truths() if truth.kind == "behaviour"}
    assert judged
    assert None not in judged.values()


def test_what_has_to_come_is_owed_until_it_has_come():
    session = opened(text="n2-6-i1")

    def complete():
        return next(truth for truth in session.truths() if truth.name == "EventuallyComplete")

    assert (complete().holds, complete().owed) == (None, True)
    session.find("complete")
    assert not complete().owed


def test_a_fair_way_round_violates_what_has_to_come_and_is_saved_as_the_lasso_it_is():
    session = opened(text="n2-6-i1", mutant="FewerInitiators")
    session.walk(0, 80)
    assert "EventuallyComplete" in session.message
    found = session.goes_on()
    assert not found.stays
    assert found.neglected == ()
    failing = {truth.name: truth.why for truth in session.truths() if truth.holds is False}
    assert set(failing) == set(found.missing) >= {"EventuallyComplete"}
    repeated = f"Steps {found.begins + 1} to {session.here.steps} repeat forever, and P1 and P2 never record"
    assert failing["EventuallyComplete"].startswith(repeated)
    trace, meta = session.trace()
    assert (trace.lasso, len(trace)) == (found.begins, session.here.steps)
    assert meta["violated"] in found.missing
    again = replayed(session)
    assert again.agreed
    assert set(again.violated_at) >= set(found.missing)
    picture, _ = session.trace(session.here.line())
    assert (picture.lasso, len(picture)) == (None, session.here.steps + 1), "each click is in the picture"


def test_a_trace_opens_at_any_step_and_goes_on_differently():
    trace, meta = read("LateTurn")
    session = open_trace(trace, meta, step=3)
    assert session.name == "ChandyLamport:LateTurn"
    assert session.here.steps == 2
    assert len(session.here.line()) == len(trace)
    other = next(choice for choice in session.choices() if choice.taken is None)
    session.take(session.here.number, other.number)
    assert len(list(session.tree.ends())) == 2
    session.go(len(trace) - 1)
    assert "NoRedInWhite" in session.here.fails


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("ChandyLamport", "ring:3", "LateTurm"), "no mutant"),
        (("UnalignedBarriers", "ring:3"), "is not a dataflow"),
        (("AlignedBarriers", "ring:3"), "assumes InitiatorsHaveNoInputs"),
        (("ChandiLamport", "ring:3"), "no protocol"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, says):
    with pytest.raises(SpecError, match=says):
        opened(*arguments)
    with pytest.raises(SpecError, match="no constant"):
        opened("AlignedBarriers", "join:3", constants={"Recods": 2})
