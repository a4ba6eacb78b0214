"""The common part of the proofs of protocols: they record, their colours are ghosts, and they refine the colouring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.prove.logic import Expr, conj, every, implies
from pyharness.prove.modules.application_proof import TARGET
from pyharness.prove.modules.coloured_proof import Coloured
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.proof_module import conjunct, refinement

if TYPE_CHECKING:
    from pyharness.prove.steps import State, Step


class Recording(Coloured):
    """A protocol. ``whiteInRed`` and ``redInWhite`` are ghosts, which see what red and white actions accept."""

    def nothing_yet(self, s: State) -> Expr:
        """State that nothing was sent and nothing recorded."""
        return conj(
            every(
                lambda c, k: conj(
                    ~s.chan(c, k), ~s.sent(c, k), ~s.recChan(c, k), ~s.whiteInRed(c, k), ~s.redInWhite(c, k)
                )
            ),
            every(lambda p: ~s.red(p)),
        )

    @conjunct("NoRedInWhite", "E4")
    def no_red_in_white(self, s: State) -> Expr:
        """No red message was accepted in a white action."""
        return every(lambda c, k: ~s.redInWhite(c, k))

    @conjunct("WhiteInRedWhenRed", "E6")
    def white_in_red_when_red(self, s: State) -> Expr:
        """Red actions, and what they accepted, are of red processes."""
        return every(lambda c, k: implies(s.whiteInRed(c, k), s.red(TARGET(c))))

    @conjunct("WhiteInRedWasAccepted", "E6", positions=True)
    def white_in_red_was_accepted(self, s: State) -> Expr:
        """Messages that red actions accepted as white were sent, and are no longer in their channels."""
        return every(
            lambda c, k: implies(
                s.whiteInRed(c, k),
                conj(s.sent(c, k), ~s.chan(c, k), self.is_message(s, c, k), ~s.isRed(c, k)),
            )
        )

    @refinement("RefinesWhiteRed", "E13", "E4")
    def refines_white_red(self, s: State, step: Step | None) -> Expr:
        """Without its markers, and with what red actions accepted as its record, it is a colouring."""
        colouring = WhiteRed(self.application)
        if step is None:
            return colouring.initial(self._seen_as_colouring(s))
        return colouring.allows(self._seen_as_colouring(s), step.does, self._seen_as_colouring(step.after))

    def _seen_as_colouring(self, s: State) -> State:
        return s.but(chan=lambda c, k: s.chan(c, k) & self.is_message(s, c, k), recChan=s.whiteInRed)
