"""Give every reader of files broken ones, by the thousand: it reads them or says what is wrong, soon, in little memory.

``python -m tests.security.fuzz_readers --inputs 100000 --seed 1`` (``make fuzz``) prints what it found. An input is
made from one that is well by changing its bytes, its words or its structure; the same seed and number make the same
input. Each reader runs in a process of its own with a bounded space of addresses, and each input has ten seconds.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from pyharness.base.errors import HarnessError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs.job_store import leave_rows, left_rows
from pyharness.gate.judge.pinned_lists import read_weakenings
from pyharness.gate.plans.claims import read_claims
from pyharness.gate.plans.plan import read_plan
from pyharness.hold.flink.expected_differences import recorded_differences
from pyharness.machines.replay import replay
from pyharness.models.table_rows import TABLES
from pyharness.models.trace_system import read_behaviour, system_for
from pyharness.mutants.trial import read_survivors
from pyharness.show.explorer.protocol_subject import open_trace
from pyharness.show.report.formats.export_formats import FORMATS
from pyharness.tla.tlc.dump import load_graph, read_states
from tests.table_rows import made

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "pyharness" / "cli" / "starter"
SAMPLES = ROOT / "tests" / "tla" / "tlc" / "samples"
SECONDS = 10
SPACE = 3 << 30
"""Bytes of addresses: with what Python and its libraries map, a reader has less than 500 MB."""

MOST_MEMORY = 500 << 20
LARGEST = 200_000
FIGURES = (
    "0",
    "-1",
    "1",
    "4294967296",
    "1e999",
    "9" * 5000,
    "null",
    "true",
    '""',
    "[]",
    "{}",
    "NaN",
    "\x00",
    "\x1b[2J",
)


def behaviour(path):
    """What `replay` and `export` do with a file."""
    trace, meta = read_behaviour(path)
    for name in ("text", "svg", "itf") if len(trace) < 20 else ():
        FORMATS[name](trace, meta)
    if len(trace) < 30:
        with suppress(HarnessError):
            replay(trace, system_for(trace, meta))
        with suppress(HarnessError):
            open_trace(trace, meta, None, None, where="fuzz")


def job_rows(path):
    left_rows(path)


def some(pattern, most=6, root=ROOT):
    """Some small files: what is large takes long to change, and has nothing that these lack."""
    found = sorted(root.glob(pattern), key=lambda path: (path.stat().st_size, path))
    return [path.read_bytes() for path in found[:most]]


def rows():
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "0123.json")
        leave_rows(path, [made(kind, {}) for kind in TABLES.values()])
        return [path.read_bytes()]


def beginning(name, tables):
    """The first tables of one of our lists."""
    return [b"\n[[".join((SPECS / name).read_bytes().split(b"\n[[")[: tables + 1])]


def printed():
    shares = {"*-text/*": 8, "*/*invariant*": 8, "*/*temporal*": 4, "*/*.FILE.sim*": 2}
    return [text for pattern, most in shares.items() for text in some(pattern, most, SAMPLES)]


def dumped():
    return [DUMP, *some("*/dump_plain.FILE*", 2, SAMPLES)]


DUMP = b'State 1:\n/\\ x = 1\n/\\ y = (<<1, 2>> :> {1})\n\nState 2:\n/\\ x = 2\n/\\ y = [a |-> "b"]\n\n'

READERS = {
    "itf": (behaviour, "f.itf.json", lambda: some("traces/*.itf.json", 12), 4),
    "tlc text": (behaviour, "f.txt", printed, 4),
    "schedules": (behaviour, "f.toml", lambda: some("specs/examples/*.toml", 8), 3),
    "plans": (
        lambda path: read_plan(path, STARTER), "f.toml", lambda: some("pyharness/cli/starter/*.toml", 2), 1),
    "claims": (read_claims, "f.toml", lambda: beginning("claims.toml", 7), 2),
    "listings": (read_weakenings, "f.toml", lambda: beginning("weakenings.toml", 4), 2),
    "survivors": (
        lambda path: read_survivors(path, "code"), "f.toml", lambda: some("specs/survivors.toml", 1), 2),
    "expected differences": (recorded_differences, "f.toml", lambda: some("pyharness/hold/flink/*.toml", 2), 2),
    "dumps": (load_graph, "f.dot", lambda: some("*/dump_dot*.dot", 4, SAMPLES), 3),
    "state dumps": (lambda path: list(read_states(path)), "f.dump", dumped, 3),
    "job rows": (job_rows, "0123.json", rows, 4),
}  # fmt: skip
"""Each reader with the name of a file for it, files that are well, and its share of the inputs."""


@dataclass
class Found:
    """What a reader did: inputs, how many it read, the slowest, the most memory, and what must not be."""

    reader: str
    inputs: int = 0
    read: int = 0
    slowest: float = 0.0
    memory: int = 0
    crashes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)


def changed(data: bytes, chance: random.Random) -> bytes:
    """Change an input in one to four places: bits, stretches, figures, nesting, or members of its JSON."""
    for _ in range(chance.randint(1, 4)):
        at, to = sorted(chance.randrange(len(data) + 1) for _ in "ab")
        to = min(to, at + chance.choice((1, 4, 40, 400)))
        match chance.randrange(9):
            case 0:
                data = (
                    data[:at] + bytes(chance.randrange(256) for _ in range(chance.randint(1, 4))) + data[to:]
                )
            case 1:
                data = data[:at] + data[to:]
            case 2:
                data = data[:to] + data[at:to] * chance.choice((1, 2, 50)) + data[to:]
            case 3:
                data = data[:at] + chance.choice(FIGURES).encode() + data[to:]
            case 4:
                data = data[:at] + chance.choice((b"[", b"{", b"<<", b'{"#tup": [', b"a.", b'"')) * chance.choice(
                    (1, 30, 3000)) + data[at:]  # fmt: skip
            case 5:
                data = _member(data, chance)
            case 6:
                data = _figure(data, chance)
            case 7:
                data = data[: chance.randrange(len(data) + 1)]
            case 8:
                lines = data.split(b"\n")
                chance.shuffle(lines) if chance.random() < 0.3 else lines.reverse()
                data = b"\n".join(lines)
        data = data[:LARGEST]
    return data


def _figure(data, chance):
    places = [n for n, c in enumerate(data[:20_000]) if 48 <= c < 58]
    if not places:
        return data
    at = chance.choice(places)
    return data[:at] + chance.choice(FIGURES).encode() + data[at + 1 :]


def _member(data, chance):
    """Replace, remove or repeat something within a JSON document."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data
    here, above = document, []
    while isinstance(here, dict | list) and here:
        key = chance.choice(list(here)) if isinstance(here, dict) else chance.randrange(len(here))
        above.append((here, key))
        here = here[key]
        if chance.random() < 0.2:
            break
    if above:
        place, key = chance.choice(above)
        values = (
            None,
            0,
            -1,
            2**40,
            "text",
            "\u202e\ud800",
            [],
            {},
            [[]],
            [1],
            {"#tup": []},
            {"#map": [[1, 1]]},
            True,
            1.5,
        )
        place[key] = chance.choice((*values, document.copy() if isinstance(document, dict) else 0))
    try:
        return json.dumps(document).encode()
    except (ValueError, RecursionError):
        return data


