"""The proved modules, and the seeded bugs of each: those that a proof refutes, and those that it cannot see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.proof import application
from pyharness.proof.application import Application
from pyharness.proof.modules import (
    aligned_barriers,
    at_least_once_barriers,
    barriers,
    chandy_lamport,
    chandy_lamport_mutants,
    cyclic_barriers,
    stop_the_world,
    timeout_barriers,
    unaligned_barriers,
    white_red,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.proof.system import System

__all__ = ["MODULES", "UNSEEN", "mutants_of", "system"]

MODULES: Final[dict[str, type[System]]] = {
    kind.__name__: kind
    for kind in (
        white_red.WhiteRed,
        chandy_lamport.ChandyLamport,
        stop_the_world.StopTheWorld,
        aligned_barriers.AlignedBarriers,
        unaligned_barriers.UnalignedBarriers,
        timeout_barriers.TimeoutBarriers,
        cyclic_barriers.CyclicBarriers,
        at_least_once_barriers.AtLeastOnceBarriers,
    )
}
"""Each proved module by its name."""

_OWN: Final[Mapping[str, tuple[type[System], ...]]] = {
    "WhiteRed": white_red.MUTANTS,
    "ChandyLamport": chandy_lamport_mutants.MUTANTS,
    "StopTheWorld": stop_the_world.MUTANTS,
    "AlignedBarriers": aligned_barriers.MUTANTS,
    "UnalignedBarriers": unaligned_barriers.MUTANTS,
    "TimeoutBarriers": timeout_barriers.MUTANTS,
    "CyclicBarriers": cyclic_barriers.MUTANTS,
    "AtLeastOnceBarriers": at_least_once_barriers.MUTANTS,
}

_OF_CHANNELS: Final = {kind.__name__: kind for kind in application.MUTANTS}

_TINTED: Final = ("ColourOfReceiver",)
_CHANNELS: Final[Mapping[str, tuple[str, ...]]] = {
    "WhiteRed": ("NonFifoChannel", "CappedChannel", "ColourOfReceiver"),
    "ChandyLamport": ("NonFifoChannel", "ColourOfReceiver", "ColourAfterSending"),
    "StopTheWorld": _TINTED,
    "AlignedBarriers": _TINTED,
    "UnalignedBarriers": _TINTED,
    "TimeoutBarriers": _TINTED,
    "CyclicBarriers": _TINTED,
}

_LIVENESS: Final = (
    "it only keeps the snapshot from ending, and a proof by induction speaks of what is never wrong"
)

UNSEEN: Final[Mapping[tuple[str, str], str]] = {
    ("WhiteRed", "UnfairChannel"): _LIVENESS,
    ("ChandyLamport", "UnfairChannel"): _LIVENESS,
    ("ChandyLamport", "FewerInitiators"): _LIVENESS,
    (
        "ChandyLamport",
        "TwoPerOutput",
    ): "here an action has at most one message for each output; two cannot be said",
    ("StopTheWorld", "UnfairChannel"): _LIVENESS,
    ("StopTheWorld", "ColourOfReceiver"): (
        "it changes nothing: whoever sends is of its receiver's colour, or the channels are empty"
    ),
    ("AlignedBarriers", "ForgetToRecord"): _LIVENESS,
    ("CyclicBarriers", "ForgetToRecord"): _LIVENESS,
    ("CyclicBarriers", "WaitForBackEdges"): _LIVENESS,
    ("AtLeastOnceBarriers", "FirstBarrierIsEnough"): (
        "it changes nothing where no process has two inputs, which is assumed here"
    ),
}
"""The seeded bugs that a proof does not refute, each with the reason."""


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
    if issubclass(kind, barriers.Barriers):
        own |= {
            cls.__name__: type(cls.__name__, (cls, kind), {"__doc__": cls.__doc__})
            for cls in barriers.COMMON_MUTANTS
        }
    if mutant not in own:
        raise SpecError(
            f"{module} has no mutant {mutant!r} here", hint=f"there are: {', '.join(mutants_of(module))}"
        )
    return own[mutant](Application())


def mutants_of(module: str) -> list[str]:
    """Return the names of the seeded bugs of a module that can be said here."""
    common = (
        [cls.__name__ for cls in barriers.COMMON_MUTANTS]
        if issubclass(MODULES[module], barriers.Barriers)
        else []
    )
    return [*_CHANNELS.get(module, ()), *(cls.__name__ for cls in _OWN[module]), *common]
