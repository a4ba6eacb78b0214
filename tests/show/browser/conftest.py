"""A real browser: the Chromium of the machine. Where there is none the tests are skipped, or fail if that is asked."""

from __future__ import annotations

import os
import shutil

import pytest

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first has no windows: a page costs half of what it does in the whole browser."""

_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run"),
    # One process draws all pages, and none is kept ready: a fifth less to do for each page.
    *("--disable-site-isolation-trials", "--renderer-process-limit=1", "--in-process-gpu"),
    "--disable-features=SpareRendererForSitePerProcess,Translate,MediaRouter,OptimizationHints,PaintHolding",
)


@pytest.fixture(scope="session")
def chromium():
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        if os.environ.get("PYHARNESS_BROWSER") == "required":
            pytest.fail("there is no chromium on PATH, and PYHARNESS_BROWSER=required")
        pytest.skip("there is no chromium on PATH (apt-get install chromium-headless-shell)")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, tmp_path):
    """Open a page's text in the browser; it must complain of nothing and fetch nothing but itself."""
    contexts, complaints = [], []

    def open_page(text, fragment="", **options):
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(text, encoding="utf-8")
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        own = path.as_uri()
        page.on("request", lambda asked: asked.url.partition("#")[0] == own or complaints.append(asked.url))
        page.goto(own + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints
