"""The trace page, used as people use it: by keyboard, mouse and touch, in light and dark, and on a phone."""

from __future__ import annotations

import json
import time
from functools import cache

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.show.report.formats.trace_gallery import write_pages
from pyharness.show.report.trace.trace_page import render, to_html
from pyharness.tla.tlc.itf import from_itf, to_itf
from tests.long import long_but
from tests.show.report.hostile import HOSTILE_META, NAMES, hostile_trace, large_trace

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def text_of(name):
    return (ROOT / "traces" / f"{name}.itf.json").read_text(encoding="utf-8")


@cache
def page_of(name):
    return to_html(*from_itf(text_of(name)))


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
    assert "Step 14 of 19: accept C21 m3" in page.locator("#said").inner_text()


def test_every_state_is_the_traces_own(visit):
    trace, meta = from_itf(text_of("loop-log-saves-records"))
    page = visit(to_html(trace, meta))
    page.keyboard.press("Home")
    for step in trace.steps:
        shown = state(page)
        assert shown["crashes"] == str(step.state["crashes"])
        assert "copies[P2]" in shown
        assert shown["triggered"] == str(step.state["triggered"])
        page.keyboard.press("j")


def test_buttons_slider_rows_and_the_diagram_step_too(visit):
    page = visit(page_of("kuper"), viewport={"width": 1500, "height": 900})
    page.get_by_role("button", name="First step").click()
    assert page.get_by_role("button", name="Step back").is_disabled()
    page.get_by_role("button", name="Step forward").click()
    assert step_of(page) == 2
    page.locator("#slider").fill("7")
    assert step_of(page) == 7
    page.locator("#steps tr[data-step='4'] th").click()
    assert step_of(page) == 5
    page.locator(".look g.event[data-step='10'] circle").click(force=True)
    assert step_of(page) == 11
    page.locator("#slider").focus()
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 12


def test_the_address_names_the_step_and_the_process(visit):
    page = visit(page_of("kuper"), "#step=7&process=1")
    assert step_of(page) == 7
    assert page.locator("#process").input_value() == "1"
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("j")
    assert page.url.endswith("#step=11&process=1")


@pytest.mark.parametrize("address", ["#step=0", "#step=99", "#step=x", "#process=9&step=-1", "#", "#%F0%9F"])
def test_an_address_that_names_nothing_does_no_harm(visit, address):
    page = visit(page_of("LateTurn"), address)
    assert 1 <= step_of(page) <= 5


def test_a_counterexample_opens_where_it_breaks(visit):
    page = visit(page_of("LateTurn"))
    assert step_of(page) == 5
    assert "NoRedInWhite is violated" in page.locator("#said").inner_text()
    page.keyboard.press("Home")
    page.get_by_role("link", name="step 5").click()
    comes_to(page, 5)


def test_one_process_alone(visit):
    page = visit(page_of("kuper"))
    page.locator("#process").select_option(label="P3")
    assert step_of(page) == 19
    shown = page.locator("#steps tr[data-step]:visible")
    assert set(shown.evaluate_all("all => all.map(row => row.dataset.lanes)")) == {"", "2"}
    page.keyboard.press("Home")
    page.keyboard.press("j")
    assert step_of(page) == 4
    page.keyboard.press("j")
    assert step_of(page) == 8
    names = set(state(page))
    assert "chan[C13]" in names
    assert "state[P1]" not in names
    assert page.locator("g.event.other").count() > 0
    page.locator(".look text.name", has_text="P3").click()
    assert page.locator("#process").input_value() == ""


def test_the_messages_under_way_are_marked(visit):
    page = visit(page_of("kuper"), "#step=9")
    under_way = page.locator("g.message.live").evaluate_all("all => all.map(m => m.dataset.sent)")
    assert sorted(map(int, under_way)) == [4, 7, 7]


