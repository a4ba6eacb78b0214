"""The archive for a cluster: with it and a bare Python a job can be run where there is nothing else of ours."""

from __future__ import annotations

import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain import find_tla2tools, shipped_archive
from pyharness.base.toolchain.shipped_archive import OWN_SPECS, write_archive
from pyharness.base.toolchain.spec_files import ROOT, SPECS
from pyharness.gate.jobs.task_tools import ShippedTools
from pyharness.models.machine_tools import find_tools

OWN = "---- MODULE Own ----\nEXTENDS ChandyLamport\n====\n"

PYTHON = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
"""A Python that has no package of this environment."""

TASK = """
import pickle, sys
given, job = pickle.load(sys.stdin.buffer)
from pyharness.gate.pipeline.job_tasks import job_rows
print(job_rows(job, given), given.library.path("Own"), sorted(set(sys.modules) & {"pyspark", "pyarrow", "rich"}))
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A user's directory of specs, in which much else may lie."""
    directory = tmp_path_factory.mktemp("own")
    (directory / "Own.tla").write_text(OWN, encoding="utf-8")
    (directory / "large.bin").write_bytes(b"\0" * 1000)
    (directory / "deep" / "deeper").mkdir(parents=True)
    (directory / "deep" / "deeper" / "Else.tla").write_text("no spec", encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def archive(own, tmp_path_factory):
    return write_archive(tmp_path_factory.mktemp("archive"), find_tla2tools().path, own)


def test_it_has_the_code_the_specs_and_the_jar_and_nothing_else_of_the_users(archive):
    names = set(zipfile.ZipFile(archive).namelist())
    ours = {
        f"pyharness/{p.relative_to(ROOT / 'pyharness').as_posix()}"
        for p in (ROOT / "pyharness").rglob("*.py")
    }
    assert {name for name in names if name.startswith("pyharness/") and name.endswith(".py")} == ours
    assert {f"specs/{path.name}" for path in SPECS.glob("*.tla")} <= names
    assert {name for name in names if name.startswith(f"{OWN_SPECS}/")} == {f"{OWN_SPECS}/Own.tla"}
    assert {
        "tla2tools.jar",
        "igraph/__init__.py",
        "jinja2/__init__.py",
        "lark/__init__.py",
        "texttable.py",
    } <= names
    assert not any(name.endswith(".pyc") or name.startswith(("/", "..")) for name in names)
    assert archive.stat().st_size < 16 * 1024 * 1024


def test_its_name_is_that_of_its_content(archive, own, tmp_path):
    again = write_archive(tmp_path, find_tla2tools().path, own)
    assert (again.name, again.read_bytes()) == (archive.name, archive.read_bytes())
    assert write_archive(tmp_path, find_tla2tools().path).name != archive.name
    other = tmp_path / "other.jar"
    other.write_bytes(b"another jar")
    assert write_archive(tmp_path, other, own).name != archive.name


@pytest.mark.tlc
def test_a_job_runs_out_of_it_on_a_bare_python(archive, tmp_path):
    """No package but Python's own, and neither the clone nor this environment on any path."""
    from pyharness.gate.jobs.jobs import ExampleJob

    place = tmp_path / "unpacked"
    zipfile.ZipFile(archive).extractall(place)
    tools = find_tools()
    given = ShippedTools(tools.jar_sha256, tools.java_version, own_specs=True)
    environment = {
        "PATH": f"{tools.java.parent}:/usr/bin:/bin",
        "PYTHONPATH": "./unpacked",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [PYTHON, "-S", "-c", TASK],
        input=pickle.dumps((given, ExampleJob("id", "kuper"))),
        cwd=tmp_path, env=environment, capture_output=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert "ExampleRow(example='kuper', verdict='pass'" in said
    assert said.split()[-2:] == [str(place / OWN_SPECS / "Own.tla"), "[]"]
    assert {path.name for path in tmp_path.iterdir()} == {"unpacked"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jar_sha256": "0" * 64}, "not the jar that was sent"),
        ({"java_version": "8.0.1"}, r"and 8\.0\.1 where"),
    ],
)
def test_another_jar_or_another_java_is_refused(archive, tmp_path, monkeypatch, change, message):
    tools = find_tools()
    given = {"jar_sha256": tools.jar_sha256, "java_version": tools.java_version, "own_specs": False} | change
    zipfile.ZipFile(archive).extract("tla2tools.jar", tmp_path)
    monkeypatch.setattr("pyharness.gate.jobs.task_tools.ROOT", tmp_path)
    with pytest.raises(ToolError, match=message):
        _ = ShippedTools(**given).tools


def test_a_package_without_a_list_of_its_files_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(shipped_archive.importlib.metadata, "files", lambda _: None)
    with pytest.raises(
        ToolError, match="cannot be taken along: it was installed without a list of its files"
    ):
        write_archive(tmp_path, find_tla2tools().path)
    monkeypatch.setattr(shipped_archive, "_IMPORTED", ("no-such-package",))
    with pytest.raises(ToolError, match="no-such-package is not installed"):
        shipped_archive.distributions()
