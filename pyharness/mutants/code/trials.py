"""Try mutants on a model: each in a process of its own, until it first does something else."""

from __future__ import annotations

import gc
import os
import resource
import select
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.code.code_mutants import swap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyharness.mutants.code.code_mutants import CodeMutant
    from pyharness.mutants.code.prepared_models import PreparedModel

NEVER_ENDS: Final = "never ends"
"""The finding on a mutant that took ten times as long as the correct implementation, or was killed."""

_LEAST_SECONDS: Final = 10
_MOST_BYTES: Final = 4 << 30
_MOST_TEXT: Final = 300


def try_mutants(
    mutants: Iterable[CodeMutant],
    model: PreparedModel,
    root: Path,
    *,
    workers: int,
    report: Callable[[CodeMutant, str | None], None],
) -> None:
    """Try each mutant, ``workers`` at a time, and ``report`` what it does otherwise; ``None`` if nothing.

    A mutant that raises, never ends or takes too much memory does something else. This process must have one thread.

    Raises IncompleteError when a mutant could not be put in its place: nothing was tried then.
    """
    gc.freeze()  # children share what is here, and do not copy it to count references
    waiting = list(mutants)[::-1]
    running: dict[int, tuple[int, CodeMutant]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                mutant = waiting.pop()
                process, pipe = _start(mutant, model, root)
                running[pipe] = (process, mutant)
            for pipe in select.select(list(running), [], [])[0]:
                process, mutant = running.pop(pipe)
                text = os.read(pipe, 4 * _MOST_TEXT).decode(errors="replace")
                os.close(pipe)
                _, status = os.waitpid(process, 0)
                if not text and not os.WIFSIGNALED(status):
                    raise IncompleteError("this mutant could not be tried", where=mutant.id)
                report(mutant, None if text == _SAME else text or NEVER_ENDS)
    finally:
        for pipe, (process, _) in running.items():
            os.kill(process, 9)
            os.close(pipe)
            os.waitpid(process, 0)
        gc.unfreeze()


_SAME: Final = "="


def _start(mutant: CodeMutant, model: PreparedModel, root: Path) -> tuple[int, int]:
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    try:
        os.close(reading)
        seconds = _LEAST_SECONDS + int(10 * model.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        swap(mutant, root)
        try:
            found = model.difference()
        except Exception as error:  # noqa: BLE001 - a mutant that raises anything does not do what is asked
            found = f"raises {type(error).__name__}: {error}"
        os.write(writing, (_SAME if found is None else found[:_MOST_TEXT]).encode())
    finally:
        os._exit(0)
