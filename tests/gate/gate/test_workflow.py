"""The workflow: the steps of .ci/run, pinned actions, little permission. GitHub alone can run it; this reads it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from pyharness.base.toolchain.spec_files import ROOT

TEXT = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
TOGETHER = [
    re.findall(r"\bmake ([a-z-]+)", line) for line in re.findall(r"^(?:step|beside) (.*)$", CI, re.MULTILINE)
]
"""The targets that .ci/run makes: one after another, and in each of these beside one another."""

TARGETS = [target for targets in TOGETHER for target in targets]
JOBS = dict(
    zip(
        *[iter(re.split(r"^  (\w+):\n", TEXT.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:])] * 2,
        strict=True,
    )
)


def steps(job):
    """Split a job's steps, each with its text."""
    return re.split(r"^      - ", JOBS[job].partition("    steps:\n")[2], flags=re.MULTILINE)[1:]


def test_it_is_yaml_of_two_spaces():
    assert "\t" not in TEXT
    assert set(JOBS) == {"gate", "comment"}
    for line in TEXT.splitlines():
        assert (len(line) - len(line.lstrip())) % 2 == 0, line
        assert line == line.rstrip()
    assert TEXT.count("${{") == len(re.findall(r"\$\{\{ [^{}]+ \}\}", TEXT))


