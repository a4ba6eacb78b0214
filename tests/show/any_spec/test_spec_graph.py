"""TLC's own graph of a module: all states and steps, where an invariant does not hold, and nothing of a run cut off."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.models.text_run import run_root
from pyharness.show.any_spec import spec_graph
from pyharness.tla.plain_models.counted_relation import named_relation
from tests.command import run
from tests.show.any_spec.graphs import SPECS, reader

pytestmark = pytest.mark.tlc


def graph(name, config=None, **options):
    return reader(name, config, **options)[1].graph()


@pytest.fixture(scope="module")
def told():
    """Return a function that has TLC answer for a module what it answered once, with another dump and output."""
    answers = {}

    def answered(monkeypatch, name, dumped=str, printed=str):
        def noted(*given, dump, output, **options):
            result = run_root(*given, dump=dump, output=output, **options)
            answers[name].append((result, dump.read_text(), output.read_text()))
            return result

        def answer(*_, dump, output, **__):
            result, states, lines = next(left)
            dump.write_text(dumped(states))
            output.write_text(printed(lines))
            return result

        if name not in answers:
            answers[name] = []
            monkeypatch.setattr(spec_graph, "run_root", noted)
            graph(name)
        left = iter(answers[name])
        monkeypatch.setattr(spec_graph, "run_root", answer)

    return answered


def config(place, text):
    (place / "own.cfg").write_text(text, encoding="utf-8")
    return place / "own.cfg"


def test_the_graph_has_the_states_and_steps_that_check_counts():
    found = graph("Mutex")
    assert (len(found.states), found.arrows, found.initial) == (
        20,
        34,
        (0,),
    )  # 35 are generated, one is initial
    called = {step[:2] for steps in found.steps for step in steps}
    assert called == {(name, process) for name in ("Ask", "Yield", "Enter", "Leave") for process in "01"}
    assert all(steps for steps in found.steps)
    assert found.fails == {"TypeOK": frozenset(), "Exclusion": frozenset(), "Flagged": frozenset()}


def test_arguments_are_left_out_where_the_relation_that_tells_them_has_other_steps(monkeypatch):
    def other(model):
        named = named_relation(model)
        return replace(named, begun=(named.begun[0], f"{named.begun[1]} /\\ turn' = 0", *named.begun[2:]))

    monkeypatch.setattr(spec_graph, "named_relation", other)
    found = graph("Mutex")
    assert (found.arrows, {step.detail for steps in found.steps for step in steps}) == (34, {""})


def test_where_an_invariant_does_not_hold_the_graph_goes_on():
    found = graph("Odd")
    values = [state["n"] for state in found.states]
    assert sorted(values) == [0, 1, 2, 2, 3, 3]
    assert {values[state] for state in found.fails["Even"]} == {1, 3}
    assert {len(found.states[state]["words"]) for state in found.fails["Few"]} == {3}
    assert [values[n] for n, steps in enumerate(found.steps) if not steps] == [3, 3]


def test_a_state_beyond_a_constraint_is_told_and_not_shown(tmp_path):
    text = "SPECIFICATION Spec\nINVARIANT Small\nINVARIANT Few\nCONSTRAINT Small\n"
    found = graph("Odd", config(tmp_path, text))
    assert len(found.states) == 4
    assert found.fails["Small"] == frozenset()
    assert found.beyond == ("Small", "Few")


def test_more_states_than_are_wanted_are_refused_before_all_are_made():
    _, asked = reader("Mutex")
    assert len(asked.graph(20).states) == 20
    with pytest.raises(SpecError, match="more than 19 states"):
        asked.graph(19)


def test_a_run_that_is_not_through_shows_nothing():
    with pytest.raises(IncompleteError, match="not all states were seen"):
        reader("Mutex", seconds=0.01)[1].graph()


def test_what_stops_tlc_shows_nothing_either(tmp_path):
    with pytest.raises(IncompleteError, match=r"too many.*not all states were seen"):
        graph("Odd", config(tmp_path, "SPECIFICATION Spec\nINVARIANT Asserted\n"))
    with pytest.raises(SpecError, match="Head") as error:
        graph("Odd", config(tmp_path, "SPECIFICATION Spec\nINVARIANT First\n"))
    assert error.value.where.endswith("Odd.tla:12:10")
    assert "Pyharness" not in str(error.value)


def test_without_behaviours_or_initial_states_there_is_no_graph(tmp_path):
    (tmp_path / "None.tla").write_text(
        "---- MODULE None ----\nVARIABLE x\nInit == x \\in {}\nNext == x' = x\n====\n", encoding="utf-8"
    )
    with pytest.raises(IncompleteError, match="no initial state"):
        graph(tmp_path / "None.tla", config(tmp_path, "INIT Init\nNEXT Next\n"))
    with pytest.raises(SpecError, match="no behaviours are defined"):
        graph("Odd", config(tmp_path, "INVARIANT Even\n"))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda text: text[: len(text) // 2], IncompleteError),
        (lambda text: text.rstrip().rstrip("}"), IncompleteError),
        (lambda text: text.replace("turn = 0", "turn = ?"), ToolError),
        (
            lambda text: "\n".join(line for line in text.splitlines() if "turn = 1" not in line),
            IncompleteError,
        ),
    ],
    ids=["half", "without its end", "unreadable", "a state is missing"],
)
def test_a_graph_that_is_cut_off_or_broken_is_none(monkeypatch, told, change, error):
    told(monkeypatch, "Mutex")
    assert len(graph("Mutex").states) == 20
    told(monkeypatch, "Mutex", dumped=change)
    with pytest.raises(error):
        graph("Mutex")


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ('<<"PyharnessFails", 0, <<9, << >>>>>>\n', "not in its graph"),
        ('<<"PyharnessFails", 0, <<1, << \n', "cannot be read"),
        ('<<"PyharnessFails", "x", 1>>\n', "cannot be read"),
    ],
)
def test_what_tlc_tells_of_no_state_of_the_graph_is_no_evidence(monkeypatch, told, printed, says):
    told(monkeypatch, "Odd", printed=lambda lines: lines + printed)
    with pytest.raises(ToolError, match=says):
        graph("Odd")


@pytest.mark.parametrize(("name", "most"), [("_MOST_BYTES", SpecError), ("_MOST_PRINTED", IncompleteError)])
def test_what_tlc_writes_is_read_within_bounds(monkeypatch, told, name, most):
    told(monkeypatch, "Odd")
    monkeypatch.setattr(spec_graph, name, 100)
    with pytest.raises(most, match="MiB"):
        graph("Odd")


def test_tlc_evaluates_a_predicate_in_each_state_or_says_that_it_cannot():
    _, asked = reader("Odd")
    found = asked.graph()
    assert {found.states[state]["n"] for state in asked.where_not("Ends", found)} == {0, 1, 2}
    with pytest.raises(SpecError, match="cannot evaluate First in every state"):
        asked.where_not("First", found)


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_picture_has_every_state_with_its_variables_and_what_does_not_hold(tmp_path):
    file = tmp_path / "states.svg"
    done = run("states", SPECS / "Odd.tla", "--out", file)
    assert (done.exit_code, done.stdout) == (0, f"6 states in {file}\n")
    text = file.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314 - our own
    boxes = [group for group in root if group.get("data-state")]
    assert len(boxes) == 6
    assert (
        sum("fails" in rect.get("class") for box in boxes for rect in box if rect.tag.endswith("rect")) == 3
    )
    assert "n = 3" in text
    assert "✗ Even" in text
    assert "A heavy border: nothing can happen any more. Red: an invariant does not hold." in text
    assert "Pyharness" not in text


def test_too_many_states_are_refused_in_words():
    done = run("states", SPECS / "Counter.tla", "--constant", "Most=100")
    assert done.exit_code == 2
    assert "Counter.tla: the graph has more than 80 states" in done.stderr
    assert "the explorer takes up to 50,000 states" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["Nowhere.tla"], 2, "there is no such module"),
        (["Odd.tla", "--topology", "ring:2"], 2, "--topology is of a spec about graphs"),
        (["Odd.tla", "--constant", "N=1"], 2, "no constant 'N'"),
        (["ChandyLamport.tla"], 2, "name the module: pyharness states ChandyLamport"),
    ],
)
def test_bad_input_gets_a_message_and_its_exit_code(monkeypatch, arguments, code, says):
    monkeypatch.chdir(SPECS)
    done = run("states", *arguments)
    assert done.exit_code == code
    assert says in done.stderr