def test_the_equivalent_computation_swap_by_swap(visit):
    page = visit(page_of("nondeterministic"))
    order = page.locator("#sorted li bdi")
    assert order.all_inner_texts() == ["P2 Send C21 M'", "P1 Send C12 M", "P1 Accept C21 M'"]
    assert page.locator("#sorted li.sss bdi").inner_text() == "P1 Send C12 M"
    page.get_by_role("button", name="One swap back").click()
    assert order.all_inner_texts() == page.locator("#original li bdi").all_inner_texts()
    assert page.get_by_role("button", name="One swap back").is_disabled()
    page.get_by_role("button", name="One swap on").click()
    assert "after swap 1 of 1" in page.locator("#swapped").inner_text()


def test_copies_are_the_trace_and_the_state(visit):
    text = text_of("kuper")
    trace, meta = from_itf(text)
    page = visit(to_html(trace, meta), "#step=3", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy trace as ITF").click()
    page.get_by_role("button", name="Copied").wait_for()
    kept = {key: value for key, value in meta.items() if not key.startswith("format")}
    assert page.evaluate("navigator.clipboard.readText()") == to_itf(trace, kept)
    page.get_by_role("button", name="Copy state as JSON").click()
    page.get_by_role("button", name="Copied").nth(1).wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == json.loads(text)["states"][2]


def test_help_opens_by_key_and_closes(visit):
    page = visit(page_of("LateTurn"))
    page.keyboard.press("?")
    help_ = page.get_by_role("dialog", name="Keys")
    assert help_.is_visible()
    page.keyboard.press("Home")
    assert step_of(page) == 5
    page.keyboard.press("Escape")
    assert not help_.is_visible()


def test_what_changes_is_announced(visit):
    page = visit(page_of("LateTurn"))
    page.keyboard.press("Home")
    page.keyboard.press("j")
    said = page.locator("[aria-live]").inner_text()
    assert said.startswith("Step 2 of 5: initiate P1. Changed: ")
    assert "recState[P1]" in said


PAGES = ("kuper", "LateTurn", "skipped-alignment-duplicate", "index")


@pytest.mark.parametrize(
    ("name", "scheme"),
    long_but(
        [(name, scheme) for name in PAGES for scheme in ("light", "dark")],
        [("kuper", "light"), ("LateTurn", "dark"), ("index", "light")],
    ),
)
def test_axe_finds_nothing_serious(visit, tmp_path, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    if name == "index":
        write_pages(ROOT / "traces", tmp_path)
        text = (tmp_path / "index.html").read_text(encoding="utf-8")
    else:
        text = page_of(name)
    page = visit(text, color_scheme=scheme)
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


def test_dark_is_dark(visit):
    ground = "getComputedStyle(document.body).backgroundColor"
    paper = "getComputedStyle(document.querySelector('.paper')).fill"
    for scheme, colour in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(15, 19, 25)")):
        page = visit(page_of("LateTurn"), color_scheme=scheme)
        assert page.evaluate(ground) == page.evaluate(paper) == colour


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


def test_a_large_trace_loads_and_steps_quickly(visit):
    text = to_html(large_trace(), {"title": "Eight processes, four hundred steps"})
    began = time.monotonic()
    page = visit(text, "#step=200")
    page.locator("#steps tr[aria-current]").wait_for()
    assert time.monotonic() - began < 60
    took = page.evaluate(
        """() => {
          const began = performance.now();
          for (let i = 0; i < 40; i += 1) {
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
            document.body.offsetHeight;
          }
          return (performance.now() - began) / 40;
        }"""
    )
    assert step_of(page) == 240
    assert took < 1500, f"{took:.0f} ms a step"
    diagram = page.locator(".look .diagram")
    assert diagram.evaluate("d => d.scrollLeft") > 0


def test_it_prints_without_controls(visit):
    page = visit(page_of("kuper"), viewport={"width": 900, "height": 700})
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Step forward").is_visible()
    assert page.locator("#steps table").is_visible()
    assert page.locator(".look .diagram svg").bounding_box()["width"] <= 1280
    names, dots = (page.locator(f".look {kind}").first.bounding_box() for kind in (".name", ".dot"))
    assert names["x"] + names["width"] < dots["x"], "a name stays where it was scrolled to"


def test_an_index_needs_no_script(visit):
    text = render("index.html.jinja", groups=[])
    assert "script-src 'none'" in text.replace("&#39;", "'")
    assert visit(text).get_by_role("heading", name="Traces for review").is_visible()
