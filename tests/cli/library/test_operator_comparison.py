"""Somebody's operator code against the spec's: a good one agrees, and each bug is shown small."""

from __future__ import annotations

import sys
from typing import ClassVar

import pytest

import pyharness
from pyharness.base.errors import SpecError
from pyharness.machines.protocols import Barrier, Cancel, EndOfInput, Operator, drive


class Aligned:
    """An operator that aligns, written without a look at the spec's."""

    def __init__(self, inputs):
        self.open, self.last, self.pending, self.arrived, self.waiting = set(range(inputs)), 0, 0, set(), []

    def take(self, source, element):
        self.waiting.append((source, element))
        self.done = []
        while waiting := [each for each in self.waiting if each[0] not in self.arrived]:
            self.waiting.remove(waiting[0])
            self.one(*waiting[0])
        return self.done

    def one(self, source, element):
        if isinstance(element, Barrier | Cancel) and element.id < max(self.pending, self.last + 1):
            return
        if isinstance(element, Barrier):
            if self.pending and self.pending < element.id:
                self.abort(self.pending)
            self.pending = element.id
            self.arrived.add(source)
            self.complete()
        elif isinstance(element, Cancel):
            self.abort(element.id)
        elif isinstance(element, EndOfInput):
            self.open.discard(source)
            self.ended()
        else:
            self.done.append(("processed", source, element))

    def ended(self):
        if self.pending:
            self.complete()

    def complete(self):
        if self.arrived >= self.open:
            self.done += [("triggered", self.pending), ("completed", self.pending)]
            self.last, self.pending, self.arrived = self.pending, 0, set()

    def abort(self, number):
        self.done.append(("aborted", number))
        self.last, self.pending, self.arrived = number, 0, set()


class ForgetsEnds(Aligned):
    """A checkpoint waits for an input that has ended."""

    def ended(self):
        pass


class Throws(Aligned):
    """A cancellation is not implemented."""

    def abort(self, number):
        raise NotImplementedError(f"checkpoint {number}")


class Driven:
    """The spec's own, told as somebody would."""

    log = True

    def __init__(self, inputs):
        self.inputs, self.events, self.kind = inputs, [], Operator

    def take(self, source, element):
        self.events.append((source, element))
        moment = drive(self.events, self.inputs, "unaligned", kind=self.kind)[-1]
        for effect in moment.effects:
            if effect.kind == "processed":
                yield "processed", effect.input, effect.record
            elif effect.kind == "completed":
                yield "completed", effect.id, self.logged(moment.in_flight[effect.id])
            elif effect.kind in {"aborted", "triggered"}:
                yield effect.kind, effect.id

    def logged(self, log):
        return [list(records) for records in log]


class LosesALog(Driven):
    """What is in flight on the last input is lost."""

    def logged(self, log):
        return [*log[:-1], ()]


class LosesAllLogs(Driven):
    """What is in flight is lost, and not even the inputs are counted."""

    def logged(self, log):
        return []


class Alike(str):
    """A text that is equal to everything."""

    __slots__ = ()

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__


class Anything:
    """No text, and equal to everything."""

    def __eq__(self, other):
        return True

    __hash__ = object.__hash__


