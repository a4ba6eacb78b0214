"""The known facts of a trace beside its states: the claim of the violated property, the point of a worked example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import HarnessError
from pyharness.base.toolchain.spec_files import find_file, specs_here
from pyharness.gate.plans.claims import read_claims
from pyharness.machines.replay.schedule_traces import schedule_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.machines.replay.schedule import Schedule


@dataclass(frozen=True, slots=True)
class About:
    """Words on a trace, each ``None`` if unknown.

    ``claim`` is the claim that the violated property checks ("E4: no red message …"), ``question`` what a user asked,
    ``summary`` what is to be seen in the trace, ``source`` where it comes from, ``title`` a better title than its own.
    """

    claim: str | None = None
    question: str | None = None
    summary: str | None = None
    source: str | None = None
    title: str | None = None


def about(meta: Mapping[str, Any]) -> About:
    """Find the words on the trace with this meta."""
    example = _example(meta)
    if example is None:
        return About(claim=_claim(meta.get("spec"), meta.get("violated")))
    return About(
        _claim(example.protocol, example.violates),
        example.question or None,
        example.summary or None,
        example.source or None,
        f"{example.title} ({example.name})",
    )


def completed(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Add to a worked example's meta the names of its events, and what it violates, and after which step.

    Any other's stays as it is.
    """
    example = _example(meta)
    if example is None:
        return dict(meta)
    named = {**meta, "labels": {n: step.label for n, step in enumerate(example.steps, start=1) if step.label}}
    if example.violates is None or "violated" in meta:
        return named
    return {**named, "violated": example.violates, "violated_at": example.violated_at}


def _example(meta: Mapping[str, Any]) -> Schedule | None:
    try:
        return schedule_of(meta)
    except (HarnessError, OSError):
        return None


def _claim(spec: object, violated: object) -> str | None:
    name = f"{spec}.{violated}"
    try:
        claims = read_claims(find_file("claims.toml", specs_here()))
    except HarnessError:
        return None
    return next(
        (f"{claim.id}: {claim.says}" for claim in claims if name in (*claim.properties, *claim.refuted)), None
    )
