"""Java and Python run no code of the repository that is checked: what they load is the tool's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain import find_java, find_tla2tools
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES
from pyharness.base.toolchain.spec_files import module_directories, require_no_java
from pyharness.tla.modules import sany
from pyharness.tla.tlc import Outcome, TlcRun, run_tlc

HOSTILE_JAVA = """
import tlc2.value.impl.*;
public class Root {
    public static BoolValue Broken() throws Exception {
        java.nio.file.Files.write(java.nio.file.Paths.get("%s"), new byte[0]);
        return BoolValue.ValTrue;
    }
}
"""
ROOT = "---- MODULE Root ----\nVARIABLE x\nBroken == x = 1\nSpec == x = 0 /\\ [][UNCHANGED x]_x\n====\n"

LISTS = """#!/bin/sh
echo "$@" > {0}/arguments
env > {0}/environment
for each in "$@"; do case "$each" in
    -DTLA-Library=*) swapped=1; ln -s {1} {2}/late; echo x > {2}/Late.class
        find "${{each#*=}}" . -printf '%y %P\\n' > {0}/seen ;;
esac; done
"""


@pytest.fixture
def listing(tmp_path):
    """A ``java`` that lists what it is shown, after it has put more into the user's directory; and what it saw."""
    user, hidden = tmp_path / "user", tmp_path / "hidden"
    user.mkdir()
    hidden.mkdir()
    java = tmp_path / "java"
    java.write_text(LISTS.format(tmp_path, hidden, user))
    java.chmod(0o755)
    return java, user, hidden


def put_class(place, name="Root.class"):
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(b"\xca\xfe\xba\xbe")


def beside(user, hidden):
    put_class(user)


def linked_directory(user, hidden):
    put_class(hidden)
    (user / "mutants").symlink_to(hidden)


def nested_link(user, hidden):
    put_class(hidden / "deep" / "tlc2" / "module")
    (user / "mutants").mkdir()
    (user / "mutants" / "tlc2").symlink_to(hidden / "deep" / "tlc2")


def linked_class(user, hidden):
    put_class(hidden)
    (user / "Root.class").symlink_to(hidden / "Root.class")


def override_of_the_jar(user, hidden):
    put_class(user / "tlc2" / "overrides", "TLCOverrides.class")
    put_class(user / "inductive" / "tlc2" / "module", "IOUtils.class")


def a_jar(user, hidden):
    put_class(user, "CommunityModules.jar")


def other_cases(user, hidden):
    put_class(user, "root.class")
    put_class(user, "Root.CLASS")


def class_named_like_a_module(user, hidden):
    put_class(user / "Root.class.tla", "Root.class")


@pytest.mark.parametrize(
    "attack",
    [beside, linked_directory, nested_link, linked_class, override_of_the_jar, a_jar, other_cases,
     class_named_like_a_module],
)  # fmt: skip
@pytest.mark.parametrize("as_root", [True, False], ids=["own directory", "library"])
def test_tlc_is_shown_modules_and_nothing_else(listing, tmp_path, attack, as_root):
    java, user, hidden = listing
    work = user if as_root else tmp_path / "work"
    work.mkdir(exist_ok=True)
    (work / "Root.tla").write_text(ROOT.replace("VARIABLE", "EXTENDS Other\nVARIABLE"))
    (work / "Root.cfg").write_text("SPECIFICATION Spec\n")
    (user / "Other.tla").write_text("---- MODULE Other ----\n====\n")
    attack(user, hidden)
    run_tlc(TlcRun(java, tmp_path / "jar", work, "Root", libraries=module_directories(user)[:3]))
    seen = (tmp_path / "seen").read_text().splitlines()
    assert sorted(line for line in seen if line.strip() != "d") == ["f Other.tla", "f Root.cfg", "f Root.tla"]
    assert str(user) not in (tmp_path / "arguments").read_text()


def test_sany_is_shown_modules_and_nothing_else(listing, tmp_path, monkeypatch):
    """It has TLC's environment, too: no options for Java from outside."""
    java, user, hidden = listing
    real = find_java()
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-cp elsewhere")
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-cp elsewhere")
    monkeypatch.setattr(sany, "find_java", lambda: replace(real, executable=java))
    monkeypatch.setattr(sany, "quick_start", lambda *_: ())
    linked_directory(user, hidden)
    with sany.exported(["ChandyLamport"], module_directories(user)):
        pass
    seen = (tmp_path / "seen").read_text().splitlines()
    assert {line[0] for line in seen} <= {"f", "d"}
    assert "f ChandyLamport.tla" in seen
    assert all(line.endswith(".tla") for line in seen if line.startswith("f"))
    environment = (tmp_path / "environment").read_text()
    assert "JAVA" not in environment


@pytest.mark.tlc
@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no Java compiler")
def test_a_class_in_a_linked_directory_changes_no_verdict(tmp_path):
    user, hidden, ran = tmp_path / "user", tmp_path / "hidden", tmp_path / "ran"
    user.mkdir()
    hidden.mkdir()
    (hidden / "Root.java").write_text(HOSTILE_JAVA % ran)
    (user / "Root.tla").write_text(ROOT)
    (user / "Root.cfg").write_text("SPECIFICATION Spec\nINVARIANT Broken\n")
    java, jar = find_java().executable, find_tla2tools().path
    compiler = ["javac", "--release", "8", "-nowarn", "-cp", str(jar), "-d", str(hidden)]
    subprocess.run([*compiler, str(hidden / "Root.java")], check=True, capture_output=True)
    (user / "mutants").symlink_to(hidden)
    run = TlcRun(java, jar, user, "Root", libraries=(user, user / "mutants"))
    assert run_tlc(run).outcome is Outcome.INVARIANT
    assert not ran.exists()


def test_classes_in_a_linked_directory_are_told(tmp_path):
    put_class(tmp_path / "hidden")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "inductive").symlink_to(tmp_path / "hidden")
    with pytest.raises(SpecError, match="TLC would run this Java"):
        require_no_java(tmp_path / "specs")


def test_a_module_that_is_no_file_is_not_waited_for(listing, tmp_path):
    """Nor is one read that has no end, or is larger than any module."""
    java, user, _ = listing
    (user / "Root.tla").write_text(ROOT.replace("VARIABLE", "EXTENDS Pipe, Endless\nVARIABLE"))
    os.mkfifo(user / "Pipe.tla")
    (user / "Endless.tla").symlink_to("/dev/zero")
    run = TlcRun(java, tmp_path / "jar", user, "Root", libraries=(user,))
    run_tlc(run)
    assert "Pipe" not in (tmp_path / "seen").read_text()
    with (user / "Root.tla").open("ab") as file:
        file.truncate(MOST_MODULE_BYTES + 1)
    with pytest.raises(SpecError, match="more than"):
        run_tlc(run)


@pytest.mark.parametrize("module", ["multiprocessing", "runpy", "pickle"])
def test_no_process_that_a_command_starts_imports_from_the_working_directory(tmp_path, module):
    """Python's own pool of processes starts another Python, which would look there first."""
    (tmp_path / f"{module}.py").write_text("open('ran', 'w')\n")
    code = (
        "import sys; sys.argv = ['pyharness', '--version']\n"
        "from multiprocessing import get_context; from pyharness.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "with get_context('spawn').Pool(1) as pool: print(pool.apply(abs, (-1,)))\n"
    )
    script = Path(sys.executable), "-P", "-c", code
    without = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(script, cwd=tmp_path, env=without, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("1\n")
    assert not (tmp_path / "ran").exists()
