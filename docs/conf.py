"""How ``make site`` builds the documentation: the Markdown that is here, with search, and without the network.

The sources are those of the whole clone, so that links between README.md, docs/, specs/ and traces/ lead somewhere. The
chapters are read from docs/README.md; a page that it does not list is an error, and so is a link that leads nowhere.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent

project = "pyharness"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "specs/README.md", "traces/README.md"]
exclude_patterns = [".*", "build", "tests", "pyharness", "benchmarks", "*.egg-info"]
myst_heading_anchors = 4
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # a shortened output is no program

html_theme = "furo"
html_title = "pyharness: distributed snapshots, checked"
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would be fetched, which a browser refuses for pages from disk

_CHAPTER = re.compile(r"^\*\*([^*]+)\.\*\*(.*?)(?=^\*\*|^## )", re.MULTILINE | re.DOTALL)
_DOWNLOAD = re.compile(r"_downloads/[0-9a-f]{32}/([\w.-]+\.html)")
_LINK = re.compile(r"\]\(([\w/.-]+)\.md\)")


def add_chapters(_app: Sphinx, name: str, source: list[str]) -> None:
    """Give the first page the table of contents, by the chapters of docs/README.md."""
    if name != root_doc:
        return
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    trees = [
        (title, [f"docs/{link}" for link in _LINK.findall(links) if not link.startswith("../")])
        for title, links in _CHAPTER.findall(index)
    ]
    trees.append(("Project", ["docs/README", "specs/README", "traces/README", "CONTRIBUTING", "CHANGELOG"]))
    for title, pages in trees:
        listed = "\n".join(pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def add_traces(app: Sphinx, error: Exception | None) -> None:
    """Put the pages of traces beside the others, and make the first page the one that a directory opens with."""
    if error is not None:
        return
    traces = {path.name for path in (ROOT / "traces").glob("*.html")}
    (app.outdir / "traces").mkdir(exist_ok=True)
    for name in traces:
        shutil.copyfile(ROOT / "traces" / name, app.outdir / "traces" / name)
    for page in app.outdir.rglob("*.html"):
        if page.parent.name != "traces" or page.name not in traces:
            text = page.read_text(encoding="utf-8")
            changed = _DOWNLOAD.sub(lambda link: f"traces/{link[1]}" if link[1] in traces else link[0], text)
            page.write_text(changed, encoding="utf-8")
    shutil.copyfile(app.outdir / f"{root_doc}.html", app.outdir / "index.html")


def setup(app: Sphinx) -> None:
    """Connect the two."""
    app.connect("source-read", add_chapters)
    app.connect("build-finished", add_traces)
