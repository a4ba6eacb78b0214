"""Conformance over whole state graphs: every way to differ is seen, and nothing that is not whole passes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from functools import cache

import pytest
from click.testing import CliRunner

from pyharness.cli import cli
from pyharness.conformance import graph_pieces, plain_comparison
from pyharness.conformance.comparison import (
    compare,
    compare_on_spark,
    conform_model,
    conformance_rows,
    conformance_rows_on_spark,
    is_plain,
)
from pyharness.conformance.graph_dump import write_graph
from pyharness.conformance.graph_pieces import pieces_of, written_graph
from pyharness.conformance.mismatches import initial_rows
from pyharness.conformance.shortest_paths import Paths
from pyharness.conformance.spark_tables import state_rows
from pyharness.conformance.subject import Subject, subject_of
from pyharness.conformance.successors import Implementation
from pyharness.errors import ConformanceError, HarnessError, IncompleteError, SpecError, ToolError
from pyharness.plan.model import Budget, Model, Pins
from pyharness.plan.spec_modules import Library
from pyharness.protocols import Items
from pyharness.replay import replay
from pyharness.run.jobs import Job
from pyharness.run.machine_tools import find_tools
from pyharness.run.task_tools import tools_for_tasks
from pyharness.systems import MUTANTS, PROTOCOLS, build_system, protocols_of
from pyharness.systems.barrier_systems import BARRIER_PROTOCOLS
from pyharness.tla import Fn
from pyharness.tlc import Outcome, load_graph
from pyharness.tlc.dump import Graph, find_states
from pyharness.tlc.itf import from_itf
from pyharness.toolchain.spec_files import SPECS
from pyharness.topology import Topology, dataflows, parse_topologies

pytestmark = pytest.mark.usefixtures("shared_tlc")

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
RING2_BOTH = Topology.of(2, [(1, 2), (2, 1)], [1, 2])
FOUR = Topology.of(3, [(1, 2), (2, 1), (2, 3), (3, 1)], [1])
BOTH_WAYS = Topology.of(3, [(1, 2), (1, 3), (3, 2)], [1])
CHAIN = Topology.of(2, [(1, 2)], [1])
CHAIN_BOTH = Topology.of(2, [(1, 2)], [1, 2])
(PIPELINE,) = dataflows("pipeline", 2)
(JOIN,) = dataflows("join", 3)
(DIAMOND,) = dataflows("diamond", 4)
(PIPELINE_OF_THREE,) = dataflows("pipeline", 3)
FORK = Topology.of(3, [(1, 2), (1, 3)], [1])
MERGE = Topology.of(4, [(1, 3), (2, 3), (3, 4)], [1, 2])
LIBRARY = Library(SPECS, SPECS / "mutants")
MODEL = Model("tiny", "ChandyLamport", (RING2, CHAIN), items=1)
SUBJECT = Subject(
    protocol="ChandyLamport",
    application="Items",
    items=1,
    placement="spread",
    constants=(),
    granularity="event",
    mutant=None,
    stop_when_over=True,
)

# Where each mutant can be seen, tried in this order: one whose process has two inputs, or holds two items, comes later.
PLACES = [
    {"topologies": (RING2_BOTH,), "items": 1, "granularity": "action"},
    {"topologies": (RING2,), "items": 2, "granularity": "action"},
    {"topologies": (FOUR,), "items": 1, "granularity": "event"},
    {"topologies": (BOTH_WAYS,), "items": 1, "granularity": "action"},
    {"topologies": (RING2,), "items": 1, "granularity": "event", "stop": ""},
]
DATAFLOW_PLACES = [
    {"topologies": (graph,), "application": "Dataflow", "granularity": "event", **more}
    for shape, n, more in (
        ("pipeline", 2, {}),
        ("join", 3, {}),
        ("loop", 4, {}),
        ("pipeline", 2, {"stop": ""}),
        ("pipeline", 3, {}),
    )
    for graph in dataflows(shape, n)
]
CHECKPOINT_PLACES = [
    {
        "topologies": (graph,),
        "application": "Dataflow",
        "granularity": "event",
        "stop": "",
        "constants": Fn(
            {
                **dict.fromkeys(("MaxCheckpoints", "Overlap", "MaxDeclines", "MaxCrashes", "Ends"), 0),
                "Mode": "aligned",
                "Records": 1,
                "MaxCheckpoints": 1,
                **bounds,
            }.items()
        ),
    }
    for graph, bounds in (
        (PIPELINE, {"MaxCrashes": 1}),
        (PIPELINE, {"Mode": "unaligned", "MaxCrashes": 1}),
        (JOIN, {"MaxCheckpoints": 2, "Overlap": 1, "MaxDeclines": 1}),
        (JOIN, {"Ends": 1}),
        (JOIN, {"MaxCrashes": 1}),
        (FORK, {"MaxCheckpoints": 1, "MaxCrashes": 1}),
        (DIAMOND, {"MaxDeclines": 1}),
        (MERGE, {"Mode": "unaligned"}),
        (PIPELINE, {"MaxCrashes": 2}),
        (PIPELINE, {"Mode": "unaligned", "Records": 2}),
        (PIPELINE_OF_THREE, {"Mode": "timeout"}),
        (DIAMOND, {"Mode": "timeout"}),
        (JOIN, {"Mode": "timeout", "MaxDeclines": 1}),
        (JOIN, {"Mode": "at-least-once", "MaxCheckpoints": 2, "Overlap": 1, "Ends": 1}),
    )
]
COLLECTION_PLACES = [
    {
        "topologies": (graph,),
        "application": "Tasks",
        "predicate": predicate,
        "constants": Fn(constants.items()),
        "items": items,
        "placement": "spread" if items == 1 else "any",
        "granularity": "event",
        "stop": "",
    }
    for graph, predicate, items, constants in (
        (CHAIN, "Terminated", 1, {"Need": 1}),
        (RING2, "ItemLost", 1, {"Losses": 1}),
        (CHAIN_BOTH, "Terminated", 2, {"Need": 2}),
    )
]
BARRIERS = [spec.name for spec in BARRIER_PROTOCOLS]
DECODED = [name for name, spec in PROTOCOLS.items() if spec.decoder]
SEEDED = sorted(name for name in MUTANTS if {*protocols_of(name)} & {*DECODED})
ONLY_UNFAIR = {"UnfairChannel", "UnfairLastChannel"}
"""What these break is Fairness, which no single step shows."""
ONLY_BEGINS = {"LeftOver", "BeginsInMotion", "BeginsWithMessage", "BeginsWithRecord"}
"""What these break is Init: from a state that both have, they do the same."""
DEEP = {"RecordBackwards": 9, "ReportBackwards": 14, "LeavesPending": 14}
"""How deep the graphs of these mutants are, for a step of theirs to show."""


def places_of(spec):
    if spec == "Checkpoints":
        return CHECKPOINT_PLACES
    if spec == "Collection":
        return COLLECTION_PLACES
    return DATAFLOW_PLACES if spec in BARRIERS else PLACES


def alike(spec, place):
    """The graphs of all places of a spec that differ in nothing but the graph: one run of TLC writes them all."""
    same = (other for other in places_of(spec) if {**other, "topologies": place["topologies"]} == place)
    return tuple(topology for other in same for topology in other["topologies"])


def spec_of(mutant):
    """The spec that a mutant breaks; one of those that it may break."""
    fitting = protocols_of(mutant)
    return "ChandyLamport" if "ChandyLamport" in fitting else fitting[0]


def some_of_each_spec(names, most=2):
    """So many of each spec's mutants at most, and with them those that are looked for in a way of their own."""
    by_spec = defaultdict(list)
    for name in names:
        by_spec[spec_of(name)].append(name)
    first = {min(kind) for kind in (ONLY_UNFAIR, ONLY_BEGINS)}
    return sorted({name for found in by_spec.values() for name in found[:most]} | first | {*DEEP})


