"""A session of the explorer: a subject, its tree of histories, the present moment, and searches. Without a server."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.show.explorer.history_tree import MOST_STEPS, HistoryTree, Moment
from pyharness.tla.tlc import Trace, TraceStep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.show.explorer.explored_subject import Endless, ExploredSubject, StateGoal, Truth
    from pyharness.show.explorer.history_tree import ExploredAction


MOST_SEARCHED: Final = 20_000
"""The number of states after which a search gives up."""


class SearchStep(NamedTuple):
    """A step of the search: the states ``before`` and ``after`` it, and whether the second is ``new``.

    ``way`` gives the states of the shortest way to ``after``, with both ends.
    """

    before: Any
    after: Any
    new: bool
    way: Callable[[], list[Any]]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: the shortest ``path``, or ``None``, after visiting that many ``states``.

    ``complete`` is whether everything reachable was visited: then no path means that none exists.
    """

    path: tuple[ExploredAction, ...] | None
    states: int
    complete: bool


def search(
    subject: ExploredSubject,
    start: Any,
    goal: Callable[[SearchStep], bool],
    *,
    most: int = MOST_SEARCHED,
    in_time: Callable[[], bool] = lambda: True,
) -> SearchResult:
    """Look for the shortest path from ``start`` whose last step is a ``goal``.

    It gives up after ``most`` states, or when ``in_time`` returns false.
    """
    came: dict[Any, tuple[Any, ExploredAction] | None] = {start: None}
    level = [start]
    while level:
        following: list[Any] = []
        for state in level:
            if len(came) > most or not in_time():
                return SearchResult(None, len(came), complete=False)
            for action in subject.actions(state):
                new = action.after not in came
                if new:
                    came[action.after] = (state, action)
                    following.append(action.after)
                if goal(SearchStep(state, action.after, new, partial(_states, came, start, state, action))):
                    return SearchResult((*_way(came, state), action), len(came), complete=False)
        level = following
    return SearchResult(None, len(came), complete=True)


def _states(
    came: dict[Any, tuple[Any, ExploredAction] | None], start: Any, state: Any, last: ExploredAction
) -> list[Any]:
    return [start, *(action.after for action in _way(came, state)), last.after]


def _way(came: dict[Any, tuple[Any, ExploredAction] | None], state: Any) -> tuple[ExploredAction, ...]:
    way: list[ExploredAction] = []
    while (step := came[state]) is not None:
        state = step[0]
        way.append(step[1])
    return tuple(reversed(way))


MOST_BEGINNINGS: Final = 64
"""The number of initial states that can be chosen from."""

_LOOPS: Final = (
    " What never comes because something else goes on forever was not searched for; "
    "`pyharness check` has TLC do that."
)

ANY_PROPERTY: Final = ""
"""The name in place of a property's, for the one that fails first."""


class ActionChoice(NamedTuple):
    """An enabled action: its number from 0, the action, its ``text``, and the moment it led to if it was taken."""

    number: int
    action: ExploredAction
    text: str
    taken: Moment | None


