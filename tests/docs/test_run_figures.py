"""The figures of a run that pages show: what is counted is the run's, what is measured stays."""

from __future__ import annotations

import pytest

from tests.docs.run_figures import PAGES, ROOT, with_figures

RUN = """
│ cyclic-barriers    │ 2      │ 4,119  │ 50 of 50   │ 2 = TLC  │ pass   │
PASS: 4 models on 2 graphs, 99 states, 7 transitions conform, 9 s (4 of 8 jobs taken over from an
earlier run)
report: build/quick/report/index.html
"""
PAGE = """
│ cyclic-barriers                    │ 2      │ 2,036  │ 50 of 50   │ 2 = TLC  │ pass      │
│ another                            │ 1      │ 61     │ 1 of 1     │          │ pass      │
PASS: 3 models on 2 graphs, 98 states, 7 transitions
conform, 156 s (0 of 7 jobs taken over from an earlier run)
"""


def test_counts_are_the_runs_and_seconds_the_pages():
    new = with_figures(PAGE, RUN)
    assert (
        "PASS: 4 models on 2 graphs, 99 states, 7 transitions conform, 156 s (0 of 8 jobs taken"
        in " ".join(new.split())
    )
    assert (
        "│ cyclic-barriers                    │ 2      │ 4,119  │ 50 of 50   │ 2 = TLC  │ pass      │" in new
    )
    assert (
        "│ another                            │ 1      │ 61     │ 1 of 1     │          │ pass      │" in new
    )
    assert with_figures(new, RUN) == new


@pytest.mark.parametrize("name", PAGES)
def test_each_page_has_a_verdict_to_be_replaced(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    assert "4 models on 2 graphs" in with_figures(page, RUN)


@pytest.mark.parametrize(("page", "run"), [(PAGE, "nothing"), ("nothing", RUN)])
def test_no_figures_are_an_error(page, run):
    with pytest.raises(ValueError, match="no verdict"):
        with_figures(page, run)
