"""A comparison of many sequences, and its result; several modes at a time, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING, TypeVar

from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.machine_size import cores
from pyharness.hold.flink.event_sequences import Grammar, at_bound, sequence_text
from pyharness.hold.flink.expected_differences import find_expected, recheck
from pyharness.hold.flink.flink_classes import start_flink
from pyharness.hold.flink.handler_comparison import Comparer
from pyharness.hold.flink.transition_tour import take_every_transition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pyharness.hold.flink.event_sequences import Event
    from pyharness.hold.flink.expected_differences import ExpectedCase
    from pyharness.hold.flink.flink_classes import FlinkClasses
    from pyharness.hold.flink.handler_comparison import Deviation
    from pyharness.hold.flink.transition_tour import Tour


MANY = 50
"""The number of different unexpected differences after which a run stops: there is enough to look at."""


@dataclass(frozen=True, slots=True)
class Request:
    """The sequences to compare: every one of a length, or ``random`` many random ones from a seed.

    ``after_ends`` is whether checkpoints go on after an input's end. With ``pending`` instead the sequences in which
    about that many checkpoints wait for an input: only there is the bound on their number seen.
    """

    grammar: Grammar
    length: int
    random: int | None = None
    seed: int = 1
    after_ends: bool = True
    pending: int | None = None

    def sequences(self) -> Iterator[tuple[Event, ...]]:
        """Yield the sequences of the request."""
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
    """The result: how much was compared, and the differences.

    ``expected`` counts the sequences with each known difference, by its name; ``unexpected`` has the others,
    minimised, with the number of sequences of each; ``changed`` the known ones that are not there as recorded.
    A sequence with an expected difference is compared to its end, with the variant of the operator that has it.
    ``stopped`` means that the run was cut off by too many.
    """

    request: Request
    version: str
    sequences: int = 0
    events: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    expected: Counter[str] = field(default_factory=Counter)
    unexpected: dict[str, tuple[Deviation, int]] = field(default_factory=dict)
    changed: list[tuple[ExpectedCase, str]] = field(default_factory=list)
    stopped: bool = False

    @property
    def agreed(self) -> bool:
        """Return whether everything was compared, and no difference is unexpected or otherwise than expected."""
        return bool(self.sequences) and not (self.unexpected or self.changed or self.stopped)


def run_comparison(flink: FlinkClasses, request: Request, comparer: Comparer | None = None) -> HandlerRun:
    """Compare the handlers on the sequences of a request.

    ``comparer`` may have a mutant of the operator, or of Flink's task.
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
    run.changed = recheck(comparer)
    run.seconds, run.cpu_seconds = time.monotonic() - began, time.process_time() - began_cpu
    return run


def _note(run: HandlerRun, comparer: Comparer, found: Deviation) -> None:
    known = find_expected(comparer, found)
    if known is not None:
        run.expected[known.name] += 1
        return
    difference = comparer.minimise(found)
    key = f"{sequence_text(difference.events)} / {difference.inputs}"
    _, count = run.unexpected.get(key, (difference, 0))
    run.unexpected[key] = (difference, count + 1)


P = TypeVar("P")
R = TypeVar("R")


def compare_each(
    requests: Sequence[Request], jar: Path | None, jobs: int | None = None
) -> Iterator[HandlerRun]:
    """Compare the handlers on each request, ``jobs`` at a time (a core each), and yield the results in their order.

    One request alone is done in this process. Raises IncompleteError when a process dies, and as ``start_flink`` does.
    """
    yield from _each(partial(_compare, jar), requests, jobs)


def tour_each(
    modes: Sequence[str],
    inputs: int,
    ids: int,
    jar: Path | None,
    *,
    own_alignment: bool = False,
    after_ends: bool = True,
    jobs: int | None = None,
) -> Iterator[Tour]:
    """Take every transition in each mode, as ``take_every_transition`` does; otherwise as :func:`compare_each`."""
    work = partial(_tour, inputs, ids, jar, own_alignment, after_ends)
    yield from _each(work, modes, jobs)


def _each(work: Callable[[P], R], parts: Sequence[P], jobs: int | None) -> Iterator[R]:
    at_once = min(len(parts), jobs or cores())
    if at_once < 2:
        yield from map(work, parts)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=at_once, mp_context=context) as pool:
        try:
            yield from pool.map(work, parts)
        except BrokenProcessPool as error:
            raise IncompleteError(
                "a process that held Flink's handlers died", hint="see whether there is enough memory"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _compare(jar: Path | None, request: Request) -> HandlerRun:
    return run_comparison(start_flink(jar), request)


def _tour(inputs: int, ids: int, jar: Path | None, own_alignment: bool, after_ends: bool, mode: str) -> Tour:
    comparer = Comparer(start_flink(jar), mode, after_ends=after_ends)
    return take_every_transition(comparer, inputs, ids, own_alignment=own_alignment)
