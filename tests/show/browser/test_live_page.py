"""The page of a running system in a browser: it goes on by itself, can be held, and leads to each snapshot's cut."""

from __future__ import annotations

import threading

import pytest

from pyharness.show.explorer.private_site import serve
from pyharness.show.live.live_run import LiveRun
from pyharness.show.live.live_site import LiveSite
from tests.show.live.growing_logs import GrowingLog

pytestmark = pytest.mark.browser


def test_it_goes_on_by_itself_is_held_and_shows_a_cut(chromium, tmp_path):
    log = GrowingLog(tmp_path)
    site = LiveSite(LiveRun(tmp_path), "ChandyLamport")
    server = serve(site)
    thread = threading.Thread(target=server.run)
    thread.start()
    context = chromium.new_context()
    complaints = []
    try:
        page = context.new_page()
        page.on("console", lambda said: complaints.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.goto(server.url)
        page.get_by_text("The processes are starting").wait_for()
        for process in log.left:
            log.grow(process, 6000)
        page.locator("svg g.event").first.wait_for()
        assert page.locator(".diagram").evaluate("d => d.scrollLeft + d.clientWidth >= d.scrollWidth - 2")
        page.keyboard.press(" ")
        page.get_by_role("button", name="Go on").wait_for()
        before = page.locator("#said").inner_text()
        log.end()
        page.wait_for_timeout(1200)
        assert page.locator("#said").inner_text() == before
        page.get_by_role("button", name="Go on").click()
        page.get_by_text("5 complete snapshots").wait_for()
        site.over = "It has ended."
        page.get_by_text("It has ended.").wait_for()
        page.get_by_role("button", name="Hold").wait_for(state="hidden")
        with context.expect_page() as opening:
            page.locator(".rows a").first.click()
        cut = opening.value
        cut.locator("svg .cut").first.wait_for()
        cut.locator("html.scripted").wait_for()
    finally:
        context.close()
        server.stop()
        thread.join()
    assert not complaints
