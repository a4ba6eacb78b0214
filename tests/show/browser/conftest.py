"""A real browser: the Chromium of the machine. Where there is none the tests are skipped, or fail if that is asked."""

from __future__ import annotations

import os
import shutil
from itertools import count

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


@pytest.fixture(scope="module")
def chromium():
    """The browser of a file's tests; until it is closed its loop of events runs, and no other can."""
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
def open_page(chromium):
    """Open an address in the browser; its page must complain of nothing, and fetch what begins like it alone."""
    contexts, complaints = [], []

    def open_address(address, fragment="", **options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda said: complaints.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "request", lambda asked: asked.url.startswith((address, "data:")) or complaints.append(asked.url)
        )
        page.goto(address + fragment)
        return page

    yield open_address
    for context in contexts:
        context.close()
    assert not complaints


@pytest.fixture
def visit(open_page, tmp_path):
    """Open a page's text."""
    numbers = count()

    def visited(text, fragment="", **options):
        path = tmp_path / f"page{next(numbers)}.html"
        path.write_text(text, encoding="utf-8")
        return open_page(path.as_uri(), fragment, **options)

    return visited
