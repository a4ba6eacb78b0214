"""The proved modules, and the seeded bugs of each: those that a proof refutes, and those that it cannot see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.prove.modules import (
    aligned_barriers_proof,
    application_proof,
    at_least_once_barriers_proof,
    barriers_proof,
    chandy_lamport_proof,
    cyclic_barriers_proof,
    snapshots_proof,
    stop_the_world_proof,
    timeout_barriers_proof,
    unaligned_barriers_proof,
    white_red_proof,
)
from pyharness.prove.modules.application_proof import Application

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.prove.proof_module import System

MODULES: Final[dict[str, type[System]]] = {
    kind.__name__: kind
    for kind in (
        white_red_proof.WhiteRed,
        chandy_lamport_proof.ChandyLamport,
        stop_the_world_proof.StopTheWorld,
        aligned_barriers_proof.AlignedBarriers,
        unaligned_barriers_proof.UnalignedBarriers,
        timeout_barriers_proof.TimeoutBarriers,
        cyclic_barriers_proof.CyclicBarriers,
        at_least_once_barriers_proof.AtLeastOnceBarriers,
        snapshots_proof.Snapshots,
    )
}
"""Each proved module by its name."""

_OWN: Final[Mapping[str, tuple[type[System], ...]]] = {
    "WhiteRed": white_red_proof.MUTANTS,
    "ChandyLamport": chandy_lamport_proof.MUTANTS,
    "StopTheWorld": stop_the_world_proof.MUTANTS,
    "AlignedBarriers": aligned_barriers_proof.MUTANTS,
    "UnalignedBarriers": unaligned_barriers_proof.MUTANTS,
    "TimeoutBarriers": timeout_barriers_proof.MUTANTS,
    "CyclicBarriers": cyclic_barriers_proof.MUTANTS,
    "AtLeastOnceBarriers": at_least_once_barriers_proof.MUTANTS,
    "Snapshots": snapshots_proof.MUTANTS,
}

_OF_CHANNELS: Final = {kind.__name__: kind for kind in application_proof.MUTANTS}

_TINTED: Final = ("ColourOfReceiver",)
_CHANNELS: Final[Mapping[str, tuple[str, ...]]] = {
    "WhiteRed": ("NonFifoChannel", "CappedChannel", "ColourOfReceiver"),
    "ChandyLamport": ("NonFifoChannel", "CappedChannel", "ColourOfReceiver", "ColourAfterSending"),
    "StopTheWorld": _TINTED,
    "AlignedBarriers": _TINTED,
    "UnalignedBarriers": _TINTED,
    "TimeoutBarriers": _TINTED,
    "CyclicBarriers": _TINTED,
    "Snapshots": ("CappedChannel",),
}

_FAIRNESS: Final = "it changes only fairness, which a proof by induction does not see"

_STAYS: Final = "it takes steps away, and adds none; that what had stopped goes on is not proved here"
_HOLDS_UP: Final = (
    "it takes steps away, and adds none; that the computation is held up (E22) is checked, and not proved"
)
_ORDER: Final = "the record of a channel is a set of places here, without an order"

UNSEEN: Final[Mapping[tuple[str, str], str]] = {
    ("WhiteRed", "UnfairLastChannel"): _FAIRNESS,
    ("ChandyLamport", "UnfairLastChannel"): _FAIRNESS,
    ("ChandyLamport", "RecordBackwards"): _ORDER,
    ("WhiteRed", "UnfairChannel"): _FAIRNESS,
    ("ChandyLamport", "UnfairChannel"): _FAIRNESS,
    (
        "ChandyLamport",
        "TwoPerOutput",
    ): "here an action has at most one message for each output, and never two",
    ("StopTheWorld", "UnfairChannel"): _FAIRNESS,
    ("StopTheWorld", "ColourOfReceiver"): (
        "it changes nothing: a sender has its receiver's colour, or the channels are empty"
    ),
    ("UnalignedBarriers", "UnfairChannel"): _FAIRNESS,
    ("Snapshots", "UnfairChannel"): _FAIRNESS,
    ("Snapshots", "WaitsForNone"): "snapshots may overlap here",
    ("AlignedBarriers", "StaysBlocked"): _STAYS,
    ("TimeoutBarriers", "StaysBlockedAfterTimeout"): _STAYS,
    ("CyclicBarriers", "StaysBlockedInCycles"): _STAYS,
    ("StopTheWorld", "StaysPaused"): _STAYS,
    **dict.fromkeys(
        (
            ("UnalignedBarriers", "CappedChannel"),
            ("AtLeastOnceBarriers", "CappedChannel"),
        ),
        _HOLDS_UP,
    ),
    ("Snapshots", "RedByInitiator"): "a message cannot name snapshots that do not exist here",
    ("UnalignedBarriers", "OvertakenBackwards"): _ORDER,
}
"""The seeded bugs that a proof cannot refute, each with the reason.

Of the others there is one, at least, for each rule: those in no list are not written down as formulas.
"""


def system(module: str, mutant: str = "") -> System:
    """Return a proved module, or one of its mutants. Raises SpecError when there is none of that name."""
    if module not in MODULES:
        raise SpecError(f"no proof of {module!r}", hint=f"there are: {', '.join(MODULES)}")
    kind = MODULES[module]
    if not mutant:
        return kind(Application())
    if mutant in _OF_CHANNELS and mutant in _CHANNELS.get(module, ()):
        return kind(_OF_CHANNELS[mutant]())
    own = {cls.__name__: cls for cls in _OWN[module]}
    if issubclass(kind, barriers_proof.Barriers):
        own |= {
            cls.__name__: type(cls.__name__, (cls, kind), {"__doc__": cls.__doc__})
            for cls in barriers_proof.COMMON_MUTANTS
        }
    if mutant not in own:
        raise SpecError(
            f"{module} has no mutant {mutant!r} here", hint=f"there are: {', '.join(mutants_of(module))}"
        )
    return own[mutant](Application())


def mutants_of(module: str) -> list[str]:
    """Return the names of the seeded bugs of a module that have a formula."""
    common = (
        [cls.__name__ for cls in barriers_proof.COMMON_MUTANTS]
        if issubclass(MODULES[module], barriers_proof.Barriers)
        else []
    )
    return [*_CHANNELS.get(module, ()), *(cls.__name__ for cls in _OWN[module]), *common]
