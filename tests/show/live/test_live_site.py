"""The page of a running system: what it shows, whom it answers, and how the command serves it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from click.testing import CliRunner
from werkzeug.test import Client

from pyharness.cli import cli
from pyharness.show.live.live_run import LiveRun
from pyharness.show.live.live_site import LiveSite
from tests.show.live.growing_logs import GrowingLog

HOST = "127.0.0.1:8000"
TOKEN = "secret-token"  # noqa: S105


def ask(client, path="", host=HOST):
    return client.get(f"/{TOKEN}/{path}", headers={"Host": host})


@pytest.fixture
def log(tmp_path):
    return GrowingLog(tmp_path)


@pytest.fixture
def site(log):
    return LiveSite(LiveRun(log.directory), "<b>ChandyLamport</b>", (HOST,), TOKEN)


def test_the_page_tells_what_is_there_by_now(site, log):
    client = Client(site)
    assert "The processes are starting" in ask(client).get_data(as_text=True)
    log.end()
    page = ask(client)
    text = page.get_data(as_text=True)
    assert "<b>Chandy" not in text
    assert "&lt;b&gt;ChandyLamport" in text
    assert re.search(r"<strong>It runs\.</strong> [\d,]+ events, 5 complete snapshots", text)
    assert text.count('<a href="cut?id=') == 5
    assert "<svg" in text
    assert "All channels are empty" in text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert not re.search(r"<script(?! src=)|<style|\son\w+=|\sstyle=|https?://(?!www\.w3\.org)", text)
    site.over = "It has ended."
    assert 'data-over="yes"' in ask(client).get_data(as_text=True)


def test_a_click_shows_the_cut_of_a_snapshot(site, log):
    client = Client(site)
    log.end()
    link = re.search(r'href="(cut\?id=[^"]+)"', ask(client).get_data(as_text=True))[1]
    page = ask(client, link)
    assert page.status_code == 200
    assert "snapshot line" in page.get_data(as_text=True)
    assert 'http-equiv="Content-Security-Policy"' in page.get_data(as_text=True)
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    missing = ask(client, "cut?id=%3Cimg%3E")
    assert (missing.status_code, missing.mimetype) == (404, "text/plain")


@pytest.mark.parametrize("path", ["other", "live.html.jinja", "../live_site.py", "cut/x"])
def test_there_is_nothing_else(site, path):
    assert ask(Client(site), path).status_code == 404


def test_who_does_not_know_the_token_or_comes_by_another_name_sees_nothing(site):
    client = Client(site)
    assert client.get("/", headers={"Host": HOST}).status_code == 404
    assert client.get("/other/", headers={"Host": HOST}).status_code == 404
    assert ask(client, host="evil.example").status_code == 400
    assert client.post(f"/{TOKEN}/cut", headers={"Host": HOST}).status_code == 404


def test_a_wrong_line_is_told(tmp_path):
    log = GrowingLog(tmp_path / "bug", bug="late-marker")
    log.end()
    text = ask(Client(LiveSite(LiveRun(log.directory), "x", (HOST,), TOKEN))).get_data(as_text=True)
    assert "A line is wrong" in text


def watched(place, seconds, *words):
    command = [sys.executable, "-m", "pyharness", "run", "--watch", "--seconds", seconds, *words]
    out = ["--out", str(place / "run")]
    return subprocess.Popen([*command, *out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_serves_it_until_it_is_interrupted(tmp_path):
    with watched(tmp_path, "1.5", "--json") as run:
        try:
            url = run.stderr.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", url)
            pages = []
            end = time.monotonic() + 60
            while not any("It has ended." in page for page in pages[-1:]):
                assert time.monotonic() < end
                with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - ours
                    pages.append(answer.read().decode())
                time.sleep(0.05)
            assert any("It runs." in page for page in pages)
            name = re.search(r"cut\?id=([\d.]+)", pages[-1])[1]
            with urllib.request.urlopen(f"{url}cut?id={name}", timeout=30) as answer:  # noqa: S310
                assert "snapshot line" in answer.read().decode()
            assert run.poll() is None
            run.send_signal(signal.SIGINT)
            out, _ = run.communicate(timeout=30)
        finally:
            run.kill()
    assert run.returncode == 0
    assert json.loads(out)["snapshots"]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)  # noqa: S310


def test_a_run_that_fails_ends_its_page(tmp_path):
    with watched(tmp_path, "30") as run:
        try:
            assert run.stderr.readline().startswith("http://127.0.0.1:")
            children = []
            end = time.monotonic() + 60
            while len(children) < 4 and time.monotonic() < end:
                text = open(f"/proc/{run.pid}/task/{run.pid}/children").read()  # noqa: SIM115, PTH123
                children = [int(child) for child in text.split()]
                time.sleep(0.1)
            time.sleep(1)
            os.kill(children[-1], signal.SIGKILL)
            run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == 3


@pytest.mark.parametrize("words", [["--watch", "--no-log"], ["--open", "--no-log"]])
def test_without_a_log_there_is_nothing_to_watch(words, tmp_path):
    result = CliRunner().invoke(cli, ["run", "--out", str(tmp_path / "run"), *words])
    assert result.exit_code == 2
    assert "--no-log" in result.output


def test_the_cut_of_a_stored_snapshot_is_a_page(tmp_path):
    runner = CliRunner()
    assert runner.invoke(cli, ["run", "--seconds", "0.5", "--out", str(tmp_path / "run")]).exit_code == 0
    page = tmp_path / "cut.html"
    result = runner.invoke(cli, ["snapshots", "show", str(tmp_path / "run"), "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "snapshot line" in page.read_text(encoding="utf-8")
    assert json.loads(result.stdout)["id"] in page.read_text(encoding="utf-8")
