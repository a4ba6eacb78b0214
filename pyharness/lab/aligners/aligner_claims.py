"""Which claims a rule of alignment satisfies, the shortest sequence of events where it does not, and the table of all.

>>> from pyharness.lab.aligners.aligner_rules import RULES
>>> arroyo = next(rule for rule in RULES if rule.name == "Arroyo")
>>> print(shortest_violation(arroyo, QUESTIONS["ends"]))
0:barrier 1, 1:end: checkpoint 1 waits for ever
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.hold.flink.event_sequences import Grammar, sequence_text
from pyharness.lab.aligners.aligner_rules import RULES, StopsError
from pyharness.machines.protocols.checkpoints.operator import Barrier, Cancel, EndOfInput
from pyharness.machines.protocols.checkpoints.operator_drive import Overtaking

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.hold.flink.event_sequences import Event
    from pyharness.hold.flink.operator_comparison import Handler
    from pyharness.lab.aligners.aligner_rules import Rule


LENGTH = 5
"""Events in the longest sequences that are tried, for two inputs."""


@dataclass(frozen=True)
class Question:
    """What is asked: the ``claim``, and which sequences there are: of so many checkpoints, with what."""

    claim: str
    says: str
    ids: int = 1
    leaves_out: bool = False
    ends: bool = False
    cancels: bool = False


QUESTIONS = {
    "one": Question("A1, A4, A5", "one checkpoint"),
    "next": Question("A1, A4, A5 of each", "the next begins before the first is complete", ids=2),
    "left out": Question("A1, A4, A5 of each", "and one is left out on an input", ids=2, leaves_out=True),
    "cancelled": Question("A7", "one is cancelled", ids=2, cancels=True),
    "ends": Question("A9", "an input ends", ends=True),
}
"""The questions by name, in the order of the table."""


class Violation(NamedTuple):
    """A sequence of events after which a claim does not hold, and what is wrong then."""

    events: tuple[Event, ...]
    says: str

    def __str__(self) -> str:
        return f"{sequence_text(self.events)}: {self.says}"


def shortest_violation(rule: Rule, question: Question, length: int = LENGTH) -> Violation | None:
    """Return the first of the shortest sequences after which the rule does not do what is claimed, if there is one.

    A sequence goes on from where the one without its last event left the rule's code, which is not asked again.
    """
    before: dict[tuple[Event, ...], _Course] = {(): _Course(rule.handler(2), ())}
    for number in range(1, length + 1):
        after: dict[tuple[Event, ...], _Course] = {}
        for events in sequences(question, number, overtakes=rule.overtakes):
            if len(events) < number:
                continue  # no event was left for it, and it was tried among the shorter ones
            course, wrong = _taken(rule, events, before[events[:-1]])
            if wrong is not None:
                return Violation(events, wrong)
            if number < length:
                after[events] = course
        before = after
    return None


@cache
def sequences(question: Question, length: int, *, overtakes: bool = False) -> tuple[tuple[Event, ...], ...]:
    """Return all sequences of a length that a question is about, on two inputs; barriers may overtake a record."""
    grammar = Grammar("unaligned" if overtakes else "aligned", 2, question.ids)
    return tuple(grammar.every(length, lambda events: _asked(question, _in_order(events))))


def _in_order(events: Iterable[Event]) -> list[Event]:
    """Return what comes on the inputs in the order of sending: the records first that a barrier overtakes."""
    return [
        (source, each)
        for source, element in events
        for each in ((*element.records, element.barrier) if isinstance(element, Overtaking) else (element,))
    ]


def _asked(question: Question, events: Sequence[Event]) -> bool:
    elements = [element for _, element in events]
    if not question.ends and any(isinstance(e, EndOfInput) for e in elements):
        return False
    if not question.cancels and any(isinstance(e, Cancel) for e in elements):
        return False
    return question.leaves_out or not any(_leaves_out(events, source) for source in (0, 1))


def _leaves_out(events: Sequence[Event], source: int) -> bool:
    """Tell whether an input brings the barrier of a checkpoint, and nothing of the one before."""
    ids = [e.id for s, e in events if s == source and isinstance(e, Barrier | Cancel)]
    return any(number - 1 not in (0, *ids[:at]) for at, number in enumerate(ids))


class _Course(NamedTuple):
    """Where a rule's code is after a sequence of events, and what it has done."""

    handler: Handler
    facts: tuple[Any, ...]


