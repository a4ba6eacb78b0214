"""Spark Structured Streaming, killed at random moments: each micro-batch is a recorded cut.

Spark stops the world between two batches: what it plans to read goes to ``offsets``, what was read to ``sources``, the
state of batch n to a version of its own, and ``commits`` has batch n once it is complete. All of that stays readable, so
a cut is checked without any instrument in Spark: the state of batch n has to be the fold of the records of the batches
up to n. To see which record is there how often, the m-th record of a key has the value ``8 ** m``: the octal digits of
a sum count them.

A run is some workloads one after another, each in a directory of its own, whose driver is killed (SIGKILL, with its
Java) up to ten times and then left to finish.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.extras import require_extra
from pyharness.base.toolchain.machine_size import cores
from pyharness.gate.jobs.spark_session import spark_session
from pyharness.lab.real_systems.held_rules import Held, Rule
from pyharness.lab.real_systems.killed_process import kill, started, wait_for
from pyharness.lab.real_systems.spark_driver import FINISHED, SENT, STARTED, STORES

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Sequence

_State = dict[int, tuple[int, int]]
"""By key: how many records, and the sum of their values."""

_KEYS: Final = 8
_FILES: Final = 80
"""Of a workload; at one file a batch these are fewer batches than the 100 whose state Spark keeps."""
_EACH: Final = 4
"""Records of a file: 40 of a key, whose sum fits into the 38 digits of Spark's decimals."""

_KILLS: Final = 10
"""Of a workload, at most."""
_SECONDS: Final = 300
"""So long a driver may take to start, or to finish."""
_MOST: Final = 16 * 1024 * 1024


@dataclass(frozen=True)
class Crash:
    """A kill that met a running driver: the batches that ``counts`` had planned, by number, and had committed."""

    planned: dict[int, tuple[str, ...]]
    committed: frozenset[int]


@dataclass
class Workload:
    """The files on disk in the end: the evidence that :func:`judge` looks at.

    ``files`` has the ids of the records of each input file; ``counts`` and ``copies`` have the files that each batch of
    the two queries read; ``states`` the state after each committed batch; ``sent`` what ``foreachBatch`` was given, in
    order; ``sink`` the ids in the files that the sink's log names, for each batch that has a line of its own, and
    ``kept`` those of all; ``strays`` are the lines of files that the log does not name.
    """

    name: str
    files: dict[str, tuple[int, ...]]
    counts: dict[int, tuple[str, ...]]
    copies: dict[int, tuple[str, ...]]
    states: dict[int, _State]
    sent: list[tuple[int, _State]]
    sink: dict[int, tuple[int, ...]]
    kept: tuple[int, ...]
    strays: int
    crashes: list[Crash] = field(default_factory=list)


def write_input(place: Path) -> None:
    """Write the files that Spark will read, each older than the next."""
    (place / "input").mkdir(parents=True)
    for number in range(_FILES):
        ids = range(number * _EACH, (number + 1) * _EACH)
        lines = [json.dumps({"id": n, "key": n % _KEYS, "value": str(_value(n))}) for n in ids]
        path = place / "input" / f"{number:04}.json"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        os.utime(path, (1_000_000_000 + number,) * 2)


