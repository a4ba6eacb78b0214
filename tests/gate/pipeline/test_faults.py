"""Things break at some moment of a run, again and again: no verdict is wrong, and nothing that had finished is lost.

`make faults` has ten rounds of each fault, with Spark's local cluster and with a standalone one; in `make test-long`
each fault that no other test has comes once.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

from tests.gate.pipeline.cluster_runs import (
    EXECUTOR,
    TLC,
    await_,
    document,
    driver_environment,
    nothing_is_left,
    on_workers,
    written_plan,
)
from tests.gate.pipeline.standalone_cluster import SECONDS, UNSHARE, require_namespaces, started_cluster
from tests.long import LONG

pytestmark = [pytest.mark.slow, pytest.mark.tlc]

ROUNDS = int(os.environ.get("PYHARNESS_FAULTS", "0"))
UNASKED = pytest.mark.skip(reason="`make faults` asks for rounds")
"""How often each fault comes; with 0, those that `test_on_a_cluster.py` does not have come once."""

SMALL = 40
"""KiB of the disk that is too small for what the plan leaves."""

AMID = 25
"""KiB of one that is full when some jobs have left their rows."""

MASTERS = {"here": (), "local-cluster": ("local-cluster[2,1,1024]",)}
"""What ``--master`` is given, by place; without it jobs run in processes of the command."""


class OnThisMachine:
    """Processes of this machine, of Spark or of the command, told apart by a word in their environment."""

    def __init__(self, master: tuple[str, ...], word: str) -> None:
        self.master = master
        self.word = f"PYHARNESS_ROUND={word}".encode()

    def processes(self, word: str) -> list[int]:
        """Return the processes of this round that have a word on their command line."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdecimal() and self.word in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    found += [int(entry.name)] if word.encode() in words else []
            except OSError:
                continue  # it has ended
        return found

    def worker(self, random_: random.Random) -> int | None:
        """Return None: its workers are threads of the driver."""
        return None

    def await_nothing(self, own: Path) -> None:
        for word in (TLC, EXECUTOR):
            await_(lambda word=word: not self.processes(word), self)
        await_(lambda: not list(own.rglob("pyharness-tlc*")), self)

    def logs(self) -> str:
        """Return nothing: what it says comes with the driver's own."""
        return ""


class Standalone:
    """A master and two workers that share nothing with the driver."""

    def __init__(self, cluster) -> None:
        self.cluster, self.master = cluster, (cluster.master,)

    def processes(self, word: str) -> list[int]:
        """Return the first process of each worker that has a word on its command line."""
        return [process for _, process in on_workers(self.cluster, word)]

    def worker(self, random_: random.Random) -> int | None:
        """Return the process of one of the workers."""
        return random_.choice(self.cluster.workers).process.pid

    def await_nothing(self, own: Path) -> None:
        assert nothing_is_left(self.cluster)

    def logs(self) -> str:
        """Return the ends of the daemons' logs."""
        return self.cluster.logs()


@contextmanager
def started(place: str, directory: Path, word: str):
    """Start a cluster for one round."""
    if place in MASTERS:
        yield OnThisMachine(MASTERS[place], word)
    else:
        require_namespaces()
        with started_cluster(directory) as cluster:
            yield Standalone(cluster)


def signalled(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it has ended by itself


def struck(fault, cluster, run, random_):
    """Kill what the fault names; tell whether the run was still going on."""
    if run.poll() is not None:
        return False
    if fault == "driver":
        run.kill()
    elif fault == "worker":
        signalled([cluster.worker(random_)])
    else:
        word = EXECUTOR if fault == "executor" else TLC
        found = await_(lambda: cluster.processes(word) or ([0] if run.poll() is not None else []), cluster)
        signalled(pid for pid in found[:1] if pid)
        return found != [0]
    return True


PLACES = ("local-cluster", "standalone")
ALWAYS = PLACES if ROUNDS else ("here",)
"""Where what strikes no process is looked at; the disk and the lock are the driver's, wherever its tasks run."""
KILLED = ("driver", "tlc", "executor", "worker")
FAULTS = [
    (place, fault) for place in PLACES for fault in KILLED if (place, fault) != ("local-cluster", "worker")
]


def linked_spark(home: Path) -> Path:
    """Return a home of Spark of this round's own: below it Spark's local cluster leaves what its executors had."""
    home.mkdir()
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    return home


class Round:
    """One run of the plan that is struck, and one that ends what it began."""

    def __init__(self, tmp_path: Path, place: str, seed: str) -> None:
        self.tmp_path, self.place = tmp_path, place
        self.random = random.Random(seed)
        plan, specs = written_plan(tmp_path)
        self.own = tmp_path / "tmp"
        self.environment = driver_environment(self.own) | {"PYHARNESS_ROUND": seed}
        if place == "local-cluster":
            self.environment["SPARK_HOME"] = str(linked_spark(tmp_path / "spark"))
        self.out = tmp_path / "out"
        self.words = [sys.executable, "-m", "pyharness", "check", str(plan), "--specs", str(specs), "--json"]

    def start(self, *master: str, before: str = "", after: str = "") -> subprocess.Popen[str]:
        """Start the run, on a master or on this machine alone.

        Lines of the shell before and after it put it into a namespace of its own.
        """
        words = [*self.words, "--out", str(self.out), *(f"--master={each}" for each in master)]
        if before or after:
            words = [*UNSHARE, "bash", "-c", f"{before}\n{shlex.join(words)}\ncode=$?\n{after}\nexit $code"]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            words, cwd=self.tmp_path, env=self.environment, stdout=pipe, stderr=pipe, text=True
        )

    def kept(self) -> set[str]:
        """Return the names of the finished jobs' files."""
        return {
            path.name for path in self.out.glob("jobs/*.json") if json.loads(path.read_text())["finished"]
        }

    def moment(self, run) -> None:
        """Wait for some moment of a run: some jobs have finished, and some time has gone by."""
        jobs = self.random.randint(0, 3)
        await_(lambda: len(list(self.out.glob("jobs/*.json"))) >= jobs, self, run)
        time.sleep(self.random.uniform(0, 3))

    def logs(self) -> str:
        """Return what is there if a wait was in vain."""
        return str(sorted(self.out.rglob("*")))

    def ends_well(self, kept: set[str]) -> None:
        """Run it again, without a cluster: it passes, and takes over all that had finished."""
        code, found = document(self.start())
        assert (code, set(verdicts(found).values())) == (0, {"pass"}), found
        assert found["reused"] >= len(kept)
        assert kept <= self.kept()


