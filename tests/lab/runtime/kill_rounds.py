"""Rounds of failure and restore: something is killed or stopped at a random moment, and the run goes on from there.

`python -m tests.lab.runtime.kill_rounds --rounds 1000 --seed 1` plays that many, in runs of ten rounds each; every run ends
undisturbed, and is then looked at as a whole. Which run has which graph, protocol, victim and moment follows from the
seed; what the processes are doing at that moment is theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from pyharness.hold.logs.validation import validate
from pyharness.lab.runtime.bank_vertices import BALANCE
from pyharness.lab.runtime.dataflow_vertex import BARRIER_MODES, word_of
from pyharness.lab.runtime.stored_snapshots import StoredSnapshot, newest_snapshot, snapshot_files

BANKS = ("ring:3", "1>2,2>1@1,2", "kuper", "1>2,2>3,3>1,1>3@1,3")
FLOWS = ("pipeline:3", "join:3", "diamond:4", "funnel:4")
PROTOCOLS = ("ChandyLamport", "StopTheWorld", *BARRIER_MODES)
EARLY = "parent at the start"
VICTIMS = (EARLY, "vertex", "parent", "stopped vertex", "paused vertex", "all at once")
PATIENCE = 60.0
PYHARNESS = (sys.executable, "-m", "pyharness")


def children(pid: int) -> dict[int, str]:
    """Return the processes that a process has started, with their command lines."""
    found = {}
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(OSError):
                found[int(child)] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
    return found


def vertices(pid: int) -> list[int]:
    """Return the vertices of the run that a process is the parent of."""
    return sorted(child for child, line in children(pid).items() if "vertex_process" in line)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(true, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what}: not in {seconds} seconds"
        time.sleep(0.005)


def command(directory: Path, fresh: tuple[str, ...] | None, seconds: float) -> list[str]:
    """Return the command that begins a run, or goes on with it from the newest snapshot."""
    begin = ["--out", str(directory), *fresh] if fresh else ["--restore", str(newest_snapshot(directory))]
    return [*PYHARNESS, "run", *begin, f"--seconds={seconds}", "--every=15", "--delay=0.5", "--json"]


def send(number: int, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def disturb(parent: subprocess.Popen, victim: str, random: Random) -> int:
    """Kill or stop what is to be; return the exit code that the parent must end with."""
    own = vertices(parent.pid)
    one = [random.choice(own)]
    if victim == "vertex":
        send(signal.SIGKILL, one)
        return 3
    if victim == "paused vertex":  # it wakes up late, and the run goes on
        send(signal.SIGSTOP, one)
        time.sleep(random.uniform(0.01, 0.3))
        send(signal.SIGCONT, one)
        return 0
    if victim == "stopped vertex":
        send(signal.SIGSTOP, one)
        time.sleep(random.uniform(0, 0.05))
    send(signal.SIGKILL, [parent.pid, *(own if victim == "all at once" else [])])
    return -signal.SIGKILL


def one_round(directory: Path, fresh: tuple[str, ...] | None, victim: str, random: Random) -> None:
    """Start the run or go on with it, and disturb it at a random moment after its first snapshot."""
    if victim == EARLY and not fresh:
        parent = subprocess.Popen(
            command(directory, None, 600), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(random.uniform(0, 3))
        own = vertices(parent.pid)
        parent.kill()
        parent.wait()
        wait_until(lambda: not any(map(alive, own)), "the end of those that have lost their parent")
        return
    before = len(snapshot_files(directory))
    seconds = 0.6 if victim == "paused vertex" else 600
    parent = subprocess.Popen(
        command(directory, fresh, seconds), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: parent.poll() is not None or len(snapshot_files(directory)) > before, "a snapshot")
        assert parent.poll() is None, parent.stderr.read()
        time.sleep(random.uniform(0, 0.3))
        own = vertices(parent.pid)
        expected = disturb(parent, victim, random)
        _, said = parent.communicate(timeout=PATIENCE)
        assert parent.returncode == expected, f"{victim}: {parent.returncode}\n{said}"
        wait_until(lambda: not any(map(alive, own)), "the end of those that have lost their parent")
    finally:
        parent.kill()
        parent.wait()
        parent.stderr.close()


def ended(directory: Path) -> dict:
    """Go on with a run, and let it end by itself; return what it says."""
    done = subprocess.run(
        command(directory, None, 0.2), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def look_at(directory: Path, said: dict) -> Counter:
    """Require that nothing was lost, and return how much was doubled, which only at-least-once may."""
    doubled: Counter = Counter()
    exact = said["protocol"] != "AtLeastOnceBarriers"
    for path in snapshot_files(directory):
        lost, twice = StoredSnapshot.read(path).law()
        assert not lost, f"{path}: {lost} lost"
        assert not (twice and exact), f"{path}: {twice} twice"
    for log in (directory / "logs").iterdir():
        files = [path.stat().st_size for path in log.iterdir()]
        if len(files) < len(said["states"]) or not all(files):
            continue  # killed before it began
        came = validate(log)
        assert came.verdict != "violation", came.reason
    states = {int(process): state for process, state in said["states"].items()}
    if said["protocol"] not in BARRIER_MODES:
        assert sum(state["balance"] for state in states.values()) == BALANCE * len(states)
        assert sum(state["owed"] for state in states.values()) == 4 * len(states)
        return doubled
    written: Counter = Counter()
    for path in (directory / "output").iterdir():
        if path.suffix == ".jsonl":
            for line in path.read_text().splitlines():
                source, number, word, _ = json.loads(line)
                assert word == word_of(1, source, number)
                written[source, number] += 1
    emitted = {
        (source, number)
        for source, state in states.items()
        if "offset" in state
        for number in range(1, state["offset"] + 1)
    }
    assert set(written) == emitted, (
        f"{len(emitted - set(written))} lost, {len(set(written) - emitted)} made up"
    )
    doubled["records"] = sum(count - 1 for count in written.values())
    assert not (doubled["records"] and exact), f"{doubled['records']} written twice"
    counted: Counter = Counter()
    for state in states.values():
        counted.update({int(word): n for word, n in state.get("counts", {}).items()})
    assert sum(counted.values()) == written.total(), "what was counted is not what was written"
    return doubled


def play(place: Path, seed: str, rounds: int, protocol: str | None = None) -> Counter:
    """Play a run of so many rounds, and look at it; return what was done, and what was doubled."""
    random = Random(seed)
    protocol = protocol or random.choice(PROTOCOLS)
    graph = random.choice(FLOWS if protocol in BARRIER_MODES else BANKS)
    directory = place / "run"
    done: Counter = Counter()
    fresh = (f"--topology={graph}", f"--protocol={protocol}")
    for _ in range(rounds):
        victim = random.choice(VICTIMS)
        one_round(directory, fresh, victim, random)
        fresh = None
        done[f"{protocol}: {victim}"] += 1
    return done + look_at(directory, ended(directory))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    done: Counter = Counter()
    for number in range(0, given.rounds, 10):
        seed = f"{given.seed}.{number}"
        with tempfile.TemporaryDirectory() as place:
            try:
                done += play(Path(place), seed, min(10, given.rounds - number))
            except BaseException:
                print(f"in the run of seed {seed}", file=sys.stderr)
                raise
        print(f"{number + 10} rounds, the last run of seed {seed}", file=sys.stderr)
    for what, count in sorted(done.items()):
        print(f"{count:7} {what}")
    print(f"{given.rounds} rounds: nothing lost, nothing doubled but at-least-once")


if __name__ == "__main__":
    main()