MIRRORED = some_of_each_spec(name for name in SEEDED if name not in ONLY_UNFAIR | ONLY_BEGINS)


def implementation_of(model, mutant=None):
    return Implementation(model.composition, mutant, stop_when_over=bool(model.stop))


def mismatches(graph, implementation, depth=None):
    """Compare a graph that is in memory, state by state, without Spark; yield where the successors differ."""
    expand = cache(lambda number: implementation.expand(graph.states[number]))
    levels = depth and Paths(graph.initial, [(e.source, e.action, e.target) for e in graph.edges]).depth
    targets = defaultdict(lambda: defaultdict(set))
    for edge in graph.edges:
        targets[edge.source][edge.action].add(edge.target)
    for number in graph.states:
        theirs = {
            action: {expand(target).key for target in found} for action, found in targets[number].items()
        }
        followed = depth is None or levels[number] < depth
        ours = expand(number).successors.items() if followed else ()
        ours = {action: set(keys) for action, keys in ours}
        yield from ((number, action) for action in {*theirs, *ours} if theirs.get(action) != ours.get(action))


def differ(graph, implementation, depth=None):
    return next(mismatches(graph, implementation, depth), None) is not None


@pytest.fixture(scope="module")
def graph_of(tmp_path_factory):
    """Return a function from a model's fields to TLC's graph; each graph is made once."""

    @cache
    def made(fields):
        dump = tmp_path_factory.mktemp("graph") / "graph.dot"
        result = write_graph(Model("m", **dict(fields)), LIBRARY, find_tools(), dump)
        assert result.outcome is Outcome.SUCCESS, result.error_text
        return load_graph(dump)

    return lambda **fields: made(tuple(sorted(fields.items())))


