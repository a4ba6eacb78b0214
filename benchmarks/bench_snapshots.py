"""What snapshots cost a running system: Chandy and Lamport's, stop-the-world's, and three kinds of barriers.

    python benchmarks/bench_snapshots.py [--rounds 10] [--seconds 2] [--page]

Four processes over sockets, each message due at its time, whatever is held up meanwhile. A bank of four processes that
all send to all begins 600 transfers a second; a word count (source, two operators, sink) 300 words. Both run without
snapshots, and with one every 200 ms; evenly loaded, with three quarters of what a process sends going to its first
output, and with process 2 slow. A round runs all of them, in an order of its own, and each once more from its newest
snapshot, which says how long a recovery takes. Figures are medians of the rounds, with the lowest and the highest.

``--page`` puts the figures into ``docs/explanation/what-a-snapshot-costs.md``, and the picture beside it.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from pairs import Comparison, leave

from pyharness.lab.runtime.stored_snapshots import StoredSnapshot
from pyharness.lab.runtime.system_run import RunSetting, run_of, run_system

PAGE = Path("docs", "explanation", "what-a-snapshot-costs.md")
PICTURE = Path("docs", "images", "what-a-snapshot-costs.svg")
MARKS = ("<!-- figures of benchmarks/bench_snapshots.py -->", "<!-- end of figures -->")

BANK = RunSetting("clique:4", rate=150, delay=0, window=200, every=200, logs=False, measured=True)
WORDS = replace(BANK, topology="diamond:4", rate=300, window=100)
SETTINGS = {
    "bank, no snapshots": replace(BANK, every=0),
    "bank, Chandy-Lamport": BANK,
    "bank, stop-the-world": replace(BANK, protocol="StopTheWorld"),
    "words, no snapshots": replace(WORDS, protocol="AlignedBarriers", every=0),
    "words, aligned": replace(WORDS, protocol="AlignedBarriers"),
    "words, unaligned": replace(WORDS, protocol="UnalignedBarriers"),
    "words, at least once": replace(WORDS, protocol="AtLeastOnceBarriers"),
}
LOADS = {"even": {}, "skewed": {"skew": 0.75}, "one slow": {"slow": 20.0}}

COLUMNS = {
    "cpu_us": "CPU us a message",
    "latency_ms": "median latency, ms",
    "latency_p99_ms": "99th percentile, ms",
    "silent_percent": "time in silence, %",
    "snapshot_ms": "complete after, ms",
    "recorded": "messages recorded",
    "recorded_bytes": "bytes of them",
    "recovery_ms": "recovered in, ms",
}


@dataclass
class Row:
    """The figures of a system under a load, one of each for a round."""

    load: str
    system: str
    figures: dict[str, list[float]] = field(default_factory=dict)

    def median(self, name: str) -> float:
        """The median of the rounds."""
        return statistics.median(self.figures[name])

    def spread(self, name: str) -> str:
        """The median, with the lowest and the highest."""
        values = self.figures[name]
        return f"{_short(self.median(name))} ({_short(min(values))} to {_short(max(values))})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def run(setting: RunSetting, seconds: float, seed: int) -> dict[str, float]:
    """Run a system, and once more from its newest snapshot; return its figures."""
    with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as scratch:
        out = Path(scratch) / "run"
        came = run_system(replace(setting, seconds=seconds, seed=seed), out)
        found = came.measurement
        if found is None:
            raise SystemExit("nothing was measured")
        figures = asdict(found) | {"silent_percent": 100 * found.silent, "recovery_ms": 0.0}
        if came.snapshots:
            restored = StoredSnapshot.read(came.snapshots[-1], run_of(out))
            again = run_system(replace(setting, seconds=0.2, seed=seed), out, restored).measurement
            figures["recovery_ms"] = again.start_ms if again else 0.0
    return {name: figures[name] for name in COLUMNS}


def measured(rounds: int, seconds: float) -> list[Row]:
    """Run all so many times."""
    rows = {(load, system): Row(load, system) for load in LOADS for system in SETTINGS}
    for number in range(1, rounds + 1):
        order = random.Random(number).sample(list(rows), len(rows))  # noqa: S311 - an order
        for load, system in order:
            setting = replace(SETTINGS[system], **LOADS[load])
            for name, value in run(setting, seconds, number).items():
                rows[load, system].figures.setdefault(name, []).append(value)
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
    return list(rows.values())


def table(rows: list[Row], load: str) -> str:
    """Return the figures of a load as a table of Markdown."""
    lines = [f"| | {' | '.join(COLUMNS.values())} |", f"|---|{'---:|' * len(COLUMNS)}"]
    for row in rows:
        if row.load == load:
            none = "no snapshots" in row.system
            told = ["" if none and name in list(COLUMNS)[4:] else row.spread(name) for name in COLUMNS]
            lines.append(f"| {row.system} | {' | '.join(told)} |")
    return "\n".join(lines)


_PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{ width }} {{ height }}" role="img"
  aria-label="The 99th percentile of latencies, a dot for each round" font-family="sans-serif" font-size="13">
<rect width="{{ width }}" height="{{ height }}" fill="#ffffff"/>
{% for x, text in ticks %}<line x1="{{ x }}" x2="{{ x }}" y1="28" y2="{{ height - 30 }}" stroke="#d0d7de"/>
<text x="{{ x }}" y="{{ height - 12 }}" text-anchor="middle" fill="#57606a">{{ text }}</text>
{% endfor %}{% for y, text, weight, dots in rows %}
<text x="10" y="{{ y + 4 }}" fill="#1b1f24" font-weight="{{ weight }}">{{ text }}</text>
{% for x in dots %}<circle cx="{{ x }}" cy="{{ y }}" r="4" fill="#0550ae" fill-opacity=".5"/>{% endfor %}
{% endfor %}</svg>
"""


