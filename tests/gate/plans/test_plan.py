"""Plans: every way to get one wrong is named, with its line and field."""

from __future__ import annotations

import contextlib
from itertools import product

import pytest

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.gate.plans.plan import read_plan
from pyharness.machines.protocols import Dataflow
from pyharness.models.model import Model
from tests.each_case import each_case

GOOD = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "ChandyLamport"
topologies = [{ processes = 2 }]
items = 1
invariants = ["TypeOK"]
properties = ["RefinesWhiteRed"]
"""


def read(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path, SPECS)


def test_a_good_plan(tmp_path):
    plan = read(tmp_path, GOOD)
    assert [model.name for model in plan.models] == ["tiny"]
    assert len(plan.models[0].topologies) == 1


@pytest.mark.parametrize("name", ["quick", "full"])
def test_the_plans_of_the_project_can_be_read(name):
    plan = read_plan(find_plan(name), SPECS)
    assert all(model.pins for model in plan.models if model.expect == "pass")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('format = "pyharness-plan/1"', 'format = "other"', 1, "format"),
        ("items = 1", "itms = 1", 7, "no such key"),
        ("items = 1", 'items = "one"', 7, "items: must be a number"),
        ("items = 1", "budget = { second = 1 }", 7, "budget.second: no such key"),
        ("items = 1", "pins = { depth = 1 }", 7, "pins.distinct: is missing"),
        ("items = 1", "pins = { distinct = 1, generated = 2 }", 7, "that count depends on TLC's build"),
        ("items = 1", "constants = { MaxSend = 1 }", 7, "declares no constant MaxSend"),
        ("items = 1", 'mutant = "Nothing"', 7, "no mutant Nothing"),
        ("items = 1", 'mutant = "NoGuard"', 7, "a mutant of WhiteRed, which ChandyLamport does not extend"),
        ("items = 1", 'mutant = "LateTurn"', 3, "expect"),
        ("items = 1", 'overrides = { TypeOK = "NoRedInWhite" }', 7, "TypeOK is checked"),
        ("items = 1", 'overrides = { RefinesWhiteRed = "SSSReachable" }', 7, "RefinesWhiteRed is checked"),
        ("items = 1", 'stop = "Ovre"', 7, "does not define Ovre"),
        ("items = 1", 'expect = "violation"', 3, "caught_by"),
        (
            "items = 1",
            'expect = "violation"\ncaught_by = ["NoRedInWhite"]',
            8,
            "must name some of the model's",
        ),
        (
            "items = 1",
            'granularity = "step"',
            7,
            "(?s)granularity: cannot be 'step'.*there are event, action",
        ),
        ('spec = "ChandyLamport"', 'spec = "Chandy"', 5, "no module Chandy"),
        ('spec = "ChandyLamport"', 'spec = "HandlerSteps"', 5, "extends no module that runs on graphs"),
        ('["TypeOK"]', '["TypOK"]', 8, "does not define TypOK"),
        ('["RefinesWhiteRed"]', '["RefinesRedWhite"]', 9, "does not define RefinesRedWhite"),
        ('invariants = ["TypeOK"]\nproperties = ["RefinesWhiteRed"]\n', "", 4, "checks nothing"),
        ("[{ processes = 2 }]", "[]", 6, "topologies"),
        ("[{ processes = 2 }]", "[{ processes = 3, channels_max = 1 }]", 6, "topologies"),
        ("[{ processes = 2 }]", "[{ proceses = 2 }]", 6, "topologies"),
        ('name = "tiny"', 'name = "../tiny"', 4, "lower-case words"),
    ],
)
def test_a_wrong_plan_is_named(tmp_path, old, new, line, message):
    assert old in GOOD
    with pytest.raises(SpecError, match=message) as caught:
        read(tmp_path, GOOD.replace(old, new))
    assert caught.value.where == f"plan.toml:{line}"


FITTING = {
    **dict.fromkeys(("invariants", "properties", "silent", "unreached", "reached", "caught_by"), "[]"),
    **dict.fromkeys(("constants", "overrides", "budget"), "{}"),
    **dict.fromkeys(("fair", "conform"), "true"),
    **dict.fromkeys(("items", "depth", "per_run"), "5"),
    "name": '"x"',
}
"""What fits a key, of the values of the next test."""


VALUES = ["5", '"x"', "true", "1.5", "2020-02-02", "[]", "[[]]", "[{}]", "{}", "{ a = [1] }"]


@each_case("key, value", product(Model.__dataclass_fields__, VALUES))
def test_a_value_of_another_type_is_an_error_of_the_plan(tmp_path, key, value):
    """Whatever TOML has: what is no value of a key is an error of the plan, and never one of ours."""
    lines = [line for line in GOOD.splitlines() if not line.startswith(f"{key} =")]
    (tmp_path / "plan.toml").write_text("\n".join([*lines, f"{key} = {value}"]), encoding="utf-8")
    wrong = contextlib.nullcontext() if FITTING.get(key) == value else pytest.raises(SpecError)
    with wrong:
        read_plan(tmp_path / "plan.toml", SPECS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "format"),
        ('format = "pyharness-plan/1"\n', "checks nothing"),
        ("format = ", "not TOML"),
        (GOOD + GOOD.split("\n", 2)[2], "another model is called"),
    ],
)
def test_a_broken_file_is_named(tmp_path, text, message):
    with pytest.raises(SpecError, match=message):
        read(tmp_path, text)


# -- lists of properties ---------------------------------------------------------------------------------------


def listed(old="", new=""):
    text = GOOD.replace('["TypeOK"]', '["OneMarker", "@snapshot"]').replace(
        '["RefinesWhiteRed"]', '["@ends-well"]'
    )
    lists = '[properties]\nsnapshot = ["TypeOK", "NoRedInWhite"]\nends-well = ["RefinesWhiteRed"]\n'
    text = text.replace("[[model]]", lists + "[[model]]")
    assert old in text
    return text.replace(old, new)


def test_a_list_stands_for_its_properties_in_its_place(tmp_path):
    (model,) = read(tmp_path, listed()).models
    assert model.invariants == ("OneMarker", "TypeOK", "NoRedInWhite")
    assert model.properties == ("RefinesWhiteRed",)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("@snapshot", "@snapshto", 11, "(?s)invariants: no list @snapshto.*did you mean snapshot"),
        ('"@snapshot"', '"@snapshot", "TypeOK"', 11, "without repetitions"),
        ('"NoRedInWhite"', '"NoRed"', 11, "does not define NoRed"),
        ('"TypeOK", "NoRedInWhite"', "", 4, "snapshot: must be a list of names that is not empty"),
        ('"TypeOK", "NoRedInWhite"', "1", 4, "snapshot: must be a list of names"),
        ('"TypeOK", "NoRedInWhite"', '"TypeOK", "TypeOK"', 4, "snapshot: must be without repetitions"),
        (
            '"TypeOK", "NoRedInWhite"',
            '"@ends-well"',
            4,
            "snapshot: must be a list of properties, not of lists",
        ),
        ("snapshot = ", "Snapshot = ", 4, "lower-case words"),
        ('["@ends-well"]', '["RefinesWhiteRed"]', 5, "(?s)ends-well: no model uses this list.*@ends-well"),
        ("items = 1", 'silent = ["@snapshot"]', 10, "does not define @snapshot"),
    ],
)
def test_a_wrong_list_is_named(tmp_path, old, new, line, message):
    with pytest.raises(SpecError, match=message) as caught:
        read(tmp_path, listed(old, new))
    assert caught.value.where == f"plan.toml:{line}"


# -- the budget ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["0", "-1", "true", "1.5", '"900"', "[]"])
def test_a_wrong_budget_is_named(tmp_path, given):
    head, rest = GOOD.split("\n", 1)
    with pytest.raises(SpecError, match="budget_seconds: must be a number of seconds") as caught:
        read(tmp_path, f"{head}\nbudget_seconds = {given}\n{rest}")
    assert caught.value.where == "plan.toml:2"


# -- graphs in several runs ------------------------------------------------------------------------------------


PER_RUN = GOOD.replace("processes = 2", "processes = 3").replace("items = 1", "items = 1\nper_run = 4")


def test_graphs_in_several_runs(tmp_path):
    (model,) = read(tmp_path, PER_RUN).models
    assert [len(batch) for batch in model.batches] == [4, 4, 2]
    assert tuple(graph for batch in model.batches for graph in batch) == model.topologies
    (whole,) = read(tmp_path, PER_RUN.replace("per_run = 4\n", "")).models
    assert whole.batches == [whole.topologies]
    (more,) = read(tmp_path, PER_RUN.replace("per_run = 4", "per_run = 99")).models
    assert more.batches == [more.topologies]


@pytest.mark.parametrize(
    ("new", "line", "message"),
    [
        ("per_run = 0", 8, "per_run: must be a number of graphs from 1 on, not 0"),
        ("per_run = -1", 8, "per_run: must be a number of graphs"),
        ("per_run = true", 8, "per_run: must be a number of graphs"),
        ('per_run = "4"', 8, "per_run: must be a number of graphs"),
        ("per_run = 4\nconform = true", 8, "per_run: a mutant and a comparison are one run of TLC"),
        ('per_run = 4\nmutant = "LateTurn"\nexpect = "violation"\ncaught_by = ["TypeOK"]', 8,
            "per_run: a mutant and a comparison are one run of TLC"),
    ],
)  # fmt: skip
def test_runs_that_cannot_be_are_named(tmp_path, new, line, message):
    with pytest.raises(SpecError, match=message) as caught:
        read(tmp_path, PER_RUN.replace("per_run = 4", new))
    assert caught.value.where == f"plan.toml:{line}"


# -- dataflows -------------------------------------------------------------------------------------------------


FLOW = """format = "pyharness-plan/1"