@pytest.fixture(scope="module")
def graph_at(graph_of):
    """Return a function from a spec and a place to the graph there, of the run for all places that are alike."""

    @cache
    def part(spec, fields):
        place = dict(fields)
        whole = graph_of(spec=spec, **place | {"topologies": alike(spec, place)})
        (topology,) = place["topologies"]
        states = {number: state for number, state in whole.states.items() if state["topo"] == topology.id}
        edges = tuple(edge for edge in whole.edges if edge.source in states or edge.target in states)
        return Graph(states, tuple(number for number in whole.initial if number in states), edges)

    return lambda spec, place: part(spec, tuple(sorted(place.items())))


@pytest.fixture(scope="module")
def seen_at(graph_at):
    """Return a function from a mutant to the first place where its implementation differs from the spec, or None."""

    @cache
    def found(mutant):
        spec = spec_of(mutant)
        for number, place in enumerate(places_of(spec)):
            if differ(graph_at(spec, place), implementation_of(Model("m", spec, **place), mutant)):
                return number
        return None

    return found


@pytest.fixture(scope="module")
def dumped(tmp_path_factory):
    """TLC's dump of the model MODEL, as text, and the result of that run."""
    dump = tmp_path_factory.mktemp("dump") / "graph.dot"
    result = write_graph(MODEL, LIBRARY, find_tools(), dump)
    return dump.read_text(encoding="utf-8"), result


# -- without Spark -------------------------------------------------------------------------------------------------


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("spec", "place"),
    [(spec, place) for spec in DECODED for place in places_of(spec)],
    ids=lambda value: (
        value if isinstance(value, str) else f"{value['topologies'][0].id}-{value['granularity']}"
    ),
)
def test_the_implementations_do_what_the_specs_say(graph_at, spec, place):
    graph = graph_at(spec, place)
    model = Model("m", spec, **place)
    assert not differ(graph, implementation_of(model))
    (topology,) = place["topologies"]
    initial = {implementation_of(model).expand(graph.states[number]).key for number in graph.initial}
    assert initial == set(implementation_of(model).initial(topology))


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("mutant", SEEDED)
def test_a_mutant_in_python_differs_from_the_spec(seen_at, mutant):
    assert (seen_at(mutant) is not None) == (mutant not in ONLY_UNFAIR | ONLY_BEGINS)


@pytest.mark.parametrize("mutant", sorted(ONLY_BEGINS))
def test_a_mutant_that_begins_otherwise_has_other_initial_states(mutant):
    spec = spec_of(mutant)
    model = Model("m", spec, **places_of(spec)[0])
    (topology,) = model.topologies
    begins, should = (set(implementation_of(model, name).initial(topology)) for name in (mutant, None))
    assert begins.isdisjoint(should)


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("mutant", MIRRORED)
def test_a_mutant_of_the_spec_differs_from_the_implementation(graph_of, seen_at, mutant):
    """It is looked for first where the same bug in Python is seen: elsewhere both may have no occasion.

    A comparison has two equal sides, and of the same bug on the other one all are seen; so here are a few of each spec.
    """
    spec = spec_of(mutant)
    places = list(places_of(spec))
    places.insert(0, places.pop(seen_at(mutant) or 0))
    for place in places:
        usual = 11 if spec == "Collection" else {1: 7, 2: 5}.get(place.get("items"), 11)
        depth = DEEP.get(mutant, usual)
        model = Model("m", spec, mutant=mutant, depth=depth, **place)
        graph = graph_of(spec=spec, mutant=mutant, depth=depth, **place)
        if differ(graph, implementation_of(model), depth):
            break
    else:
        assert mutant in ONLY_UNFAIR | ONLY_BEGINS


@pytest.mark.tlc
def test_both_with_the_same_bug_agree(graph_of):
    place = PLACES[0]
    model = Model("m", "ChandyLamport", mutant="LateTurn", depth=7, **place)
    graph = graph_of(spec="ChandyLamport", mutant="LateTurn", depth=7, **place)
    assert not differ(graph, implementation_of(model, "LateTurn"), 7)