def _taken(rule: Rule, events: Sequence[Event], before: _Course) -> tuple[_Course, str | None]:
    """Return the course after the last of these events, and say what is wrong with it, if anything is."""
    handler = deepcopy(before.handler)
    try:
        done = tuple(handler.take(*events[-1]))
    except StopsError as error:
        return before, f"it stops: {error}"
    course = _Course(handler, before.facts + done)
    came = _in_order(events)
    cuts = (_of_cut(rule, came, course.facts, fact) for fact in done if fact[0] == "completed")
    wrong = next(filter(None, cuts), None) or _of_records(came, course.facts) or _of_ends(came, course.facts)
    return course, wrong


def _of_cut(rule: Rule, events: Sequence[Event], facts: Sequence[Any], completed: Any) -> str | None:
    """A1, A5: what is recorded is what came before the barriers; A4: nothing of that is missing."""
    number = completed[1]
    if ("triggered", number) not in facts:
        return f"checkpoint {number} is complete, and no state was recorded for it"
    recorded = facts[: facts.index(("triggered", number))]
    logs = completed[2] if len(completed) > 2 else ((), ())
    for source in (0, 1):
        before = _before(events, source, number)
        if before is None:
            return f"checkpoint {number} is complete, and input {source} has not come to its barrier"
        found = [fact[2] for fact in recorded if fact[:2] == ("processed", source)] + list(logs[source])
        missing, more = Counter(before) - Counter(found), Counter(found) - Counter(before)
        if missing:
            return f"record {min(missing)} of input {source} is not in checkpoint {number}"
        if rule.exact and more:
            return f"record {min(more)} of input {source} is in checkpoint {number}, and comes again"
    return None


def _before(events: Sequence[Event], source: int, number: int) -> list[Any] | None:
    """Return the records of an input before a barrier, or all if it ended without; ``None`` if neither came."""
    records: list[Any] = []
    for origin, element in events:
        if origin != source:
            continue
        if isinstance(element, EndOfInput) or (isinstance(element, Barrier) and element.id == number):
            return records
        if isinstance(element, str):
            records.append(element)
    return None


def _of_records(events: Sequence[Event], facts: Sequence[Any]) -> str | None:
    """Where nothing is pending each record was processed, once and in its order."""
    over = {fact[1] for fact in facts if fact[0] in {"completed", "aborted"}}
    begun = {e.id for _, e in events if isinstance(e, Barrier)}
    if any(number not in over for number in begun if number > max(over, default=0)):
        return None
    for source in (0, 1):
        came = [e for s, e in events if s == source and isinstance(e, str)]
        found = [fact[2] for fact in facts if fact[:2] == ("processed", source)]
        if found != came:
            return f"no checkpoint is pending, and of input {source} was processed {' '.join(found) or 'nothing'}"
    return None


def _of_ends(events: Sequence[Event], facts: Sequence[Any]) -> str | None:
    """A9 and what it is about: a checkpoint is complete when all barriers came, or will not come; A7: or aborted."""
    over = {fact[1] for fact in facts if fact[0] in {"completed", "aborted"}}
    aborted = [fact[1] for fact in facts if fact[0] == "aborted"]
    if len(set(aborted)) < len(aborted):
        return f"checkpoint {aborted[-1]} is aborted twice"
    if sum(isinstance(e, EndOfInput) for _, e in events) == 2:
        return None  # the operator has ended as well
    newest = max((e.id for _, e in events if isinstance(e, Barrier | Cancel)), default=0)
    if newest and newest not in over and all(_has_come(events, source, newest) for source in (0, 1)):
        return f"checkpoint {newest} waits for ever"
    return None


def _has_come(events: Iterable[Event], source: int, number: int) -> bool:
    def ends_wait(element: Any) -> bool:
        return isinstance(element, EndOfInput) or (
            isinstance(element, Barrier | Cancel) and element.id == number
        )

    return any(origin == source and ends_wait(element) for origin, element in events)


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
