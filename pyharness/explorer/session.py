"""A session of the explorer: the system, the tree of histories, and where in it one is. Without a server or a clock."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.errors import SpecError
from pyharness.explain.state_values import words
from pyharness.explain.why import why
from pyharness.explorer.history_tree import MOST_STEPS, HistoryTree, Moment
from pyharness.explorer.property_truths import Truth, never_comes, truths
from pyharness.explorer.state_goals import goals_of
from pyharness.explorer.state_search import MOST_SEARCHED, search
from pyharness.systems import find_protocol, violations
from pyharness.tla import Fn
from pyharness.tlc import Step, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.explorer.state_goals import StateGoal
    from pyharness.explorer.state_search import Found, Reached
    from pyharness.systems import Action, GlobalState, System

__all__ = ["ANY_PROPERTY", "MOST_BEGINNINGS", "Choice", "Session"]

MOST_BEGINNINGS: Final = 64
"""So many initial states can be chosen from."""

ANY_PROPERTY: Final = ""
"""What stands for whichever property fails first."""


class Choice(NamedTuple):
    """An enabled action: its number from 0, the action, its ``text``, and the moment it led to if it was taken."""

    number: int
    action: Action
    text: str
    taken: Moment | None


class Session:
    """A state machine: each command moves to another moment, and says in ``said`` what it did.

    ``meta`` is what a saved trace says of itself: spec, mutant, application and its bounds. ``in_time`` makes a
    question that a search asks again and again: may it go on?
    """

    def __init__(
        self,
        system: System,
        meta: Mapping[str, Any],
        *,
        in_time: Callable[[], Callable[[], bool]] = lambda: lambda: True,
    ) -> None:
        self.system, self.meta = system, dict(meta)
        self.tree = HistoryTree()
        self.beginnings: Sequence[GlobalState] = list(islice(system.initial(), MOST_BEGINNINGS))
        self.goals: Mapping[str, StateGoal] = {goal.key: goal for goal in goals_of(system)}
        self.said = ""
        self._in_time = in_time
        self._prefixed = "collected" in system.variables(self.beginnings[0])
        self.here = self._beginning(0)

    # -- where one is --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The protocol, and its mutant if there is one, as they are said on a command line."""
        mutant = self.meta.get("mutant")
        return f"{self.system.protocol}:{mutant}" if mutant else self.system.protocol

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of all properties that are judged."""
        spec = find_protocol(self.system.protocol)
        return (*spec.state_properties, *spec.step_properties, *spec.liveness)

    def choices(self, moment: Moment | None = None) -> list[Choice]:
        """List the enabled actions, here or at another moment, always in the same order."""
        at = self.here if moment is None else moment
        taken = {following.action: following for following in at.following}
        found: list[Choice] = []
        for number, action in enumerate(self.system.actions(at.state)):
            text = f"{words(action.name, prefixed=self._prefixed)} {action.detail.replace(',', '')}".strip()
            ways = sum(other.text.partition(" (way ")[0] == text for other in found)
            found.append(
                Choice(number, action, f"{text} (way {ways + 1})" if ways else text, taken.get(action))
            )
        return found

    def told(self, moment: Moment) -> str:
        """Say which action led to a moment: "accept marker C12"; nothing of a beginning."""
        if moment.action is None:
            return ""
        name = words(moment.action.name, prefixed=self._prefixed)
        return f"{name} {moment.action.detail.replace(',', '')}".strip()

    def truths(self) -> list[Truth]:
        """Judge every property here, and say why each one that fails does."""
        judged = truths(self.system, self.here, still=not any(self.system.actions(self.here.state)))
        if all(truth.holds is not False for truth in judged):
            return judged
        trace, meta = self.trace()
        meta.pop(
            "violated_at", None
        )  # what fails here is told of this state, not of the first in which it failed
        return [
            replace(truth, why=why(truth.name, trace, meta) or "") if truth.holds is False else truth
            for truth in judged
        ]

    def trace(self, moments: Sequence[Moment] | None = None) -> tuple[Trace, dict[str, Any]]:
        """Return the history up to here, or other ``moments``, as a trace and what its document says of it."""
        past = self.here.past() if moments is None else moments
        steps = [
            Step(
                None if m.action is None else m.action.name,
                Fn(self.system.variables(m.state).items()),
                arguments=m.action.detail or None if m.action else None,
            )
            for m in past
        ]
        missing: tuple[str, ...] = ()
        if not any(self.system.actions(past[-1].state)):
            missing = never_comes(self.system, [m.state for m in past])
        broken = _broken(past)
        title = f"{self.name} on {self.system.topology.id}, {len(past) - 1} steps"
        meta = {"title": title, **self.meta}
        if broken is not None:
            meta |= {"violated": broken[0], "violated_at": broken[1]}
        elif missing:
            meta |= {"violated": missing[0]}
        return Trace(tuple(steps), stuttering=bool(missing) and broken is None), meta

    # -- commands ------------------------------------------------------------------------------------------

    def begin(self, number: int) -> None:
        """Go to the beginning of this number, from 0."""
        if not 0 <= number < len(self.beginnings):
            raise SpecError(f"there is no initial state {number + 1}")
        self._visit(self._beginning(number), f"Initial state {number + 1} of {len(self.beginnings)}.")

    def take(self, at: int, number: int) -> None:
        """Take the enabled action of this number, from 0, in the moment ``at``, which need not be here."""
        moment = self.tree.at(at)
        choices = self.choices(moment)
        if not 0 <= number < len(choices):
            raise SpecError(f"there is no action {number + 1} there: there are {len(choices)}")
        self._visit(self._after(moment, choices[number].action), f"Taken: {choices[number].text}.")

    def back(self) -> None:
        """Undo the last step; it stays in the tree."""
        if self.here.before is None:
            raise SpecError("this is the beginning: there is nothing to undo")
        last, self.here = self.here, self.here.before
        self.said = f"Undone: {self.told(last)}. It can be done again, or something else instead."

    def forward(self) -> None:
        """Do again what was undone last."""
        if self.here.last is None:
            raise SpecError("nothing was undone here")
        self._visit(self.here.last, f"Again: {self.told(self.here.last)}.")

    def go(self, number: int) -> None:
        """Go to a moment of the tree."""
        moment = self.tree.at(number)
        self._visit(moment, f"Step {moment.steps + 1} of this history.")

    def walk(self, seed: int, steps: int) -> None:
        """Take so many steps at random, the same ones for the same seed; stop where a property begins to fail."""
        if not 1 <= steps <= MOST_STEPS:
            raise SpecError(f"a random walk has 1 to {MOST_STEPS} steps, not {steps}")
        random, taken, known = Random(seed), 0, set(self.here.fails)  # noqa: S311 - reproducible, no secret
        why = ""
        while taken < steps and not why:
            actions = list(self.system.actions(self.here.state))
            if not actions:
                why = " Nothing can happen any more."
                break
            self._visit(self._after(self.here, random.choice(actions)), "")
            taken += 1
            new = [name for name in self.here.fails if name not in known]
            if new:
                why = f" It stopped because {_listed(new)} fail{'s'[: len(new) == 1]} here."
        self.said = f"Random walk, seed {seed}: {taken} step{'s'[: taken != 1]}.{why}"

    def run_until_fails(self, name: str = ANY_PROPERTY) -> None:
        """Go to the nearest state where this property fails, or any that does not fail here."""
        if name != ANY_PROPERTY and name not in self.properties:
            raise SpecError.unknown("property", name, self.properties)
        known = {truth.name for truth in self.truths() if truth.holds is False}
        what = name or "another property" if known else name or "a property"
        if name in known:
            raise SpecError(f"{name} fails here already", hint="undo some steps, and run again")
        behind = [moment.state for moment in self.here.past()]
        liveness = set(find_protocol(self.system.protocol).liveness)

        def fails(reached: Reached) -> bool:
            broken = {*violations(self.system, reached.before, reached.after)}
            if reached.new and (not name or name in liveness) and not any(self.system.actions(reached.after)):
                broken |= {*never_comes(self.system, [*behind, *reached.way()[1:]])}
            return name in broken if name else bool(broken - known)

        self._follow(self._search(fails), f"a state where {what} fails")

    def find(self, key: str) -> None:
        """Go to the nearest state where the predicate of this key holds."""
        if key not in self.goals:
            raise SpecError.unknown("predicate", key, self.goals)
        goal = self.goals[key]
        if goal.holds(self.here.state):
            self.said = f"Here {goal.text} already."
            return
        found = self._search(lambda reached: reached.new and goal.holds(reached.after))
        self._follow(found, f"a state where {goal.text}")

    def reach(self, wanted: Callable[[GlobalState], bool], text: str) -> None:
        """Go to a state that is told by ``wanted``: by the shortest way from here, or else from the beginning."""
        if wanted(self.here.state):
            self.said = f"This is {text}."
            return
        found = self._search(lambda reached: reached.new and wanted(reached.after))
        if found.path is None:
            for number, state in enumerate(self.beginnings):
                self._visit(self._beginning(number), "")
                if wanted(state):
                    self.said = f"{text}, a beginning."
                    return
                found = self._search(lambda reached: reached.new and wanted(reached.after))
                if found.path is not None:
                    break
        self._follow(found, text)

    # -- how -----------------------------------------------------------------------------------------------

    def _beginning(self, number: int) -> Moment:
        state = self.beginnings[number]
        return self.tree.begin(state, violations(self.system, None, state))

    def _after(self, moment: Moment, action: Action) -> Moment:
        return self.tree.add(moment, action, violations(self.system, moment.state, action.after))

    def _visit(self, moment: Moment, said: str) -> None:
        self.here, self.said = moment, said
        self.tree.visit(moment)

    def _search(self, goal: Callable[[Reached], bool]) -> Found:
        return search(self.system, self.here.state, goal, in_time=self._in_time())

    def _follow(self, found: Found, what: str) -> None:
        if found.path is None:
            seen = f"{found.states:,} states from here on were visited"
            self.said = (
                f"There is none: {what}. All {seen}."
                if found.complete
                else f"Given up, not found: {what}. {seen}; a search ends at {MOST_SEARCHED:,}, "
                "or when it takes too long."
            )
            return
        steps = len(found.path)
        for action in found.path:
            self._visit(self._after(self.here, action), "")
        self.said = (
            f"Found after {steps} more step{'s'[: steps != 1]}: {what}. "
            f"No way is shorter ({found.states:,} states visited)."
        )


def _broken(past: Sequence[Moment]) -> tuple[str, int] | None:
    """Name a property that fails in a history, rather at its end, rather not one of types; with the first step."""
    failing = past[-1].fails or next((m.fails for m in past if m.fails), ())
    if not failing:
        return None
    name = next((name for name in failing if name != "TypeOK"), failing[0])
    return name, next(m.steps for m in past if name in m.fails)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