class Number(int):
    """A number that is equal to everything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = int.__hash__


def test_good_code_agrees():
    found = pyharness.compare(Aligned, runs=300, inputs=3, ids=3)
    assert found, found
    assert found.sequences > 300
    assert str(found).endswith("the same")


def test_a_bug_is_shown_side_by_side_as_small_as_it_goes():
    found = pyharness.compare(ForgetsEnds, inputs=3, runs=10)
    assert not found
    assert len(found.difference.events) == 2
    lines = str(found).splitlines()
    assert lines[1].split()[-1] == "yours"
    assert [line[0] for line in lines[2:]] == [" ", ">"]


def test_an_exception_is_a_difference():
    found = pyharness.compare(Throws, runs=10)
    assert found.difference.flink.failure == "NotImplementedError: checkpoint 1"
    assert len(found.difference.events) == 1


def test_logs_are_compared_where_they_are_told():
    assert pyharness.compare(Driven, mode="unaligned", runs=20, length=5)
    found = pyharness.compare(LosesALog, mode="unaligned", runs=200, length=8)
    assert found.difference.fields == ("in_flight",)
    found = pyharness.compare(LosesAllLogs, mode="unaligned", runs=20)
    assert found.difference.fields == ("in_flight",)
    assert "completed 1 with 0:a" in str(found)


@pytest.mark.parametrize(
    "given", [("processed", 0, Alike("b")), ("processed", 0, Anything()), ("processed", Number(1), "a")]
)
def test_what_a_handler_finds_equal_is_not_what_is_compared(given):
    class Tells(Aligned):
        def take(self, source, element):
            return [
                given if fact == ("processed", 0, "a") else fact for fact in super().take(source, element)
            ]

    found = pyharness.compare(Tells, runs=0)
    assert not found
    assert found.difference.fields == ("processed",)


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        (fact, "not an effect of an operator")
        for fact in [("done",), (), ("triggered", "1"), (Anything(), 1), (Alike("done"), 1)]
        + [("completed", 1, logs) for logs in (5, None, [5], ["ab", ""], {0: ["a"]})]
    ],
)
def test_what_take_returns_is_checked(fact, message):
    class Tells(Aligned):
        def take(self, source, element):
            return [fact]

    with pytest.raises(SpecError, match=message):
        pyharness.compare(Tells)


def test_there_must_be_something_to_compare():
    with pytest.raises(SpecError, match="nothing to compare"):
        pyharness.compare(Aligned, inputs=0)
    with pytest.raises(SpecError, match="nothing to compare"):
        pyharness.compare(Aligned, inputs="2")
    with pytest.raises(SpecError, match="mode 'cyclic'"):
        pyharness.compare(Aligned, mode="cyclic")
    with pytest.raises(SpecError, match=r"no mode 'alignd'\n  did you mean aligned"):
        pyharness.compare(Aligned, mode="alignd")


class TakesNothing:
    def __init__(self, inputs):
        pass


class OfNoInputs:
    def take(self, source, element):
        return []


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (Aligned(2), "no handler for 2 inputs can be made: TypeError"),
        (OfNoInputs, "no handler for 2 inputs can be made: TypeError"),
        (TakesNothing, "TakesNothing has no method take"),
        (lambda _: sys.exit(0), "no handler for 2 inputs can be made: SystemExit: 0"),
    ],
)
def test_what_makes_no_handler_is_told_and_is_no_difference(handler, said):
    with pytest.raises(SpecError, match=f"handler: {said}"):
        pyharness.compare(handler)


class Exits(Aligned):
    """A fatal error ends the process: the comparison must not end with it, least of all with status 0."""

    def abort(self, number):
        raise SystemExit(0)


class Shares(Aligned):
    """What waits is a list of the class, which another handler has filled."""

    shared: ClassVar[list] = []

    def take(self, source, element):
        self.shared.append(element)
        return [] if len(self.shared) == 40 else super().take(source, element)


def test_a_handler_that_ends_the_process_differs():
    found = pyharness.compare(Exits, runs=10)
    assert not found
    assert "SystemExit: 0" in str(found)
    assert found.repeated


def test_a_handler_that_does_something_else_the_second_time_is_told_so():
    found = pyharness.compare(Shares, runs=10)
    assert not found
    assert not found.repeated
    assert "no clock, no chance" in str(found)


def test_a_difference_in_the_middle_is_repeated():
    """What came after it, and was left out, is no part of it."""
    for handler in (ForgetsEnds, Throws):
        found = pyharness.compare(handler, inputs=3, runs=10)
        assert found.repeated
        assert "no clock" not in str(found)