@pytest.mark.tlc
def test_a_row_for_each_state_and_for_no_other_line(dumped):
    text, result = dumped
    rows = [json.loads(row) for row in state_rows(text.splitlines(), SUBJECT)]
    assert len(rows) == result.distinct
    assert sum(row["initial"] for row in rows) == 2
    assert {row["topology"] for row in rows} == {RING2.id, CHAIN.id}
    assert not any("problem" in row for row in rows)
    assert rows == [json.loads(row) for row in state_rows(text.splitlines(), SUBJECT)]


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("old", "new", "spec"),
    [
        ('"];', '";', False),
        ("recState = <<>>", "recState = <<", False),
        ("closed = {}", "closed = {<<7, 7>>}", True),
        (f'topo = \\"{RING2.id}\\"', 'topo = \\"n9\\"', True),
    ],
)
def test_a_state_that_is_not_whole_says_so(dumped, old, new, spec):
    line = next(line for line in dumped[0].splitlines() if RING2.id in line and old in line)
    (row,) = (json.loads(row) for row in state_rows([line.replace(old, new, 1)], SUBJECT))
    assert row["problem"]
    assert row["spec"] is spec


def test_shortest_paths():
    paths = Paths([1, 9], [(1, "a", 2), (2, "b", 3), (1, "c", 3), (3, "d", 1), (3, "e", 4), (7, "f", 8)])
    assert paths.depth == {1: 1, 9: 1, 2: 2, 3: 2, 4: 3}
    assert paths.to(4) == [(None, 1), ("c", 3), ("e", 4)]
    assert paths.to(9) == [(None, 9)]


@pytest.mark.tlc
def test_states_are_found_by_their_ids(dumped, tmp_path):
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    graph = load_graph(dump)
    some = list(graph.states)[::7]
    assert find_states(dump, some) == {number: graph.states[number] for number in some}
    with pytest.raises(IncompleteError, match="no state 5"):
        find_states(dump, [5, *some])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spec": "Computation"}, "Computation cannot be compared"),
        ({"stop": "Complete"}, "does not know 'Complete'"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, message):
    with pytest.raises(SpecError, match=message):
        conform_model(replace(MODEL, **change), LIBRARY, None)
    with pytest.raises(SpecError, match="no mutant"):
        conform_model(MODEL, LIBRARY, None, implementation="Nothing")


def test_the_subject_of_a_dataflow_is_a_dataflow():
    """Its constants are those of the model; one with items that move has none."""
    model = Model("tiny", "AlignedBarriers", (JOIN,), application="Dataflow")
    given = replace(model, constants={"Records": 1})
    for own, records in ((model, 2), (given, 1)):
        subject = subject_of(own, None)
        assert dict(subject.constants)["Records"] == records
        (initial,) = subject.build().initial(JOIN).values()
        (expected,) = own.system(JOIN).initial()
        assert initial == Fn(own.system(JOIN).variables(expected).items())
    assert subject_of(MODEL, None) == SUBJECT


def test_topologies_by_id_size_and_family():
    assert parse_topologies(["n2-6-i1", "2"]) == (Topology.from_id("n2-6-i1"),)
    assert len(parse_topologies(["3"])) == 10
    assert [t.id for t in parse_topologies(["four-channels"])] == [FOUR.id]
    assert len(parse_topologies(["ring:3", "ring:4"])) == 2
    for text in ("nothing", "ring:", "ring:x", "n2-6-i9", ""):
        with pytest.raises(SpecError):
            parse_topologies([text])


# -- in plain Python and on Spark ------------------------------------------------------------------------------------


@pytest.fixture(params=["plain", pytest.param("spark", marks=pytest.mark.slow)])
def judged(request, dumped, tmp_path):
    """Return a function that compares a dump made from TLC's by ``change``, with TLC's result changed too."""
    session = request.getfixturevalue("spark") if request.param == "spark" else None

    def run(change=None, subject=SUBJECT, model=MODEL, **result):
        dump = tmp_path / "changed.dot"
        dump.write_text(change(dumped[0]) if change else dumped[0], encoding="utf-8")
        found = replace(dumped[1], **result)
        if session is None:
            return compare(model, subject, dump, found)
        return compare_on_spark(model, subject, written_graph(session, dump), found)

    return run


STATE = ' [label="/\\\\'
"""What the line of a state has, and no other."""


def lines_with(text, part):
    return [line for line in text.splitlines(keepends=True) if part in line]


@pytest.mark.tlc
def test_the_whole_graph_agrees(judged, graph_of):
    found = judged()
    assert found.agreed
    assert (found.mismatches, found.rows, found.implementation) == (0, (), "correct")
    graph = graph_of(spec="ChandyLamport", topologies=MODEL.topologies, items=1)
    assert found.states == len(graph.states)
    assert found.transitions == len(set(graph.edges))


