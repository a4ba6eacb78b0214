"""What the jobs of a plan were named by when they last ran, and how that differs from what they are named by now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_bytes
from pyharness.base.toolchain.own_files import write_text
from pyharness.gate.jobs.jobs import named_by
from pyharness.models.model import Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pyharness.gate.jobs.jobs import AnyJob
    from pyharness.tla.modules.library import Library

NEW: Final = "new"
"""What is said of a job that never ran."""

_FORMAT: Final = "pyharness-named/1"
_NAME: Final = "named.json"
_MOST_BYTES: Final = 256_000_000

_Names = dict[str, dict[str, str]]
"""By the words for a job, the digest of each part of its name."""


def leave_names(directory: Path, jobs: Iterable[AnyJob], library: Library) -> None:
    """Write what jobs are named by into a file of a plan's results, beside what is there of others."""
    names = left_names(directory) | {_words(job): named_by(job, library) for job in jobs}
    pairs = list(dict.fromkeys(pair for parts in names.values() for pair in parts.items()))
    number = {pair: at for at, pair in enumerate(pairs)}
    told = {words: [number[pair] for pair in parts.items()] for words, parts in names.items()}
    write_text(directory / _NAME, json.dumps({"format": _FORMAT, "parts": pairs, "jobs": told}))


def left_names(directory: Path) -> _Names:
    """Read what :func:`leave_names` wrote; nothing of a file that is not there, or says something else."""
    try:
        told = json.loads(read_bytes(directory / _NAME, _MOST_BYTES))
        if told["format"] != _FORMAT:
            return {}
        return {words: dict(told["parts"][at] for at in parts) for words, parts in told["jobs"].items()}
    except (SpecError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def changes(job: AnyJob, before: _Names, library: Library) -> list[str]:
    """Say what of the name of a job is not as when it last ran: ``changed code``, ``changed definition M!Accept``.

    The list is empty if it is named by the same, and :data:`NEW` if it never ran.
    """
    then = before.get(_words(job))
    return [NEW] if then is None else [*_differences(then, named_by(job, library))]


def _differences(then: Mapping[str, str], now: Mapping[str, str]) -> Iterable[str]:
    for part in sorted({*then, *now}):
        if part not in then:
            yield f"now with {_told(part)}"
        elif part not in now:
            yield f"now without {_told(part)}"
        elif then[part] != now[part]:
            yield f"changed {_told(part)}"


def _told(part: str) -> str:
    return f"definition {part}" if "!" in part else part


def _words(job: AnyJob) -> str:
    topology = f" on {job.topology.id}" if isinstance(job, Job) and job.topology else ""
    return f"{job.kind} {job.name}{topology}"
