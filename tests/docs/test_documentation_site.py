"""The documentation as a site: it is built without a warning, needs no network, and a wrong link is an error."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from pyharness.base.toolchain.spec_files import ROOT

pytest.importorskip("sphinx", reason="make site installs it")


def build(root, out):
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-c",
        str(root / "docs"),
        "-b",
        "html",
    ]
    return subprocess.run([*command, str(root), str(out)], capture_output=True, text=True, check=False)


def test_it_is_whole_and_needs_no_network(tmp_path):
    built = build(ROOT, tmp_path / "site")
    assert built.returncode == 0, built.stderr
    pages = {
        path.relative_to(tmp_path / "site").as_posix(): path for path in (tmp_path / "site").rglob("*.html")
    }
    for page in (ROOT / "docs").rglob("*.md"):
        assert page.relative_to(ROOT).with_suffix(".html").as_posix() in pages
    assert "traces/kuper.html" in pages
    assert (tmp_path / "site" / "searchindex.js").stat().st_size > 50_000
    for path in pages.values():
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"<(?:script|img|iframe)[^>]* src=\"(?:https?:)?//|<link[^>]* href=\"(?:https?:)?//", text
        )


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = tmp_path / "docs" / "how-to" / "explore.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n[nowhere](nowhere.md)\n", encoding="utf-8")
    built = build(tmp_path, tmp_path / "site")
    assert built.returncode != 0
    assert "explore.md" in built.stderr
    assert "nowhere.md" in built.stderr