def verdicts(found):
    return {model["name"]: model["verdict"] for model in found["models"]}


def honest(code, said, complained):
    """A run that was struck: its verdicts are right, or it has none; it says so; and it does not end in a traceback."""
    assert "Traceback" not in complained, complained
    if not said.startswith("{"):
        assert code != 0
        return
    found = json.loads(said)
    assert set(verdicts(found).values()) <= {"pass", "incomplete", "error"}, found
    assert (code == 0) == (set(verdicts(found).values()) == {"pass"})
    for model in found["models"]:
        assert model["verdict"] == "pass" or model["reasons"], "and says why"


@pytest.mark.parametrize(("place", "fault"), FAULTS)
@pytest.mark.parametrize("number", range(ROUNDS) or [pytest.param(None, marks=UNASKED)])
def test_whatever_is_killed_no_verdict_is_wrong_and_nothing_is_lost(number, place, fault, tmp_path):
    round_ = Round(tmp_path, place, f"{place}-{fault}-{number}")
    with started(place, tmp_path, f"{place}-{fault}-{number}") as cluster:
        run = round_.start(*cluster.master)
        round_.moment(run)
        if not struck(fault, cluster, run, round_.random):
            run.communicate(timeout=SECONDS)
            pytest.skip("the run had ended before it was struck: this round shows nothing")
        said, complained = run.communicate(timeout=SECONDS)
        if fault != "driver":
            honest(run.returncode, said, complained)
        kept = round_.kept()
        if fault != "worker":
            cluster.await_nothing(round_.own)
        round_.ends_well(kept)


@LONG
@pytest.mark.parametrize("place", ALWAYS)
@pytest.mark.parametrize("number", range(max(ROUNDS, 1)))
def test_a_disk_that_fills_up_is_said_and_what_is_on_it_counts(number, place, tmp_path):
    require_namespaces()
    round_ = Round(tmp_path, place, f"{place}-disk-{number}")
    round_.out.mkdir()
    (tmp_path / "rescued").mkdir()
    size = round_.random.randint(1, SMALL) if ROUNDS else AMID
    with started(place, tmp_path, f"{place}-disk-{number}") as cluster:
        mount = f"mount -t tmpfs -o size={size}k none {round_.out}"
        run = round_.start(*cluster.master, before=mount, after=f"cp -r {round_.out}/. {tmp_path}/rescued")
        said, complained = run.communicate(timeout=SECONDS)
        assert run.returncode == 4, (said, complained)
        honest(run.returncode, said, complained)
        assert "No space left on device" in complained
        cluster.await_nothing(round_.own)
        round_.out = tmp_path / "rescued"
        round_.ends_well(readable(round_.out))


def readable(out):
    """The finished jobs on a disk that was full: one that was being written is no JSON."""
    found = set()
    for path in out.glob("jobs/*.json"):
        try:
            found |= {path.name} if json.loads(path.read_text())["finished"] else set()
        except json.JSONDecodeError:
            path.unlink()
    return found


@LONG
@pytest.mark.parametrize("place", ALWAYS)
@pytest.mark.parametrize("number", range(max(ROUNDS, 1)))
def test_of_two_drivers_on_one_output_one_is_refused(number, place, tmp_path):
    round_ = Round(tmp_path, place, f"{place}-two-{number}")
    with started(place, tmp_path, f"{place}-two-{number}") as cluster:
        runs = [round_.start(*cluster.master)]
        time.sleep(round_.random.choice([0, 0.5, 2]) if ROUNDS else 0)
        runs.append(round_.start(*cluster.master))
        ends = [(run.communicate(timeout=SECONDS), run.returncode) for run in runs]
        ((refused, code),) = [end for end in ends if end[1] != 0]
        assert code == 4, refused
        assert "another run uses this directory" in refused[1]
        ((passed, _),) = [end for end in ends if end[1] == 0]
        assert set(verdicts(json.loads(passed[0])).values()) == {"pass"}
        round_.ends_well(round_.kept())
