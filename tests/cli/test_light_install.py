"""Without the extra `spark` what needs it says so, with one exit code, and everything else does what it did."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pyharness
from pyharness.base.errors import SpecError
from pyharness.base.toolchain.extras import EXTRAS, missing, require_extra
from pyharness.cli.main import COMMANDS
from pyharness.gate.jobs.spark_session import instead_of_spark, spark_when_needed
from tests.command import run

HEAVY = {"pyspark", "pyarrow", "py4j"}
ALL = """
import sys
for name in ("pyspark", "pyarrow"):
    sys.modules[name] = None
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
"""


@pytest.fixture
def light(monkeypatch):
    for name in EXTRAS["spark"]:
        monkeypatch.setitem(sys.modules, name, None)


MODULES = sorted({place.partition(":")[0] for place in COMMANDS.values()})


def test_with_everything_installed_nothing_is_said():
    assert missing("spark") == []
    assert instead_of_spark() == ""


def test_every_command_and_the_library_are_loaded_without_spark():
    modules = [
        *MODULES,
        "pyharness.cli.library",
        "pyharness.gate.pipeline.stages",
    ]
    subprocess.run([sys.executable, "-c", ALL, *modules], check=True)


def test_the_help_loads_no_command_and_nothing_heavy():
    """Which is what keeps it quick."""
    code = (
        "import sys; from pyharness.cli.main import cli\ntry: cli(['--help'])\nfinally: print(*sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(told.splitlines()[-1].split())
    assert "pyharness.cli" in loaded
    assert not loaded & {
        *HEAVY,
        *(place.partition(":")[0] for place in COMMANDS.values()),
        "igraph",
        "jinja2",
        "lark",
        "rich",
        "multiprocessing",
    }


@pytest.mark.parametrize(
    "words",
    [
        "check quick --only chandy-lamport-chain --master spark://127.0.0.1:7077 --out {0}",
        "check quick --ci --only chandy-lamport-chain --master local[2] --out {0}",
        "systems spark-batches --kills 1 --out {0}",
    ],
)
def test_what_needs_spark_says_so_and_ends_with_2(words, light, tmp_path):
    result = run(*words.format(tmp_path).split())
    assert result.exit_code == 2, result.output
    assert "not installed: the extra [spark]" in result.stderr
    assert "pip install pyarrow pyspark" in result.stderr


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_missing_extra_is_said_in_the_same_way(extra, monkeypatch):
    for module in EXTRAS[extra].values():
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SpecError, match=rf"the extra \[{extra}\]") as caught:
        require_extra(extra)
    assert all(package in caught.value.message for package in EXTRAS[extra])
    with pytest.raises(SpecError):
        require_extra(extra, next(iter(EXTRAS[extra])))


def test_a_table_is_not_read_without_pyarrow(light):
    with pytest.raises(SpecError, match="pyarrow is not installed"):
        pyharness.read_table("verdicts")


def test_a_cluster_is_never_passed_over(light):
    with spark_when_needed() as spark:
        assert spark() is None
    with pytest.raises(SpecError), spark_when_needed("local[2]"):
        pass


@pytest.mark.tlc
def test_the_doctor_calls_it_optional(light):
    result = run("doctor")
    assert "not installed (optional)" in result.output
    assert run("doctor", "--spark").exit_code != 0
