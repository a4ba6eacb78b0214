"""The modules of a plan are parsed before anything runs, so that a typo is told once, and at once."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.errors import ToolError
from pyharness.modules.source_excerpt import spec_error
from pyharness.tlc.codes import error_outcome, trouble_of_machine
from pyharness.tlc.private_modules import java_environment, private_modules
from pyharness.toolchain.own_files import write_text
from pyharness.toolchain.seal import is_sealed, seal

if TYPE_CHECKING:
    from pyharness.plan.plan import Plan
    from pyharness.run.machine_tools import Tools

__all__ = ["require_parsed"]

_STAMP: Final = "parsed.sha256"
_ROOT: Final = "RootOfAllThatIsParsed"
_SECONDS: Final = 300


def require_parsed(plan: Plan, tools: Tools, directory: Path) -> None:
    """Parse all modules that a plan's models extend, unless they are as they were when they last could be parsed.

    What was parsed is noted below ``directory``. Raises SpecError, with the place and the line, for the first module
    that TLC's parser refuses, ToolError when the parser cannot be run, or the machine has no room for it.
    """
    roots = list(dict.fromkeys(name for model in plan.models for name in (model.spec, model.mutant) if name))
    digest = _digest(plan, roots, tools)
    stamp = directory / _STAMP
    if stamp.is_file() and is_sealed(stamp.read_text(encoding="utf-8", errors="replace"), _STAMP, digest):
        return
    with tempfile.TemporaryDirectory(prefix="pyharness-parse-") as scratch:
        (Path(scratch) / f"{_ROOT}.tla").write_text(_within_one(roots), encoding="utf-8")
        own, others = private_modules(Path(scratch), _ROOT, tools.specs, Path(scratch))
        command = [
            *(str(tools.java), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={scratch}"),
            *(f"-DTLA-Library={others}", "-cp", str(tools.jar), "tla2sany.SANY", _ROOT),
        ]
        try:
            done = subprocess.run(
                command,
                cwd=own,
                env=java_environment(),
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolError(f"the specs cannot be parsed: {error}") from error
    said = f"{done.stdout}\n{done.stderr}"
    if done.returncode < 0 or error_outcome((), [said]) is not None:
        why = trouble_of_machine(said) or done.stderr.strip().split("\n", 1)[0] or f"status {done.returncode}"
        raise ToolError(f"the specs cannot be parsed: {why}")
    if done.returncode != 0 or "*** Errors:" in said or "***Parse Error***" in said:
        raise spec_error(said, plan.library, where=f"plan {plan.name}")
    write_text(stamp, seal(_STAMP, digest))


def _within_one(roots: list[str]) -> str:
    """Return a module with one within it for each root, which extends it: what several need is parsed once.

    No two roots meet in a module, for they may define the same names.
    """
    inner = (f"---- MODULE {_ROOT}{number} ----\nEXTENDS {name}\n====\n" for number, name in enumerate(roots))
    return f"---- MODULE {_ROOT} ----\n{''.join(inner)}====\n"


def _digest(plan: Plan, roots: list[str], tools: Tools) -> str:
    modules = {
        module.name: module.text for root in roots for module in plan.library.closure(root, instances=True)
    }
    told = "\0".join(
        [tools.jar_sha256, *roots, *(f"{name}\0{text}" for name, text in sorted(modules.items()))]
    )
    return hashlib.sha256(told.encode()).hexdigest()
