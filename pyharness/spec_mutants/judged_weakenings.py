"""What a weakening of any spec's property came to, judged by the mutants of the spec in one configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from pyharness.weakening.noticing import ESCAPES, NOT_EVALUATED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.spec_mutants.plain_weakenings import PlainWeakening, WeakenedProperty
    from pyharness.spec_mutants.spec_mutant import SpecMutant


class Judged(Enum):
    """What a weakening can come to."""

    NOTICED = "noticed"
    UNNOTICED = "not noticed"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class WeakeningVerdict:
    """What a ``weakening`` came to; ``by`` is a mutant that notices it, and ``how``.

    ``why`` says why it is not noticed, or not decided.
    """

    weakening: PlainWeakening
    judged: Judged
    by: SpecMutant | None = None
    how: str = ""
    why: str = ""


@dataclass
class Seen:
    """What was seen of mutants: which number does ``not_hold`` in which mutant, as pairs of a mutant and a number.

    ``whole`` are mutants that were followed to their end, ``grown`` those whose graph grew beyond its bound, and those
    that are ``no_judge`` TLC or SANY cannot take. ``unasked`` are pairs of a mutant and a property that TLC cannot
    evaluate in it. ``unevaluated`` has by weakening the mutant in which TLC can evaluate the property and not it;
    ``refused`` are those that SANY refuses. ``unfollowed`` are pairs of a mutant and a number, of a property of whole
    behaviours or a weakening of it, for which what the mutant does for ever was not followed.
    """

    not_hold: set[tuple[int, int]] = field(default_factory=set)
    whole: set[int] = field(default_factory=set)
    grown: set[int] = field(default_factory=set)
    no_judge: set[int] = field(default_factory=set)
    unasked: set[tuple[int, int]] = field(default_factory=set)
    unevaluated: dict[int, int] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    unfollowed: set[tuple[int, int]] = field(default_factory=set)

    def violators(self, prop: WeakenedProperty) -> set[int]:
        """Return the judges that violate a property."""
        return {
            mutant for mutant, number in self.not_hold if number == prop.number and self._asked(mutant, prop)
        }

    def escaped(self, prop: WeakenedProperty, weakening: PlainWeakening) -> int | None:
        """Return the first mutant that violates the property and not the weakening, in all that it does."""
        return min(
            (
                mutant
                for mutant in self.violators(prop) & self.whole
                if (mutant, weakening.number) not in self.not_hold | self.unfollowed
            ),
            default=None,
        )

    def may_tell(
        self, prop: WeakenedProperty, weakening: PlainWeakening, mutants: Mapping[int, SpecMutant]
    ) -> list[int]:
        """Return the mutants that may notice a weakening, as far as was seen."""
        return [
            mutant
            for mutant in mutants
            if (mutant not in self.whole or self._may_follow(mutant, prop, weakening))
            and mutant not in self.no_judge
            and (mutant, weakening.number) not in self.not_hold
            and self._asked(mutant, prop)
        ]

    def _may_follow(self, mutant: int, prop: WeakenedProperty, weakening: PlainWeakening) -> bool:
        return (mutant, prop.number) in self.unfollowed or (
            (mutant, prop.number) in self.not_hold and (mutant, weakening.number) in self.unfollowed
        )

    def is_open(self, prop: WeakenedProperty, weakening: PlainWeakening) -> bool:
        """Tell whether a weakening is still to be asked for."""
        number = weakening.number
        return (
            number not in self.unevaluated
            and self.refused.isdisjoint((number, prop.number))
            and self.escaped(prop, weakening) is None
        )

    def _asked(self, mutant: int, prop: WeakenedProperty) -> bool:
        return mutant not in self.no_judge and (mutant, prop.number) not in self.unasked


def verdict_on(
    prop: WeakenedProperty, weakening: PlainWeakening, seen: Seen, mutants: Mapping[int, SpecMutant]
) -> WeakeningVerdict:
    """Return what a weakening of a property came to, by what was seen of the ``mutants``."""
    if (mutant := seen.unevaluated.get(weakening.number)) is not None:
        return WeakeningVerdict(weakening, Judged.NOTICED, mutants[mutant], NOT_EVALUATED)
    if (mutant := seen.escaped(prop, weakening)) is not None:
        return WeakeningVerdict(weakening, Judged.NOTICED, mutants[mutant], ESCAPES)
    if not seen.refused.isdisjoint((weakening.number, prop.number)):
        return WeakeningVerdict(weakening, Judged.UNDECIDED, why="SANY refuses it")
    if open_ones := seen.may_tell(prop, weakening, mutants):
        first = open_ones[0]
        why = "it was not run to its end in time"
        if first in seen.grown:
            why = "its graph grows beyond the bound"
        elif first in seen.whole:
            why = "what it does for ever was not followed"
        more = f"; so may {len(open_ones) - 1} others" if len(open_ones) > 1 else ""
        said = f"mutant {first} ({mutants[first].place} {mutants[first].definition}) may tell: {why}{more}"
        return WeakeningVerdict(weakening, Judged.UNDECIDED, why=said)
    if not seen.violators(prop):
        return WeakeningVerdict(weakening, Judged.UNNOTICED, why="no mutant violates the property")
    return WeakeningVerdict(
        weakening, Judged.UNNOTICED, why="each mutant that violates the property violates it, too"
    )
