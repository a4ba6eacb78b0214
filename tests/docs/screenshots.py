"""The screenshots in docs/images; ``make screenshots`` takes them anew, with the Chromium of the machine.

They are looked at by people, and not compared with anything: fonts differ from machine to machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from pyharness.base.toolchain.spec_files import ROOT
from tests.show.explorer.sessions import late_turn, running

IMAGES = ROOT / "docs" / "images"
DESK = {"viewport": {"width": 1280, "height": 860}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


def click_through(page, texts):
    for text in texts:
        page.locator(".choices button", has_text=re.compile(rf"^\W*\w? ?{text}")).click()
        page.locator("body:not([aria-busy])").wait_for()
    page.mouse.move(0, 0)


def red_run(out):
    plan = ROOT / "tests" / "docs" / "red_run.toml"
    command = [sys.executable, "-m", "pyharness", "check", str(plan), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode != 1:
        raise SystemExit(f"the red run exits with {done.returncode}, not with 1")


def take(browser):
    def page(address, **options):
        opened = browser.new_context(**options).new_page()
        opened.goto(address)
        return opened

    clicks = ("initiate P1", "send C12 1", "accept marker C12", "accept C12 1")
    with running(late_turn()) as url:
        desk = page(url, **DESK)
        click_through(desk, clicks)
        desk.screenshot(path=IMAGES / "explorer.png")
    with running(late_turn()) as url:
        phone = page(url, **PHONE, color_scheme="dark")
        click_through(phone, clicks)
        phone.screenshot(path=IMAGES / "explorer-phone.png")
    with tempfile.TemporaryDirectory(prefix="pyharness-screenshots-") as out:
        red_run(Path(out))
        red = page((Path(out) / "report" / "index.html").as_uri(), **DESK)
        red.screenshot(path=IMAGES / "red-run.png")
    trace = ROOT / "traces" / "kuper.html"
    page(f"{trace.as_uri()}#step=14", **PHONE).screenshot(path=IMAGES / "trace-phone.png")


if __name__ == "__main__":
    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("chromium-browser")
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        take(chromium)
        chromium.close()
