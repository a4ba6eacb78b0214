"""Where the specs and plans are."""

from __future__ import annotations

from pathlib import Path

from pyharness.errors import SpecError

__all__ = ["ROOT", "SPECS", "find_plan"]

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
