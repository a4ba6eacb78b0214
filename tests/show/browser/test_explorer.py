"""The explorer in a browser: by mouse, by keyboard and on a phone, until a seeded bug shows, and the trace is saved."""

from __future__ import annotations

import re
from contextlib import ExitStack

import pytest

from pyharness.show.explorer.protocol_subject import open_trace
from pyharness.show.explorer.session import Session
from pyharness.tla.tlc import read_trace
from tests.command import run
from tests.show.any_spec.graphs import subject
from tests.show.explorer.sessions import late_turn, opened, running

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
BREAKS = ("initiate P1", "send C12 1", "accept marker C12", "accept C12 1")


@pytest.fixture
def served():
    """Keep the explorer's sites until the pages are closed."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def explore(served, open_page):
    """Serve a session and open its page."""
    return lambda session, **options: open_page(served.enter_context(running(session)), **options)


def settled(page):
    page.locator("body:not([aria-busy])").wait_for()
    return page


def step(page):
    return int(settled(page).locator("#explorer").get_attribute("data-step")) + 1


def click(page, text):
    page.locator(".choices button", has_text=re.compile(rf"^\W*\w? ?{re.escape(text)}")).click()
    settled(page)


def send(page, button):
    """Press a button of a page without JavaScript, and wait for the page that answers: a click alone does not."""
    with page.expect_navigation():
        button.click()


def sentences(page):
    return settled(page).locator(".properties .verdict").all_inner_texts()


def test_late_turn_by_clicks_alone_is_seen_saved_and_replayed(explore, tmp_path):
    page = explore(late_turn(), accept_downloads=True)
    for number, text in enumerate(BREAKS, start=2):
        assert not any("NoRedInWhite" in said for said in sentences(page))
        click(page, text)
        assert step(page) == number
    told = next(said for said in sentences(page) if said.startswith("✗ NoRedInWhite fails."))
    assert "which P1 sent at step 3, after it had recorded" in told
    red = page.locator(".properties .verdict").first.evaluate("e => getComputedStyle(e).borderLeftColor")
    assert red == "rgb(179, 32, 26)"
    assert page.locator("svg .flag-text").text_content() == "✗ NoRedInWhite is violated here"
    with page.expect_download() as waiting:
        page.locator("#save-itf").click()
    saved = tmp_path / "saved.itf.json"
    waiting.value.save_as(saved)
    replay = run("trace", "replay", saved, "--protocol", "ChandyLamport:LateTurn")
    assert replay.exit_code == 0, replay.output
    assert "5 steps agree" in replay.output
    assert "NoRedInWhite is violated at step 5" in replay.output
    assert run("trace", "replay", saved, "--protocol", "ChandyLamport").exit_code == 1
    assert open_trace(*read_trace(saved)).here.steps == 4


def test_keys_take_undo_redo_and_run(explore):
    page = explore(late_turn())
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    assert step(page) == 1
    page.keyboard.press("ArrowRight")
    assert step(page) == 2
    page.keyboard.press("Home")
    assert step(page) == 1
    page.locator("#property").select_option("NoRedInWhite")
    page.locator("h1").click()
    page.keyboard.press("F")
    assert step(page) == 5
    assert "No way is shorter" in page.locator("#said").inner_text()
    page.keyboard.press("W")
    assert "Random walk, seed 0" in settled(page).locator("#said").inner_text()
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.locator("#goal").select_option(label="P2 has recorded")
    page.keyboard.press("1")
    before = step(page)
    page.locator("h1").click()
    page.keyboard.press("G")
    settled(page)
    assert "P2 has recorded" in page.locator("#said").inner_text()
    assert step(page) >= before


def test_without_javascript_it_works_too(explore):
    page = explore(late_turn(), java_script_enabled=False)
    for text in BREAKS:
        send(page, page.locator(".choices button", has_text=text).first)
    assert any("NoRedInWhite" in said for said in page.locator(".properties .verdict").all_inner_texts())
    send(page, page.get_by_role("button", name="Undo"))
    assert "Undone: accept C12 1" in page.locator("#said").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(explore, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    session = opened(text="n2-6-i1", mutant="LateTurn", items=1)
    session.walk(3, 12)
    session.back()
    page = explore(session, color_scheme=scheme, bypass_csp=True)
    page.locator("#graph summary").click()
    page.keyboard.press("Tab")
    found = axe.run(page)
    serious = [v for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    assert not serious, found.generate_report()


def test_on_a_phone_nothing_is_wider_than_the_screen(explore):
    session = late_turn()
    session.run_until_fails("NoRedInWhite")
    page = explore(session, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Undo").tap()
    assert step(page) == 4
    choice = page.locator(".choices button", has_text="accept C12 1")
    assert choice.bounding_box()["height"] >= 44
    choice.tap()
    assert step(page) == 5
    now, shown = (
        page.locator(kind).first.bounding_box() for kind in ("main > .diagram .now", "main > .diagram")
    )
    assert shown["x"] <= now["x"]
    assert now["x"] + now["width"] <= shown["x"] + shown["width"]


@pytest.mark.tlc
def test_any_module_is_explored_with_the_same_keys_in_a_table(explore):
    page = explore(Session(subject("Odd")))
    page.keyboard.press("1")
    assert step(page) == 2
    page.keyboard.press("ArrowLeft")
    assert step(page) == 1
    page.keyboard.press("End")
    assert step(page) == 2
    page.locator("#property").select_option("Few")
    page.keyboard.press("Escape")
    page.locator("#do-run").click()
    assert step(page) == 4
    assert [text.partition(" fails")[0] for text in sentences(page)][:2] == ["✗ Even", "✗ Few"]
    assert page.locator(".steps td.changed").count() == 6, "two variables in three steps"
    page.locator("#step-0").click()
    assert step(page) == 1
    page.locator("#graph > summary").click()
    page.locator('.states [data-state="6"]').click()
    settled(page)
    assert page.locator('.states [data-state="6"].here').count() == 1