def picture(rows: list[Row]) -> str:
    """Draw the 99th percentiles, by a logarithm."""
    width, left, right = 760, 210, 730
    values = [value for row in rows for value in row.figures["latency_p99_ms"]]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(value: float) -> float:
        return round(left + (right - left) * (math.log10(value) - low) / (high - low), 1)

    drawn: list[tuple[int, str, int, list[float]]] = []
    for load in LOADS:
        drawn.append((16 + 22 * len(drawn), load, 600, []))
        for row in rows:
            if row.load == load:
                dots = [place(value) for value in row.figures["latency_p99_ms"]]
                drawn.append((16 + 22 * len(drawn), row.system, 400, dots))
    ticks = [(place(10**n), f"{10**n:g} ms") for n in range(low, high + 1)]
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(_PICTURE)
    return page.render(width=width, height=60 + 22 * len(drawn), ticks=ticks, rows=drawn)


def write_page(rows: list[Row], rounds: int) -> None:
    """Put the tables between the marks of the page, and the picture beside it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    parts = [f"{rounds} rounds; the median, and in brackets the lowest and the highest.\n"]
    parts += [f"### {load.capitalize()}\n\n{table(rows, load)}\n" for load in LOADS]
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{chr(10).join(parts)}\n{MARKS[1]}{after}", encoding="utf-8")
    PICTURE.write_text(picture(rows), encoding="utf-8")


def main() -> int:
    """Run the benchmark."""
    options = argparse.ArgumentParser(description="What snapshots cost a running system.")
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--page", action="store_true", help=f"write {PAGE}")
    given = options.parse_args()
    rows = measured(given.rounds, given.seconds)
    by = {(row.load, row.system): row.figures["latency_p99_ms"] for row in rows}
    found = [
        Comparison(
            f"snapshots-{load.replace(' ', '-')}",
            f"latency's 99th percentile, {load}: stop-the-world's against Chandy and Lamport's",
            tuple(by[load, "bank, stop-the-world"]),
            tuple(by[load, "bank, Chandy-Lamport"]),
            cost=True,
            unit="ms",
        )
        for load in LOADS
    ]
    for load in LOADS:
        print(f"\n{load}\n\n{table(rows, load)}")
    told = [
        {"load": row.load, "system": row.system, **{text: row.spread(name) for name, text in COLUMNS.items()}}
        for row in rows
    ]
    leave(*found, table=told, seconds_a_run=given.seconds)
    if given.page:
        write_page(rows, given.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
