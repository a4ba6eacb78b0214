"""The summary of a run that passed, kept under a digest of everything that it depends on: the same run is not made again.

That is every file of the package and of the specs, byte by byte, Java, TLC, Python and all installed packages. Only this
user's own summaries are believed (:mod:`pyharness.base.toolchain.seal`).
"""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.toolchain.kept_texts import KeptTexts, name_of_content
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.models.machine_tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.cli.plan_run import Ran

_PACKAGE: Final = Path(__file__).resolve().parents[1]


class KeptVerdict:
    """The summary of a plan, or of its ``cover``, with these ``specs``, kept below ``directory``.

    Raises SpecError if there is no such plan, and ToolError without Java or TLC.
    """

    def __init__(self, plan: str, specs: Path, directory: Path, *, cover: bool) -> None:
        self._roots = tuple(dict.fromkeys(path.resolve() for path in (specs, SPECS)))
        self._texts = KeptTexts(directory / "verdicts", "verdict")
        tools, self._plan = find_tools(specs), find_plan(plan, specs)
        packages = sorted(f"{each.name} {each.version}" for each in distributions())
        made_with = (tools.jar_sha256, tools.java_version, platform.python_version(), *packages)
        self._asked = (str(self._plan), str(cover), *made_with)
        self._name = self._name_now()

    def _name_now(self) -> str:
        return name_of_content(*self._asked, *_digests([self._plan], (_PACKAGE, *self._roots)))

    def find(self) -> str | None:
        """Return the summary of an earlier run of the same, with the time of that run, or ``None``."""
        if (kept := self._texts.find(self._name)) is None:
            return None
        ended, _, summary = kept.partition("\n")
        return f"{summary}\nNothing has changed since this run of {ended}; --fresh makes it again."

    def keep(self, ran: Ran, summary: str) -> None:
        """Keep the summary of a run that passed and read no file but those of the specs, its plan among them.

        Where one of these was edited meanwhile, nothing is kept.
        """
        plan = ran.report.plan
        read = [plan.path]
        read += [
            path for spec in plan.modules for path in (spec.module, spec.config, *spec.libraries) if path
        ]
        own = all(any(path.resolve().is_relative_to(root) for root in self._roots) for path in read)
        own = own and not _linked_elsewhere(self._roots)
        if ran.exit_code == 0 and own and not plan.logs and self._name == self._name_now():
            self._texts.keep(self._name, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n{summary}")


def _linked_elsewhere(roots: Iterable[Path]) -> bool:
    """Return whether a directory of specs has a link to another directory, whose files are not digested."""
    return any(path.is_symlink() and path.is_dir() for root in roots for path in root.rglob("*"))


def _digests(files: Iterable[Path], directories: Iterable[Path]) -> list[str]:
    """Return the paths of files, and of all below some directories, each with the digest of its content."""
    found = {path for place in directories for path in place.rglob("*") if path.suffix != ".pyc"}
    return [
        f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted({*files, *found})
        if path.is_file()
    ]
