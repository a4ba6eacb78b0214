"""Without the extra: a clear error, exit 2, and nothing else of the tool asks for it."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import pyharness
from pyharness.base.errors import SpecError
from pyharness.base.toolchain import extras
from pyharness.base.toolchain.extras import EXTRAS
from pyharness.cli.main import cli
from pyharness.hold.flink import flink_classes

ROOT = Path(pyharness.__file__).parent


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda _: None)


@pytest.mark.usefixtures("nothing_installed")
def test_without_the_extra_the_command_says_what_to_do_and_exits_with_2():
    result = CliRunner().invoke(cli, ["hold", "flink", "--mode", "aligned"])
    assert result.exit_code == 2
    assert "JPype1 is not installed" in result.stderr
    assert "make flink" in result.stderr
    assert extras.missing("flink") == ["JPype1", "apache-flink-libraries"]


@pytest.mark.usefixtures("nothing_installed")
def test_without_the_jar_it_is_named():
    with pytest.raises(SpecError, match="apache-flink-libraries"):
        flink_classes.find_jar()


def test_what_is_no_jar_of_flink_is_refused(tmp_path):
    path = tmp_path / "other.jar"
    path.write_text("no archive")
    with pytest.raises(SpecError, match="no jar"):
        flink_classes.find_jar(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(SpecError, match="no barrier handler"):
        flink_classes.find_jar(path)


def test_the_optional_modules_are_imported_by_nobody_at_import_time():
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
                assert not [name for name in names if name.split(".")[0] in {"jpype", "pyflink"}], path


def test_the_packages_are_the_same_everywhere_and_not_in_the_base_environment():
    clone = ROOT.parent
    pinned = [
        line.split()[0] for line in (clone / "requirements/flink.in").read_text().splitlines() if "==" in line
    ]
    project = (clone / "pyproject.toml").read_text()
    assert all(f'"{each}"' in project for each in pinned)
    assert {each.partition("==")[0] for each in pinned} == set(EXTRAS["flink"])
    base = (clone / "requirements/core.txt").read_text().lower()
    assert not [package for package in EXTRAS["flink"] if f"\n{package.lower()}==" in base]