@pytest.mark.tlc
@pytest.mark.slow
def test_spark_leaves_its_tables(dumped, spark, tmp_path):
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    pieces = written_graph(spark, dump)
    found = compare_on_spark(MODEL, SUBJECT, pieces, dumped[1], tmp_path / "tables")
    edges = len(lines_with(dumped[0], " -> "))
    for table, size in {"states": found.states, "transitions": edges, "conformance": 0}.items():
        assert spark.read.parquet(str(tmp_path / "tables" / table)).count() == size


@pytest.mark.tlc
def test_mismatches_are_those_that_a_plain_comparison_finds(judged, graph_of):
    found = judged(subject=replace(SUBJECT, mutant="LateTurn"))
    graph = graph_of(spec="ChandyLamport", topologies=MODEL.topologies, items=1)
    assert found.mismatches == len(list(mismatches(graph, implementation_of(MODEL, "LateTurn"))))
    assert found.mismatches == len(found.rows)
    depths = [row.depth for row in found.rows]
    assert depths == sorted(depths)
    first = found.rows[0]
    assert (first.action, first.depth, first.implementation) == ("AcceptMarker", 2, "LateTurn")
    assert first.tlc != first.python
    trace, meta = from_itf(first.itf)
    assert len(trace) == 2
    assert meta["mutant"] == "LateTurn"
    system = build_system("ChandyLamport", Topology.from_id(first.topology), Items(1), "event", "LateTurn")
    assert replay(trace, system).agreed


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


@pytest.mark.tlc
def test_initial_states_that_differ_are_seen(judged):
    found = judged(subject=replace(SUBJECT, placement="initiator", items=1), model=replace(MODEL, items=1))
    assert found.agreed, "one item is with the initiator in both"
    found = judged(without_an_initial_state)
    (row,) = [row for row in found.rows if row.action == "Init"]
    assert (row.depth, row.tlc, len(row.python)) == (0, (), 1)
    assert found.mismatches == 1


@pytest.mark.tlc
def test_a_state_that_is_told_twice_counts_once(judged):
    found = judged(lambda text: text.replace(line := lines_with(text, STATE)[4], line + line))
    assert found.agreed
    assert found.states == judged().states


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


@pytest.mark.tlc
@pytest.mark.parametrize(
    "change",
    [
        *(pytest.param(cut(share), id=f"cut at {share}") for share in (0, 0.01, 0.3, 0.5, 0.8)),
        pytest.param(lambda text: text[:-1], id="no last brace"),
        pytest.param(lambda text: text[: text.index("}\n}")] + "}", id="no last line"),
        pytest.param(lambda text: text[: text.index("{rank")], id="no ranks"),
        without_node,
        with_a_step_to_nowhere,
        with_one_more_step_to_nowhere,
        with_a_step_from_nowhere,
    ],
)
def test_a_graph_that_is_not_whole_is_incomplete(judged, change):
    with pytest.raises(IncompleteError):
        judged(change)


@pytest.mark.tlc
@pytest.mark.parametrize(
    "result",
    [
        {"distinct": 1},
        {"distinct": None},
        {"exit_status": 1},
        {"outcome": Outcome.INCOMPLETE},
        {"outcome": Outcome.OUT_OF_MEMORY},
        {"outcome": Outcome.INVARIANT},
    ],
    ids=str,
)
def test_without_a_success_of_tlc_there_is_no_verdict(judged, result):
    with pytest.raises(IncompleteError):
        judged(**result)


@pytest.mark.tlc
@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda text: text.replace('"white";\n', '"white";\nrubbish\n'), ToolError),
        (lambda text: re.sub(r'(-> -?\d+) \[label="Send".*\]', r"\1", text, count=1), ToolError),
        (lambda text: text.replace("closed = {}", "closed = {<<7, 7>>}", 1), ConformanceError),
    ],
    ids=["a line of something else", "a step without a name", "a state that the implementation cannot be in"],
)
def test_what_cannot_be_read_is_an_error(judged, change, error):
    with pytest.raises(HarnessError) as caught:
        judged(change)
    assert type(caught.value) is error


@pytest.mark.tlc
def test_a_mutant_of_the_spec_is_compared_up_to_a_depth():
    model = Model("m", "ChandyLamport", (RING2,), items=1, mutant="NonFifoChannel", depth=9)
    found = conform_model(model, LIBRARY, find_tools())
    assert found.mismatches
    assert conform_model(model, LIBRARY, find_tools(), implementation="NonFifoChannel").agreed
    assert conform_model(replace(model, mutant=None), LIBRARY, find_tools()).agreed


