"""Bytewax, which has epochs and frontiers and no barriers: each closed epoch is a recorded cut.

Bytewax keeps what a step's state was at the end of each epoch in which it changed, in SQLite. The state at the end of
epoch e is, of each key, the last change up to e; the positions of the source at the end of e give the records that have
been read. The rule of the colouring is then: no record of a later epoch is in a state of an earlier one.

Crashes are the source's (``AbortExecution``, in this process, at a poll that the seed chooses), or the kernel's
(SIGKILL of a process with two workers).
"""

from __future__ import annotations

import pickletools
import random
import sqlite3
import subprocess
from contextlib import closing
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.extras import require_extra
from pyharness.lab.real_systems.held_rules import Held, Rule
from pyharness.lab.real_systems.killed_process import kill, started, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_FEW: Final = 8
"""Of a partition, in this process."""
_MANY: Final = 150
"""Of a partition, with two workers."""
_KILLS: Final = 10
"""Of a run with two workers, at most."""
_SECONDS: Final = 120


_Change = tuple[int, str, int | str]
"""A snapshot: its epoch, the key or the partition, and the records of the one or the position of the other."""


class Cut(NamedTuple):
    """The record of the end of an epoch: the position of each partition, and each key's records.

    ``changes`` are the snapshots that the states come from.
    """

    epoch: int
    positions: dict[str, int]
    states: dict[str, tuple[str, ...]]
    changes: frozenset[_Change]


class Recorded(NamedTuple):
    """The files of Bytewax: every snapshot, by epoch, and the frontier, below which each epoch is closed."""

    frontier: int
    changes: list[_Change]

    def cuts(self, first: int = 1) -> Iterator[Cut]:
        """Yield the cut of each closed epoch from ``first`` on."""
        newest: dict[str, _Change] = {}
        for epoch in range(1, self.frontier):
            newest |= {change[1]: change for change in self.changes if change[0] == epoch}
            if epoch >= first:
                positions = {key: value for key, (_, _, value) in newest.items() if isinstance(value, int)}
                states = {
                    key: tuple(value.split())
                    for key, (_, _, value) in newest.items()
                    if isinstance(value, str)
                }
                yield Cut(epoch, positions, states, frozenset(newest.values()))

    def open_changes(self) -> frozenset[_Change]:
        """Return the snapshots of epochs that are not closed: after a crash nothing of them counts."""
        return frozenset(change for change in self.changes if change[0] >= self.frontier)


class _Rules:
    """The rules, and what is counted on the way."""

    def __init__(self) -> None:
        self.later = Rule(
            "later", "no record of a later epoch is in a state of an earlier one", "NoRedInWhite, E7"
        )
        self.fold = Rule("fold", "the states of epoch e are the fold of the records up to e, each once", "A1")
        self.resume = Rule("resume", "an execution goes on where the last closed epoch ended", "A2")
        self.end = Rule("end", "in the end each record was folded once, and was put out", "A2")
        self.known = Rule("known defects", "the two that are known are still there", "A2")
        self.did = {"runs": 0, "crashes in this process": 0, "kills of two workers": 0, "cuts": 0}
        self.again = self.stale = self.wrong_for_good = 0

    def held(self, command: str) -> Held:
        """Return all of it."""
        return Held(
            system="bytewax",
            version=f"bytewax {metadata.version('bytewax')}",
            command=command,
            did=self.did,
            rules=[self.later, self.fold, self.resume, self.end, self.known],
            seen={
                "states put out again after a crash, as is allowed (A3, without two-phase commit)": self.again,
                "runs in which a snapshot of an epoch that was never closed stood in for a later state "
                "(known defect: stale snapshot)": self.stale,
                "of these ended with other records than were read": self.wrong_for_good,
            },
        )


class _Run:
    """One run: the crashes of a flow over one directory, ``records`` of each partition."""

    def __init__(self, rules: _Rules, flow: Any, place: Path, records: int) -> None:
        self.rules, self.flow, self.place, self.records = rules, flow, place, records
        self.last: Cut | None = None
        self.left_open: frozenset[_Change] = frozenset()
        self.stale = False
        rules.did["runs"] += 1

    def judge(self) -> None:
        """Hold the epochs that were closed since the last time against the rules.

        Where a state that is wrong comes from a snapshot that a crash had left in an open epoch, that is the known
        defect: what follows from there on is not judged.
        """
        recorded = read_recorded(self.place)
        for cut in recorded.cuts(self.last.epoch + 1 if self.last else 1):
            wanted = sorted(each for name, at in cut.positions.items() for each in _records(name, at))
            found = sorted(each for state in cut.states.values() for each in state)
            self.stale |= found != wanted and bool(cut.changes & self.left_open)
            if self.stale:
                break
            self.rules.did["cuts"] += 1
            place = f"{self.place.name}, epoch {cut.epoch}"
            self.rules.later.check(place, sorted(set(found) - set(wanted)), [])
            self.rules.fold.check(place, found, wanted)
            self.last = cut
        self.left_open |= {change for change in recorded.open_changes() if isinstance(change[2], str)}

    def end(self, put_out: list[str] | None = None) -> None:
        """Judge what a run that has ended leaves."""
        everything = sorted(each for name in self.flow.PARTITIONS for each in _records(name, self.records))
        *_, last = read_recorded(self.place).cuts()
        found = sorted(each for state in last.states.values() for each in state)
        if self.stale:
            self.rules.stale += 1
            self.rules.wrong_for_good += found != everything
            return
        self.rules.end.check(self.place.name, found, everything)
        if put_out is not None:
            newest = sorted({each for state in put_out for each in state.split()[-1:]})
            self.rules.end.check(f"{self.place.name}, put out", newest, everything)
            self.rules.again += len(put_out) - len(everything)


