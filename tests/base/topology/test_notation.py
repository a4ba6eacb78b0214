"""One notation of graphs, wherever a topology is asked for."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology, choose_topologies, parse_topologies, parse_topology, select
from pyharness.cli.main import cli
from pyharness.gate.plans.plan import read_plan


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("3", {"processes": 3}),
        ("ring:4", {"family": "ring", "processes": 4, "labelled": True}),
        ("kuper", {"family": "kuper"}),
        ("join:3", {"dataflow": "join", "processes": 3}),
        ("diamond:4", {"dataflow": "diamond", "processes": 4}),
    ],
)
def test_a_notation_is_short_for_a_table(text, table):
    assert parse_topologies(text) == select(table)


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        ("n2-6-i1", Topology.of(2, [(1, 2), (2, 1)], [1])),
        ("1>2,2>1@1", Topology.of(2, [(1, 2), (2, 1)], [1])),
        ("1>2,2>1@1,2", Topology.of(2, [(1, 2), (2, 1)], [1, 2])),
        ("1>2,3", Topology.of(3, [(1, 2)])),
        ("2>10@2", Topology.of(10, [(2, 10)], [2])),
    ],
)
def test_a_graph_can_be_spelt_out(text, graph):
    assert parse_topology(text) == graph


def test_a_family_is_drawn_as_it_is_named_and_canonical_in_a_plan():
    assert parse_topology("ring:3").channels == ((1, 2), (2, 3), (3, 1))
    assert parse_topology("chain:4").channels == ((1, 2), (2, 3), (3, 4))
    assert choose_topologies(["ring:3", "chain:4"]) == tuple(
        select({"family": name, "processes": n})[0] for name, n in (("ring", 3), ("chain", 4))
    )
    drawn = CliRunner().invoke(cli, ["topologies", "ring:3"]).stdout
    assert "P1* -> P2\nP2  -> P3\nP3  -> P1\n" in drawn


def test_several_are_in_order_and_once():
    assert parse_topologies(["1>2,2>1@1", "n2-6-i1", "n3-0aa-i1"]) == (
        Topology.from_id("n2-6-i1"),
        Topology.from_id("n3-0aa-i1"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rng:3", "did you mean ring"),
        ("join", "join needs a number of processes"),
        ("1>2@5", "which is not a process"),
        ("n3-zz", "n3-zz"),
        ("", "is not a graph"),
    ],
)
def test_what_is_no_graph_is_told_with_what_is_near(text, said):
    with pytest.raises(SpecError) as caught:
        parse_topologies(text, where="--topology")
    assert said in str(caught.value)


def test_plans_take_it_beside_tables(tmp_path):
    assert choose_topologies(["ring:2", {"processes": 2}]) == select({"processes": 2})
    text = (
        'format = "pyharness-plan/1"\n[[model]]\nname = "m"\nspec = "ChandyLamport"\n'
        'topologies = ["1>2,2>1@1", "rong:3"]\ninvariants = ["TypeOK"]\n'
    )
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=r"plan.toml:5.*rong:3(.|\n)*did you mean ring"):
        read_plan(path, SPECS)
    path.write_text(text.replace(', "rong:3"', ""), encoding="utf-8")
    assert [t.id for t in read_plan(path, SPECS).models[0].topologies] == ["n2-6-i1"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("topologies", "ring:2"),
        ("states", "ChandyLamport", "--topology", "ring:2", "--items", "1"),
        ("states", "ChandyLamport", "--topology", "1>2,2>1@1", "--items", "1"),
    ],
)
def test_commands_take_it(arguments):
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert "n2-6-i1" in result.output


@pytest.mark.parametrize("command", ["check", "hold python", "states"])
def test_a_misspelt_family_is_told_by_every_command(command):
    result = CliRunner().invoke(cli, [*command.split(), "ChandyLamport", "--topology", "rign:3"])
    assert result.exit_code == 2
    assert "did you mean ring" in result.stderr
