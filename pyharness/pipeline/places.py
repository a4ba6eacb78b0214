"""Where things stand in a clone: specs, plans, and what the machine offers to jobs."""

from __future__ import annotations

from pathlib import Path

from pyharness.errors import SpecError
from pyharness.pipeline.jobs import Tools
from pyharness.toolchain import find_java, find_tla2tools, quick_start

__all__ = ["ROOT", "SPECS", "find_plan", "find_tools"]

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "specs"


def find_plan(name: str) -> Path:
    """Find a plan by its name among ``specs/plans``, or by its path.

    Raises SpecError when there is neither.
    """
    named = SPECS / "plans" / f"{name}.toml"
    if named.is_file():
        return named
    path = Path(name)
    if path.is_file():
        return path
    known = ", ".join(sorted(plan.stem for plan in (SPECS / "plans").glob("*.toml")))
    raise SpecError(f"no plan {name!r}", hint=f"name a file, or one of {known}")


def find_tools(specs: Path = SPECS) -> Tools:
    """Find Java and TLC, whose digest is checked. Raises ToolError when one is missing."""
    jar = find_tla2tools()
    java = find_java()
    return Tools(java.executable, jar.path, jar.sha256, (specs, specs / "mutants"), quick_start(java, jar))
