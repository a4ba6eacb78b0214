"""A user's own specs extend the shipped ones; what is missing is told."""

from __future__ import annotations

import shutil

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain import spec_files
from pyharness.base.toolchain.bounded_files import read_utf8
from pyharness.base.toolchain.spec_files import (
    SPECS,
    find_file,
    find_plan,
    module_directories,
    require_specs,
    specs_here,
)
from pyharness.cli.init_command import STARTER
from pyharness.cli.main import cli
from pyharness.gate.jobs.example_check import check_example
from pyharness.gate.plans.plan import read_plan
from pyharness.machines.replay.worked_examples import example_names
from pyharness.models.machine_tools import find_tools


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The starter, as the working directory; its specs."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["init"]).exit_code == 0
    return tmp_path / "specs"


def test_a_users_specs_come_first_and_the_shipped_behind(own):
    shipped = (SPECS, SPECS / "mutants", SPECS / "inductive")
    assert module_directories(own) == (own, own / "mutants", own / "inductive", *shipped)
    assert module_directories(SPECS) == shipped
    assert specs_here() == own
    assert find_plan("quick") == own / "plans" / "quick.toml"
    assert find_plan("full") == SPECS / "plans" / "full.toml"
    assert find_file("claims.toml", own) == SPECS / "claims.toml"
    (own / "claims.toml").touch()
    assert find_file("claims.toml", own) == own / "claims.toml"


def test_a_directory_that_has_other_specs_is_not_taken_for_ours(tmp_path, monkeypatch):
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "cart_spec.rb").touch()
    monkeypatch.chdir(tmp_path)
    assert specs_here() == SPECS
    with pytest.raises(SpecError, match="neither a module nor a plan"):
        require_specs(tmp_path / "specs")
    result = CliRunner().invoke(cli, ["check", "--specs", "specs"])
    assert (result.exit_code, "pyharness init" in result.stderr) == (2, True)


def test_a_users_example_is_one_of_the_examples(own):
    (own / "examples").mkdir()
    text = (SPECS / "examples" / "kuper.toml").read_text(encoding="utf-8")
    (own / "examples" / "mine.toml").write_text(text.replace('"kuper"', '"mine"'), encoding="utf-8")
    assert {"mine", "kuper"} <= set(example_names(own))
    ours = CliRunner().invoke(cli, ["trace", "example", "kuper"])
    mine = CliRunner().invoke(cli, ["trace", "example", "mine"])
    assert (mine.exit_code, mine.output) == (0, ours.output)


@pytest.mark.parametrize(
    "place", ["MyChandyLamport.class", "mutants/LateTurn.class", "tlc2/overrides/Any.class"]
)
def test_java_among_the_modules_is_refused(own, place):
    """TLC runs the methods of Name.class, which it finds as it finds Name.tla, for the definitions of Name."""
    find_tools(own)
    file = own / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    for found_by in (find_tools, lambda specs: check_example("kuper", find_tools(specs))):
        with pytest.raises(
            SpecError, match=f"TLC would run this Java in the place of what the module {file.stem}"
        ):
            found_by(own)


def test_the_starter_is_a_plan_whose_modules_have_their_form(own):
    plan = read_plan(find_plan("quick"), own)
    assert [model.spec for model in plan.models] == ["MyChandyLamport", "MyChandyLamport", "ChandyLamport"]
    assert [model.expect for model in plan.models] == ["pass", "violation", "pass"]


def test_the_starter_overwrites_nothing(own):
    kept = own / "plans" / "quick.toml"
    kept.write_text("mine", encoding="utf-8")
    (own / "MyChandyLamport.tla").unlink()
    result = CliRunner().invoke(cli, ["init"])
    assert (result.exit_code, "quick.toml" in result.stderr) == (2, True)
    assert kept.read_text(encoding="utf-8") == "mine"
    assert not (own / "MyChandyLamport.tla").exists()
    assert set(STARTER) == {
        "specs/MyChandyLamport.tla",
        "specs/plans/quick.toml",
        ".github/workflows/snapshots.yml",
    }


def test_results_go_below_the_working_directory(own):
    result = CliRunner().invoke(cli, ["plan", "pins"])
    assert (result.exit_code, "no complete run" in result.stderr) == (3, True)
    from pyharness.cli.plan_run import out_of

    assert out_of("quick", None) == own.parent / "build" / "quick"


def test_what_is_installed_is_not_rewritten(tmp_path, monkeypatch):
    package = tmp_path / "pyharness"
    shutil.copytree(SPECS / "plans", package / "specs" / "plans")
    monkeypatch.setattr(spec_files, "ROOT", package)
    monkeypatch.setattr(spec_files, "_PACKAGE", package)
    with pytest.raises(SpecError, match="part of the installed package"):
        spec_files.require_own(package / "specs" / "plans" / "quick.toml")
    assert spec_files.require_own(tmp_path / "mine.toml") == tmp_path / "mine.toml"


@pytest.mark.parametrize(
    "words", [["plan", "pins"], ["trace", "example", "kuper"], ["check"], ["topologies", "2"]]
)
def test_without_the_shipped_specs_every_command_says_so(words, tmp_path, monkeypatch):
    monkeypatch.setattr(spec_files, "SPECS", tmp_path)
    with pytest.raises(ToolError, match="no specs are installed"):
        require_specs()
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, "no specs are installed" in result.stderr) == (4, True)


@pytest.mark.parametrize("word", ["--update", "--check"])
def test_specs_without_a_page_for_the_table_of_claims_are_told_which(own, word):
    result = CliRunner().invoke(cli, ["plan", "claims", word])
    assert (result.exit_code, f"{own}/README.md: cannot be read" in result.stderr) == (2, True)


@pytest.mark.parametrize("command", ["check", "check --ci", "plan pins", "plan claims"])
@pytest.mark.parametrize(("name", "what"), [("Mutex.tla", "a module"), ("Mutex.cfg", "a configuration")])
def test_what_is_no_plan_is_told_what_it_is(tmp_path, command, name, what):
    (tmp_path / name).touch()
    if (command, name) != ("check", "Mutex.tla"):
        result = CliRunner().invoke(cli, [*command.split(), str(tmp_path / name)])
        assert (result.exit_code, f"{name}: it is {what}, and no plan" in result.stderr) == (2, True)
        assert f"pyharness check {tmp_path}/Mutex.tla" in result.stderr


def test_a_plan_of_an_editor_of_windows_is_read(own):
    plan = own / "plans" / "quick.toml"
    text = plan.read_text(encoding="utf-8")
    plan.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert len(read_plan(find_plan("quick"), own).models) == 3
    assert read_utf8(plan, 100_000) == text
