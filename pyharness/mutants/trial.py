"""A trial: something with a change in one place, tried by its judges; and the committed list of what may survive."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.toml_tables import NAMES, TEXT, WORDS, by_name, read_table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

SURVIVORS_FORMAT: Final = "pyharness-survivors/1"
SURVIVORS: Final = "survivors.toml"
"""The list of the shipped specs, and of the code."""

SORTS: Final = ("spec", "property", "premise", "code", "bug")
"""The subjects: actions of a spec; properties, which are weakened, or lose a premise; functions; specs with seeded bugs."""

EVERY: Final = "*"
"""In the list, each change of a function that no model runs."""

NOT_RUN: Final = "no model runs it"


class Verdict(Enum):
    """The verdict on a change."""

    NOTICED = "noticed"
    EQUIVALENT = "the same"
    ACCEPTED = "accepted, with a reason"
    SURVIVES = "not noticed"
    INCOMPLETE = "not decided"


@dataclass(frozen=True)
class Trial:
    """A change of a ``subject``, as ``before -> after``, and the verdict: noticed ``by`` a judge, or else ``why``.

    The subject is a definition, a property or a function. ``place`` is a line of its file, ``details`` are lines for a
    reader. A change that no judge notices may differ from the subject ``elsewhere``: in a larger plan that alone notices
    it, or in a model where nothing shows it.
    """

    subject: str
    change: str
    verdict: Verdict
    by: str = ""
    why: str = ""
    place: str = ""
    details: tuple[str, ...] = ()
    elsewhere: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The subject and the change."""
        return self.subject, self.change

    def document(self) -> dict[str, Any]:
        """Return the trial as it stands in a JSON document."""
        shown = {
            name: getattr(self, name) for name in ("subject", "change", "by", "why", "place", "elsewhere")
        }
        return {**shown, "verdict": self.verdict.value, "details": list(self.details)}


def counts_of(trials: Sequence[Trial]) -> dict[str, int]:
    """Return how many trials have each verdict, without those that none has."""
    counted = Counter(each.verdict for each in trials)
    return {verdict.value: counted[verdict] for verdict in Verdict if counted[verdict]}


class Accepted(NamedTuple):
    """The ``reason`` why a change may survive; ``plan`` is the larger plan that must notice it, if there is one."""

    reason: str
    plan: str = ""


@dataclass(frozen=True)
class Survivors:
    """The changes that may survive, by subject and change."""

    accepted: Mapping[tuple[str, str], Accepted]

    def judged(
        self, trials: Sequence[Trial], *, plans: Collection[str] = (), complete: bool = True
    ) -> tuple[list[Trial], list[str]]:
        """Return trials of which those that may survive are accepted, and the problems of the list.

        ``plans`` are those that were asked. If the trials are ``complete``, there is one for each entry.
        """
        found = [self._judged(each, plans) for each in trials]
        problems = [
            f"accepted, and noticed by {each.by}: {each.subject}: {each.change}"
            for each in found
            if each.verdict is Verdict.NOTICED and each.key in self.accepted
        ]
        if complete:
            keys = {each.key for each in trials}
            subjects = {each.subject for each in trials if each.why == NOT_RUN}
            problems += [
                f"accepted, and is no change: {subject}: {change}"
                for subject, change in self.accepted
                if (subject, change) not in keys
                and not (change == EVERY and any(fnmatchcase(each, subject) for each in subjects))
            ]
        return found, problems

    def _judged(self, trial: Trial, plans: Collection[str]) -> Trial:
        entry = self._entry(trial)
        if trial.verdict is not Verdict.SURVIVES or entry is None:
            return trial
        if trial.elsewhere != entry.plan and (trial.elsewhere or entry.plan in plans):
            differs = (
                f"it differs in {trial.elsewhere}" if trial.elsewhere else f"{entry.plan} does not notice it"
            )
            return replace(trial, why=f"accepted, and {differs}")
        return replace(trial, verdict=Verdict.ACCEPTED, why=entry.reason)

    def _entry(self, trial: Trial) -> Accepted | None:
        if trial.key in self.accepted or trial.why != NOT_RUN:
            return self.accepted.get(trial.key)
        patterns = (entry for entry in self.accepted.items() if entry[0][1] == EVERY)
        return next((found for key, found in patterns if fnmatchcase(trial.subject, key[0])), None)


def read_survivors(path: Path, sort: str) -> Survivors:
    """Read the changes of one ``sort`` that may survive: ``spec``, ``property``, ``premise`` or ``code``.

    A table ``[[sort]]`` has what the changes are ``of``, the ``changes``, the ``reason``, and perhaps a ``plan``.
    ``[pinned]`` has the number of changes of each sort that are accepted; without it there are none.

    Raises SpecError for a file of another form, an empty reason, a change that is listed twice, and another number of
    changes than is pinned.
    """
    file = read_table(path, SURVIVORS_FORMAT)
    pinned = file.take("pinned", by_name(int, "numbers, by what is changed"), {})
    found: dict[tuple[str, str], Accepted] = {}
    for entry in file.tables(sort):
        subjects, changes = entry.take("of", NAMES), entry.take("changes", NAMES)
        accepted = entry.read(Accepted, {"reason": WORDS, "plan": TEXT})
        for key in ((subject, change) for subject in subjects for change in changes):
            if key in found:
                raise entry.error(f"listed twice: {': '.join(key)}", "changes")
            found[key] = accepted
    file.close(SORTS)
    if pinned.get(sort, 0) != len(found):
        raise SpecError(
            f"{len(found)} changes of {sort} are accepted, and pinned are {pinned.get(sort, 0)}",
            where=path.name,
            hint="one more, or one less, has to be meant: write the number below [pinned]",
        )
    return Survivors(found)
