"""``pyharness topologies``."""

import json

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.topology import select
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
        (["3", "--initiators", "2"], {"processes": 3, "initiators": 2}),
        (["3", "--initiators", "any"], {"processes": 3, "initiators": "any"}),
        (["4", "--channels-min", "5", "--channels-max", "6"], {"processes": 4, "channels_min": 5, "channels_max": 6}),
        (["4", "--limit", "7"], {"processes": 4, "limit": 7}),
        (["4", "--family", "ring", "--initiators", "1,3"], {"family": "ring", "processes": 4, "initiators": [1, 3]}),
        (["--family", "kuper"], {"family": "kuper"}),
        (["4", "--random", "3", "--seed", "7"], {"random": 3, "processes": 4, "seed": 7}),
    ],
    ids=str,
)  # fmt: skip
def test_options_choose(arguments, table):
    assert ids(*arguments) == [topology.id for topology in select(table)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "N is missing"),
        (["n3-zz"], "not the id"),
        (["-3"], None),
        (["n2-6", "--unrooted"], "takes no selection"),
        (["3", "--unrooted", "--initiators", "1"], "--initiators contradicts"),
        (["3", "--random", "2"], "--seed"),
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