@pytest.mark.tlc
def test_where_no_step_is_compared_nothing_is_shown(tmp_path):
    """Of behaviours of one state there is no step, whatever the implementation does."""
    dump = tmp_path / "graph.dot"
    model = replace(MODEL, depth=1)
    result = write_graph(model, LIBRARY, find_tools(), dump)
    assert compare(replace(MODEL, depth=2), SUBJECT, *graph_to_depth(2, tmp_path)).transitions
    for mutant in (None, "LateTurn"):
        with pytest.raises(IncompleteError, match="no transitions were compared"):
            compare(model, replace(SUBJECT, mutant=mutant), dump, result)
    (row,) = conformance_rows(Job("1", "conform", model), LIBRARY, find_tools(), graph=(dump, result))
    assert "no transitions were compared" in row.error


@pytest.mark.tlc
def test_two_states_that_read_the_same_are_no_graph(judged, dumped):
    """Either the reading lost what tells them apart, or TLC's graph is not what it says."""

    def with_a_twin(text):
        line = lines_with(text, STATE)[4]
        return text.replace(line, line + line.replace(line.split()[0], "12345", 1))

    with pytest.raises(ToolError, match=r"have \d+ keys"):
        judged(with_a_twin, distinct=dumped[1].distinct + 1)


@pytest.mark.tlc
def test_a_step_beyond_the_depth_is_a_mismatch(tmp_path):
    """TLC follows nothing there, so a step from there is none that it was to take."""
    dump, result = graph_to_depth(2, tmp_path)
    model, text = replace(MODEL, depth=2), dump.read_text(encoding="utf-8")
    edge = next(line for line in lines_with(text, " -> ") if line.split()[0] != line.split()[2])
    last = edge.split()[2]
    assert compare(model, SUBJECT, dump, result).agreed
    dump.write_text(text.replace(edge, edge + edge.replace(edge.split()[0], last, 1)), encoding="utf-8")
    assert compare(model, SUBJECT, dump, result).mismatches == 1


@pytest.mark.tlc
def test_a_model_of_a_plan_is_compared_with_the_correct_implementation(dumped, tmp_path):
    """Whatever the model has: the row says that it was the correct one."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    job = Job("1", "conform", replace(MODEL, mutant="LateTurn"))
    (row,) = conformance_rows(job, LIBRARY, find_tools(), graph=(dump, dumped[1]))
    assert (row.implementation, row.mismatches, row.error) == ("correct", 0, None)


def graph_to_depth(depth, directory):
    dump = directory / f"{depth}.dot"
    return dump, write_graph(replace(MODEL, depth=depth), LIBRARY, find_tools(), dump)


class NoGraph:
    """A graph of TLC's of which nothing is there."""

    name, states, transitions, pairs, initial = "empty", 0, 0, (), {}

    def find(self, ids):
        return dict.fromkeys(ids)


@pytest.mark.parametrize("topology", MODEL.topologies, ids=str)
@pytest.mark.parametrize("side", ["TLC", "Python", "each its own"])
def test_initial_states_that_one_side_has_are_seen_on_every_topology(monkeypatch, topology, side):
    """The graph begins as the implementation does, but for one state of one topology."""
    both = {each.id: SUBJECT.build().initial(each) for each in MODEL.topologies}
    graph = NoGraph()
    graph.initial = {name: {key: number for number, key in enumerate(ours)} for name, ours in both.items()}
    assert initial_rows(MODEL, SUBJECT, graph) == []
    own = graph.initial[topology.id]
    if side != "TLC":
        own.popitem()
    if side != "Python":
        own[12345] = 7
    monkeypatch.setattr(NoGraph, "find", lambda _, ids: dict.fromkeys(ids, 1))
    assert [row.topology for row in initial_rows(MODEL, SUBJECT, graph)] == [topology.id]


def test_a_graph_on_which_neither_side_begins_was_not_compared(monkeypatch):
    rows = initial_rows(MODEL, SUBJECT, NoGraph())
    assert [row.topology for row in rows] == [RING2.id, CHAIN.id]
    monkeypatch.setattr(Implementation, "initial", lambda *_: {})
    with pytest.raises(IncompleteError, match=f"no state of {RING2.id} was compared"):
        initial_rows(MODEL, SUBJECT, NoGraph())


