"""What is taken out of a plan, or changed in it, is seen by the gate: it is not what is pinned."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.cli import pins_command
from pyharness.gate.judge import pinned
from pyharness.gate.judge.pinned import asked_by, not_asked, pinned_plan_file, pinned_plan_text
from pyharness.gate.plans.plan import read_plan
from pyharness.models.model import Model
from tests.long import long_but
from tests.shipped_plans import shipped_plan

PLAN = """
format = "pyharness-plan/1"
examples = true
claims = true

[[model]]
name = "ring"
spec = "ChandyLamport"
topologies = ["ring:2", "ring:3"]
invariants = ["TypeOK", "NoRedInWhite"]
silent = ["Internal", "Exchange"]
explore = true
conform = true
simulate = { traces = 5 }
pins = { distinct = 1 }

[[model]]
name = "goes-on"
spec = "ChandyLamport"
topologies = ["ring:2"]
stop = ""
invariants = ["TypeOK"]
silent = ["Internal", "Exchange"]

[[matrix]]
name = "mutants"
spec = "ChandyLamport"
topologies = ["ring:2"]
invariants = ["TypeOK", "NoRedInWhite"]
mutants = { LateTurn = ["NoRedInWhite"] }
"""


@pytest.fixture
def specs(tmp_path):
    """A copy of the specs with a small plan, which is pinned."""
    specs = tmp_path / "specs"
    shutil.copytree(SPECS, specs)
    (specs / "plans" / "small.toml").write_text(PLAN, encoding="utf-8")
    plan = plan_of(specs)
    pinned_plan_file(plan).write_text(pinned_plan_text(plan), encoding="utf-8")
    assert not_asked(plan) == ()
    return specs


def plan_of(specs):
    return read_plan(specs / "plans" / "small.toml", specs)


def edited(specs, file, old, new):
    text = (specs / file).read_text(encoding="utf-8")
    assert old in text
    (specs / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return not_asked(plan_of(specs))


LATE = {"mutants-late-turn": ("NoRedInWhite",)}
RING, GOES_ON, MUTANT = "model ring", "model goes-on", "model mutants-late-turn"
CHANGES = [
    ("plans/small.toml", "claims = true", "claims = true\nbudget_seconds = 9", "budget has changed"),
    ("plans/small.toml", PLAN[PLAN.index('[[model]]\nname = "goes-on"') : PLAN.index("[[matrix]]")], "",
     f"{GOES_ON} is pinned, and not in the plan"),
    ("plans/small.toml", 'name = "goes-on"', 'name = "goes-over"', "model goes-over is not pinned"),
    ("plans/small.toml", ', "NoRedInWhite"]', "]", f"{RING} has changed"),
    ("plans/small.toml", ', "ring:3"]', "]", f"{RING} has changed"),
    ("plans/small.toml", "explore = true\n", "", f"{RING} has changed"),
    ("plans/small.toml", "conform = true\n", "", f"{RING} has changed"),
    ("plans/small.toml", "traces = 5", "traces = 4", f"{RING} has changed"),
    ("plans/small.toml", 'stop = ""\n', 'stop = ""\nitems = 1\n', f"{GOES_ON} has changed"),
    ("plans/small.toml", 'stop = ""\n', "", f"{GOES_ON} has changed"),
    ("plans/small.toml", 'stop = ""\n', 'stop = ""\noverrides = { NoRedInWhite = "TypeOK" }\n',
     f"{GOES_ON} has changed"),
    ("plans/small.toml", 'name = "mutants"', 'name = "mutants"\ndepth = 9', f"{MUTANT} has changed"),
    ("plans/small.toml", "claims = true\n", "", "claim E1 is pinned, and not in the plan"),
    ("plans/small.toml", "examples = true\n", "", "example kuper is pinned, and not in the plan"),
    ("claims.toml", 'needs = ["three-processes"]', "", "claim E1 has changed"),
    ("claims.toml", 'mutants = ["TurnBack"]', "", "claim E1 has changed"),
    ("WhiteRed.tla", "vars == <<topo, state, chan, recState, recChan>>", "vars == <<topo>>",
     "WhiteRed.vars has changed"),
    ("Computation.tla", "vars == <<topo, state, chan>>", "vars == <<topo, state>>", "Computation.vars has changed"),
    ("examples/kuper.toml", "Eleven events", "Ten events", "example kuper has changed"),
]  # fmt: skip


OF_MODULES = [change for change in CHANGES if change[0].endswith(".tla")]


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    long_but(CHANGES, [change for change in CHANGES if change not in OF_MODULES[1:]]),
    ids=range(len(CHANGES)),
)
def test_what_a_plan_no_longer_asks_for_is_named(specs, file, old, new, reason):
    reasons = edited(specs, file, old, new)
    assert f"{reason}: `pyharness pins --update` pins it" in reasons


def test_what_is_measured_is_not_pinned_here_too(specs):
    assert edited(specs, "plans/small.toml", "pins = { distinct = 1 }", "pins = { distinct = 2 }") == ()
    assert edited(specs, "plans/small.toml", '["NoRedInWhite"] }', '["TypeOK"] }') == ()
    assert edited(specs, "plans/small.toml", 'stop = ""', 'budget = { seconds = 9 }\nstop = ""') == ()


def test_the_command_that_pins_says_what_has_changed_and_writes_it(specs, monkeypatch):
    monkeypatch.setattr(
        pins_command, "_measured", lambda plan, _: ({m.name: m.pins for m in plan.models}, LATE, [])
    )
    monkeypatch.setattr(pins_command, "_changed_strength", lambda *_, **__: False)
    edited(specs, "plans/small.toml", 'stop = ""\n', 'stop = ""\npins = { distinct = 2 }\nitems = 1\n')
    command = ["small", "--specs", str(specs)]
    said = CliRunner().invoke(pins_command.pins, command)
    assert (said.exit_code, f"{GOES_ON} has changed" in said.output) == (3, True)
    assert CliRunner().invoke(pins_command.pins, [*command, "--update"]).exit_code == 0
    assert not_asked(plan_of(specs)) == ()
    pinned_plan_file(plan_of(specs)).unlink()
    assert "pinned-plan.toml is not there" in CliRunner().invoke(pins_command.pins, command).output
    CliRunner().invoke(pins_command.pins, [*command, "--update"])
    assert CliRunner().invoke(pins_command.pins, command).output == "all pins are as measured\n"


def test_the_minimums_are_pinned():
    quick = shipped_plan("quick")
    fewer = replace(quick.minimums, counts={**quick.minimums.counts, "replays": 1})
    before, after = asked_by(quick), asked_by(replace(quick, minimums=fewer))
    named = {key for key, digest in after.items() if digest != before[key]}
    assert named == {"minimums"}


def test_the_properties_that_python_has_are_pinned(specs, monkeypatch):
    """Without its Python counterpart a property of a mutant's counterexample is held against nothing."""
    whole = pinned.known_properties
    monkeypatch.setattr(pinned, "known_properties", lambda name: whole(name) - {"NoRedInWhite"})
    assert not_asked(plan_of(specs)) == (
        "properties of ChandyLamport in Python has changed: `pyharness pins --update` pins it",
    )