def fuzz(reader: str, inputs: int, seed: int) -> Found:
    """Give a reader so many inputs, in this process."""
    read, name, seeds, _ = READERS[reader]
    found, good = Found(reader), seeds()
    signal.signal(signal.SIGALRM, _late)
    with tempfile.TemporaryDirectory(prefix="pyharness-fuzz-") as directory:
        path = Path(directory, "place", name)
        path.parent.mkdir(parents=True)
        before = _most_memory()
        for number in range(inputs):
            chance = random.Random(f"{seed} {reader} {number}")
            path.write_bytes(changed(chance.choice(good), chance))
            began = time.process_time()
            try:
                _read(read, path, found, f"{reader} {number}")
            except TimeoutError:  # which may come behind the last line of what is timed
                found.hangs.append(f"{reader} {number}")
            found.slowest = max(found.slowest, time.process_time() - began)
            found.inputs += 1
        found.memory = _most_memory() - before
    return found


def _read(read, path: Path, found: Found, name: str) -> None:
    """Let a reader read a file within a time, of the clock: it may wait."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        read(path)
        found.read += 1
    except HarnessError as error:
        str(error)
    except TimeoutError:
        raise
    except BaseException:  # noqa: BLE001 - whatever it is, it is no error of ours
        last = traceback.format_exc().strip().splitlines()
        found.crashes.append(f"{name}: {last[-1][:150]} {last[-3].strip()[-60:]}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _most_memory():
    """The most memory that this process had, in bytes; not that of the one that it was forked from."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) << 10


def _late(*_):
    raise TimeoutError


def _bounded(seed: int, task: tuple[str, int]) -> Found:
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    return fuzz(*task, seed)


def fuzz_all(inputs: int, seed: int, jobs: int) -> list[Found]:
    """Share the inputs among the readers, each in a process of its own."""
    shares = sum(share for *_, share in READERS.values())
    tasks = [(name, max(1, inputs * share // shares + 1)) for name, (*_, share) in READERS.items()]
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, maxtasksperchild=1) as pool:
        return pool.map(partial(_bounded, seed), tasks, chunksize=1)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> int:
    """Print a line for each reader, and what must not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    results = fuzz_all(given.inputs, given.seed, given.jobs)
    for each in results:
        say(f"{each.reader:22} {each.inputs:7} inputs, {each.read:7} read, slowest {each.slowest:5.2f} s, "
              f"{each.memory >> 20:4} MB more, {len(each.crashes)} crashes, {len(each.hangs)} hangs")  # fmt: skip
    wrong = [line for each in results for line in (*each.crashes, *each.hangs)]
    say(f"{sum(each.inputs for each in results)} inputs, seed {given.seed}: {len(wrong)} that must not be")
    say("\n".join(islice(wrong, 40)))
    return 1 if wrong or any(each.memory > MOST_MEMORY for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
