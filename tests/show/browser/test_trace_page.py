"""The trace page, used as people use it: by keyboard, mouse and touch, in light and dark, and on a phone."""

from __future__ import annotations

from functools import cache

import pytest

from pyharness.show.report.trace.trace_page import to_html
from tests.long import long_but
from tests.show.report.committed import read
from tests.show.report.hostile import HOSTILE_META, NAMES, hostile_trace

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@cache
def page_of(name):
    return to_html(*read(name))


def step_of(page):
    return int(page.locator("#steps tr[aria-current]").get_attribute("data-step")) + 1


def comes_to(page, step):
    """Wait until the page is at a step: what an address names is shown when the browser has told of the address."""
    page.locator(f"#steps tr[aria-current][data-step='{step - 1}']").wait_for()


def state(page):
    texts = (
        "rows => rows.map(row => [row.querySelector('th').innerText, row.querySelector('code').textContent])"
    )
    return dict(page.locator("#state tr").evaluate_all(texts))


def changed(page):
    return set(page.locator("#state tr.changed th").all_inner_texts())


def test_keys_step_through_the_trace_and_the_state_follows(visit):
    page = visit(page_of("kuper"))
    assert step_of(page) == 19
    page.keyboard.press("Home")
    assert step_of(page) == 1
    assert state(page)["state[P1]"] == "{}"
    for key, step in (("ArrowRight", 2), ("j", 3), ("k", 2), ("ArrowLeft", 1), ("ArrowLeft", 1), ("End", 19)):
        page.keyboard.press(key)
        assert step_of(page) == step
    page.goto(page.url.partition("#")[0] + "#step=14")
    comes_to(page, 14)
    assert state(page)["recChan[C21]"] == '<<"m3">>'
    assert changed(page) == {"chan[C21]", "recChan[C21]", "state[P1]", "whiteInRed[C21]"}
    assert page.locator("#state tr.changed td", has_text="new").count() == 0
    assert "Step 14 of 19: D: accept C21 m3" in page.locator("#said").inner_text()


def test_every_state_is_the_traces_own(visit):
    trace, meta = read("loop-log-saves-records")
    page = visit(to_html(trace, meta))
    page.keyboard.press("Home")
    for step in trace.steps:
        shown = state(page)
        assert shown["crashes"] == str(step.state["crashes"])
        assert "copies[P2]" in shown
        assert shown["triggered"] == str(step.state["triggered"])
        page.keyboard.press("j")


def test_a_counterexample_opens_where_it_breaks(visit):
    page = visit(page_of("LateTurn"))
    assert step_of(page) == 5
    assert "NoRedInWhite is violated" in page.locator("#said").inner_text()
    page.keyboard.press("Home")
    page.get_by_role("link", name="step 5").click()
    comes_to(page, 5)


PAGES = ("kuper", "LateTurn", "skipped-alignment-duplicate")


@pytest.mark.parametrize(
    ("name", "scheme"),
    long_but(
        [(name, scheme) for name in PAGES for scheme in ("light", "dark")],
        [("kuper", "light"), ("LateTurn", "dark")],
    ),
)
def test_axe_finds_nothing_serious(visit, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(page_of(name), color_scheme=scheme)
    found = axe.run(page)
    serious = [v for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    assert not serious, found.generate_report()


def test_axe_would_find_something(visit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(page_of("LateTurn"))
    page.evaluate("document.querySelector('#back').removeAttribute('aria-label')")
    page.evaluate("document.querySelector('#back').removeAttribute('title')")
    page.evaluate("document.querySelector('#back').textContent = ''")
    assert "button-name" in {v["id"] for v in axe.run(page).response["violations"]}


def test_without_javascript_the_content_is_there(visit):
    page = visit(page_of("LateTurn"), "#step=5", java_script_enabled=False)
    assert page.locator("svg text", has_text="NoRedInWhite is violated here").is_visible()
    assert page.locator("#steps tbody tr").count() == 5
    assert page.get_by_text('<<[colour |-> "red", msg |-> 1]>>').count() > 0
    assert page.get_by_role("button", name="Step forward").count() == 0
    assert page.locator("#steps tr:target th").inner_text() == "5"


def test_hostile_names_are_harmless(visit):
    page = visit(to_html(hostile_trace(), HOSTILE_META))
    for _ in range(4):
        page.keyboard.press("k")
    assert page.title() == NAMES[0]
    assert page.locator("img").count() == 0
    assert page.evaluate("document.querySelectorAll('script').length") == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#process").select_option(index=2)


def test_a_script_or_a_picture_that_is_not_ours_is_refused(chromium, tmp_path):
    added = "<script>document.title = 'owned'</script><img src='http://127.0.0.1:9/spy.png'></body>"
    path = tmp_path / "changed.html"
    path.write_text(page_of("LateTurn").replace("</body>", added), encoding="utf-8")
    page = chromium.new_page()
    refused, blocked = [], []
    page.on("console", lambda said: refused.append(said.text))
    page.on("requestfailed", lambda request: blocked.append((request.url, request.failure)))
    page.goto(path.as_uri())
    assert "owned" not in page.title()
    assert sum("Content Security Policy" in text for text in refused) == 2
    assert blocked == [("http://127.0.0.1:9/spy.png", "csp")]
    page.close()


@pytest.mark.parametrize("name", ["kuper", "skipped-alignment-duplicate"])
def test_on_a_phone_only_the_tables_and_the_diagram_scroll_sideways(visit, name):
    page = visit(page_of(name), **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="First step").tap()
    page.get_by_role("button", name="Step forward").tap()
    assert step_of(page) == 2
    box = page.get_by_role("button", name="Step forward").bounding_box()
    assert box["height"] >= 44