BOTH = {
    "agreeing": (MODEL, None),
    "a mutant in Python": (MODEL, "LateTurn"),
    "mutants that lead elsewhere": (MODEL, "NonFifoChannel"),
    "initial states": (replace(MODEL, topologies=(RING2_BOTH,), items=2, placement="any"), None),
    "a mutant of the spec": (replace(MODEL, topologies=(RING2,), mutant="NonFifoChannel", depth=9), None),
    "both, to a depth": (replace(MODEL, mutant="LateTurn", depth=6), "LateTurn"),
    "checkpoints": (Model("m", "Checkpoints", **CHECKPOINT_PLACES[2]), None),
    "a mutant of checkpoints": (Model("m", "Checkpoints", **CHECKPOINT_PLACES[2]), "KeepBlocked"),
    "barriers": (Model("m", "UnalignedBarriers", **DATAFLOW_PLACES[1]), "OvertakenLost"),
}
"""A model and a mutant of its implementation."""


def timeless(found):
    return replace(found, seconds=0.0, tlc_seconds=0.0)


@pytest.mark.tlc
@pytest.mark.slow
@pytest.mark.parametrize("case", BOTH)
def test_spark_and_plain_python_find_the_same(case, spark, tmp_path):
    """Counts, rows and their traces are equal, for one reading process and for several."""
    model, mutant = BOTH[case]
    dump = tmp_path / "graph.dot"
    result = write_graph(model, LIBRARY, find_tools(), dump)
    subject = subject_of(model, mutant)
    plain = timeless(compare(model, subject, dump, result))
    assert plain == timeless(compare_on_spark(model, subject, written_graph(spark, dump), result))
    assert plain.agreed == (case in {"agreeing", "initial states", "both, to a depth", "checkpoints"})


@pytest.mark.tlc
@pytest.mark.parametrize("mutant", [None, "LateTurn"])
@pytest.mark.parametrize("part", [3000, 700])
def test_several_processes_find_the_same_as_one(dumped, tmp_path, monkeypatch, mutant, part):
    """The dump is cut at any byte, even within a line; nothing is read twice or left out."""
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    subject = replace(SUBJECT, mutant=mutant)
    one = timeless(compare(MODEL, subject, dump, dumped[1]))
    monkeypatch.setattr(plain_comparison, "_PART", part)
    monkeypatch.setattr(plain_comparison, "ProcessPoolExecutor", Inline)
    assert timeless(compare(MODEL, subject, dump, dumped[1], processes=30)) == one


@pytest.mark.tlc
@pytest.mark.parametrize("at", [0.1, 0.9])
@pytest.mark.parametrize("line", ["nonsense", "}", "strict digraph Other {", '7 [label="x"];', "7 -> 8"])
def test_what_is_wrong_in_any_part_is_told_as_it_is_of_the_whole(dumped, tmp_path, monkeypatch, line, at):
    lines = dumped[0].splitlines()
    lines.insert(round(at * len(lines)), line)
    dump = tmp_path / "graph.dot"
    dump.write_text("\n".join([*lines, ""]), encoding="utf-8")
    with pytest.raises(HarnessError) as whole:
        compare(MODEL, SUBJECT, dump, dumped[1])
    monkeypatch.setattr(plain_comparison, "_PART", 1000)
    monkeypatch.setattr(plain_comparison, "ProcessPoolExecutor", Inline)
    with pytest.raises(type(whole.value)) as parts:
        compare(MODEL, SUBJECT, dump, dumped[1], processes=30)
    assert str(parts.value) == str(whole.value)


class Inline:
    """A pool that does the work itself."""

    def __init__(self, count, mp_context):
        assert count > 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    map = staticmethod(map)


