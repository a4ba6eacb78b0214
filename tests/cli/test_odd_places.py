"""Where a run is started, and where its results go: what cannot be used is said before the run, not after it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.long import some

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def pyharness(*arguments, cwd, first="", **environment):
    """Run the command in a process of its own, after ``first`` has been run in its directory."""
    command = f'{first}\nexec "$@"'
    return subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-P", "-m", "pyharness", *arguments],
        cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip


@pytest.mark.parametrize(
    "command", [("check", "quick", "--only", "white-red"), ("topologies", "3"), ("check", "--ci")], ids=str
)
def test_a_working_directory_that_was_removed_is_told(tmp_path, command):
    here = tmp_path / "here"
    here.mkdir()
    done = pyharness(*command, cwd=here, first='rmdir "$PWD"')
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pyharness: the working directory was removed")


@pytest.mark.parametrize("command", some(["check", "check --ci", "plan pins"], 1))
def test_a_place_that_the_locale_cannot_name_is_refused_before_the_run(tmp_path, command):
    done = pyharness(
        *command.split(), "quick", "--out", str(tmp_path / "ergebni\u00dfe"), cwd=tmp_path, **ASCII
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be read as UTF-8" in done.stderr
    assert "LC_ALL=C.UTF-8" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_so_is_a_working_directory_of_such_a_name(tmp_path):
    here = tmp_path / "\u00fcber"
    here.mkdir()
    done = pyharness("check", "quick", "--only", "white-red", cwd=here, **ASCII)
    assert (done.returncode, "cannot be read as UTF-8" in done.stderr) == (2, True)


@pytest.mark.parametrize("kind", some(["bash_source", "bash_complete", "zsh_source"], 2))
def test_a_variable_of_the_environment_makes_no_verdict_of_a_script(tmp_path, kind):
    """Nor does a shell get names of files that are somebody else's."""
    variables = {"_PYHARNESS_COMPLETE": kind, "COMP_WORDS": "pyharness check ", "COMP_CWORD": "2"}
    done = pyharness("check", "nothing", cwd=tmp_path, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no plan or spec 'nothing'" in done.stderr
