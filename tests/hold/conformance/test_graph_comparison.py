"""Every way to differ is seen, and nothing that is not whole passes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pyharness.base.errors import HarnessError, IncompleteError, ToolError
from pyharness.base.topology import Topology
from pyharness.hold.conformance import graph_run
from pyharness.hold.conformance.comparison import _itf, compare
from pyharness.machines.protocols import Items
from pyharness.machines.replay import replay
from pyharness.machines.systems import build_system
from pyharness.tla.tlc import Outcome, Result
from pyharness.tla.tlc.itf import from_itf
from pyharness.tla.values import Fn, to_tla
from tests.hold.conformance.places import LIBRARY
from tests.hold.conformance.tiny_model import MODEL, SUBJECT


@pytest.fixture
def judged(dumped, tmp_path):
    """Return a function that compares a dump made from TLC's by ``change``, with TLC's result changed too."""

    def run(change=None, subject=SUBJECT, model=MODEL, **result):
        dump = tmp_path / "changed.dot"
        dump.write_text(change(dumped[0]) if change else dumped[0], encoding="utf-8")
        found = replace(dumped[1], **result)
        return compare(model, subject, dump, found)

    return run


STATE = ' [label="/\\\\'
"""What the line of a state has, and no other."""


def lines_with(text, part):
    return [line for line in text.splitlines(keepends=True) if part in line]


@pytest.mark.tlc
def test_the_whole_graph_agrees(judged, graph_of):
    found = judged()
    assert found
    assert found.agreed
    assert (found.mismatches, found.rows, found.implementation) == (0, (), "correct")
    graph = graph_of(spec="ChandyLamport", topologies=MODEL.topologies, items=1)
    assert found.states == len(graph.states)
    assert found.transitions == len(set(graph.edges))


@pytest.mark.tlc
def test_a_mismatch_is_described_with_the_shortest_trace_to_it(judged, graph_of):
    found = judged(subject=replace(SUBJECT, mutant="LateTurn"))
    graph = graph_of(spec="ChandyLamport", topologies=MODEL.topologies, items=1)
    assert found.mismatches == len(found.rows)
    assert not found
    depths = [row.depth for row in found.rows]
    assert depths == sorted(depths)
    first = found.rows[0]
    assert (first.action, first.depth, first.implementation) == ("AcceptMarker", 2, "LateTurn")
    assert first.tlc != first.python
    texts = {number: to_tla(state) for number, state in graph.states.items()}
    steps = ((texts[edge.source], edge.action, texts[edge.target]) for edge in graph.edges)
    assert set(first.tlc) == {to for at, by, to in steps if (at, by) == (first.state, first.action)}
    trace, meta = from_itf(first.itf)
    assert len(trace) == 2
    assert meta["mutant"] == "LateTurn"
    system = build_system("ChandyLamport", Topology.from_id(first.topology), Items(1), "event", "LateTurn")
    assert replay(trace, system).agreed

    def text(state):
        return to_tla(Fn(system.variables(state).items()))

    (own,) = (s.after for i in system.initial() for s in system.actions(i) if text(s.after) == first.state)
    assert set(first.python) == {text(s.after) for s in system.actions(own) if s.name == first.action}


def test_the_trace_of_a_mismatch_has_the_setting_that_replay_needs():
    model = replace(MODEL, spec="AlignedBarriers", application="Dataflow", constants={"Records": 1})
    _, meta = from_itf(_itf(model, "LateTurn", "Send", [(None, 0)], {0: Fn([("topo", "n2-4-i1")])}))
    assert {key: meta[key] for key in ("application", "constants", "mutant")} == {
        "application": "Dataflow",
        "constants": {"Records": 1},
        "mutant": "LateTurn",
    }


def without_edge(text):
    return text.replace(lines_with(text, 'label="Send"')[3], "", 1)


def with_another_target(text):
    """Let a step lead to a state that there is, but elsewhere."""
    line = lines_with(text, 'label="Send"')[3]
    target = line.split()[2]
    other = next(edge.split()[2] for edge in lines_with(text, " -> ") if edge.split()[2] != target)
    return text.replace(line, line.replace(f"-> {target} ", f"-> {other} "))


def with_another_action(text):
    line = lines_with(text, 'label="Send"')[3]
    return text.replace(line, line.replace('"Send"', '"Accept"'))


def with_a_step_beyond(text):
    """Let a step lead on from a state in which the snapshot is over."""
    sources = {line.split()[0] for line in lines_with(text, " -> ")}
    edge = lines_with(text, 'label="Accept"')[0]
    last = next(
        line.split()[0] for line in lines_with(text, STATE) if line.split()[0] not in sources | {edge}
    )
    return text.replace(edge, edge + edge.replace(edge.split()[0], last, 1))


def without_an_initial_state(text):
    return text.replace(",style = filled]", "];", 1)


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("change", "actions"),
    [
        (without_edge, ["Send"]),
        (with_another_target, ["Send"]),
        (with_another_action, ["Accept", "Send"]),
        (with_a_step_beyond, ["Accept"]),
    ],
)
def test_one_step_that_differs_is_seen(judged, change, actions):
    found = judged(change)
    assert sorted(row.action for row in found.rows) == actions
    assert found.mismatches == len(actions)
    assert {row.implementation for row in found.rows} == {"correct"}
    apart = [len({*row.tlc} ^ {*row.python}) for row in found.rows]
    assert apart == [2 if change is with_another_target else 1] * len(actions)


@pytest.mark.tlc
def test_a_state_that_the_implementation_cannot_be_in_is_a_mismatch_of_the_steps_to_it(judged):
    def with_another_value(text):
        line = next(line for line in lines_with(text, STATE) if "style = filled" not in line)
        return text.replace(line, line.replace("closed = {}", "closed = {<<7, 7>>}"))

    found = judged(with_another_value)
    assert found.mismatches
    assert all("7, 7" in " ".join(row.tlc) for row in found.rows)


@pytest.mark.tlc
def test_each_variable_is_compared(judged, dumped):
    """Another value of one variable in one state is a difference, whatever the variable."""
    line = next(line for line in lines_with(dumped[0], STATE) if "style = filled" not in line)
    names = re.findall(r"/\\\\ (\w+) = ", line)
    system = build_system("ChandyLamport", MODEL.topologies[0], Items(1))
    assert set(names) == set(system.variables(next(iter(system.initial()))))
    for name in names:
        changed = re.sub(rf"(/\\\\ {name} = ).*?(\\n/\\\\|\"[,\]])", r"\g<1>777\2", line, count=1)
        assert changed != line
        found = judged(lambda text, new=changed: text.replace(line, new))
        assert found.mismatches, name


@pytest.mark.tlc
def test_initial_states_that_differ_are_seen(judged):
    found = judged(subject=replace(SUBJECT, placement="initiator", items=1), model=replace(MODEL, items=1))
    assert found.agreed, "one item is with the initiator in both"
    found = judged(without_an_initial_state)
    (row,) = [row for row in found.rows if row.action == "Init"]
    assert (row.depth, row.tlc, len(row.python)) == (0, (), 1)
    assert found.mismatches == 1


@pytest.mark.tlc
def test_a_state_that_is_told_twice_counts_once(judged, dumped):
    found = judged(lambda text: text.replace(line := lines_with(text, STATE)[4], line + line))
    assert found.agreed
    assert found.states == dumped[1].distinct == len(lines_with(dumped[0], STATE))


def cut(share):
    return lambda text: text[: int(len(text) * share)]


def without_node(text):
    return text.replace(lines_with(text, STATE)[4], "")


def with_a_step_to_nowhere(text):
    line = lines_with(text, 'label="Send"')[3]
    return text.replace(line, re.sub(r"-> -?\d+", "-> 12345", line))


def with_one_more_step_to_nowhere(text):
    """The implementation misses nothing here: there is only a step too much."""
    line = lines_with(text, 'label="Send"')[3]
    return text.replace(line, line + re.sub(r"-> -?\d+", "-> 12345", line))


def with_a_step_from_nowhere(text):
    line = lines_with(text, 'label="Send"')[3]
    return text.replace(line, line + re.sub(r"^-?\d+", "12345", line))


NOT_WHOLE = {
    **{f"cut at {share}": cut(share) for share in (0.3, 0, 0.01, 0.5, 0.8)},
    "no last brace": lambda text: text[:-1],
    "no last line": lambda text: text[: text.index("}\n}")] + "}",
    "no ranks": lambda text: text[: text.index("{rank")],
    "no node": without_node,
    "a step to nowhere": with_a_step_to_nowhere,
    "one more step to nowhere": with_one_more_step_to_nowhere,
    "a step from nowhere": with_a_step_from_nowhere,
}


@pytest.mark.tlc
@pytest.mark.parametrize("how", NOT_WHOLE)
def test_a_graph_that_is_not_whole_is_incomplete(judged, how):
    with pytest.raises(IncompleteError):
        judged(NOT_WHOLE[how])


@pytest.mark.tlc
@pytest.mark.tlc
def test_two_actions_of_one_name_are_no_graph(judged):
    """A check writes actions behind a word of its own, which is taken off."""
    assert judged(lambda text: text.replace('label="Send"', 'label="PyharnessTakesSend"')).agreed
    with pytest.raises(ToolError, match="two actions"):
        judged(lambda text: text.replace('label="Send"', 'label="PyharnessTakesSend"', 1))


@pytest.mark.parametrize("distinct", [1, None])
def test_of_another_number_of_states_there_is_no_verdict(judged, distinct):
    with pytest.raises(IncompleteError):
        judged(distinct=distinct)


@pytest.mark.parametrize(
    "result",
    [
        {"exit_status": 1},
        {"outcome": Outcome.INCOMPLETE},
        {"outcome": Outcome.INVARIANT},
    ],
    ids=str,
)
def test_without_a_success_of_tlc_there_is_no_graph(monkeypatch, tmp_path, result):
    whole = Result(Outcome.SUCCESS, 0, finished=True)
    monkeypatch.setattr(graph_run, "run_texts", lambda *_, **__: replace(whole, **result))
    with pytest.raises(IncompleteError):
        graph_run.write_graph(MODEL, LIBRARY, None, tmp_path / "graph.dot")


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda text: text.replace('"white";\n', '"white";\nrubbish\n'), ToolError),
        (lambda text: re.sub(r'(-> -?\d+) \[label="Send".*\]', r"\1", text, count=1), ToolError),
        (lambda text: re.sub(r'(-> -?\d+) \[label="Send".*\]', r"\1 [odd];", text, count=1), ToolError),
        (lambda text: text.replace("closed = {}", "closed = {<<7, }", 1), ToolError),
    ],
    ids=[
        "a line of something else",
        "a step without a name",
        "a step with something else",
        "a state that is no value",
    ],
)
def test_what_cannot_be_read_is_an_error(judged, change, error):
    with pytest.raises(HarnessError) as caught:
        judged(change)
    assert type(caught.value) is error


@pytest.mark.tlc
def test_two_states_that_read_the_same_are_no_graph(judged, dumped):
    """Either the reading lost what tells them apart, or TLC's graph is not what it says."""

    def with_a_twin(text):
        line = lines_with(text, STATE)[4]
        return text.replace(line, line + line.replace(line.split()[0], "12345", 1))

    with pytest.raises(ToolError, match=r"have \d+ keys"):
        judged(with_a_twin, distinct=dumped[1].distinct + 1)
