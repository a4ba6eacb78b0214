"""The table of tampered logs in docs/reference/logs.md: ``python -m tests.hold.logs.tampered_table`` writes it anew."""

from __future__ import annotations

import pickle
import re
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

from pyharness.hold.logs.validation import validate
from tests.hold.logs.log_cases import TAMPERED, bare
from tests.hold.logs.log_judge import wrong_lines
from tests.hold.logs.simulated_logs import simulated, write_log

SEEDS = range(25)
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "logs.md"
BEGIN, END = "<!-- tampered -->\n", "<!-- /tampered -->\n"


@cache
def right(seed):
    """The lines of a simulated run, as bytes: they are read much faster than made."""
    return pickle.dumps(simulated("ChandyLamport", seed).lines)


def tampered(kind, seed, *, without_contents=False):
    """Return the lines of a simulated run after somebody has tampered with them."""
    lines = pickle.loads(right(seed))  # noqa: S301 - our own
    TAMPERED[kind](lines, Random(seed))
    if without_contents:
        bare(lines)
    return lines


def judged(kind, seeds, scratch, **how):
    """Validate tampered logs: return what came, each with whether the judge blames its line in some order."""
    found = []
    for seed in seeds:
        lines = tampered(kind, seed, **how)
        came = validate(write_log(scratch / f"{kind}-{seed}", lines))
        orders = [wrong_lines(lines, Random(order)) for order in range(3)]
        places = {f"p{process}.jsonl:{line}" for places in orders for process, line in places}
        blamed = came.refused is not None and came.refused.where.rpartition("/")[2] in places
        if came.refused is not None or places:
            found.append((came, blamed))
    return found


def row(kind, found):
    """Return the row of a kind: how many of its logs were refused, at the judge's line, and by which rules."""
    refused = [came.refused for came, _ in found if came.refused is not None]
    right = sum(blamed for _, blamed in found)
    rules = Counter(re.sub(r" \(E\d+\)", "", one.rule) for one in refused)
    said = ", ".join(
        f"{rule} ({count})" for rule, count in sorted(rules.items(), key=lambda r: (-r[1], r[0]))
    )
    return f"| {kind} | {len(refused)} of {len(SEEDS)} | {right} of {len(refused)} | {said} |\n"


def table(rows):
    head = "| what was done to the log | refused | at the judge's line | by the rule |\n|---|---:|---:|---|\n"
    return head + "".join(rows)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row(kind, judged(kind, SEEDS, Path(scratch))) for kind in TAMPERED]
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    PAGE.write_text(head + BEGIN + table(rows) + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
