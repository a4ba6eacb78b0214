"""The workflow: the steps of .ci/run, pinned actions, little permission. GitHub alone can run it; this reads it."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from pyharness.toolchain.spec_files import ROOT

TEXT = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
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
    assert made == re.findall(r"^step make (\S+)$", CI, re.MULTILINE)
    for target in made:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
    assert re.search(r"^gate: .*\n\t\$\(BIN\)/pyharness gate quick$", MAKEFILE, re.MULTILINE)


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
    assert "hashFiles('requirements.txt', 'pyproject.toml')" in cache
    stamp = re.search(r"^\$\(STAMP\): (.*)$", MAKEFILE, re.MULTILINE)[1]
    assert stamp.split() == ["requirements.txt", "pyproject.toml"]


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
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
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
    assert asked.stdout.splitlines()[-1] == ".venv/bin/pyharness gate quick"
