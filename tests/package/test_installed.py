"""The wheel and the sdist, installed in fresh environments outside the clone: every command finds what it needs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pyharness.base.toolchain.spec_files import ROOT

pytestmark = pytest.mark.slow

OWN_MODULE = """---- MODULE Own ----
EXTENDS ChandyLamport
====
"""


COMPARE = """
import pyharness
class Idle:
    def __init__(self, inputs): pass
    def take(self, source, element): return []
print(pyharness.compare(Idle, runs=20))
"""


def run(*words, where, code=0):
    """Run a program without the clone on its path; return what it printed. What it compiles it keeps for the next."""
    environment = {k: v for k, v in os.environ.items() if k != "VIRTUAL_ENV" and not k.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=where,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=1800,
        check=False,
    )
    assert done.returncode == code, done.stdout
    return done.stdout


ASK = """
import json, os, sys
from functools import cache
from click.testing import CliRunner
from pyharness.cli.main import cli
from pyharness.gate.plans import plan
plan.read_plan = cache(plan.read_plan)
told = []
for directory, *words in json.loads(sys.argv[1]):
    os.chdir(directory)
    result = CliRunner().invoke(cli, words)
    told.append((result.exit_code, result.output))
print(json.dumps(told))
"""


def ask(python, commands, where, *, each_in=()):
    """Run commands in one process, which reads a plan once; return the exit code and output of each.

    All run in one directory, or each in one of its own.
    """
    placed = [
        [str(place), *words]
        for place, words in zip(each_in or [where] * len(commands), commands, strict=True)
    ]
    told = run(python, "-c", ASK, json.dumps(placed), where=where)
    return dict(zip(map(tuple, commands), json.loads(told.splitlines()[-1]), strict=True))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist of the clone, and the wheel that is built from that sdist."""
    dist = tmp_path_factory.mktemp("dist")
    hooks = "import sys, hatchling.build as b; print(b.build_sdist(sys.argv[1]))"
    (name,) = run(sys.executable, "-c", hooks, dist, where=ROOT).split()
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", dist, dist / name,
        where=dist)  # fmt: skip
    (wheel,) = dist.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The program of a fresh environment that has the wheel and what it declares, and nothing else."""
    home = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", "--without-pip", home, where=home)
    pip = (sys.executable, "-m", "pip", "--python", home / "bin" / "python")
    run(*pip, "install", "-q", "--no-compile", built, where=home)
    return home / "bin" / "pyharness"


def files(directory):
    return {
        path: path.stat().st_mtime_ns
        for path in directory.rglob("*")
        if path.suffix != ".pyc" and path.is_file()
    }


@pytest.fixture
def untouched(installed):
    """Nothing is written into the environment."""
    (package,) = installed.parents[1].glob("lib/python*/site-packages/pyharness")
    before = files(package)
    yield package
    assert files(package) == before


def test_the_wheel_has_every_file_of_the_package_and_of_the_specs(built):
    names = set(zipfile.ZipFile(built).namelist())
    tracked = run("git", "ls-files", "pyharness", "specs", where=ROOT).split()
    expected = {f"pyharness/{name}" if name.startswith("specs/") else name for name in tracked}
    assert expected <= names
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_what_needs_no_tlc_works_in_an_empty_directory(installed, tmp_path, untouched):
    trace = str(ROOT / "traces" / "kuper.itf.json")
    expected = {
        "plan pins --check": 0,
        "plan claims": 0,
        "trace example --list": 0,
        "trace example kuper": 0,
        "doctor": 0,
        "plan model quick chandy-lamport-chain": 0,
        f"trace export {shlex.quote(trace)} --to html --out k.html": 0,
        "plan claims --update": 2,
        "plan pins --update": 3,
    }
    told = ask(installed.with_name("python"), [shlex.split(line) for line in expected], tmp_path)
    for line, (code, said) in zip(expected, told.values(), strict=True):
        assert code == expected[line], (line, said)
    assert "kuper" in told["trace", "example", "--list"][1]
    assert {path.name for path in tmp_path.iterdir()} == {"k.html"}


@pytest.mark.tlc
def test_what_runs_tlc_works_outside_the_clone(installed, tmp_path, untouched):
    """A shipped model and example; specs of one's own that extend the shipped; the starter, and its seeded bug."""
    empty, mine = tmp_path / "empty", tmp_path / "mine"
    empty.mkdir()
    mine.mkdir()
    (mine / "Own.tla").write_text(OWN_MODULE, encoding="utf-8")
    run(installed, "init", "demo", where=tmp_path)
    demo, weak = tmp_path / "demo", tmp_path / "weak"
    shutil.copytree(demo, weak)
    own = weak / "specs" / "MyChandyLamport.tla"
    text = own.read_text(encoding="utf-8")
    own.write_text(text.replace("Red # {} => Red", "FALSE => Red"), encoding="utf-8")
    commands = {
        ("check", "quick", "--only", "chandy-lamport-chain"): (empty, 0, "PASS"),
        ("trace", "example", "kuper", "--check"): (empty, 0, "TLC agrees"),
        ("hold", "python", "ChandyLamport", "--topology", "n2-6-i1", "--items", "1", "--specs", "mine"): (
            tmp_path,
            0,
            "ChandyLamport",
        ),
        ("check",): (demo, 0, "PASS"),
        ("check", "--ci", "--only", "everyone-initiates"): (weak, 1, "everyone-initiates"),
    }
    each_in = [place for place, _, _ in commands.values()]
    told = ask(installed.with_name("python"), [*commands], tmp_path, each_in=each_in)
    for words, (_, code, expected) in commands.items():
        assert told[words][0] == code, (words, told[words])
        assert expected in told[words][1], (words, told[words])
    first = told["check", "quick", "--only", "chandy-lamport-chain"][1].splitlines()[0]
    assert "local processes: Spark is not installed" in first
    assert not (empty / "build" / "quick" / "tables").exists()
    page = (empty / "build" / "quick" / "report" / "index.html").read_text(encoding="utf-8")
    assert "local processes: Spark is not installed" in page
    assert "local processes: Spark is not installed" in (weak / "build" / "quick" / "summary.md").read_text(
        "utf-8"
    )
    assert "<failure" in (weak / "build" / "quick" / "junit.xml").read_text(encoding="utf-8")


