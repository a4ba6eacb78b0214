"""``pyharness topologies``."""

import json

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.topology import generate, select
from pyharness.cli.topologies_command import topologies


def run(*arguments):
    result = CliRunner().invoke(topologies, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def ids(*arguments):
    return [graph["id"] for graph in json.loads(run(*arguments, "--json"))]


def test_json():
    graphs = json.loads(run("3", "--json"))
    assert len(graphs) == 10
    assert graphs[0] == {
        "id": "n3-062-i1",
        "processes": 3,
        "channels": [[1, 3], [2, 1], [3, 2]],
        "initiators": [1],
    }


@pytest.mark.parametrize(
    ("arguments", "table"),
    [
        (["3", "--unrooted"], {"processes": 3, "rooted": False}),
        (["3", "--connected", "reachable"], {"processes": 3, "connected": "reachable"}),
        (["3", "--initiators", "2"], {"processes": 3, "initiators": 2}),
        (["3", "--initiators", "any"], {"processes": 3, "initiators": "any"}),
        (
            ["4", "--channels-min", "5", "--channels-max", "6"],
            {"processes": 4, "channels_min": 5, "channels_max": 6},
        ),
        (["4", "--limit", "7"], {"processes": 4, "limit": 7}),
        (
            ["4", "--family", "ring", "--initiators", "1,3"],
            {"family": "ring", "processes": 4, "initiators": [1, 3]},
        ),
        (["--family", "kuper"], {"family": "kuper"}),
        (["4", "--random", "3", "--seed", "7"], {"random": 3, "processes": 4, "seed": 7}),
    ],
    ids=str,
)
def test_options_choose(arguments, table):
    assert ids(*arguments) == [topology.id for topology in select(table)]


def test_table():
    lines = run("3").splitlines()
    assert lines[0].split() == ["ID", "INITIATORS", "IN>OUT", "CHANNELS"]
    assert [line.split()[0] for line in lines[1:]] == [topology.id for topology in generate(3)]
    assert lines[1].split() == ["n3-062-i1", "1", "1>1", "1>1", "1>1", "13", "21", "32"]
    assert run("1", "--unrooted").splitlines()[1].split() == ["n1-0", "-", "0>0", "-"]


def test_one_graph_as_labelled():
    shown = run("n3-0ac-i1")
    assert "n3-0ac-i1" in shown
    assert "4: 12 21 23 31" in shown
    assert "P1* -> P2" in shown
    assert "P2  1  .  1" in shown
    assert "relabelled" in shown
    assert ids("n3-0ac-i1") == ["n3-0ac-i1"]


@pytest.mark.parametrize(
    ("text", "connection"),
    [("n3-062-i1", "strongly"), ("n2-4-i1", "everyone reachable"), ("n2-4", "no")],
)
def test_connection_of_one_graph(text, connection):
    line = next(line for line in run(text).splitlines() if line.startswith("connected"))
    assert line.split(maxsplit=1)[1].startswith(connection)


def test_dot():
    assert run("n2-6-i1", "--dot").startswith('digraph "n2-6-i1" {')
    assert run("3", "--dot").count("digraph") == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "N is missing"),
        (["0"], "N is a whole number"),
        (["n3-zz"], "not the id"),
        (["-3"], None),
        (["n2-6", "--unrooted"], "takes no selection"),
        (["3", "--json", "--dot"], "contradict"),
        (["3", "--initiators", "some"], "--initiators"),
        (["3", "--unrooted", "--initiators", "1"], "--initiators contradicts"),
        (["3", "--family", "rings"], "--family"),
        (["3", "--family", "ring", "--initiators", "1,x"], "--initiators"),
        (["3", "--random", "2"], "--seed"),
        (["3", "--limit", "0"], "--limit"),
        (["3", "--seed", "1"], "--seed"),
        (["9"], "lower --channels-max or N"),
        (["ring:3", "--channels-max", "2"], "there is --channels-max"),
    ],
    ids=str,
)
def test_refuses(arguments, message):
    result = CliRunner().invoke(topologies, arguments)
    assert result.stdout == ""
    if message is None:
        assert result.exit_code == 2
    else:
        assert isinstance(result.exception, SpecError)
        assert message in str(result.exception)