def test_what_is_rendered_for_tlc_is_pinned(specs, monkeypatch):
    """What the plan asks for is of no use where TLC is asked for something else."""
    whole = Model.overrides_for
    monkeypatch.setattr(
        Model, "overrides_for", lambda model, library: [*whole(model, library), ("NoRedInWhite", "TypeOK")]
    )
    assert not_asked(plan_of(specs)) == (
        "what TLC is given of ChandyLamport has changed: `pyharness pins --update` pins it",
    )


def test_each_form_in_which_tlc_may_be_given_a_model_is_pinned(specs, monkeypatch):
    """Of a check that counts, of one that writes its graph, and of that with coverage for which both make room."""
    render = Model.render
    for given in ({"counted"}, {"watched"}, set()):
        with monkeypatch.context() as patch:

            def weaker(self, *args, given=given, **options):
                found = render(self, *args, **options)
                same = {name for name in ("counted", "watched") if options.get(name)} == given
                return replace(found, tla=found.tla.replace("Init /\\", "TRUE /\\")) if same else found

            patch.setattr(Model, "render", weaker)
            assert any("what TLC is given" in reason for reason in not_asked(plan_of(specs)))


def test_the_quick_plan_is_pinned_as_it_is_and_no_other():
    """So what is rendered for TLC does not change unseen, though the gate itself is not run."""
    quick = shipped_plan("quick")
    assert 'plan = "quick"' in pinned_plan_file(quick).read_text(encoding="utf-8")
    assert not_asked(quick) == ()
    assert not_asked(shipped_plan("full")) == ()


def test_a_selection_is_not_asked(specs):
    plan = plan_of(specs)
    assert not_asked(replace(plan, whole=False, models=plan.models[:1])) == ()


def test_a_plan_of_all_claims_must_be_pinned(specs):
    file = pinned_plan_file(plan_of(specs))
    file.write_text(file.read_text(encoding="utf-8").replace('"small"', '"other"'), encoding="utf-8")
    assert not_asked(plan_of(specs)) == ("pinned-plan.toml pins the plan other, not this one",)
    file.unlink()
    with pytest.raises(SpecError, match="cannot be read"):
        not_asked(plan_of(specs))
    plan = specs / "plans" / "small.toml"
    plan.write_text(PLAN.replace("claims = true\n", ""), encoding="utf-8")
    assert not_asked(plan_of(specs)) == ()


PINNED = 'format = "pyharness-pinned-plan/1"\nplan = '


@pytest.mark.parametrize("text", ["", "format = 1", f"{PINNED}1\n[asked]", f'{PINNED}"small"\nasked = 1'])
def test_a_file_that_is_none_gives_no_verdict(specs, text):
    pinned_plan_file(plan_of(specs)).write_text(text, encoding="utf-8")
    with pytest.raises(SpecError):
        not_asked(plan_of(specs))
