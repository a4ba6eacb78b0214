"""The report of a run in a browser: it complains of nothing, fetches nothing, and can be read by everyone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pyharness.show.report.run.report_contents import RunInfo
from pyharness.show.report.run.report_files import write_report
from tests.gate.gate.gate_reports import run, violation
from tests.long import some

pytestmark = pytest.mark.browser

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\"'&\u202e" + "x" * 400
PHONE = {"viewport": {"width": 420, "height": 800}}


@pytest.fixture
def pages(tmp_path):
    """The text of the report, for a run that is red (and hostile) or green."""

    def make(*, red=False):
        changes = (
            {"algorithm": violation("NoRedInWhite"), "failures": {"algorithm": [HOSTILE]}} if red else {}
        )
        report = run(tmp_path, **changes).report
        info = RunInfo(NOON, 12.0, ("pyharness", "check", "quick"), {"TLC": HOSTILE})
        page = write_report(report, info, tmp_path / "report")
        return page.read_text(encoding="utf-8")

    return make


@pytest.mark.parametrize(
    ("red", "scheme"), some([(True, "light"), (False, "dark"), (True, "dark"), (False, "light")], 2)
)
def test_axe_finds_nothing_serious(visit, pages, red, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(pages(red=red), color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    found = axe.run(page)
    serious = [v for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    assert not serious, found.generate_report()


def test_without_javascript_everything_can_be_read(visit, pages):
    page = visit(pages(red=True), java_script_enabled=False)
    assert page.locator("h1").inner_text() == "Violation"
    assert page.title().startswith("VIOLATION")
    assert page.get_by_text("Why it is not a pass").is_visible()
    page.locator("details.model summary").first.click()
    assert (
        page.get_by_text("Actions taken").first.is_visible() or page.get_by_text("Graphs").first.is_visible()
    )
    assert not page.locator("#filter").is_visible()


def test_nothing_is_wider_than_a_phone(visit, pages):
    for red in (False, True):
        page = visit(pages(red=red), **PHONE)
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
