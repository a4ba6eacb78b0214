"""The shipped examples: they pass, with TLC's numbers; their seeded bugs are found, with the shortest way."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import pyharness.hold.programs
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import parse_topologies
from pyharness.cli.init_command import PROGRAMS
from pyharness.cli.main import cli
from pyharness.hold.programs import HoldPlan, hold
from tests.long import some

STARTERS = Path(pyharness.hold.programs.__file__).parent / "starters"
TWO = tuple(parse_topologies(["ring:2"]))
LANGUAGES = sorted(PROGRAMS)


def pinned(name):
    """What TLC counts in a model of the quick plan."""
    plan = tomllib.loads((SPECS / "plans" / "quick.toml").read_text(encoding="utf-8"))
    return next(model["pins"] for model in plan["model"] if model["name"] == name)


@pytest.mark.parametrize("language", some(["c", "javascript"], 1))
def test_an_example_has_tlc_s_states_and_transitions_on_all_graphs_of_two_and_three_processes(
    language, examples
):
    held = hold(examples(language), HoldPlan(walks=10))
    pins = pinned("chandy-lamport-all-small-graphs")
    assert held, held.difference
    small = [walked for name, walked in held.graphs[:11]]
    assert sum(walked.states for walked in small) == pins["distinct"]
    assert sum(walked.transitions for walked in small) == pins["transitions"]
    assert [name for name, _ in held.graphs[11:]] == ["n2-6-i1_2", "n2-e-i1", "n4-4a98-i1_2"]
    assert held.pure == (language == "javascript")
    assert held.total("pairs") == held.total("states")
    assert held.total("refusals") > 100
    assert held.pure or held.total("seconds") > 100


@pytest.mark.parametrize("language", some(["perl", "python"], 1))
def test_an_example_passes(language, examples):
    held = hold(examples(language), HoldPlan(graphs=TWO, items=2, walks=10))
    assert held, held.difference
    assert held.total("states") == 362
    assert held.walks.steps > 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_seeded_bug_is_found_with_the_shortest_way(language, examples, monkeypatch):
    """A marker is accepted, and nothing is recorded; no item, no third process and no channel back is needed."""
    monkeypatch.setenv("BUG", "late-turn")
    found = hold(examples(language), HoldPlan()).difference
    assert found.again
    assert found.case.topology.id == "n2-4-i1"
    assert not any(found.case.held)
    assert [event.type for step in found.case.steps for _, event in step] == ["initiate"]
    assert found.case.last[1].type == "marker"
    assert found.fields == {"recorded", "complete"}


def test_what_a_pure_program_hides_is_found_by_the_walk_of_a_graph(examples, monkeypatch):
    """It forgets to record once two messages came before: no state that it shows tells."""
    monkeypatch.setenv("BUG", "history")
    found = hold(examples("javascript"), HoldPlan(graphs=TWO, walks=0)).difference
    assert found.found.startswith("walk of")
    assert found.fields == {"channels"}
    assert len(found.case.steps) == 12


@pytest.mark.parametrize("language", LANGUAGES)
def test_init_writes_it_and_says_how_to_hold_it(language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["init", "--hold", language])
    name, command = PROGRAMS[language]
    assert result.exit_code == 0
    assert (tmp_path / name).read_bytes() == (STARTERS / name).read_bytes()
    assert command in result.output
    assert [path.name for path in tmp_path.iterdir()] == [name]
    again = CliRunner().invoke(cli, ["init", "--hold", language])
    assert again.exit_code == 2
