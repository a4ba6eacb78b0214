"""How fast a plain state dump is read, against lark without the memo and against other packages.

    python benchmarks/read_dump.py states.dump [--pairs N] [--lark N] [--tlakit N] [--modelator N] [--compare-all]

Reads the whole dump with ``read_states``, a new memo each time, in turns with each other reader, which has the first
states of the dump only: so many that it takes seconds. The figures are CPU seconds for 100,000 states. The values of
our reader are held against lark's, on every state with ``--compare-all``, and those of the others against ours: what
they leave unread is said. Exit status 1 if our reader and lark differ. Make a dump with ``TLC -dump states Model``.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from other_readers import (
    first_states,
    lark_states,
    left_as_text,
    modelator_states,
    of_modelator,
    state_texts,
    tlakit_states,
)
from pairs import Comparison, compared, cpu_seconds, leave

from pyharness.tla.tlc import read_states
from pyharness.tla.values import Fn, StateReader, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

UNIT = "CPU seconds per 100,000 states"
FASTEST = 50_000
"""States a second that are wanted of our reader."""


def equal(state: Fn, other: Mapping[str, Any]) -> bool:
    """Whether two readers made the same values of a state."""
    return set(state) == set(other) and all(same(state[name], value) for name, value in other.items())


def each_hundred_thousand(action: Callable[[], object]) -> float:
    """Return the CPU seconds that an action, which returns how many states it read, takes for 100,000."""
    counts: list[Any] = []
    seconds = cpu_seconds(lambda: counts.append(action()))
    return seconds / counts[0] * 100_000


def count(states: Iterable[object]) -> int:
    """Read them all; hold none."""
    return sum(1 for _ in states)


def main() -> int:
    """Run the benchmark; return the exit status."""
    options = argparse.ArgumentParser(description="Measure how fast a plain TLC dump is read.")
    options.add_argument("dump", type=Path)
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--lark", type=int, default=2000, help="states to read with lark alone")
    options.add_argument("--tlakit", type=int, default=50_000, help="states to read with tlakit")
    options.add_argument("--modelator", type=int, default=40, help="states to read with modelator-py")
    options.add_argument("--compare-all", action="store_true", help="compare every state with lark (slow)")
    given = options.parse_args()

    facts: dict[str, object] = {"states": count(state_texts(given.dump))}
    found: list[Comparison] = []
    with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:

        def against(
            name: str, package: str, states: int, read: Callable[[Path], Iterator[Any]], wanted: float | None
        ) -> Path | None:
            """Compare with another reader on so many states, unless its package is not there."""
            if package and importlib.util.find_spec(package) is None:
                print(f"{name} is left out: it is not installed (`make bench` installs it)")
                return None
            few = first_states(given.dump, states, Path(directory, name))
            next(read(first_states(given.dump, 1, Path(directory, "one"))))  # what is made once is made here
            comparison = compared(
                f"reading-{name}" if found else "reading",
                f"a dump read with the memo, against {name}",
                lambda: count(read_states(given.dump, StateReader())),
                lambda: count(read(few)),
                pairs=given.pairs,
                wanted=wanted,
                measure=each_hundred_thousand,
                unit=UNIT,
            )
            found.append(comparison)
            return few

        def first(few: Path) -> Iterator[Fn]:
            return read_states(few, StateReader())

        few = against("lark alone", "", given.lark, lark_states, None)
        assert few is not None
        whole = given.dump if given.compare_all else few
        verdicts = [equal(*pair) for pair in zip(first(whole), lark_states(whole), strict=True)]
        print(f"compared {len(verdicts)} states with lark: {verdicts.count(False)} differ")

        if (few := against("tlakit", "tlakit", given.tlakit, tlakit_states, 4)) is not None:
            left: list[str] = []
            variables = 0
            for state, theirs in zip(first(few), tlakit_states(few), strict=True):
                left += left_as_text(state, theirs)
                variables += len(state)
            names = ", ".join(sorted(set(left)))
            facts["tlakit's values"] = (
                f"incomplete: {len(left) / variables:.0%} of them left as text ({names}), and a set is a list"
            )
        if (
            few := against("modelator-py", "modelator_py", given.modelator, modelator_states, None)
        ) is not None:
            same_values = [
                equal(state, {name: of_modelator(value) for name, value in theirs.items()})
                for state, theirs in zip(first(few), modelator_states(few), strict=True)
            ]
            facts["modelator-py's values"] = (
                f"the same as ours in {same_values.count(True)} of {len(same_values)} states"
            )

    reader = StateReader()
    count(read_states(given.dump, reader))
    warm = each_hundred_thousand(lambda: count(read_states(given.dump, reader)))
    ours = sorted(second for comparison in found for second in comparison.ours)
    facts |= {
        "states_per_cpu_second": round(100_000 / ours[len(ours) // 2]),
        "states_per_cpu_second_wanted": FASTEST,
        "states_per_cpu_second_with_a_warm_memo": round(100_000 / warm),
        "different_lines": len(reader.memo),
    }
    leave(*found, **facts)
    for name, value in facts.items():
        print(f"{name}: {value}")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
