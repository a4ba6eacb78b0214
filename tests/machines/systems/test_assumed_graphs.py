"""What a proof assumes of a graph is assumed in TLA+, too, and a graph that is otherwise is refused in words."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.base.topology import Topology
from pyharness.cli.main import cli
from pyharness.machines.protocols import Dataflow
from pyharness.machines.systems import build_system
from pyharness.prove.proof_catalogue import MODULES, system
from tests.long import some

BEGINS_WITH_INPUTS = Topology.of(2, [(1, 2)], [1, 2])
ASSUMING = ("AlignedBarriers", "AtLeastOnceBarriers", "CyclicBarriers")
SAID_OTHERWISE = {
    (
        "CyclicBarriers",
        "RegularWays",
    ): "EveryoneReachable",  # a part of BackEdgesSplit: the ways there are named
}


@pytest.mark.parametrize("name", MODULES)
def test_each_assumption_of_a_proof_is_one_of_the_module_or_a_premise_of_its_theorems(name):
    text = (SPECS / f"{name}.tla").read_text(encoding="utf-8")
    for said, _ in system(name).declared("assumption"):
        wanted = SAID_OTHERWISE.get((name, said.name), rf"^ASSUME {said.name}\b")
        assert re.search(wanted, text, re.MULTILINE), f"{name} does not assume {said.name}"


@pytest.mark.parametrize("name", ASSUMING)
def test_a_process_with_inputs_that_may_begin_is_refused(name):
    with pytest.raises(SpecError, match="assumes InitiatorsHaveNoInputs, and process 2 has inputs"):
        build_system(name, BEGINS_WITH_INPUTS, Dataflow(1))
    assert build_system(name, Topology.of(2, [(1, 2)], [1]), Dataflow(1))


@pytest.mark.parametrize("name", ["UnalignedBarriers", "TimeoutBarriers"])
def test_what_records_at_the_first_barrier_needs_no_such_graph(name):
    assert build_system(name, BEGINS_WITH_INPUTS, Dataflow(1))


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("name", "graph"), some(zip(ASSUMING, ["1>2@1,2", "1>3,2>3@1,2,3", "1>2,2>1@1"], strict=True), 1)
)
def test_commands_refuse_it_as_bad_input_and_name_the_assumption(name, graph):
    for command in ("hold python", "check"):
        result = CliRunner().invoke(cli, [*command.split(), name, "--topology", graph])
        assert result.exit_code == 2, (command, result.output)
        assert "InitiatorsHaveNoInputs" in result.output
