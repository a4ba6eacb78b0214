"""A verdict is never a guess: take any piece of evidence away and a pass is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyharness.base.topology import Topology
from pyharness.gate.judge.judgement import judge, judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.judge.plan_minimums import found_evidence
from pyharness.gate.judge.plan_report import Evidence, ModelReport
from pyharness.gate.plans.plan import Plan
from pyharness.models.bounds import Pins, SimulationBudget
from pyharness.models.model import Model
from pyharness.models.verdicts import Verdict, worst
from pyharness.tla.modules.library import Library
from pyharness.tla.tlc import Outcome
from tests.table_rows import tables

RING2 = Topology.of(2, [(1, 2), (2, 1)], [1])
RING3 = Topology.of(3, [(1, 2), (2, 3), (3, 1)], [1])
MODEL = Model(
    "tiny",
    "ChandyLamport",
    (RING2, RING3),
    invariants=("TypeOK",),
    properties=("TurnsRedOnce",),
    silent=("Internal",),
    pins=Pins(30, 9),
    simulate=SimulationBudget(1),
)
RUN = {
    "kind": "check",
    "run": 0,
    "outcome": "SUCCESS",
    "detail": "",
    "violated": None,
    "finished": True,
    "evaluated": ["TypeOK", "TurnsRedOnce"],
    "exit_status": 0,
    "distinct": 30,
    "generated": 60,
    "depth": 9,
}
REPLAY = {
    "kind": "simulation",
    "index": 0,
    "implementation": "correct",
    "agreed": True,
    "steps": 5,
    "violated": [],
    "divergence": None,
}
SORTED = {
    "kind": "simulation",
    "index": 0,
    "complete": True,
    "agreed": True,
    "accepted": True,
    "reason": None,
}
TOPOLOGIES = [
    {"topology": RING2.id, "outcome": "success"},
    {"topology": RING3.id, "outcome": "success"},
]
ACTIONS = [
    {"run": 0, "action": "Send", "total": 3},
    {"run": 0, "action": "Accept", "total": 4},
    {"run": 0, "action": "Internal", "total": 0},
]
WITNESS = {"witness": "ChannelState", "formula": "Complete", "reached": True}
EVIDENCE = Evidence(
    actions_of_spec=("Send", "Accept", "Internal"),
    witnesses_asked=("ChannelState",),
    **tables(
        runs=[RUN],
        topologies=TOPOLOGIES,
        actions=ACTIONS,
        traces=[{"kind": "simulation", "index": 0}],
        replays=[REPLAY],
        reorderings=[SORTED],
        witnesses=[WITNESS],
    ),
)


def changed(evidence, **given):
    """The evidence with other rows in some tables."""
    return replace(evidence, **tables(**given))


def test_whole_evidence_is_a_pass():
    assert judge(MODEL, EVIDENCE) == (Verdict.PASS, ())


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [({"Low": "High"}, "the seeded bug survives TypeOK"), ({}, "the plan expects that TypeOK is violated")],
)
def test_where_a_violation_is_expected_and_there_is_none_the_states_are_counted(overrides, reason):
    model = replace(
        MODEL, expect="violation", caught_by=("TypeOK",), pins=None, simulate=None, overrides=overrides
    )
    verdict, reasons = judge(model, changed(EVIDENCE, traces=[], replays=[], reorderings=[]))
    assert verdict is Verdict.VIOLATION
    assert f"{reason}: nothing in 30 states violates it" in reasons


SABOTAGES = {
    "no runs": ({"runs": []}, Verdict.INCOMPLETE),
    "killed": ({"runs": [RUN | {"outcome": "INCOMPLETE"}]}, Verdict.INCOMPLETE),
    "out of memory": ({"runs": [RUN | {"outcome": "OUT_OF_MEMORY"}]}, Verdict.INCOMPLETE),
    "exit status swallowed": ({"runs": [RUN | {"exit_status": 137}]}, Verdict.INCOMPLETE),
    "too few states": ({"runs": [RUN | {"distinct": 29}]}, Verdict.INCOMPLETE),
    "another depth": ({"runs": [RUN | {"depth": 8}]}, Verdict.INCOMPLETE),
    "no depth": ({"runs": [RUN | {"depth": None}]}, Verdict.INCOMPLETE),
    "a spec error": ({"runs": [RUN | {"outcome": "PARSE_ERROR"}]}, Verdict.SPEC_ERROR),
    "TLC misused": ({"runs": [RUN | {"outcome": "TOOL_ERROR"}]}, Verdict.ERROR),
    "a violation": ({"runs": [RUN | {"outcome": "INVARIANT", "violated": "TypeOK"}]}, Verdict.VIOLATION),
    "a topology missing": ({"topologies": TOPOLOGIES[:1]}, Verdict.INCOMPLETE),
    "no topologies": ({"topologies": []}, Verdict.INCOMPLETE),
    "a topology of another model": (
        {"topologies": [*TOPOLOGIES, {"topology": "n2-2-i1", "outcome": "success"}]},
        Verdict.INCOMPLETE,
    ),
    "a violation in simulation": (
        {"runs": [RUN, RUN | {"kind": "simulate", "outcome": "INVARIANT", "violated": "TypeOK"}]},
        Verdict.VIOLATION,
    ),
    "no coverage": ({"actions": []}, Verdict.INCOMPLETE),
    "a dead action": ({"actions": ACTIONS[1:]}, Verdict.INCOMPLETE),
    "a silent action fires": ({"actions": [*ACTIONS[:2], {"run": 0, "action": "Internal", "total": 1}]},
        Verdict.INCOMPLETE),
    "no replays": ({"replays": []}, Verdict.INCOMPLETE),
    "empty replays": ({"replays": [REPLAY | {"steps": 1}]}, Verdict.INCOMPLETE),
    "a replay diverges": ({"replays": [REPLAY | {"agreed": False, "divergence": "step 3"}]}, Verdict.NONCONFORMANCE),
    "a replay violates": ({"replays": [REPLAY | {"violated": ["NoRedInWhite"]}]}, Verdict.NONCONFORMANCE),
    "an invariant that TLC did not evaluate": ({"runs": [RUN | {"evaluated": ["TurnsRedOnce"]}]},
        Verdict.INCOMPLETE),
    "properties that TLC was not told to check": ({"runs": [RUN | {"evaluated": ["TypeOK"]}]},
        Verdict.INCOMPLETE),
    "no reordering": ({"reorderings": []}, Verdict.INCOMPLETE),
    "nothing to reorder": ({"reorderings": [SORTED | {"complete": False, "agreed": None, "accepted": None}]},
        Verdict.INCOMPLETE),
    "cannot be reordered": ({"reorderings": [SORTED | {"agreed": False, "accepted": None, "reason": "swap 2"}]},
        Verdict.NONCONFORMANCE),
    "reordered, and no computation": ({"reorderings": [SORTED | {"accepted": False}]}, Verdict.NONCONFORMANCE),
    "reordered, and not walked by TLC": ({"reorderings": [SORTED | {"accepted": None}]}, Verdict.INCOMPLETE),
    "no witnesses": ({"witnesses": []}, Verdict.INCOMPLETE),
    "a witness of which nothing is told": ({"witnesses_asked": ["ChannelState", "TypeOK.1"]}, Verdict.INCOMPLETE),
    "a witness of something else": ({"witnesses": [WITNESS | {"witness": "TypeOK.1"}]}, Verdict.INCOMPLETE),
    "a replay of a trace, twice": ({"traces": [{"kind": "simulation", "index": index} for index in (0, 1)],
        "reorderings": [SORTED, SORTED]}, Verdict.INCOMPLETE),
    "a reordering of another trace": ({"reorderings": [SORTED | {"index": 1}]}, Verdict.INCOMPLETE),
    "vacuous": ({"witnesses": [WITNESS | {"reached": False}]}, Verdict.INCOMPLETE),
    "a job that failed": ({"failures": ["the check job did not finish"]}, Verdict.ERROR),
}  # fmt: skip


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_no_pass_without_its_evidence(sabotage):
    change, expected = SABOTAGES[sabotage]
    verdict, reasons = judge(MODEL, changed(EVIDENCE, **change))
    assert verdict is expected
    assert verdict.exit_code != 0
    assert reasons


@pytest.mark.parametrize("count", [1, 3])
def test_the_topologies_with_a_verdict_are_those_of_the_model(count):
    rows = [*TOPOLOGIES, {"topology": "n2-2-i1", "outcome": "violation", "violated": "TypeOK"}][:count]
    reasons = judge(MODEL, changed(EVIDENCE, topologies=rows))[1]
    assert f"{count} of 2 topologies have a verdict" in reasons


def test_a_spec_without_an_implementation_has_nothing_reordered():
    model = replace(MODEL, spec="Nothing", simulate=None)
    assert judge(model, changed(EVIDENCE, reorderings=[], replays=[])) == (Verdict.PASS, ())


def test_where_a_trace_parts_is_said_with_the_first_difference():
    row = REPLAY | {"agreed": False, "divergence": "step 3\n  x: the trace has 1\n  y: the trace has 2"}
    reasons = judge(MODEL, changed(EVIDENCE, replays=[row]))[1]
    assert "simulated trace 0: step 3; x: the trace has 1 (0 of 1 agree)" in reasons


def test_no_run_of_tlc_is_said():
    assert "no run of TLC" in judge(MODEL, changed(EVIDENCE, runs=[RUN | {"kind": "simulate"}]))[1]


def test_a_model_that_has_nothing_to_be_reached_is_told_what_to_name():
    runs = [RUN | {"evaluated": ["TypeOK", "TurnsRedOnce"]}]
    verdict, reasons = judge(MODEL, replace(changed(EVIDENCE, runs=runs, witnesses=[]), witnesses_asked=()))
    assert verdict is Verdict.INCOMPLETE
    (reason,) = reasons
    assert reason.startswith("nothing shows that the check is not vacuous: name in `reached`")


def test_batches_are_summed_and_each_must_have_its_evidence():
    halves = [RUN | {"distinct": 10, "depth": 4}, RUN | {"run": 1, "distinct": 20}]
    actions = [row | {"run": run} for row in ACTIONS for run in (0, 1)]
    whole = changed(EVIDENCE, runs=halves, actions=actions)
    assert judge(MODEL, whole) == (Verdict.PASS, ())
    for broken in (
        changed(whole, runs=halves[:1]),
        changed(whole, actions=actions[::2]),
        changed(whole, runs=[halves[0], halves[1] | {"evaluated": []}]),
        changed(whole, runs=[halves[0], halves[1] | {"outcome": "INCOMPLETE"}]),
        changed(whole, runs=[halves[0], halves[1] | {"distinct": 19}]),
    ):
        verdict, reasons = judge(MODEL, broken)
        assert verdict is Verdict.INCOMPLETE
        assert reasons


def test_no_pins_is_incomplete_and_says_what_was_measured():
    verdict, reasons = judge(replace(MODEL, pins=None), EVIDENCE)
    assert verdict is Verdict.INCOMPLETE
    assert "pins = { distinct = 30, depth = 9 }" in reasons[0]


def test_what_depends_on_tlcs_build_is_not_pinned():
    assert judge(MODEL, changed(EVIDENCE, runs=[RUN | {"generated": 59}])) == (Verdict.PASS, ())


COMPARED = {
    "implementation": "correct",
    "states": 30,
    "transitions": 50,
    "mismatches": 0,
    "actions": ["Accept", "Send"],
}


@pytest.mark.parametrize(
    ("pins", "why"),
    [
        (Pins(30, 9), "not all counts are pinned; measured: pins = { distinct = 30, depth = 9, transitions = 50 }"),
        (Pins(30, None, 50), "not all counts are pinned; measured: pins = { distinct = 30, depth = 9, transitions"),
        (Pins(30, 9, 49), "50 transitions, pinned are 49"),
        (Pins(30, 8, 50), "the depth is 9, pinned is 8"),
        (Pins(30, 9, 50), None),
    ],
)  # fmt: skip
def test_transitions_are_pinned_where_the_graph_is_compared(pins, why):
    model = replace(MODEL, conform=True, pins=pins)
    verdict, reasons = judge(model, changed(EVIDENCE, conformances=[COMPARED]))
    assert verdict is (Verdict.INCOMPLETE if why else Verdict.PASS)
    assert why is None or why in reasons[0]


@pytest.mark.parametrize(
    ("row", "expected", "why"),
    [
        ({"states": 29}, Verdict.INCOMPLETE, "29 states were compared, TLC counts 30"),
        ({"states": 31}, Verdict.INCOMPLETE, "31 states were compared, TLC counts 30"),
        ({"mismatches": 1, "first": "by Send"}, Verdict.NONCONFORMANCE, "differs in 1 places, first by Send"),
        ({"error": "the graph is cut off"}, Verdict.INCOMPLETE, "conformance: the graph is cut off"),
        ({"transitions": 0}, Verdict.INCOMPLETE, "no transitions were compared"),
        ({"actions": ["Send"]}, Verdict.INCOMPLETE, "Accept never taken"),
        (
            {"actions": ["Accept", "Internal", "Send"]},
            Verdict.INCOMPLETE,
            "Internal was taken, and should not be",
        ),
        (None, Verdict.INCOMPLETE, "was not compared in every state"),
    ],
)
def test_every_state_is_compared_and_none_differs(row, expected, why):
    model = replace(MODEL, conform=True, pins=Pins(30, 9, 50))
    assert judge(model, changed(EVIDENCE, conformances=[COMPARED])) == (Verdict.PASS, ())
    rows = [] if row is None else [COMPARED | row]
    verdict, reasons = judge(model, changed(EVIDENCE, conformances=rows))
    assert verdict is expected
    assert any(why in reason for reason in reasons)


def test_all_simulated_traces_are_replayed():
    model = replace(MODEL, simulate=SimulationBudget(2))
    two = changed(
        EVIDENCE,
        traces=[{"kind": "simulation", "index": index} for index in (0, 1)],
        replays=[REPLAY, REPLAY | {"index": 1}],
        reorderings=[SORTED, SORTED | {"index": 1}],
    )
    assert judge(model, two) == (Verdict.PASS, ())
    assert judge(model, changed(two, replays=[REPLAY]))[0] is Verdict.INCOMPLETE
    assert judge(model, changed(two, replays=[REPLAY, REPLAY]))[0] is Verdict.INCOMPLETE
    one_step = [REPLAY, REPLAY | {"index": 1, "steps": 1}]
    assert judge(model, changed(two, replays=one_step)) == (Verdict.PASS, ())
    on_the_mutant = [REPLAY, REPLAY | {"index": 1, "implementation": "LateTurn"}]
    assert judge(model, changed(two, replays=on_the_mutant))[0] is Verdict.INCOMPLETE


def test_what_is_not_to_be_reached_is_not():
    model = replace(MODEL, unreached=("Early",))
    unreached = {"witness": "Early", "formula": "Complete", "reached": False}
    assert judge(model, changed(EVIDENCE, witnesses=[WITNESS, unreached])) == (Verdict.PASS, ())
    reached = changed(EVIDENCE, witnesses=[WITNESS, unreached | {"reached": True}])
    assert judge(model, reached)[0] is Verdict.INCOMPLETE


def test_pinned_transitions_that_nothing_counts_are_missing():
    verdict, reasons = judge(replace(MODEL, pins=Pins(30, 9, 50)), EVIDENCE)
    assert (verdict, reasons) == (Verdict.INCOMPLETE, ("not known transitions, pinned are 50",))


def test_what_breaks_e7_is_not_to_be_reordered():
    model = replace(MODEL, expect="violation", caught_by=("TypeOK",), pins=None, simulate=None)
    counterexample = {"kind": "counterexample", "index": 0}
    evidence = changed(
        EVIDENCE,
        runs=[RUN | {"outcome": "INVARIANT", "violated": "TypeOK", "exit_status": 12}],
        traces=[TRACE | {"violated": "TypeOK"}],
        replays=[REPLAY | counterexample | {"violated": ["SSSReachable"]}],
        reorderings=[SORTED | counterexample | {"agreed": False, "accepted": None, "reason": "swap 1"}],
    )
    assert judge(model, evidence) == (Verdict.PASS, ())
    sorted_all_the_same = changed(evidence, reorderings=[SORTED | counterexample])
    assert judge(model, sorted_all_the_same)[0] is Verdict.INCOMPLETE
    keeps_e7 = changed(evidence, replays=[REPLAY | counterexample])
    assert judge(model, keeps_e7)[0] is Verdict.NONCONFORMANCE


MUTANT = replace(
    MODEL,
    name="bug",
    mutant="LateTurn",
    expect="violation",
    caught_by=("NoRedInWhite",),
    pins=None,
    simulate=None,
)
BAD = {"outcome": "INVARIANT", "violated": "NoRedInWhite", "exit_status": 12}
TRACE = {"kind": "counterexample", "index": 0, "violated": "NoRedInWhite"}
KILL = {"property": "NoRedInWhite"}
TAKEN = REPLAY | {"kind": "counterexample", "implementation": "LateTurn", "violated": ["NoRedInWhite"]}
REFUSED = REPLAY | {"kind": "counterexample", "agreed": False, "divergence": "step 4", "diverged_at": 4}
CAUGHT = changed(EVIDENCE, runs=[RUN | BAD], traces=[TRACE], kills=[KILL], replays=[TAKEN, REFUSED])


def test_a_mutant_that_is_caught_and_replayed_passes():
    assert judge(MUTANT, CAUGHT) == (Verdict.PASS, ())


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"runs": [RUN], "traces": [], "kills": []}, Verdict.VIOLATION),
        ({"kills": [{"property": "TypeOK"}]}, Verdict.VIOLATION),
        ({"kills": [KILL, {"property": "TypeOK"}]}, Verdict.INCOMPLETE),
        ({"kills": [KILL, {"property": None}]}, Verdict.INCOMPLETE),
        ({"traces": []}, Verdict.INCOMPLETE),
        ({"runs": [RUN | BAD | {"finished": False}]}, Verdict.INCOMPLETE),
        (
            {"runs": [RUN | {"outcome": "INCOMPLETE", "finished": False}], "traces": [], "kills": []},
            Verdict.INCOMPLETE,
        ),
        ({"replays": []}, Verdict.INCOMPLETE),
        ({"replays": [TAKEN]}, Verdict.INCOMPLETE),
        ({"replays": [TAKEN | {"agreed": False, "divergence": "x"}, REFUSED]}, Verdict.NONCONFORMANCE),
        ({"replays": [TAKEN | {"violated": []}, REFUSED]}, Verdict.NONCONFORMANCE),
        ({"replays": [TAKEN, TAKEN | {"implementation": "correct"}]}, Verdict.NONCONFORMANCE),
    ],
)
def test_a_mutant_must_be_caught_by_its_property_and_replayed(change, expected):
    verdict, reasons = judge(MUTANT, changed(CAUGHT, **change))
    assert verdict is expected
    assert reasons


@pytest.mark.parametrize(
    ("replays", "expected"),
    [
        ([REFUSED], Verdict.PASS),
        ([], Verdict.INCOMPLETE),
        ([TAKEN | {"implementation": "correct"}], Verdict.NONCONFORMANCE),
        (
            [TAKEN | {"implementation": "correct", "violated": []}],
            Verdict.PASS,
        ),  # a loop that it need not leave
    ],
)
def test_of_a_mutant_without_a_twin_the_correct_implementation_alone_is_asked(replays, expected):
    model = replace(MUTANT, mutant="RecordPastMarker")
    assert judge(model, changed(CAUGHT, replays=replays))[0] is expected


def test_a_model_on_graphs_of_which_no_state_is_counted_is_no_pass_without_pins_too():
    unseen = changed(EVIDENCE, runs=[RUN | {"distinct": None}])
    assert judge(replace(MODEL, pins=None), unseen)[0] is Verdict.INCOMPLETE


@pytest.mark.parametrize("violated", [None, *MUTANT.caught_by])
def test_a_false_assert_is_not_what_a_plan_expects_of_a_mutant_and_is_told(violated):
    said = {
        "outcome": "ASSERTION",
        "violated": violated,
        "exit_status": 12,
        "detail": "the second argument was:\n7",
    }
    verdict, reasons = judge(MUTANT, changed(CAUGHT, runs=[RUN | said]))
    assert verdict is Verdict.VIOLATION
    assert reasons == (f"{violated or 'assertion failed'}: the second argument was: 7",)


def test_a_simulated_trace_is_no_replay_of_a_counterexample():
    """Both are counted from 0: what became of the one says nothing of the other."""
    simulated = [row | {"kind": "simulation"} for row in (TAKEN, REFUSED)]
    assert judge(MUTANT, changed(CAUGHT, replays=[TAKEN, REFUSED, *simulated])) == (Verdict.PASS, ())
    assert judge(MUTANT, changed(CAUGHT, replays=simulated))[0] is Verdict.INCOMPLETE
    refused = TAKEN | {"agreed": False, "divergence": "x"}
    masked = changed(CAUGHT, replays=[refused, REFUSED, *simulated])
    assert judge(MUTANT, masked)[0] is Verdict.NONCONFORMANCE


def test_a_property_that_python_does_not_have_is_violated_by_no_trace_of_the_correct_implementation():
    """Followed to its end, nothing would tell the correct implementation from the mutant."""
    model = replace(MUTANT, caught_by=("Sharp",))
    taken = TAKEN | {"violated": []}
    caught = changed(
        CAUGHT,
        traces=[TRACE | {"violated": "Sharp"}],
        kills=[{"property": "Sharp"}],
        replays=[taken, REFUSED],
    )
    assert judge(model, caught) == (Verdict.PASS, ())
    followed = changed(caught, replays=[taken, taken | {"implementation": "correct"}])
    verdict, reasons = judge(model, followed)
    assert verdict is Verdict.INCOMPLETE
    assert reasons == (
        "the correct implementation follows the trace for Sharp, of which Python knows nothing",
    )


def test_nothing_checked_is_incomplete():
    assert worst([]) is Verdict.INCOMPLETE
    assert worst([Verdict.PASS, Verdict.INCOMPLETE, Verdict.VIOLATION, Verdict.ERROR]) is Verdict.VIOLATION


def test_only_success_counts_as_success():
    for outcome in Outcome:
        verdict, _ = judge(MODEL, changed(EVIDENCE, runs=[RUN | {"outcome": outcome.name}]))
        assert (verdict is Verdict.PASS) == (outcome is Outcome.SUCCESS)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({}, None),
        ({"swaps": 0}, "no reordering had anything to swap"),
        ({"stuck": 0}, "no reordering had a pair that does not swap"),
    ],
)
def test_of_a_whole_plan_some_reordering_swaps_and_some_pair_does_not(row, why):
    plan = Plan("tiny", Path("tiny.toml"), (MODEL,), Library())
    rows = tables(reorderings=[SORTED | {"swaps": 2, "stuck": 1} | row])["reorderings"]
    expected = (Verdict.INCOMPLETE, (why,)) if why else (Verdict.PASS, ())
    assert judge_plan(plan, kill_matrix(plan, []), (), rows) == expected
    assert judge_plan(replace(plan, complete=False), kill_matrix(plan, []), (), rows) == (Verdict.PASS, ())


def test_a_stage_counts_by_what_it_has_shown():
    shown = changed(EVIDENCE, reorderings=[SORTED | {"swaps": 1}], conformances=[{"transitions": 5}])
    nothing = changed(
        EVIDENCE,
        replays=[REPLAY | {"agreed": False}],
        reorderings=[SORTED | {"swaps": 0}, SORTED | {"swaps": 1, "accepted": None}],
        conformances=[{"transitions": 0}],
    )
    counts = [
        found_evidence([ModelReport(MODEL, Verdict.PASS, (), evidence)]).stages
        for evidence in (shown, nothing)
    ]
    assert counts[0] == {"replay": 1, "reorder": 1, "conform": 1}
    assert counts[1] == {"replay": 0, "reorder": 0, "conform": 0}


def test_a_witness_that_no_graph_reaches_is_not_reached():
    unreached = WITNESS | {"witness": "TypeOK.1", "reached": False}
    evidence = changed(EVIDENCE, witnesses=[WITNESS, unreached])
    found = found_evidence([ModelReport(MODEL, Verdict.PASS, (), evidence)])
    assert found.reached(MODEL) == {"ChannelState"}
    assert found.unreached(MODEL) == {"TypeOK.1"}


@pytest.mark.parametrize("verdict", [each for each in Verdict if each is not Verdict.PASS])
def test_a_model_that_does_not_pass_is_no_evidence_for_a_claim(verdict):
    assert found_evidence([ModelReport(MODEL, verdict, (), EVIDENCE)]).passed == frozenset()
