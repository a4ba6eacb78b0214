"""A plan on Spark, and in processes of this machine: the same rows; and whatever is killed, no verdict is wrong.

`make test` looks at Spark's local mode, and kills a run of TLC there; `make faults` has ten rounds of each fault on Spark's
local cluster, whose executors are processes of their own.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyspark
import pytest

from tests.long import LONG
from tests.spark_classes import java_options

pytestmark = [pytest.mark.slow, pytest.mark.tlc]

ROUNDS = int(os.environ.get("PYHARNESS_FAULTS", "0"))
"""How often each fault comes at some moment; without rounds it comes once, when it is sure to strike."""

SECONDS = 240
CLUSTER = "local-cluster[2,1,1024]"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
TLC = "tlc2.TLC"
CHECKING = "-Xmx777m"  # on the command line of TLC in the check of "own", and in no other job
UNSHARE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
OF_A_SESSION = ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP")  # another test may have one

PLAN = """format = "pyharness-plan/1"

[[model]]
name = "shipped"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
items = 2
invariants = ["TypeOK"]
silent = ["Internal", "Exchange"]
simulate = { traces = 10, depth = 20, seed = 1 }
conform = true
pins = { distinct = 362, depth = 16, transitions = 501 }

[[model]]
name = "own"  # it takes some seconds, in which it can be struck
spec = "Own"
topologies = [{ ids = ["n3-0cc-i1"] }]
items = 2
invariants = ["TypeOK", "OwnInvariant"]
silent = ["Internal", "Exchange"]
pins = { distinct = 8069, depth = 26 }
budget = { heap_mb = 777 }
"""
OWN = """---- MODULE Own ----
EXTENDS ChandyLamport

OwnInvariant == Red \\subseteq ProcessesOf[topo]
====
"""


def linked_spark(home: Path) -> Path:
    """Return a home of Spark of this round's own: below it the local cluster leaves what its executors had."""
    home.mkdir()
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    return home


class Round:
    """One run of the plan that is struck, and one that ends what it began."""

    def __init__(self, tmp_path: Path, seed: str) -> None:
        self.random, self.own, self.out = random.Random(seed), tmp_path / "tmp", tmp_path / "out"
        self.place, self.word = tmp_path, f"PYHARNESS_ROUND={seed}".encode()
        self.own.mkdir()
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs" / "Own.tla").write_text(OWN, encoding="utf-8")
        (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
        java = java_options()
        options = f"--driver-java-options '{java}' --conf 'spark.executor.extraJavaOptions={java}'"
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in OF_A_SESSION},
            "TMPDIR": str(self.own),
            "PYHARNESS_ROUND": seed,
            "SPARK_HOME": str(linked_spark(tmp_path / "spark")),
            "PYSPARK_SUBMIT_ARGS": f"{options} --conf spark.network.timeout=60s pyspark-shell",
        }

    def start(self, *master: str, out: str = "out", before: str = "", after: str = "") -> subprocess.Popen:
        """Start the run; lines of the shell before and after it put it into a namespace of its own."""
        words = [sys.executable, "-m", "pyharness", "check", "plan.toml", "--specs", "specs", "--json"]
        words += ["--out", out, *(f"--master={each}" for each in master)]
        if before or after:
            words = [*UNSHARE, "bash", "-c", f"{before}\n{shlex.join(words)}\ncode=$?\n{after}\nexit $code"]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            words, cwd=self.place, env=self.environment, stdout=pipe, stderr=pipe, text=True
        )

    def processes(self, word: str) -> list[int]:
        """Return the processes of this round with a word on their command line; TLC's environment tells nothing."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdecimal() else []
                if word.encode() in words:
                    told = (entry / "environ").read_bytes().split(b"\0")
                    below = any(str(self.own).encode() in each for each in words)
                    found += [int(entry.name)] if below or self.word in told else []
            except OSError:
                continue  # it has ended
        return found

    def kept(self) -> set[str]:
        """Return the names of the finished jobs' files; one that was being written to a full disk is no JSON."""
        found = set()
        for path in self.out.glob("jobs/*.json"):
            try:
                found |= {path.name} if json.loads(path.read_text())["finished"] else set()
            except json.JSONDecodeError:
                path.unlink()
        return found

    def strike(self, fault: str, run: subprocess.Popen) -> bool:
        """Kill what the fault names at some moment; tell whether the run was still going on."""
        jobs = self.random.randint(0, 3) if ROUNDS else 0
        await_(lambda: len(list(self.out.glob("jobs/*.json"))) >= jobs or run.poll() is not None)
        time.sleep(self.random.uniform(0, 3) if ROUNDS else 0)
        if fault == "driver":
            pids = [run.pid]
        else:
            word = EXECUTOR if fault == "executor" else TLC if ROUNDS else CHECKING
            pids = await_(lambda: self.processes(word) or ([0] if run.poll() is not None else []))
        if run.poll() is None:
            os.kill(pids[0], signal.SIGKILL)
            return True
        return False

    def ends_well(self, kept: set[str]) -> None:
        """Nothing is left of what was struck; the run passes without a cluster, and takes over what had finished."""
        for word in (TLC, EXECUTOR):
            await_(lambda word=word: not self.processes(word))
        await_(lambda: not list(self.own.rglob("pyharness-tlc*")))
        code, found = document(self.start(out=str(self.out)))
        assert (code, verdicts(found)) == (0, {"shipped": "pass", "own": "pass"}), found
        assert found["reused"] >= len(kept)
        assert kept <= self.kept()


