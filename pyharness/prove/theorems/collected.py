"""``Collection``: what the collector puts together from the processes' reports is the snapshot, complete and final.

To the state of ``ChandyLamport`` it adds who has reported, what is in a report, whose report has arrived, and whether
the collector has concluded. A report stays as it was sent. The collector's conclusion from it is E19.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.prove.logic import (
    BOOL,
    CHANNEL,
    POSITION,
    PROCESS,
    STATE,
    TRUE,
    Symbol,
    conj,
    disj,
    equal,
    every,
    iff,
    implies,
    ite,
)
from pyharness.prove.modules.application_proof import TARGET, Application
from pyharness.prove.modules.chandy_lamport_proof import ChandyLamport
from pyharness.prove.obligations import Obligation, invariant
from pyharness.prove.steps import State, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.prove.logic import Expr

NAME: Final = "Collected"
CLAIMS: Final = ("E15", "E19")

_REPORTED: Final = (
    Symbol("underWay", (PROCESS,), BOOL),  # the process has sent its report, which has not arrived
    Symbol("collected", (PROCESS,), BOOL),  # its report has arrived
    Symbol("reportState", (PROCESS,), STATE),  # the state in its report
    Symbol("reportChan", (CHANNEL, POSITION), BOOL),  # what is in the report of the channel's target about it
    Symbol("concluded", (), BOOL),  # the collector has concluded
)
"""The variables of ``Collection`` beside those of ``ChandyLamport``, the reports as functions of who sends them."""


class Collection:
    """The rules of ``Collection``. A mutant overrides one."""

    def __init__(self) -> None:
        self.machine = ChandyLamport(Application())

    def state(self) -> State:
        """Return the state of which nothing is known."""
        return State({symbol.name: symbol for symbol in (*self.machine.variables, *_REPORTED)})

    def may_report(self, s: State, p: Expr) -> Expr:
        """State that it is time for p to report: its part is complete (E15). TLA+: MayReport."""
        return conj(~s.underWay(p), ~s.collected(p), self.machine.locally_complete(s, p))

    def may_conclude(self, s: State) -> Expr:
        """State that the collector may conclude: all reports have arrived. TLA+: MayConclude."""
        return every(lambda p: s.collected(p))

    def in_report(self, s: State, c: Expr, k: Expr) -> Expr:
        """State that a report on c has what is at k: all that was recorded. Part of TLA+: SendReport."""
        return s.recChan(c, k)

    def steps(self, s: State) -> Iterator[tuple[str, Step]]:
        """Yield every action: those of the snapshot change nothing of the collection."""
        for action in self.machine.actions():
            yield action.name, action(s)
        p = Symbol("p", (), PROCESS)()
        yield (
            "Report",
            Step(
                self.may_report(s, p),
                s.but(
                    underWay=lambda q: s.underWay(q) | equal(q, p),
                    reportState=lambda q: ite(equal(q, p), s.recState(p), s.reportState(q)),
                    reportChan=lambda c, k: ite(
                        equal(TARGET(c), p), self.in_report(s, c, k), s.reportChan(c, k)
                    ),
                ),
            ),
        )
        arrived = s.but(
            collected=lambda q: s.collected(q) | equal(q, p),
            underWay=lambda q: s.underWay(q) & ~equal(q, p),
        )
        yield "Collect", Step(s.underWay(p), arrived)
        yield "Conclude", Step(~s.concluded() & self.may_conclude(s), s.but(concluded=lambda: TRUE))

    def reports_are_final(self, s: State) -> Expr:
        """State that who has reported is done, and that its report is what it has recorded."""

        def reported(p: Expr) -> Expr:
            return disj(s.underWay(p), s.collected(p))

        return conj(
            every(lambda p: implies(reported(p), self.machine.locally_complete(s, p))),
            every(lambda p: implies(reported(p), equal(s.reportState(p), s.recState(p)))),
            every(lambda c, k: implies(reported(TARGET(c)), iff(s.reportChan(c, k), s.recChan(c, k)))),
        )

    def concluded_with_all(self, s: State) -> Expr:
        """State that the collector has concluded with all reports only."""
        return implies(s.concluded(), every(lambda p: s.collected(p)))

    def assembled_is_sss(self, s: State) -> Expr:
        """State that what the collector concluded from is SSS, of a snapshot that is complete."""
        return implies(
            s.concluded(),
            conj(
                every(lambda p: self.machine.locally_complete(s, p)),
                every(lambda p: equal(s.reportState(p), s.recState(p))),
                every(lambda c, k: iff(s.reportChan(c, k), s.whiteInRed(c, k))),
            ),
        )


def obligations(collection: Collection | None = None) -> Iterator[Obligation]:
    """Yield what is to be proved of the rules, or of a mutant's."""
    rules = collection or Collection()
    machine, s = rules.machine, rules.state()
    conjuncts = {"ReportsAreFinal": rules.reports_are_final, "ConcludedWithAll": rules.concluded_with_all}
    nothing = every(lambda p: ~s.underWay(p) & ~s.collected(p)) & ~s.concluded()
    begins = {"Init": machine.initial(s), "nothing was reported": nothing}
    holds = invariant(machine, s) | {name: body(s) for name, body in conjuncts.items()}
    for name, body in conjuncts.items():
        yield Obligation(NAME, f"{name}/Init", CLAIMS, begins, body(s), machine)
    yield Obligation(NAME, "AssembledIsSSS", CLAIMS, holds, rules.assembled_is_sss(s), machine)
    for action, step in rules.steps(s):
        taken = {**holds, f"{action} is taken": step.guard}
        yield Obligation(NAME, f"Possible/{action}", CLAIMS, taken, None, machine)
        for name, body in conjuncts.items():
            yield Obligation(NAME, f"{name}/{action}", CLAIMS, taken, body(step.after), machine)
    ended = {**holds, "the collector has concluded": s.concluded()}
    yield Obligation(NAME, "Possible/Concluded", CLAIMS, ended, None, machine)
