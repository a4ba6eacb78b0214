"""Some of a plan's models: a list of them, those that failed last, and to stop at the first that fails."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from pyharness.base.errors import SpecError
from pyharness.cli.main import cli
from pyharness.cli.plan_run import AT_ONCE, failed_last, remember_failures, selection, until_failures
from pyharness.gate.judge.plan_report import PlanReport
from pyharness.models.verdicts import Verdict
from tests.shipped_plans import shipped_plan


@pytest.fixture(scope="module")
def plan():
    return shipped_plan("quick")


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def report(plan, failing):
    models = [
        SimpleNamespace(model=model, verdict=Verdict.VIOLATION if model.name in failing else Verdict.PASS)
        for model in plan.models
    ]
    return PlanReport(plan, Verdict.PASS, (), tuple(models), None, (), (), 0, 0)


def test_a_list_runs_nothing():
    result = run("check", "quick", "--list", "--only", "stop-the-world*", "--only", "white-red")
    assert result.exit_code == 0, result.output
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert {"stop-the-world", "white-red"} <= set(names)
    assert all(name.startswith("stop-the-world") or name == "white-red" for name in names)


def test_a_pattern_that_matches_nothing_names_the_nearest():
    result = run("check", "quick", "--list", "--only", "white-rid")
    assert result.exit_code == 2
    assert "white-red" in result.stderr


def test_what_failed_is_remembered_until_it_passes(plan, tmp_path):
    with pytest.raises(SpecError, match="no earlier run"):
        failed_last(tmp_path)
    first, second, third = (model.name for model in plan.models[:3])
    remember_failures(report(plan, {first, second}), tmp_path)
    assert failed_last(tmp_path) == {first, second}
    part = selection(plan, {first, third})
    assert not part.whole
    remember_failures(report(part, {third}), tmp_path)
    assert failed_last(tmp_path) == {second, third}


def test_a_run_stops_when_enough_have_failed(plan):
    few, more, _ = AT_ONCE
    failing = {plan.models[few + 1].name, plan.models[few + 2].name}
    ran = []

    def take(part):
        ran.append((len(part.models), part.whole))
        return report(part, failing)

    found = until_failures(plan, 1, take)
    assert ran == [(few, False), (few + more, False)]
    assert found.reasons == (
        f"stopped after 2 failed: {len(plan.models) + len(plan.specs) - few - more} of the models did not run",
    )
    ran.clear()
    until_failures(plan, 1, take, first=failing)
    assert ran == [(few, False)], "what failed last runs first"
    ran.clear()
    until_failures(plan, 3, take)
    assert ran[-1] == (len(plan.models), True)
    ran.clear()
    until_failures(plan, None, take)
    assert ran == [(len(plan.models), True)]