class Session:
    """A state machine: each command moves to another moment, and reports its effect in ``message``.

    ``in_time`` makes a question that a search asks again and again: may it go on?
    """

    def __init__(
        self, subject: ExploredSubject, *, in_time: Callable[[], Callable[[], bool]] = lambda: lambda: True
    ) -> None:
        self.subject, self.meta = subject, subject.meta
        self.tree = HistoryTree()
        self.beginnings: Sequence[Any] = list(islice(subject.initial(), MOST_BEGINNINGS))
        self.goals: Mapping[str, StateGoal] = {goal.key: goal for goal in subject.goals()}
        self.message = ""
        self._most_searched = subject.most_searched or MOST_SEARCHED
        self._in_time = in_time
        self.here = self._beginning(0)

    # -- where one is --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the subject, as on a command line."""
        return self.subject.name

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of all properties that are judged."""
        return self.subject.properties

    def choices(self, moment: Moment | None = None) -> list[ActionChoice]:
        """List the enabled actions, here or at another moment, always in the same order."""
        at = self.here if moment is None else moment
        taken = {following.action: following for following in at.following}
        found: list[ActionChoice] = []
        counts: Counter[str] = Counter()
        for number, action in enumerate(self.subject.actions(at.state)):
            text = self.subject.choice(at.state, action)
            ways = counts[text]
            counts[text] += 1
            found.append(
                ActionChoice(number, action, f"{text} (way {ways + 1})" if ways else text, taken.get(action))
            )
        return found

    def describe(self, moment: Moment) -> str:
        """Describe the action that led to a moment: "accept marker C12"; "" for a beginning."""
        if moment.action is None or moment.before is None:
            return ""
        return self.subject.choice(moment.before.state, moment.action)

    def truths(self) -> list[Truth]:
        """Judge every property here, and explain why each one that fails does."""
        goes_on = self.goes_on()
        judged = self.subject.truths(self.here, goes_on)
        return [replace(t, why=self._why(t, goes_on)) if t.holds is False else t for t in judged]

    def goes_on(self) -> Endless | None:
        """Return how the history up to here can go on forever as it is: without another action, or round and round."""
        return self.subject.endless([moment.state for moment in self.here.past()])

    def trace(self, moments: Sequence[Moment] | None = None) -> tuple[Trace, dict[str, Any]]:
        """Return the history up to here, or other ``moments``, as a trace and its document's meta.

        A history that violates a property by what never happens ends as it goes on forever; other moments are a
        picture of what was clicked, and never a loop.
        """
        past = self.here.past() if moments is None else moments
        goes_on = self.subject.endless([m.state for m in past])
        if goes_on is not None and not goes_on.stays and moments is not None:
            goes_on = None
        broken = _broken(past)
        title = f"{self.subject.title}, {len(past) - 1} steps"
        meta = {"title": title, **self.meta}
        if broken is not None:
            meta |= {"violated": broken[0], "violated_at": broken[1]}
        elif goes_on is not None and goes_on.missing:
            meta |= {"violated": goes_on.missing[0]}
            return self._steps(past, goes_on), meta
        return self._steps(past), meta

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
        self.message = f"Undone: {self.describe(last)}. It can be done again, or something else instead."

    def forward(self) -> None:
        """Redo the step that was undone last."""
        if self.here.last is None:
            raise SpecError("nothing was undone here")
        self._visit(self.here.last, f"Again: {self.describe(self.here.last)}.")

    def go(self, number: int) -> None:
        """Go to a moment of the tree."""
        moment = self.tree.at(number)
        self._visit(moment, f"Step {moment.steps + 1} of this history.")

    def walk(self, seed: int, steps: int) -> None:
        """Take ``steps`` steps at random, the same ones for the same seed; stop where a property begins to fail."""
        if not 1 <= steps <= MOST_STEPS:
            raise SpecError(f"a random walk has 1 to {MOST_STEPS} steps, not {steps}")
        random, taken, known = Random(seed), 0, self._failing()  # noqa: S311 - reproducible, no secret
        why = ""
        while taken < steps and not why:
            actions = list(self.subject.actions(self.here.state))
            if not actions:
                why = f" Here {self.subject.ends}."
                break
            self._visit(self._after(self.here, random.choice(actions)), "")
            taken += 1
            new = [name for name in self._failing() if name not in known]
            if new:
                why = f" It stopped because {_listed(new)} fail{'s'[: len(new) == 1]} here."
        self.message = f"Random walk, seed {seed}: {taken} step{'s'[: taken != 1]}.{why}"

    def run_until_fails(self, name: str = ANY_PROPERTY) -> None:
        """Go to the nearest state where this property fails, or any that does not fail here."""
        if name != ANY_PROPERTY and name not in self.properties:
            raise SpecError.unknown("property", name, self.properties)
        known = {truth.name for truth in self.truths() if truth.holds is False}
        what = name or "another property" if known else name or "a property"
        if name in known:
            raise SpecError(f"{name} fails here already", hint="undo some steps, and run again")
        past = [moment.state for moment in self.here.past()]
        liveness = self.subject.liveness

        def fails(reached: SearchStep) -> bool:
            broken = {*self.subject.violations(reached.before, reached.after)}
            if (
                reached.new
                and (not name or name in liveness)
                and not any(self.subject.actions(reached.after))
            ):
                broken |= {*self.subject.never_comes([*past, *reached.way()[1:]])}
            return name in broken if name else bool(broken - known)

        unasked = _LOOPS if liveness and (not name or name in liveness) else ""
        self._follow(self._search(fails), f"a state where {what} fails", unasked)

    def find(self, key: str) -> None:
        """Go to the nearest state where the predicate of this key holds."""
        if key not in self.goals:
            raise SpecError.unknown("predicate", key, self.goals)
        goal = self.goals[key]
        if goal.holds(self.here.state):
            self.message = f"Here {goal.text} already."
            return
        found = self._search(lambda reached: reached.new and goal.holds(reached.after))
        self._follow(found, f"a state where {goal.text}")

    def reach(self, wanted: Callable[[Any], bool], text: str) -> None:
        """Go to a state for which ``wanted`` is true: by the shortest path from here, or else from the beginning."""
        if wanted(self.here.state):
            self.message = f"This is {text}."
            return
        found = self._search(lambda reached: reached.new and wanted(reached.after))
        if found.path is None:
            for number, state in enumerate(self.beginnings):
                self._visit(self._beginning(number), "")
                if wanted(state):
                    self.message = f"{text}, a beginning."
                    return
                found = self._search(lambda reached: reached.new and wanted(reached.after))
                if found.path is not None:
                    break
        self._follow(found, text)

    # -- how -----------------------------------------------------------------------------------------------

    def _failing(self) -> tuple[str, ...]:
        """Name the properties that fail here, also those that fail if this goes on as it is."""
        goes_on = self.goes_on()
        return (*self.here.fails, *(goes_on.missing if goes_on else ()))

    def _why(self, truth: Truth, goes_on: Endless | None) -> str:
        """Explain why a property fails in the state here, which need not be the first in which it did."""
        trace = self._steps(self.here.past(), goes_on if truth.kind == "behaviour" else None)
        return self.subject.why(truth.name, trace)

    def _steps(self, past: Sequence[Moment], goes_on: Endless | None = None) -> Trace:
        steps = tuple(
            TraceStep(
                None if m.action is None else m.action.name,
                self.subject.variables(m.state),
                arguments=m.action.detail or None if m.action else None,
            )
            for m in past
        )
        if goes_on is None:
            return Trace(steps)
        return Trace(steps, stuttering=True) if goes_on.stays else Trace(steps[:-1], lasso=goes_on.begins)

    def _beginning(self, number: int) -> Moment:
        state = self.beginnings[number]
        return self.tree.begin(state, self.subject.violations(None, state))

    def _after(self, moment: Moment, action: ExploredAction) -> Moment:
        return self.tree.add(moment, action, self.subject.violations(moment.state, action.after))

    def _visit(self, moment: Moment, message: str) -> None:
        self.here, self.message = moment, message
        self.tree.visit(moment)

    def _search(self, goal: Callable[[SearchStep], bool]) -> SearchResult:
        return search(self.subject, self.here.state, goal, most=self._most_searched, in_time=self._in_time())

    def _follow(self, found: SearchResult, what: str, unasked: str = "") -> None:
        if found.path is None:
            seen = f"{found.states:,} states from here on were visited"
            self.message = (
                f"There is none: {what}. All {seen}.{unasked}"
                if found.complete
                else f"Given up, not found: {what}. {seen}; a search ends at {self._most_searched:,}, "
                "or when it takes too long."
            )
            return
        steps = len(found.path)
        for action in found.path:
            self._visit(self._after(self.here, action), "")
        self.message = (
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
