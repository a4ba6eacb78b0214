"""Modes at the same time: a process for each, with a Java virtual machine of its own."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pyharness.errors import IncompleteError
from pyharness.flink.flink_classes import start_flink
from pyharness.flink.handler_comparison import Comparer
from pyharness.flink.handler_runs import run_comparison
from pyharness.flink.transition_tour import take_every_transition
from pyharness.toolchain.machine_size import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pyharness.flink.handler_runs import HandlerRun, Request
    from pyharness.flink.transition_tour import Tour

P = TypeVar("P")
R = TypeVar("R")


def compare_each(
    requests: Sequence[Request], jar: Path | None, notes: Path, jobs: int | None = None
) -> Iterator[HandlerRun]:
    """Compare the handlers on each request, ``jobs`` at a time (a core each), and yield the results in their order.

    What runs says in a file of the directory ``notes`` how far it is, by the name of its mode. One request alone is
    done in this process. Raises IncompleteError when a process dies, and what ``start_flink`` raises.
    """
    yield from _each(partial(_compare, jar, notes), requests, jobs)


def tour_each(
    modes: Sequence[str],
    inputs: int,
    ids: int,
    jar: Path | None,
    notes: Path,
    *,
    own_alignment: bool = False,
    after_ends: bool = True,
    jobs: int | None = None,
) -> Iterator[Tour]:
    """Take every transition in each mode, as ``take_every_transition`` does; otherwise as :func:`compare_each`."""
    work = partial(_tour, inputs, ids, jar, notes, own_alignment, after_ends)
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


def _compare(jar: Path | None, notes: Path, request: Request) -> HandlerRun:
    return run_comparison(start_flink(jar), request, say=_say(notes, request.grammar.mode))


def _tour(
    inputs: int, ids: int, jar: Path | None, notes: Path, own_alignment: bool, after_ends: bool, mode: str
) -> Tour:
    comparer = Comparer(start_flink(jar), mode, after_ends=after_ends)
    return take_every_transition(comparer, inputs, ids, _say(notes, mode), own_alignment=own_alignment)


def _say(notes: Path, mode: str) -> Callable[[str], None]:
    def say(text: str) -> None:
        (notes / mode).write_text(text, encoding="utf-8")

    return say
