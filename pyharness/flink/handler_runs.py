"""A comparison of many sequences, and what it comes to."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from pyharness.flink.event_sequences import Grammar, at_bound, sequence_text
from pyharness.flink.expected_differences import find_expected, recheck
from pyharness.flink.handler_comparison import Comparer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.flink.event_sequences import Event
    from pyharness.flink.expected_differences import Case
    from pyharness.flink.flink_classes import FlinkClasses
    from pyharness.flink.handler_comparison import Difference

MANY = 50
"""After so many different differences that nobody expects, a run stops: there is enough to look at."""

_SAY_EVERY = 500


@dataclass(frozen=True, slots=True)
class Request:
    """What to compare: every sequence of a length, or so many ``random`` ones from a seed.

    ``after_ends`` tells whether checkpoints go on after an input's end. With ``pending`` instead the sequences in which
    about so many checkpoints wait for an input: where the bound on these is, is seen at it alone.
    """

    grammar: Grammar
    length: int
    random: int | None = None
    seed: int = 1
    after_ends: bool = True
    pending: int | None = None

    def sequences(self) -> Iterator[tuple[Event, ...]]:
        """Yield the sequences."""
        if self.pending is not None:
            yield from at_bound(self.pending)
            return
        if self.random is None:
            yield from self.grammar.every(self.length)
            return
        source = Random(self.seed)  # noqa: S311 - to be repeated, not to be secret
        for _ in range(self.random):
            yield self.grammar.random(source, self.length)


@dataclass
class HandlerRun:
    """The result: how much was compared, and what differed.

    ``expected`` counts the sequences with each known difference, by its name; ``unexpected`` has the others,
    minimised, with the number of sequences of each; ``changed`` the known ones that are not there as recorded.
    A sequence with an expected difference is compared to its end, with the variant of the operator that has it.
    ``stopped`` tells that the run was cut off by too many.
    """

    request: Request
    version: str
    sequences: int = 0
    events: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    expected: Counter[str] = field(default_factory=Counter)
    unexpected: dict[str, tuple[Difference, int]] = field(default_factory=dict)
    changed: list[tuple[Case, str]] = field(default_factory=list)
    stopped: bool = False

    @property
    def agreed(self) -> bool:
        """Tell whether everything was compared, and nothing differed but what is expected, as it is expected."""
        return bool(self.sequences) and not (self.unexpected or self.changed or self.stopped)


def run_comparison(
    flink: FlinkClasses,
    request: Request,
    comparer: Comparer | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> HandlerRun:
    """Compare the handlers on the sequences of a request.

    ``comparer`` may have a mutant of the operator, or of Flink's task; ``say`` hears how far it is.
    """
    comparer = comparer or Comparer(flink, request.grammar.mode, after_ends=request.after_ends)
    run = HandlerRun(request, flink.version)
    began, began_cpu = time.monotonic(), time.process_time()
    for events in request.sequences():
        run.sequences += 1
        found = comparer.compare(events, request.grammar.inputs)
        run.events += len(events)
        if found is not None:
            _note(run, comparer, found)
            if len(run.unexpected) >= MANY:
                run.stopped = True
                break
        if run.sequences % _SAY_EVERY == 0:
            say(f"{run.sequences:,} sequences, {len(run.unexpected)} unexpected differences")
    run.changed = recheck(comparer)
    run.seconds, run.cpu_seconds = time.monotonic() - began, time.process_time() - began_cpu
    return run


def _note(run: HandlerRun, comparer: Comparer, found: Difference) -> None:
    known = find_expected(comparer, found)
    if known is not None:
        run.expected[known.name] += 1
        return
    difference = comparer.minimise(found)
    key = f"{sequence_text(difference.events)} / {difference.inputs}"
    _, count = run.unexpected.get(key, (difference, 0))
    run.unexpected[key] = (difference, count + 1)
