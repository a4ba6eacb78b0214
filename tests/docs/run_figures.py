"""Put the figures of a run of the quick plan into the pages that show it, or with --check tell which are others.

What a run counts is replaced, what it measures is not: seconds depend on the machine, and stay as they were written.
``make figures`` does it; it runs what has not been run before.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/explanation/what-make-check-does.md")
VERDICT = re.compile(
    r"\b\d+ models on .*?\(\d+ of [\d,]+ jobs taken over from an\s+earlier\s+run\)", re.DOTALL
)
TIME = re.compile(r"[\d,]+ s \([\d,]+ of")
ROW = re.compile(r"^│ ([a-z0-9-]+) +│(.*)│$", re.MULTILINE)
WIDTH = 120


def with_figures(page: str, run: str) -> str:
    """Return a page with the figures of what ``pyharness check`` printed. Raises ValueError if either has none."""
    found, shown = VERDICT.search(run), VERDICT.search(page)
    if found is None or shown is None:
        raise ValueError("no verdict with figures")
    time = TIME.search(shown[0])
    words = TIME.sub(time[0] if time else "", " ".join(found[0].split()))
    begins = shown.start() - page.rfind("\n", 0, shown.start()) - 1
    lines = textwrap.wrap(words, WIDTH, initial_indent=" " * begins, break_on_hyphens=False)
    page = page.replace(shown[0], "\n".join(lines).lstrip())
    rows = {name: [cell.strip() for cell in cells.split("│")] for name, cells in ROW.findall(run)}

    def row(match: re.Match[str]) -> str:
        if match[1] not in rows:
            return match[0]
        widths = [len(cell) for cell in match[0].strip("│").split("│")]
        cells = [match[1], *rows[match[1]]]
        return f"│{'│'.join(f' {cell}'.ljust(width) for cell, width in zip(cells, widths, strict=True))}│"

    return ROW.sub(row, page)


def main(*, check: bool) -> int:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pyharness", "check", "quick"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.stdout.write(done.stdout)
        return done.returncode
    stale = 0
    for name in PAGES:
        path = ROOT / name
        old = path.read_text(encoding="utf-8")
        new = with_figures(old, done.stdout)
        if new != old:
            stale = 1
            sys.stdout.write(f"{name} {'has other figures: `make figures`' if check else 'written'}\n")
            if not check:
                path.write_text(new, encoding="utf-8")
    return stale if check else 0


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
