"""The cost of graphs by their channels: what is fitted, and what is projected from it."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.lab.survey.survey_result import CostFit, Point, fit_costs, makespan, project


@given(st.floats(0.01, 100), st.floats(0.5, 3))
def test_a_line_without_noise_is_found(base, factor):
    fit = fit_costs([Point(c, base * factor**c) for c in range(3, 10)])
    assert fit is not None
    assert fit.base == pytest.approx(base, rel=1e-6)
    assert fit.factor == pytest.approx(factor, rel=1e-6)
    assert fit.spread == pytest.approx(0, abs=1e-6)


def noisy(graphs, budget, seed=1):
    random = Random(seed)
    for _ in range(graphs):
        channels = random.randint(5, 20)
        cost = 0.1 * 1.8**channels * math.exp(random.gauss(0, 0.8))
        yield Point(channels, min(cost, budget), cost > budget)


def test_what_was_cut_off_is_not_taken_for_cheap():
    points = list(noisy(600, budget=300))
    fit = fit_costs(points)
    naive = fit_costs([point for point in points if not point.cut])
    assert fit is not None
    assert naive is not None
    assert fit.cut > 150
    assert fit.factor == pytest.approx(1.8, rel=0.03)
    assert fit.base == pytest.approx(0.1, rel=0.3)
    assert fit.spread == pytest.approx(0.8, rel=0.15)
    assert naive.factor < 1.75  # the bias that is mended


@pytest.mark.parametrize(
    "points",
    [
        [],
        [Point(3, 1.0)] * 9,
        [Point(c, 1.0) for c in range(4)],
        [Point(c, 1.0, cut=True) for c in range(9)],
    ],
    ids=["nothing", "one size", "too few", "all cut off"],
)
def test_nothing_is_fitted_to_too_little(points):
    assert fit_costs(points) is None


@given(st.lists(st.floats(0.1, 50), min_size=1, max_size=40), st.integers(1, 8))
def test_a_schedule_is_within_grahams_bound(costs, cores):
    ends = makespan(costs, cores)
    least = max(*costs, sum(costs) / cores)
    assert least - 1e-6 <= ends <= (2 - 1 / cores) * least + 1e-6


def test_what_does_not_fit_the_budget_costs_the_budget_and_its_simulation():
    fit = CostFit(base=1.0, factor=2.0, spread=0.0, ended=9, cut=0)
    found = project(fit, [1, 2, 3, 4], budget=8.0, walk_seconds=5.0)
    assert (found.graphs, found.exhaustive) == (4, 3)
    assert found.seconds == pytest.approx(2 + 4 + 8 + 13)
    assert found.unbounded == pytest.approx(2 + 4 + 8 + 16)
    assert found.makespans[2] == pytest.approx(14)
    assert fit.within(3, 8.0) == 1.0
    assert fit.within(4, 8.0) == 0.0