def test_the_base_is_light_and_has_no_spark(installed):
    home = installed.parents[1]
    (packages,) = home.glob("lib/python*/site-packages")
    assert not {"pyspark", "pyarrow", "pandas"} & {path.name for path in packages.iterdir()}
    assert int(run("du", "-sm", home, where=home).split()[0]) <= 200


@pytest.mark.tlc
def test_what_people_do_alone_needs_the_base_alone(installed, tmp_path, untouched):
    for name in ("Mutex.tla", "Mutex.cfg"):
        shutil.copy(ROOT / "tests" / "models" / "specs" / name, tmp_path)
    expected = {
        "check ChandyLamport --topology ring:2 --items 1": (0, "NO VIOLATION"),
        "check Mutex.tla": (0, "NO VIOLATION"),
        "mutate Mutex.tla": (1, "NOT NOTICED"),
        f"trace replay {shlex.quote(str(ROOT / 'traces' / 'kuper.itf.json'))}": (0, "19 steps agree"),
        f"trace export {shlex.quote(str(ROOT / 'traces' / 'kuper.itf.json'))} --to text": (
            0,
            "Accept(C13, m4)",
        ),
        "check quick --master local[2]": (2, "pip install pyarrow pyspark"),
    }
    told = ask(installed.with_name("python"), [shlex.split(line) for line in expected], tmp_path)
    for (code, words), (found, said) in zip(expected.values(), told.values(), strict=True):
        assert (found, words in said) == (code, True), said
    assert "different: " in run(installed.with_name("python"), "-c", COMPARE, where=tmp_path)


def test_an_installation_without_its_specs_says_so(built, installed, tmp_path):
    """A copy of the package beside the one that is installed, without specs: no command is silent."""
    with zipfile.ZipFile(built) as wheel:
        wheel.extractall(
            tmp_path, [name for name in wheel.namelist() if not name.startswith("pyharness/specs/")]
        )
    python = installed.with_name("python")
    commands = [
        ["plan", "pins"],
        ["trace", "example", "kuper"],
        ["check"],
        ["check", "--ci"],
        ["topologies", "2"],
        ["init"],
    ]
    for words, (code, said) in ask(python, commands, tmp_path).items():
        assert (code, "no specs are installed" in said) == (4, True), (words, said)
    assert "no specs" in run(python, "-m", "pyharness", "doctor", where=tmp_path, code=4)
    assert not Path(tmp_path / "build").exists()
