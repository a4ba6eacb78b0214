"""What validating a log costs: ``python -m benchmarks.log_validation`` prints the rows of a table of CPU seconds."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hold.logs.simulated_logs import RING, Simulation, write_log

SIZES = (1_000, 10_000, 100_000, 1_000_000)
MOST_FOR_TLC = 100_000


def simulate(steps: int, directory: Path) -> int:
    """Write the log of a run of so many steps with a snapshot every 400; return the number of events."""
    run = Simulation("ChandyLamport", 3, RING, 7)
    for step in range(steps):
        if step % 400 == 20:
            run.snapshot(f"1.{step}")
        run.step()
    run.drain()
    write_log(directory, run.lines)
    return sum(len(lines) - 1 for lines in run.lines.values())


def cpu_seconds(*arguments: str) -> float:
    """Return the CPU seconds of a command with its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "pyharness", *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a row for each size."""
    with tempfile.TemporaryDirectory() as scratch:
        for steps in SIZES:
            place = Path(scratch) / str(steps)
            events = simulate(steps, place)
            counted = cpu_seconds("validate", "--no-tlc", str(place))
            walked = (
                f"{cpu_seconds('validate', str(place)):.1f} s" if steps <= MOST_FOR_TLC else "not measured"
            )
            sys.stdout.write(f"| {events:,} | {counted:.1f} s | {walked} |\n")


if __name__ == "__main__":
    main()