def await_(what):
    """Wait until something is so, and return it."""
    until = time.monotonic() + SECONDS
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.1)
    return found


def document(process):
    """Wait for ``check --json``, and return its exit code and its document."""
    said, complained = process.communicate(timeout=SECONDS)
    assert said.startswith("{"), complained
    return process.returncode, json.loads(said)


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
    assert all(model["verdict"] == "pass" or model["reasons"] for model in found["models"]), "and says why"


def measured(value):
    """A part of a document without what is never the same twice."""
    if isinstance(value, dict):
        return {key: measured(each) for key, each in value.items() if "seconds" not in key}
    return [measured(each) for each in value] if isinstance(value, list) else value


def test_on_spark_the_rows_are_those_of_processes_of_this_machine(tmp_path):
    """The models say the same, and the jobs have the same names; so the one takes over what the other left."""
    round_ = Round(tmp_path, "same")
    code, on_spark = document(round_.start("local[2]", out="of-spark"))
    assert (code, on_spark["reused"]) == (0, 0), on_spark
    code, here = document(round_.start(out="here"))
    assert (code, here["reused"]) == (0, 0), here
    assert measured(on_spark["models"]) == measured(here["models"])
    code, again = document(round_.start(out="of-spark"))
    assert (code, again["reused"]) == (0, again["jobs"])


@pytest.mark.parametrize(
    "fault", ["tlc", *(pytest.param(each, marks=LONG) for each in ("driver", "executor"))]
)
@pytest.mark.parametrize("number", range(max(ROUNDS, 1)))
def test_whatever_is_killed_no_verdict_is_wrong_and_nothing_is_lost(number, fault, tmp_path):
    """Where a run of TLC is killed there is no pass, and that is said; where an executor is, its jobs run again."""
    round_ = Round(tmp_path, f"{fault}-{number}")
    run = round_.start(CLUSTER if ROUNDS or fault == "executor" else "local[2]")
    struck = round_.strike(fault, run)
    said, complained = run.communicate(timeout=SECONDS)
    if not struck:
        pytest.skip("the run had ended before it was struck: this round shows nothing")
    if fault == "driver":
        assert run.returncode != 0
    else:
        honest(run.returncode, said, complained)
    if fault == "tlc" and not ROUNDS:
        (own,) = [model for model in json.loads(said)["models"] if model["name"] == "own"]
        assert (run.returncode, own["verdict"]) == (3, "incomplete")
        assert "killed" in " ".join(own["reasons"])
    round_.ends_well(round_.kept())


@LONG
@pytest.mark.parametrize("number", range(max(ROUNDS, 1)))
def test_a_disk_that_fills_up_is_said_and_what_is_on_it_counts(number, tmp_path):
    probe = [*UNSHARE, "mount", "-t", "tmpfs", "none", tempfile.gettempdir()]
    if subprocess.run(probe, capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("this machine permits no mount namespaces")
    round_ = Round(tmp_path, f"disk-{number}")
    rescued = tmp_path / "rescued"
    for path in (round_.out, rescued):
        path.mkdir()
    size = round_.random.randint(1, 40) if ROUNDS else 25  # KiB, less than the plan leaves
    mount = f"mount -t tmpfs -o size={size}k none {round_.out}"
    run = round_.start(before=mount, after=f"cp -r {round_.out}/. {rescued}")
    said, complained = run.communicate(timeout=SECONDS)
    assert run.returncode == 4, (said, complained)
    honest(run.returncode, said, complained)
    assert "No space left on device" in complained
    round_.out = rescued
    round_.ends_well(round_.kept())