@pytest.mark.tlc
@pytest.mark.slow
def test_two_processes_of_their_own_find_the_same(dumped, tmp_path, monkeypatch):
    dump = tmp_path / "graph.dot"
    dump.write_text(dumped[0], encoding="utf-8")
    one = timeless(compare(MODEL, replace(SUBJECT, mutant="LateTurn"), dump, dumped[1]))
    monkeypatch.setattr(plain_comparison, "_PART", len(dumped[0]) // 3)
    assert timeless(compare(MODEL, replace(SUBJECT, mutant="LateTurn"), dump, dumped[1], processes=2)) == one


def test_a_graph_with_too_many_names_is_refused():
    names = plain_comparison._Names({str(number): number for number in range(1 << 16)})
    assert names.number("0") == 0
    with pytest.raises(ToolError, match="names of actions"):
        names.number("another")


def test_large_graphs_are_for_spark():
    assert is_plain(MODEL)
    assert is_plain(replace(MODEL, pins=Pins(500_000)))
    assert not is_plain(replace(MODEL, pins=Pins(500_001)))


@pytest.mark.tlc
@pytest.mark.slow
def test_a_graph_that_turns_out_large_is_compared_on_spark(spark, monkeypatch):
    monkeypatch.setattr("pyharness.conformance.comparison.MOST_PLAIN_STATES", 10)
    monkeypatch.setattr("pyharness.conformance.comparison.compare", None)
    assert conform_model(MODEL, LIBRARY, find_tools()).agreed


@pytest.mark.tlc
def test_a_model_that_cannot_be_compared_has_its_error_in_its_row():
    bad = replace(MODEL, name="bad", spec="WhiteRedHistory")
    (row,) = conformance_rows(Job("1", "conform", bad), LIBRARY, find_tools())
    assert "WhiteRedHistory cannot be compared" in row.error
    (row,) = conformance_rows(Job("2", "conform", MODEL), LIBRARY, find_tools())
    assert row.error is None
    assert row.mismatches == 0 < row.transitions


@pytest.mark.tlc
@pytest.mark.slow
def test_a_job_on_spark_finds_what_a_plain_one_does(spark):
    """TLC runs in a task there, which tells the others of its graph."""
    job = Job("2", "conform", MODEL)
    with tools_for_tasks(spark.sparkContext, find_tools(), LIBRARY) as given:
        (row,) = conformance_rows_on_spark(job, spark, given)
        (cut_off,) = conformance_rows_on_spark(
            replace(job, model=replace(MODEL, budget=Budget(seconds=0, heap_mb=64))), spark, given
        )
    assert timeless(row) == timeless(*conformance_rows(job, LIBRARY, find_tools()))
    assert "TLC" in cut_off.error
    assert cut_off.states is None


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_pieces_of_a_dump_are_its_lines_wherever_it_is_cut(tmp_path, monkeypatch, size):
    lines = ["", "a", "ä" * 40, "b -> c", "", "x" * 100, "}"]
    dump = tmp_path / "graph.dot"
    monkeypatch.setattr(graph_pieces, "PIECE", size)
    for text in ("\n".join(lines), "\n".join(lines) + "\n"):
        dump.write_text(text, encoding="utf-8")
        length = dump.stat().st_size
        for middle in range(length + 1):
            pieces = [*pieces_of(dump, 0, middle), *pieces_of(dump, middle, length)]
            assert [line for piece in pieces for line in piece.split("\n")] == lines
        assert [line for piece in pieces_of(dump) for line in piece.split("\n")] == lines


def test_comparing_in_plain_python_needs_no_spark():
    """Not even its import, which takes half a second."""
    code = "import sys, pyharness.conformance.comparison; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- the command line ----------------------------------------------------------------------------------------------


def run(*args):
    return CliRunner().invoke(cli, ["conform", *args])


@pytest.mark.tlc
@pytest.mark.slow
def test_the_command_says_what_differs_and_exits_with_1(spark, tmp_path):
    good = run("ChandyLamport", "--topology", RING2.id, "--items", "1", "--json", "--out", str(tmp_path))
    assert good.exit_code == 0, good.output
    document = json.loads(good.stdout)
    assert document["format"] == "pyharness-conform/1"
    assert document["mismatches"] == 0
    assert document["first"] is None
    assert document["states"] > 10 < document["transitions"]
    assert (tmp_path / "states").is_dir()
    bad = run("ChandyLamport:LateTurn", "--topology", RING2.id, "--items", "1")
    assert bad.exit_code == 1
    assert "They differ first by AcceptMarker" in bad.stdout
    assert "2. Initiate" in bad.stdout
    assert "Only the spec then takes AcceptMarker to\n     chan[<<1, 2>>] = <<>>" in bad.stdout
    bounded = run("ChandyLamport", "--topology", RING2.id, "--items", "1", "--depth", "3")
    assert bounded.exit_code == 0
    assert "on 1 graph, behaviours of 3 states at most: " in bounded.stdout
    assert run("ChandyLamport", "--topology", RING2.id, "--items", "1", "--depth", "1").exit_code == 3
    reverse = ("--spec-mutant", "LateTurn", "--depth", "6", "--json", "--items", "1")
    document = json.loads(run("ChandyLamport", "--topology", RING2.id, *reverse).stdout)
    assert document["mismatches"] > 0
    assert document["first"]["trace"]["states"][1]["#meta"]["action"] == "Initiate"


@pytest.mark.parametrize(
    "args",
    [
        ("ChandyLamport",),
        ("Nothing", "--topology", "2"),
        ("ChandyLamport:Nothing", "--topology", "2"),
        ("ChandyLamport:NoGuard", "--topology", "2"),
        ("ChandyLamport", "--topology", "nothing"),
        ("ChandyLamport", "--topology", "2", "--spec-mutant", "NoGuard"),
        ("ChandyLamport", "--topology", "2", "--items", "0"),
        ("ChandyLamport", "--topology", "2", "--depth", "0"),
    ],
)
def test_bad_input_exits_with_2(args):
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