def _records(partition: str, position: int) -> list[str]:
    return [f"{partition}{n}" for n in range(1, position + 1)]


def hold_bytewax(
    *, seed: int, crashes: int, kills: int, place: Path, say: Callable[[str], object], flow: Any = None
) -> Held:
    """Crash runs of a flow, and judge every epoch that was closed. ``flow`` is the module that runs them.

    Raises SpecError without the extra, IncompleteError when a process with two workers does not end.
    """
    require_extra("bytewax")
    flow = flow or import_module("pyharness.lab.real_systems.bytewax_flow")
    rules = _Rules()
    _check_known(rules, place)
    generator = random.Random(seed)  # noqa: S311 - schedules, no secrets
    while rules.did["crashes in this process"] < crashes:
        run = _Run(rules, flow, place / f"run-{rules.did['runs']}", _FEW)
        _crash_here(run, generator)
        say(f"{rules.did['crashes in this process']} of {crashes} crashes")
    while rules.did["kills of two workers"] < kills:
        run = _Run(rules, flow, place / f"run-{rules.did['runs']}", _MANY)
        _kill_workers(run, generator, min(_KILLS, kills - rules.did["kills of two workers"]))
        say(f"{rules.did['kills of two workers']} of {kills} kills")
    return rules.held(f"pyharness systems bytewax --seed {seed} --crashes {crashes} --kills {kills}")


def _check_known(rules: _Rules, place: Path) -> None:
    for name, (show, yields) in import_module("pyharness.lab.real_systems.bytewax_defects").DEFECTS.items():
        directory = place / name.replace(" ", "-")
        directory.mkdir()
        rules.known.check(name, show(directory), yields)


def _crash_here(run: _Run, generator: random.Random) -> None:
    """Run a flow of one worker until it ends, with crashes at random polls on the way."""
    run.flow.prepare(run.place, 1)
    put_out = []
    source = None
    while source is None or source.died:
        source = run.flow.Source(
            run.records, generator, generator.randint(0, 12) if generator.random() < 0.9 else None
        )
        put_out += run.flow.run_once(run.place, source)
        if run.last is not None and not run.stale:
            run.rules.resume.check(run.place.name, source.resumed, run.last.positions)
        run.judge()
        run.rules.did["crashes in this process"] += source.died
    run.end(put_out)


def _kill_workers(run: _Run, generator: random.Random, kills: int) -> None:
    """Run a flow of two workers in a process that is killed up to ``kills`` times, and let it end."""
    run.flow.prepare(run.place, 2)
    log = run.place / "workers.log"
    for life in range(kills + 1):
        words = [str(run.place), str(generator.randrange(10**9)), str(run.records)]
        with started(run.flow.__name__, words, log) as process:
            wait_for(process, (run.place / "started").exists, "the flow of two workers", log, _SECONDS)
            try:
                status = process.wait(generator.uniform(0, 0.5) if life < kills else _SECONDS)
            except subprocess.TimeoutExpired:
                kill(process)
                status = None
        (run.place / "started").unlink()
        if status or (status is None and life == kills):
            raise IncompleteError(f"the flow of two workers ended with {status}", where=run.place.name)
        run.judge()
        if status == 0:
            break
        run.rules.did["kills of two workers"] += 1
    run.end()


def read_recorded(place: Path) -> Recorded:
    """Read what Bytewax has on disk.

    Raises SpecError for a snapshot that is not a plain value, and so not one of our flow's.
    """
    executions = sorted(_rows(place, "select ex_num, worker_count, resume_epoch from exs"))
    number, workers, resumed = executions[-1] if executions else (0, 0, 1)
    fronts = {
        worker: frontier
        for execution, worker, frontier in _rows(
            place, "select ex_num, worker_index, worker_frontier from fronts"
        )
        if execution == number
    }
    frontier = min((fronts.get(worker, resumed) for worker in range(workers)), default=1)
    changes = _rows(place, "select snap_epoch, state_key, ser_change from snaps")
    return Recorded(
        frontier,
        sorted(
            ((epoch, key, plain_value(change)) for epoch, key, change in changes), key=lambda each: each[0]
        ),
    )


def _rows(place: Path, query: str) -> Iterator[tuple[Any, ...]]:
    for path in sorted(place.glob("*.sqlite3")):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            yield from base.execute(query)


_FRAMING: Final = {"PROTO", "FRAME", "MEMOIZE", "STOP"}
_VALUES: Final = {"BININT", "BININT1", "BININT2", "SHORT_BINUNICODE", "BINUNICODE"}


def plain_value(pickled: bytes) -> int | str:
    """Return the number or text that Bytewax has pickled, without unpickling: its code is listed, and not run.

    Raises SpecError if it is anything else.
    """
    try:
        codes = [
            (code.name, value) for code, value, _ in pickletools.genops(pickled) if code.name not in _FRAMING
        ]
    except Exception as error:  # noqa: BLE001 - ValueError, and what its readers of numbers and texts raise
        raise SpecError(f"a snapshot is not a pickle: {error}") from None
    if len(codes) != 1 or codes[0][0] not in _VALUES or not isinstance(codes[0][1], int | str):
        raise SpecError("a snapshot is neither a number nor a text", hint="our flow writes no other")
    return codes[0][1]
