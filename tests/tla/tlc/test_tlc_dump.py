import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BUILDS, path

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.tla.tlc import DumpNode, Edge, load_graph, read_graph, read_states
from pyharness.tla.tlc.dump import _unescape
from pyharness.tla.values import StateReader, record

PLAIN, DOT, ZOO = "dump_plain.FILE.dump.dump", "dump_dot_ok.FILE.dump.dot", "dump_dot.FILE.dump.dot"
STATES = [record(x=x, y=record(a=a, b=())) for a in (1, 2) for x in range(4)]


@pytest.mark.parametrize("build", BUILDS)
def test_plain_dump(build):
    assert list(read_states(path(build, PLAIN), expected=8)) == STATES


@pytest.mark.parametrize("build", BUILDS)
def test_graph(build):
    graph = load_graph(path(build, DOT))
    assert list(graph.states.values()) == STATES
    ids = list(graph.states)
    assert graph.initial == (ids[0],)
    actions = ["Inc", "Inc", "Inc", "Reset"] * 2
    assert graph.edges == tuple(
        Edge(ids[i], ids[(i + 1) % 8], action, None) for i, action in enumerate(actions)
    )


@pytest.mark.parametrize("build", BUILDS)
def test_graph_of_every_kind_of_value(build):
    graph = load_graph(path(build, ZOO))
    assert [edge.action for edge in graph.edges] == ["Step", "Step", "Act"]
    assert graph.edges[-1].arguments == {"2.15": None, "modern": "p1"}[build]
    for state in graph.states.values():
        assert state["str"] == 'quo"te, back\\slash |-> }} >> @@ :> tab'
        assert len(state["big"]) == 40


@pytest.mark.parametrize("build", BUILDS)
def test_a_cut_plain_dump_is_incomplete(build, tmp_path):
    text = path(build, PLAIN).read_text()
    part = tmp_path / "part"
    for cut in range(len(text)):
        part.write_text(text[:cut])
        with pytest.raises(IncompleteError):
            list(read_states(part, expected=8))
        if text[:cut].strip("\n") and not text[:cut].endswith("\n\n"):
            with pytest.raises(IncompleteError):
                list(read_states(part))
    part.write_text(text + "State 9:\n/\\ x = 0\n/\\ y = 1\n\n")
    with pytest.raises(IncompleteError, match="9 states instead of 8"):
        list(read_states(part, expected=8))


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", [DOT, ZOO])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_cut_graph_is_incomplete(build, name, tmp_path_factory, data):
    text = path(build, name).read_text()
    cut = data.draw(st.integers(0, len(text) - 1) | st.integers(len(text) - 400, len(text) - 1))
    part = tmp_path_factory.mktemp("dot") / "part.dot"
    part.write_text(text[:cut])
    with pytest.raises(IncompleteError):
        load_graph(part)


@pytest.mark.parametrize(
    "text",
    [
        "State 2:\nx = 1\n\n",
        "State 1:\nx = 1\n\nState 3:\nx = 2\n\n",
        "State 1:\nx = {\n\n",
        "State 1:\n\n",
        "something else\n\n",
    ],
)
def test_what_is_not_a_plain_dump_is_refused(text, tmp_path):
    file = tmp_path / "dump"
    file.write_text(text)
    with pytest.raises(ToolError):
        list(read_states(file))


@pytest.mark.parametrize(
    "line", ["rubbish", '1 [label="x = {",style = filled]', "1 -> x;", '1 [label="x = 1"', "1 -> 2"]
)
def test_what_is_not_a_graph_is_refused(line, tmp_path):
    file = tmp_path / "dot"
    file.write_text("strict digraph DiskGraph {\n" + line + "\n}")
    with pytest.raises(ToolError):
        list(read_graph(file))


def test_a_graph_may_be_without_action_labels(tmp_path):
    file = tmp_path / "dot"
    file.write_text(
        'strict digraph DiskGraph {\n1 [label="x = 0",style = filled]\n1 -> -2;\n-2 [label="x = 1"];\n}'
    )
    assert list(read_graph(file)) == [
        DumpNode(1, record(x=0), initial=True),
        Edge(1, -2, None, None),
        DumpNode(-2, record(x=1), initial=False),
    ]


@pytest.mark.parametrize("edge", ["1 -> 2", "2 -> 1", "2 -> 2"])
def test_an_edge_needs_its_states(tmp_path, edge):
    file = tmp_path / "dot"
    file.write_text(f'strict digraph DiskGraph {{\n1 [label="x = 0",style = filled]\n{edge};\n}}')
    with pytest.raises(IncompleteError, match="edge"):
        load_graph(file)


def test_a_reader_is_shared(tmp_path):
    reader = StateReader()
    first = list(read_states(path("2.15", PLAIN), reader))
    second = list(read_states(path("modern", PLAIN), reader))
    assert first[0]["y"] is second[0]["y"]


def _escape(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@given(st.text('ab\\"n\n /', max_size=30))
def test_labels_are_unescaped(text):
    assert _unescape(_escape(text)) == text