[[model]]
name = "tiny"
spec = "AtLeastOnceBarriers"
topologies = [{ dataflow = "acyclic", processes = [2, 3] }]
application = "Dataflow"
constants = { Records = 3 }
invariants = ["SnapshotLosesNothing"]
conform = true
"""


def test_a_dataflow_is_built_and_rendered_with_its_records(tmp_path):
    plan = read(tmp_path, FLOW)
    (model,) = plan.models
    assert isinstance(model.build_application(), Dataflow)
    assert model.build_application().records == 3
    rendered = model.render(plan.library)
    assert "ModelRecords == 3" in rendered.tla
    assert "LowerBound <- NothingLost" in rendered.cfg
    assert "Conserved <- DataflowConserved" in rendered.cfg
    assert "Item" not in rendered.cfg
    assert model.setting == {
        "application": "Dataflow",
        "predicate": None,
        "items": 2,
        "placement": "spread",
        "constants": {"Records": 3},
    }
    system = model.system(model.topologies[0])
    assert system.protocol == "AtLeastOnceBarriers"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('"Dataflow"', '"Dataflows"', 7, "(?s)application: cannot be 'Dataflows'.*did you mean Dataflow"),
        ('application = "Dataflow"\nconstants = { Records = 3 }\n', "", 3, "is about a dataflow"),
        ('"Dataflow"\nconstants = { Records = 3 }', '"Tasks"', 7, "is about a dataflow"),
        ("Records = 3", "Record = 3", 8, "declares no constant Record"),
        ("Records = 3", "Need = 3", 8, "declares no constant Need"),
        ("Records = 3", 'Records = "3"', 8, "a table of names and numbers"),
        ('"acyclic"', '"circular"', 6, "`dataflow` cannot be"),
        ("[2, 3]", "[2, 6]", 6, "has 2 to 5 processes, not 6"),
        ("conform = true", 'predicate = "Terminated"', 10, "tests no predicate"),
    ],
)
def test_a_wrong_dataflow_is_named(tmp_path, old, new, line, message):
    assert old in FLOW
    with pytest.raises(SpecError, match=message) as caught:
        read(tmp_path, FLOW.replace(old, new))
    assert caught.value.where == f"plan.toml:{line}"


@pytest.mark.parametrize(
    ("mutant", "message"),
    [
        ("NoBlocking", "a mutant of AlignedBarriers, which AtLeastOnceBarriers does not extend"),
        ("LateTurn", "a mutant of ChandyLamport, which AtLeastOnceBarriers does not extend"),
    ],
)
def test_a_barrier_mutant_of_another_spec_is_named(tmp_path, mutant, message):
    text = FLOW.replace("[[model]]", "[[matrix]]").replace("conform = true\n", "")
    with pytest.raises(SpecError, match=message):
        read(tmp_path, text + f'mutants = {{ {mutant} = ["SnapshotLosesNothing"] }}\n')


@pytest.mark.parametrize("name", ["FiniteSets", "TransitiveClosure"])
def test_a_module_that_tlc_would_take_for_its_own_is_named(tmp_path, name):
    """Of the second TLC has the operator in Java, and takes that for one that the module defines otherwise."""
    (tmp_path / f"{name}.tla").write_text(f"---- MODULE {name} ----\n====\n", encoding="utf-8")
    (tmp_path / "plan.toml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(SpecError, match=f"TLC would take this for its own {name}"):
        read_plan(tmp_path / "plan.toml", tmp_path)


def test_a_mutant_of_ones_own_is_told_to_be_an_override(tmp_path):
    (tmp_path / "mutants").mkdir()
    own = "---- MODULE MyBug ----\nEXTENDS ChandyLamport\n\nMyBugMayInitiate(p) == TRUE\n====\n"
    (tmp_path / "mutants" / "MyBug.tla").write_text(own, encoding="utf-8")
    plan = tmp_path / "plan.toml"
    row = '[matrix.mutants]\nMyBug = ["TypeOK"]\n'
    plan.write_text(GOOD.replace("[[model]]", "[[matrix]]").replace('["RefinesWhiteRed"]', "[]") + row)
    with pytest.raises(SpecError, match=r"MyBug is not a shipped mutant(?s:.*)a model with overrides"):
        read_plan(plan, tmp_path)


def test_a_mutant_that_overrides_what_is_to_catch_it_is_named(tmp_path):
    mutants = tmp_path / "mutants"
    mutants.mkdir()
    text = (SPECS / "mutants" / "LateTurn.tla").read_text(encoding="utf-8")
    cheat = text.replace("\n====", "\nLateTurnTypeOK == FALSE\n====")
    (mutants / "LateTurn.tla").write_text(cheat, encoding="utf-8")
    matrix = GOOD.replace("[[model]]", "[[matrix]]") + 'mutants = { LateTurn = ["TypeOK"] }\n'
    (tmp_path / "plan.toml").write_text(matrix, encoding="utf-8")
    with pytest.raises(SpecError, match="LateTurnTypeOK overrides TypeOK, which is to catch it"):
        read_plan(tmp_path / "plan.toml", tmp_path)
