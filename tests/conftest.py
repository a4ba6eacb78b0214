"""What the tests of all rooms share: a Spark session, TLC's results, and no limit of time on an example."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pyharness.base.toolchain.machine_size import tasks_at_once
from pyharness.cli import progress
from pyharness.gate.jobs import spark_session as sessions
from pyharness.machines.replay import wander
from tests.shared_plans import SHARED
from tests.shared_tlc import SharedRuns, forget_old, replace_everywhere
from tests.spark_classes import java_options
from tests.spark_here import SparkHere

# The tests are about what is computed, on any machine, however busy it is.
settings.register_profile(
    "anywhere", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("anywhere")

# A few hundred rows do not repay what the JVM spends on compiling. `make gate` runs Spark as users do.
_CONF = ("codegen.wholeStage=false", "codegen.factoryMode=NO_CODEGEN", "adaptive.enabled=false")
_OPTIONS = " ".join(f"--conf spark.sql.{text}" for text in _CONF)
_OTHERS = ("PYTEST_", "SPARK_", "PYSPARK_")
_GIVEN = "PYSPARK_SUBMIT_ARGS" in os.environ

KEPT_RUNS = Path(__file__).resolve().parents[1] / "build" / "tests-tlc"

# On a busy machine a command may take longer than it is quiet in a pipe; its output is compared.
progress._SELDOM = 1e6


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Spark is started with the archive of its classes as soon as that is there: it is made beside the first tests."""
    if not _GIVEN:
        os.environ["PYSPARK_SUBMIT_ARGS"] = (
            f"--driver-java-options '{java_options()}' {_OPTIONS} pyspark-shell"
        )


@pytest.fixture(autouse=True)
def _environment_as_before():
    """A test leaves the environment of its process to the next one as it was; one that does not, fails alone.

    What pyspark and pytest set for themselves is theirs.
    """
    before = _environment()
    yield
    if (after := _environment()) != before:
        _restore(before)
        raise AssertionError(f"left in the environment: {dict(after.items() ^ before.items())}")


@pytest.fixture(autouse=True)
def _walks_of_code_that_may_be_patched_are_not_kept(request):
    """They are kept by the digest of files, which say nothing of what a test puts in the place of a method."""
    if "monkeypatch" in request.fixturenames:
        request.getfixturevalue("monkeypatch").setattr(wander, "own_cache", lambda: None)


def _environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}


def _restore(before):
    for name in _environment().keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(scope="session")
def spark():
    """One Spark session for all tests of a process that need one; it starts when the first does, also within a test.

    Two partitions are enough to tell what is lost between them.
    """
    before = _environment()
    with sessions.spark_session("local[2,4]") as session:
        _restore(before)  # its JVM has what it needs
        session.conf.set("spark.sql.shuffle.partitions", "2")
        yield session


@pytest.fixture
def spark_here(monkeypatch):
    """The tasks of plans run in this process, and no Spark is started."""
    monkeypatch.setattr(sessions, "spark_session", lambda _master=None: nullcontext(SparkHere()()))


OWN_RUNS = ("tests/tla/tlc/", "tests/base/", "tests/package/")
"""Where tests are about running TLC, so that each of their runs is made."""


@pytest.fixture(scope="module", autouse=True)
def shared_tlc(request):
    """Runs of TLC with the same content are made once, for later sessions, too; ``tests/shared_tlc.py`` says which."""
    if request.node.nodeid.startswith(OWN_RUNS):
        yield None
        return
    shared = SharedRuns(KEPT_RUNS)
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(shared, patch)
        yield shared


@pytest.fixture(scope="session", autouse=True)
def _shared_plans():
    """A plan is read once by the tests of a process, while its files stay the same; ``tests/shared_plans.py``."""
    with SHARED.everywhere():
        yield


def code_elsewhere(directory="/"):
    """The package that a program imports which a test starts in some directory, if that is not this clone's."""
    asked = [sys.executable, "-c", "import pyharness; print(pyharness.__file__)"]
    found = subprocess.run(asked, cwd=directory, capture_output=True, text=True, check=False).stdout.strip()
    own = Path(__file__).resolve().parents[1] / "pyharness" / "__init__.py"
    return found if found and Path(found).resolve() != own else None


def pytest_configure(config):
    """What is tested is this clone: where it was copied with its .venv, programs that tests start run the other one."""
    if "PYTEST_XDIST_WORKER" not in os.environ and (other := code_elsewhere()):
        pytest.exit(f"programs that tests start would run {other}: `make setup` installs this clone", 4)
    forget_old(KEPT_RUNS)
    if config.getoption("numprocesses", None):
        compile_once(config.args)


MANY = 50
"""Files that were never compiled, as in a new clone, from which on that is done once."""


def compile_once(places):
    """Let two processes compile all tests there, as pytest does, each a half: each worker of xdist would compile all."""
    tests = sorted({file for place in places for file in Path(place.partition("::")[0]).rglob("test_*.py")})
    new = [file for file in tests if not [*file.parent.glob(f"__pycache__/{file.stem}.*-pytest-*.pyc")]]
    if len(new) < MANY or sys.dont_write_bytecode:
        return
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider"]
    ended = [
        subprocess.Popen([*collect, *new[first::2]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for first in range(2)
    ]
    for process in ended:
        process.wait()  # the workers report what cannot be collected


def pytest_xdist_auto_num_workers(config):
    """As many processes as the harness has tasks: one waits for a Java machine or a cluster while others go on."""
    return tasks_at_once()


NO_SPARK = ("tests/show/browser", "tests/package")
"""Tests that take a minute, without Spark."""

LONG = ("tests/gate/pipeline", "tests/gate/jobs", "tests/models")
"""Where the longest tests are: at the end one process would wait while another one is at such a test."""


def pytest_collection_modifyitems(items):
    """Then comes what needs the session of Spark, so that one process starts it, and the long; the short fill gaps.

    Long are also all tests of a file that has a slow one: what they share stays with them.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(
        key=lambda item: (
            not item.nodeid.startswith(NO_SPARK),
            not _needs_spark(item),
            not item.nodeid.startswith(LONG),
            item.path not in slow,
        )
    )


def _needs_spark(item):
    """Tell whether a test takes the session, also as what it is parametrized with."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return "spark" in item.fixturenames or any(isinstance(each, str) and each == "spark" for each in given)


def pytest_collection():
    """What is collected stays to the end: Python need not look through it for garbage again and again."""
    gc.disable()


def pytest_collection_finish():
    """From here on there is garbage, but seldom: what tests make most are states, which they keep."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()
