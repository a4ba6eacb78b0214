"""How many events a second go over the pipe to a program under test, are answered, and compared with the spec's.

    python benchmarks/bench_programs.py [--pairs N] [--events N]

The programs are the examples that ``pyharness init --hold`` writes, in C (it keeps its state: two requests an event)
and, where there is ``node``, in JavaScript (it hands its state out). The other side echoes as many lines through
``cat``, which nobody reads or compares. It is CPU time of both ends of the pipe, which wait for each other: on an idle
machine it is wall time, too.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from pairs import compared, leave

import pyharness.hold.programs
from pyharness.base.topology import parse_topology
from pyharness.hold.programs import HELD, Limits
from pyharness.hold.programs.team import Programs
from pyharness.hold.programs.watched_machine import settled, taken_by, watched_system
from pyharness.machines.protocols import Items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.hold.programs.vocabulary import Event
    from pyharness.hold.programs.watched_machine import WatchedState
    from pyharness.machines.systems.system import System

WANTED = 5000
LONGEST = 200
STARTERS = Path(pyharness.hold.programs.__file__).parent / "starters"


class Ask(NamedTuple):
    """What a process is asked, and what the spec has before and after it."""

    number: int
    before: WatchedState
    event: Event
    after: WatchedState


def main() -> int:
    """Measure, and leave the figures."""
    options = argparse.ArgumentParser(description="Events a second over a pipe.", allow_abbrev=False)
    options.add_argument("--pairs", type=int, default=5)
    options.add_argument("--events", type=int, default=20_000)
    given = options.parse_args()
    system = watched_system(HELD["ChandyLamport"], parse_topology("clique:3"), Items(3, "spread"))
    asks = behaviour(system)
    rounds = max(1, given.events // len(asks))
    count = rounds * len(asks)
    rows, found = [], []
    with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
        for language, command in commands(Path(directory)).items():
            alone: list[float] = []

            def ours(command: Sequence[str] = command, alone: list[float] = alone) -> None:
                began = time.process_time()
                ask(command, system, asks, rounds)
                alone.append(time.process_time() - began)

            what = f"{count:,} events asked of a program in {language}, by as many lines through cat"
            found.append(compared("programs", what, ours, lambda: echo(count), pairs=given.pairs, cost=True))
            both, harness = (round(count / statistics.median(each)) for each in (found[-1].ours, alone))
            rows.append({"program": language, "events": count, "both ends": both, "harness": harness})
            print(f"{language}: {both:,} events a CPU second, {harness:,} of the harness; wanted {WANTED:,}")
    leave(*found, table=rows)
    return 0


def commands(directory: Path) -> dict[str, Sequence[str]]:
    """Return the command of each example for which there is what it needs."""
    made: dict[str, Sequence[str]] = {}
    if shutil.which("cc"):
        program = directory / "snapshot"
        subprocess.run(["cc", "-O1", "-o", str(program), str(STARTERS / "snapshot.c")], check=True)
        made["C"] = (str(program),)
    if shutil.which("node"):
        made["JavaScript"] = ("node", str(STARTERS / "snapshot.js"))
    return made


def behaviour(system: System) -> list[Ask]:
    """Return what the processes are asked in a behaviour of the spec, drawn at random."""
    random = Random(1)  # noqa: S311 - to be repeated
    state = next(system.initial())
    asks: list[Ask] = []
    while len(asks) < LONGEST:
        action = random.choice(list(system.actions(state)))
        for number, event in taken_by(action):
            asks.append(Ask(number, state.local[number - 1], event, action.after.local[number - 1]))
        state = settled(action.after)
    return asks


def ask(command: Sequence[str], system: System, asks: Sequence[Ask], rounds: int) -> None:
    """Ask programs all of it, so many times, each from a reset on; all answers must be right."""
    with Programs(command, Limits()) as programs:
        team = programs.team(len(system.processes))
        for _ in range(rounds):
            begun = team.begin(system, next(system.initial()))
            memories = [local.memory for local in begun.local]
            for number, before, event, after in asks:
                machine = system.processes[number - 1]
                told = team.ask(machine, before._replace(memory=memories[number - 1]), event, after)
                assert not told.mismatches, told
                memories[number - 1] = told.memory


def echo(count: int) -> None:
    """Write so many lines to cat, and read each back before the next."""
    line = b'{"src":"c1","dest":"n2","body":{"type":"show","msg_id":5}}\n'
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(count):
            process.stdin.write(line)
            process.stdout.read(len(line))
        process.stdin.close()


if __name__ == "__main__":
    sys.exit(main())
