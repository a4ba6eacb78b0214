"""How fast the states of our own Chandy-Lamport model are read: makes the dump with TLC, then measures.

    python benchmarks/bench_reading.py

The model is ``chandy-lamport`` of the quick plan, 34,509 states, or another one: ``--model NAME``. The other options
are those of ``read_dump.py``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.tla.tlc import TlcRun, run_tlc


def main() -> int:
    """Make the dump and run ``read_dump.py`` on it; return its exit status."""
    options = argparse.ArgumentParser(
        description="How fast states are read.", add_help=False, allow_abbrev=False
    )
    options.add_argument("--model", default="chandy-lamport")
    given, others = options.parse_known_args()
    reader = [sys.executable, str(Path(__file__).with_name("read_dump.py"))]
    if {"-h", "--help"} & {*others}:
        return subprocess.run([*reader, *others], check=False).returncode
    plan = read_plan(find_plan("quick"), SPECS)
    model = next(model for model in plan.models if model.name == given.model)
    tools = find_tools()
    rendered = model.unchecked.render(plan.library)
    with tempfile.TemporaryDirectory(prefix="pyharness-bench-") as directory:
        work = Path(directory)
        (work / "Model.tla").write_text(rendered.tla, encoding="utf-8")
        (work / "Model.cfg").write_text(rendered.cfg, encoding="utf-8")
        dump = work / "states.dump"
        run = TlcRun(
            java=tools.java,
            jar=tools.jar,
            directory=work,
            module="Model",
            libraries=tools.specs,
            dump=dump,
            dump_graph=False,
            timeout=600,
            jvm_options=tools.jvm_options,
        )
        result = run_tlc(run)
        print(f"TLC: {result.outcome.value}, {result.distinct} states, {result.seconds:.1f} s with the dump")
        return subprocess.run([*reader, str(dump), *others], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