def test_it_makes_what_ci_run_makes_in_the_same_order():
    made = re.findall(r"run: make (\S+)$", TEXT, re.MULTILINE)
    assert made == TARGETS
    for target in made:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
    assert re.search(r"^gate: .*\n\t\$\(BIN\)/pyharness check quick --ci$", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("uses", re.findall(r"uses: (.*)", TEXT))
def test_actions_are_pinned_to_a_commit(uses):
    assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", uses)


def test_what_a_pull_request_brings_runs_without_rights_and_secrets():
    assert re.search(r"^permissions:\n  contents: read\n\n", TEXT, re.MULTILINE)
    assert "pull_request_target" not in TEXT
    assert "secrets." not in TEXT
    assert "permissions:" not in JOBS["gate"]
    assert "persist-credentials: false" in steps("gate")[0]
    assert "checkout" not in JOBS["comment"]
    assert re.findall(r"^      (\S+: write)$", JOBS["comment"], re.MULTILINE) == ["pull-requests: write"]
    assert "head.repo.full_name == github.repository" in JOBS["comment"].partition("steps:")[0]


def test_no_step_puts_what_others_wrote_into_a_command():
    for step in (step for job in JOBS for step in steps(job)):
        command = re.search(r"run: (.*)", step)
        assert command is None or "${{" not in command[1]


def test_the_set_up_is_cached_by_what_it_depends_on():
    (cache,) = [step for step in steps("gate") if "path: .venv" in step]
    assert "steps.python.outputs.python-version" in cache
    assert "hashFiles('requirements/core.txt', 'pyproject.toml')" in cache
    stamp = re.search(r"^\$\(STAMP\): (.*)$", MAKEFILE, re.MULTILINE)[1]
    assert stamp.split() == ["requirements/core.txt", "pyproject.toml"]


def test_results_are_kept_however_it_ends():
    (upload,) = [step for step in steps("gate") if "upload-artifact" in step]
    assert "if: always()" in upload
    for name in ("junit.xml", "summary.md", "failures/", "report/"):
        assert f"build/quick/{name}\n" in upload
    assert "--body-file gate/summary.md" in steps("comment")[1]


def test_nothing_runs_for_ever_or_twice():
    assert all(re.search(r"^    timeout-minutes: \d+$", job, re.MULTILINE) for job in JOBS.values())
    assert re.search(r"^concurrency:\n  group: .*github.ref", TEXT, re.MULTILINE)


@pytest.mark.parametrize(
    ("stamp", "anew"), [("{here}\n", False), ("", True), ("/another/clone\n", True), (None, True)]
)
def test_what_another_clone_has_installed_is_not_run(tmp_path, stamp, anew):
    """A clone that was copied with its .venv would check the code of the one that it is a copy of."""
    here = (tmp_path / "a b#c").resolve()
    (here / ".venv").mkdir(parents=True)
    (here / "requirements").mkdir()
    for name in ("Makefile", "requirements/core.txt", "pyproject.toml"):
        (here / name).write_bytes((ROOT / name).read_bytes())
    if stamp is not None:
        (here / ".venv" / ".installed").write_text(stamp.format(here=here), encoding="utf-8")
    alone = {
        name: value for name, value in os.environ.items() if not name.startswith("MAKE")
    }  # not within `make test`
    asked = subprocess.run(
        ["make", "-n", "gate"], cwd=here, env=alone, capture_output=True, text=True, check=True
    )
    assert ("--editable ." in asked.stdout) == anew, asked.stdout
    assert asked.stdout.splitlines()[-1] == ".venv/bin/pyharness check quick --ci"


def test_a_step_of_the_workflow_that_fails_fails_its_job():
    """Nothing stands beside a command but when it runs; neither a shell nor an environment makes it another one."""
    for step in steps("gate"):
        if "run: make" in step:
            assert re.fullmatch(r"run: make \S+\n(        if: success\(\) \|\| failure\(\)\n)?\s*", step), (
                step
            )
    assert not re.findall(r"continue-on-error|\bshell:|\bdefaults:", TEXT)
    assert not re.findall(r"\benv:", TEXT.partition("\njobs:\n")[0] + JOBS["gate"])


WITHOUT_COMMANDS = {"help", "setup", "clean", "lock"}
"""Targets of which none calls a program of the environment that it makes."""

EVERY_TARGET = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
assert set(EVERY_TARGET) >= WITHOUT_COMMANDS
EVERY = [name for name in EVERY_TARGET if name not in WITHOUT_COMMANDS]
CALLS = {
    "lint": ["ruff check .", "ruff format --check ."],
    "types": ["mypy "],
    "prove": ["pyharness prove --mutants --tlc --out build/proof"],
    "inductive": ["pyharness check inductive"],
    "coq": ["python -m pyharness.prove.coq_obligations build/coq/Obligations.v"],
    "test": ["python -m pytest -n auto --maxprocesses 6 --dist worksteal -m not long tests"],
    "gate": ["pyharness check quick --ci"],
    "check-figures": ["python tests/docs/run_figures.py --check"],
    "traces": ["pyharness plan traces"],
}
"""What a target calls; those of the other ones are long."""

MAY_BE_INCOMPLETE = {
    ("update", "pyharness check quick"),
    ("update", "pyharness prove --held-against-tlc --out specs/proofs"),
}
"""What ends with 3 where something differs from what is committed, and is followed by what writes that down."""

ALONE = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("MAKE") and name not in {"PYTHON", "TESTS"}
}
"""The environment without what a `make` that runs these tests was given."""


def stand_in(path, script):
    """Write a shell script that stands in for a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


NOTE = 'env -0 > "$NOTED"'
PROGRAMS = ("pyharness", "python", "ruff", "mypy", "sphinx-build")
KNOWN = {f"PYHARNESS_{name}" for name in ("FLINK", "SYSTEMS", "CLUSTER", "FAULTS")} | {"PYTHONPATH"}
"""Variables that a target may set for a program."""

OF_SHELLS = {"MFLAGS", "PWD", "OLDPWD", "SHLVL", "_"}


def added(noted, given):
    """The variables that a program was called with and whoever calls make did not set."""
    names = {entry.partition("=")[0] for entry in noted.read_text(encoding="utf-8").split("\0") if entry}
    return {name for name in names - set(given) - OF_SHELLS if not name.startswith("MAKE")}


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone that is set up, whose programs note how they are called, and fail at what FAILS holds a part of."""
    here = tmp_path_factory.mktemp("clone").resolve()
    for path in (ROOT / "Makefile", ROOT / "pyproject.toml"):
        shutil.copy(path, here)
    shutil.copytree(ROOT / "requirements", here / "requirements")
    (here / "build").mkdir()
    (here / "benchmarks").mkdir()
    (here / "benchmarks" / "bench_some.py").touch()
    (here / "specs" / "coq").mkdir(parents=True)
    (here / "specs" / "coq" / "Assumptions.v").write_text("Print Assumptions Some.\n", encoding="utf-8")
    stand_in(here / "bin" / "coqc", "echo Closed under the global context")
    for name in PROGRAMS:
        call = f'case "{name} $*" in *"$FAILS"*) exit $STATUS;; *) echo "{name} $*";; esac; {NOTE}'
        stand_in(here / ".venv" / "bin" / name, call)
    for target in ("", "-prove", "-flink", "-systems", "-site", "-bench"):
        (here / ".venv" / f".installed{target}").write_text(f"{here}\n", encoding="utf-8")
    (here / "build" / "spark-classes.jsa").touch()
    return here


