import pytest
from samples import output, path, result

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.tla.tlc import Trace, TraceStep, read_simulation
from pyharness.tla.tlc.trace import TraceBuilder, split_action
from pyharness.tla.values import ModelValue, StateReader, function, record, same

BUILDS = ["2.15", "modern"]
INC = "line 6, col 8 to line 6, col 41 of module Ok"
RESET = "line 7, col 10 to line 7, col 55 of module Ok"


def state(x, a):
    return record(x=x, y=record(a=a, b=()))


ROUND = (
    TraceStep(None, state(0, 1)),
    *(TraceStep("Inc", state(x, 1), INC) for x in (1, 2, 3)),
    TraceStep("Reset", state(0, 2), RESET),
    *(TraceStep("Inc", state(x, 2), INC) for x in (1, 2, 3)),
)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["invariant", "invariant_difftrace", "invariant_continue", "generateSpecTE"])
def test_trace_of_an_invariant(build, name):
    assert result(output(build, name), 12).trace == Trace(ROUND[:4])


@pytest.mark.parametrize("build", BUILDS)
def test_every_violation_has_its_trace(build):
    found = result(output(build, "invariant_continue"), 0)
    assert [violation.trace for violation in found.violations] == [Trace(ROUND[:4]), Trace(ROUND)]


@pytest.mark.parametrize("build", BUILDS)
def test_lasso_and_stuttering(build):
    assert result(output(build, "temporal_lasso"), 13).trace == Trace(ROUND, lasso=0)
    trace = result(output(build, "temporal_stuttering"), 13).trace
    assert trace.stuttering
    assert trace.lasso is None
    assert [step.state for step in trace.steps] == [record(x=0), record(x=1), record(x=2)]
    assert [step.action for step in trace.steps] == [None, "Inc", "Inc"]


@pytest.mark.parametrize("build", BUILDS)
def test_initial_violation_has_one_state(build):
    found = result(output(build, "invariant_initial"), 12)
    assert found.trace == Trace((TraceStep(None, record(x=1, y=2)),))
    assert found.error_text == "Invariant Inv is violated by the initial state:"


@pytest.mark.parametrize("build", BUILDS)
def test_every_kind_of_value(build):
    trace = result(output(build, "value_zoo_invariant"), 12).trace
    p1, p2 = ModelValue("p1"), ModelValue("p2")
    first, last = trace.steps[0].state, trace.steps[-1].state
    inner = record(f=function({-1: frozenset({-1}), 0: frozenset({0})}))
    long = "some long string value to force wrapping"
    expected = {
        "fn": function({p1: 0, p2: 0}),
        "fnt": function({(1, 2): (), (2, 1): ()}),
        "fni": function({2: 4, 3: 9, 4: 16}),
        "rec": record(a=1, b="two", c=(3,)),
        "seq": (1, (2, 3), frozenset()),
        "set": frozenset({1, 2, 3}),
        "setset": frozenset({frozenset(), frozenset({1}), frozenset({1, 2})}),
        "mv": p1,
        "str": 'quo"te, back\\slash |-> }} >> @@ :> tab',
        "neg": -5,
        "bool": True,
        "empt": (),
        "nest": function(dict.fromkeys((p1, p2), function({"k 1": inner, "k2": inner}))),
        "ivl": frozenset({1, 2, 3}),
        "big": (record(a_long_field=long, another_long_field=long),) * 40,
    }
    assert set(first) == set(expected)
    for name, value in expected.items():
        assert same(first[name], value), name
    assert last["neg"] == -2
    assert trace.steps[-1].action == "Act"
    assert trace.steps[-1].arguments == {"2.15": None, "modern": "p1"}[build]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"Inc {INC}", ("Inc", None, INC)),
        (f"Act(p1, <<1, 2>>) {INC}", ("Act", "p1, <<1, 2>>", INC)),
        ("Initial predicate", ("Initial predicate", None, None)),
        (f"W!Step {INC}", ("W!Step", None, INC)),
        ("", ("", None, None)),
    ],
)
def test_split_action(text, parts):
    assert split_action(text) == parts


def test_states_out_of_order_are_refused():
    builder = TraceBuilder(StateReader())
    with pytest.raises(ToolError, match="out of order"):
        builder.add_state("2: <Inc>\nx = 1")
    builder.add_state("1: <Initial predicate>\nx = 1")
    with pytest.raises(ToolError, match="loop"):
        builder.add_back("2: Back to state")
    with pytest.raises(ToolError, match="cannot be read"):
        builder.add_state("2: <Inc>\nx = {")
    builder.add_back("Back to state 1: <Inc>")
    assert builder.trace().lasso == 0


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("number", range(3))
def test_simulated_behaviours(build, number):
    trace = read_simulation(path(build, f"simulate_num_file.FILE.sim_0_{number}"))
    named = build == "modern"
    assert [step.state for step in trace.steps] == [step.state for step in ROUND[: len(trace)]]
    assert len(trace) == (5 if named else 4)
    assert [step.action for step in trace.steps][1:4] == ["Inc" if named else None] * 3
    assert trace.steps[0].action is None


@pytest.mark.parametrize("build", BUILDS)
def test_no_part_of_a_behaviour_is_read(build, tmp_path):
    text = path(build, "simulate_num_file.FILE.sim_0_0").read_text()
    part = tmp_path / "part"
    for cut in range(len(text)):
        part.write_text(text[:cut])
        with pytest.raises(IncompleteError):
            read_simulation(part)
