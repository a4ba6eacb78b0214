"""How fast a plain state dump is read, against the same grammar without the memo.

    python benchmarks/read_dump.py states.dump [--slice 2000] [--compare-all]

Reads the whole dump with ``read_states`` (cold, then with a warm memo) and its first ``--slice`` states value by
value with lark alone; prints states per second and the ratio. The values of both are compared on the slice, on
every state with ``--compare-all``. Exit status 1 if any differ. Make a dump with ``TLC -dump states Model``.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pairs import Comparison, leave

from pyharness.tla import Fn, StateReader, Value, parse_value, same
from pyharness.tlc import read_states

if TYPE_CHECKING:
    from collections.abc import Iterator


def plain_states(path: Path) -> Iterator[dict[str, Value]]:
    """Yield each state, every line of it parsed with lark, nothing remembered."""
    lines: list[str] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith("State ") or not line.strip():
                if lines:
                    yield dict(map(_variable, lines))
                    lines = []
            elif line.startswith("/\\ ") or not lines:
                lines.append(line.removeprefix("/\\ "))
            else:
                lines[-1] += line


def _variable(line: str) -> tuple[str, Value]:
    name, _, text = line.partition(" = ")
    return name, parse_value(text)


def equal(state: Fn, plain: dict[str, Value]) -> bool:
    """Whether both readers made the same values of a state."""
    return set(state) == set(plain) and all(same(state[name], value) for name, value in plain.items())


def main() -> int:
    """Run the benchmark; return the exit status."""
    options = argparse.ArgumentParser(description="Measure how fast a plain TLC dump is read.")
    options.add_argument("dump", type=Path)
    options.add_argument("--slice", type=int, default=2000, help="states to read with lark alone")
    options.add_argument("--compare-all", action="store_true", help="compare every state (slow)")
    given = options.parse_args()

    reader = StateReader()
    rows = []
    for name in ("memo, cold", "memo, warm"):
        start = time.perf_counter()
        count = sum(1 for _ in read_states(given.dump, reader))
        rows.append((name, count, time.perf_counter() - start))
    start = time.perf_counter()
    count = sum(1 for _ in islice(plain_states(given.dump), given.slice))
    rows.append(("lark alone", count, time.perf_counter() - start))

    print(f"{'reader':<12} {'states':>9} {'seconds':>9} {'states/s':>10}")
    for name, count, seconds in rows:
        print(f"{name:<12} {count:>9} {seconds:>9.2f} {count / seconds:>10.0f}")
    (_, states, cold), (_, few, alone) = rows[0], rows[2]
    print(f"ratio cold memo / lark alone: {states / cold / (few / alone):.1f}")
    print(f"different lines: {len(reader.memo)}")
    hundred = 100_000
    leave(
        Comparison(
            "reading",
            "a dump read with the memo, against lark alone",
            (cold / states * hundred,),
            (alone / few * hundred,),
            unit="seconds per 100,000 states",
        ),
        states=states,
        states_per_second=round(states / cold),
        different_lines=len(reader.memo),
    )

    limit = None if given.compare_all else given.slice
    pairs = zip(
        islice(read_states(given.dump, reader), limit), islice(plain_states(given.dump), limit), strict=True
    )
    verdicts = [equal(state, plain) for state, plain in pairs]
    print(f"compared {len(verdicts)} states: {verdicts.count(False)} differ")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