def _value(record: int) -> int:
    return int(8 ** (record // _KEYS))


def hold_spark_batches(*, seed: int, kills: int, place: Path, say: Callable[[str], object]) -> Held:
    """Kill drivers ``kills`` times in directories below ``place``, and judge every batch.

    Raises IncompleteError when a driver does not start or finish in time, or ends by itself; SpecError without Spark.
    """
    require_extra("spark")
    wanted = [min(_KILLS, kills - n) for n in range(0, kills, _KILLS)]
    done: list[Crash] = []

    def work(number: int) -> tuple[Path, list[Crash]]:
        directory = place / f"workload-{number}"
        write_input(directory)
        generator = random.Random(seed * 1_000_003 + number)  # noqa: S311 - moments, no secrets
        met: list[Crash] = []
        for crash in _lives(directory, STORES[number % len(STORES)], wanted[number], generator):
            met.append(crash)
            done.append(crash)
            say(f"{len(done)} of {kills} kills")
        return directory, met

    with ThreadPoolExecutor(cores()) as pool:
        ran = list(pool.map(work, range(len(wanted))))
    return judge(_read_all(ran, say) if ran else [], seed, kills)


def _read_all(ran: Sequence[tuple[Path, list[Crash]]], say: Callable[[str], object]) -> list[Workload]:
    found = []
    with spark_session("local[2,4]") as spark:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")
        for directory, met in ran:
            say(f"reading {directory.name}")
            found.append(read_workload(spark, directory, met))
    return found


def _lives(place: Path, store: str, kills: int, generator: random.Random) -> Iterator[Crash]:
    """Run the driver again and again, kill it up to ``kills`` times, and let it finish in the end."""
    for _ in range(kills):
        (place / STARTED).unlink(missing_ok=True)
        with _driver(place, store, generator.randint(1, 2)) as driver:
            _wait(driver, place, (place / STARTED).is_file)
            _await_moment(driver, place, generator)
            finished = (place / FINISHED).is_file() or driver.poll() is not None
            kill(driver)
        if finished:
            break
        yield Crash(_read_batches(place / "counts"), frozenset(_numbers(place / "counts" / "commits")))
    if not (place / FINISHED).is_file():
        with _driver(place, store, 2) as driver:
            _wait(driver, place, (place / FINISHED).is_file)
            kill(driver)


def _driver(place: Path, store: str, files: int) -> subprocess.Popen[bytes]:
    words = [str(place), str(files), store]
    return started("pyharness.lab.real_systems.spark_driver", words, place / "driver.log")


def _wait(driver: subprocess.Popen[bytes], place: Path, seen: Callable[[], bool]) -> None:
    wait_for(driver, seen, "Spark's driver", place / "driver.log", _SECONDS)


def _await_moment(driver: subprocess.Popen[bytes], place: Path, generator: random.Random) -> None:
    """Wait for the moment of a kill: some seconds after the start of the queries, or when the next lines were sent."""
    sent = place / SENT

    def lines() -> int:
        return sent.read_bytes().count(b"\n") if sent.is_file() else 0

    wanted = lines() + generator.randint(1, 3) if generator.random() < 0.5 else sys.maxsize
    end = time.monotonic() + (generator.uniform(0, 5) if wanted == sys.maxsize else 20)
    while driver.poll() is None and time.monotonic() < end and lines() < wanted:
        time.sleep(0.005)


def _numbers(directory: Path) -> list[int]:
    return sorted(int(path.name) for path in directory.glob("[0-9]*") if path.name.isdigit())


def _log(path: Path) -> list[Any]:
    """Return the lines of one file of Spark's logs as JSON data, without its version."""
    return [json.loads(line) for line in read_utf8(path, _MOST).splitlines()[1:] if line.startswith("{")]


def _read_batches(checkpoint: Path) -> dict[int, tuple[str, ...]]:
    """Return the names of the files of each batch that a query has planned: its ``offsets`` and its ``sources``."""
    entries = {
        (entry["batchId"], Path(entry["path"]).name)
        for path in checkpoint.glob("sources/0/[0-9]*")
        for entry in _log(path)
    }
    planned, last = {}, -1
    for number in _numbers(checkpoint / "offsets"):
        offset = _log(checkpoint / "offsets" / str(number))[-1]["logOffset"]
        planned[number] = tuple(sorted(name for batch, name in entries if last < batch <= offset))
        last = offset
    return planned


def read_workload(spark: Any, place: Path, crashes: Sequence[Crash] = ()) -> Workload:
    """Read what a workload has left, the states of its batches by Spark's own reader."""
    counts = place / "counts"
    files = {
        path.name: tuple(json.loads(line)["id"] for line in read_utf8(path, _MOST).splitlines())
        for path in sorted((place / "input").glob("*.json"))
    }
    sent = [json.loads(line) for line in read_utf8(place / SENT, _MOST).splitlines()]
    listed = {
        path.name: [Path(entry["path"]).name for entry in _log(path)]
        for path in (place / "sink" / "_spark_metadata").glob("[0-9]*")
    }
    kept = {name for names in listed.values() for name in names}
    strays = [path for path in (place / "sink").glob("part-*.json") if path.name not in kept]
    return Workload(
        name=place.name,
        files=files,
        counts=_read_batches(counts),
        copies=_read_batches(place / "copies"),
        states={batch: _state(spark, counts, batch) for batch in _numbers(counts / "commits")},
        sent=[(batch, {key: (number, total) for key, number, total in rows}) for batch, rows in sent],
        sink={int(n): _ids(place, names) for n, names in listed.items() if n.isdigit()},
        kept=_ids(place, kept),
        strays=sum(len(read_utf8(path, _MOST).splitlines()) for path in strays),
        crashes=list(crashes),
    )


def _ids(place: Path, names: Sequence[str] | set[str]) -> tuple[int, ...]:
    lines = (line for name in names for line in read_utf8(place / "sink" / name, _MOST).splitlines())
    return tuple(sorted(json.loads(line)["id"] for line in lines))


def _state(spark: Any, checkpoint: Path, batch: int) -> _State:
    rows = spark.read.format("statestore").option("batchId", batch).load(str(checkpoint)).collect()
    return {row["key"]["key"]: (row["value"]["count"], int(row["value"]["sum"])) for row in rows}


def judge(workloads: Sequence[Workload], seed: int, kills: int) -> Held:
    """Hold what the workloads have left against the rules."""
    cut = Rule(
        "cut", "the state of batch n is the fold of the records that batches 0 to n read, each once", "A1, A2"
    )
    plan = Rule("plan", "a batch reads what was planned, also after a crash", "A2")
    each_once = Rule("all", "every record is read by one batch, and no committed batch is left out", "A2")
    sent = Rule("foreachBatch", "each batch is sent at least once, and each time as in its state", "A3")
    sink = Rule(
        "file sink", "what its log names has exactly the records of the batch, and all records once", "A3"
    )
    again = torn = strays = 0
    for load in workloads:
        _judge_cuts(load, cut)
        _judge_plans(load, plan, each_once)
        _judge_sent(load, sent)
        for batch, ids in load.sink.items():
            sink.check(
                f"{load.name}, batch {batch}", _text(ids), _text(_read(load, load.copies.get(batch, ())))
            )
        sink.check(f"{load.name}, all", _text(load.kept), _text(_read(load, load.files)))
        again += len(load.sent) - len({batch for batch, _ in load.sent})
        torn += sum(len(set(crash.planned) - crash.committed) > 0 for crash in load.crashes)
        strays += load.strays
    return Held(
        system="spark-batches",
        version=f"pyspark {metadata.version('pyspark')}",
        command=f"pyharness systems spark-batches --seed {seed} --kills {kills}",
        did={
            "workloads": len(workloads),
            "kills": sum(len(load.crashes) for load in workloads),
            "kills within a batch": torn,
            "cuts": cut.checked,
        },
        rules=[cut, plan, each_once, sent, sink],
        seen={
            "batches sent to foreachBatch again, as is allowed (A3, without two-phase commit)": again,
            "lines in the file sink's directory that its log does not name": strays,
        },
    )


def _read(load: Workload, names: Sequence[str] | dict[str, Any]) -> tuple[int, ...]:
    return tuple(sorted(each for name in names for each in load.files[name]))


def _text(ids: Sequence[int]) -> str:
    return f"records {', '.join(f'{n} x{many}' if many > 1 else str(n) for n, many in Counter(ids).items())}"


def _fold(ids: Sequence[int]) -> _State:
    by_key: dict[int, list[int]] = {}
    for record in ids:
        by_key.setdefault(record % _KEYS, []).append(_value(record))
    return {key: (len(values), sum(values)) for key, values in by_key.items()}


def _records(state: _State) -> str:
    """Return the records that a state has; the octal digits of a sum count them."""
    ids = sorted(
        place * _KEYS + key
        for key, (_, total) in state.items()
        for place, digit in enumerate(reversed(f"{total:o}"))
        for _ in range(int(digit))
    )
    return f"{_text(ids)} in {sum(number for number, _ in state.values())}"


def _judge_cuts(load: Workload, cut: Rule) -> None:
    read: list[int] = []
    for batch in sorted(load.counts):
        read += _read(load, load.counts[batch])
        if batch in load.states:
            cut.check(f"{load.name}, batch {batch}", _records(load.states[batch]), _records(_fold(read)))


def _judge_plans(load: Workload, plan: Rule, each_once: Rule) -> None:
    for number, crash in enumerate(load.crashes):
        for batch, names in crash.planned.items():
            plan.check(f"{load.name}, crash {number}, batch {batch}", load.counts.get(batch), names)
        lost = sorted(crash.committed - set(load.states))
        each_once.check(f"{load.name}, crash {number}: committed batches that are gone", lost, [])
    for name, planned in (("counts", load.counts), ("copies", load.copies)):
        read = _read(load, [each for names in planned.values() for each in names])
        each_once.check(f"{load.name}, {name}", _text(read), _text(_read(load, load.files)))
    each_once.check(f"{load.name}: batches with a state", sorted(load.states), sorted(load.counts))


def _judge_sent(load: Workload, sent: Rule) -> None:
    for batch, rows in load.sent:
        keys = {record % _KEYS for record in _read(load, load.counts.get(batch, ()))}
        wanted = {key: value for key, value in load.states.get(batch, {}).items() if key in keys}
        sent.check(f"{load.name}, batch {batch}", rows, wanted)
    missing = sorted(set(load.counts) - {batch for batch, _ in load.sent})
    sent.check(f"{load.name}: batches that were never sent", missing, [])
