"""The table of tampered logs in docs/reference/logs.md: ``python -m tests.hold.logs.tampered_table`` writes it anew."""

from __future__ import annotations

import copy
import re
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from pyharness.hold.logs.validation import validate
from tests.hold.logs.log_cases import TAMPERED
from tests.hold.logs.simulated_logs import simulated, write_log

SEEDS = range(25)
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "logs.md"
BEGIN, END = "<!-- tampered -->\n", "<!-- /tampered -->\n"


def tampered(kind, seed):
    """Return the lines of a simulated run after somebody has tampered with them."""
    lines = copy.deepcopy(simulated("ChandyLamport", seed).lines)
    TAMPERED[kind](lines, Random(seed))
    return lines


def row(kind, found):
    """Return the row of a kind: how many of its logs were refused, and by which rules."""
    refused = [came.refused for came in found if came.refused is not None]
    rules = Counter(re.sub(r" \(E\d+\)", "", one.rule) for one in refused)
    said = ", ".join(
        f"{rule} ({count})" for rule, count in sorted(rules.items(), key=lambda r: (-r[1], r[0]))
    )
    return f"| {kind} | {len(refused)} of {len(found)} | {said} |\n"


def table(rows):
    return "| what was done to the log | refused | by the rule |\n|---|---:|---|\n" + "".join(rows)


def main():
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, kind in enumerate(TAMPERED):
            found = [
                validate(write_log(Path(scratch) / f"{number}-{seed}", tampered(kind, seed)))
                for seed in SEEDS
            ]
            rows.append(row(kind, found))
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    PAGE.write_text(head + BEGIN + table(rows) + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
