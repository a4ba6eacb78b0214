"""A change of a property that judges are asked for, what they show of it, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pyharness.mutants.trial import Trial, Verdict

ESCAPES: Final = "escapes"
LATER: Final = "at another length"
FEWER_STATES: Final = "in fewer states"
REFUTES: Final = "violates it"
NOT_EVALUATED: Final = "cannot be evaluated"
"""The ways in which a judge notices a change."""

REFUSED: Final = "SANY refuses it"

Levels = dict[int, int]
"""By the number of a group, how deep the first state is at which something was seen."""


@dataclass
class Shown:
    """The levels at which a judge showed something of a property and of one change of it.

    ``original`` is where the property is violated, ``violated`` where the change is, ``differs`` where it is not
    although the property is, or the other way round; ``followed`` where that is so in a state that is followed. With an
    ``error`` the change is refused, or cannot be evaluated.
    """

    original: Levels = field(default_factory=dict)
    violated: Levels = field(default_factory=dict)
    differs: Levels = field(default_factory=dict)
    followed: Levels = field(default_factory=dict)
    error: str = ""

    def how(self, *, everywhere: bool) -> str:
        """Return how the judge notices a change, stronger if ``everywhere``, or "": lengths and states are pinned."""
        if self.error == NOT_EVALUATED:
            return NOT_EVALUATED
        if not self.differs:
            return ""
        if not (self.original if everywhere else self.violated):
            return REFUTES if everywhere else ESCAPES
        if self.violated != self.original:
            return LATER
        return FEWER_STATES if self.followed and not everywhere else ""


@dataclass
class AskedChange:
    """A change that is asked for: the judges that ``looked``, in which it ``differs``, and which notices it how.

    ``open`` has the judges that may notice it, with the reason why that is not known. A judge is a ``sort`` of thing.
    """

    key: str
    change: str
    sort: str = "model"
    looked: set[str] = field(default_factory=set)
    differs: set[str] = field(default_factory=set)
    open: dict[str, str] = field(default_factory=dict)
    by: str = ""
    how: str = ""

    def notice(self, judge: str, how: str) -> None:
        """Let a judge notice the change."""
        self.by, self.how = judge, how

    def note(self, judge: str, shown: Shown, *, everywhere: bool = False) -> None:
        """Take what a judge showed of a change, which is a stronger one if it was evaluated ``everywhere``."""
        if shown.error == REFUSED:
            self.open[judge] = REFUSED
        elif everywhere or shown.original or shown.error:
            self.looked.add(judge)
        if shown.differs:
            self.differs.add(judge)
        if how := shown.how(everywhere=everywhere):
            self.notice(judge, how)

    def trial(self) -> Trial:
        """Return the verdict: incomplete where a judge that may notice the change is undecided."""
        if self.by:
            return Trial(self.key, self.change, Verdict.NOTICED, self.by, self.how)
        if self.open:
            judge, why = next(iter(self.open.items()))
            more = f"; so may {len(self.open) - 1} others" if len(self.open) > 1 else ""
            why = REFUSED if why == REFUSED else f"{judge} may notice it: {why}{more}"
            return Trial(self.key, self.change, Verdict.INCOMPLETE, why=why)
        elsewhere = min(self.differs, default="")
        why = f"in none of {len(self.looked)} {self.sort}s it differs from the property"
        if elsewhere:
            why = f"it differs in {elsewhere}, where no kill shows it"
        elif not self.looked:
            why = f"no {self.sort} violates the property"
        return Trial(self.key, self.change, Verdict.SURVIVES, why=why, elsewhere=elsewhere)