def made(clone, target, fails, status="3"):
    """Run `make`, and return its status and the calls that it made, which no variable but the known changes."""
    path = f"{clone / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**ALONE, "PATH": path, "FAILS": fails, "STATUS": status, "NOTED": str(clone / "noted")}
    done = subprocess.run(
        ["make", "-s", target], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    if not done.returncode:
        assert added(clone / "noted", environment) <= KNOWN
    calls = [line for line in done.stdout.splitlines() if line.startswith(PROGRAMS)]
    return done.returncode, [line for line in calls if "pip install" not in line]


@pytest.mark.parametrize("target", EVERY)
def test_a_command_that_fails_fails_its_target(clone, target):
    status, calls = made(clone, target, "nothing of these")
    assert status == 0
    assert calls == CALLS.get(target, calls or None)
    assert calls
    for call in calls:
        status = "1" if (target, call) in MAY_BE_INCOMPLETE else "3"
        assert made(clone, target, call, status)[0] == 2, call


@pytest.fixture(scope="module")
def ci_run(tmp_path_factory):
    """Run .ci/run with a `make` that does what a script says; return its status and the targets that it made."""
    here = tmp_path_factory.mktemp("ci")
    (here / ".ci").mkdir()
    (here / "traces").mkdir()
    shutil.copy(ROOT / ".ci" / "run", here / ".ci")
    for name in ("chromium-headless-shell", "coqc"):
        stand_in(here / "bin" / name, "exit 0")

    def run(script):
        stand_in(here / "bin" / "make", f"{NOTE}\necho make:$1\n{script}")
        environment = {
            **{name: value for name, value in ALONE.items() if not name.startswith("PYHARNESS_")},
            "PATH": f"{here / 'bin'}:{os.environ['PATH']}",
            "NOTED": str(here / "noted"),
        }
        done = subprocess.run(
            [here / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False
        )
        required = added(here / "noted", environment)  # what a machine has not is no test that is skipped
        assert required == (
            {"PYHARNESS_BROWSER", "PYHARNESS_CLUSTER"} if "make:lint" in done.stdout else set()
        )
        return done.returncode, re.findall(r"^make:(\S+)$", done.stdout, re.MULTILINE)

    return run


def test_ci_run_ends_at_the_first_step_that_fails_with_its_status(ci_run):
    assert ci_run("exit 0") == (0, TARGETS)
    made = []
    for targets in TOGETHER:
        made += targets
        for target in targets:
            assert ci_run(f"[ $1 != {target} ] || exit 3") == (3, made)


def test_of_steps_beside_one_another_each_ends_and_the_first_that_failed_gives_the_status(ci_run):
    *_, (first, second) = [targets for targets in TOGETHER if len(targets) > 1]
    made = TARGETS[: TARGETS.index(second) + 1]
    slow = f"case $1 in {first}) sleep 0.2; exit 3;; {second}) exit 4;; esac"
    assert ci_run(slow) == (3, made)
    assert ci_run(f"[ $1 != {first} ] || {{ sleep 0.2; exit 5; }}") == (5, made)
    assert ci_run(f"[ $1 != {second} ] || exit 4") == (4, made)


def test_ci_run_fails_if_the_traces_change(ci_run):
    assert ci_run("[ $1 != traces ] || date +%N >> traces/new")[0] == 1
