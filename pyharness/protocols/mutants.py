"""Seeded bugs by name, each with the classes to run it with; ``specs/mutants/`` has the same ones in TLA+."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.protocols.barriers.barrier_mutants import ANY_BARRIER_MUTANTS, BARRIER_MUTANTS
from pyharness.protocols.barriers.barrier_protocols import BarrierProcess
from pyharness.protocols.checkpoints.checkpoint_coordinator import CheckpointCoordinator
from pyharness.protocols.checkpoints.checkpoint_mutants import (
    COORDINATOR_MUTANTS,
    HANDLER_MUTANTS,
    TASK_MUTANTS,
)
from pyharness.protocols.checkpoints.operator import Operator
from pyharness.protocols.checkpoints.operator_mutants import OPERATOR_MUTANTS
from pyharness.protocols.collecting.collection_mutants import COLLECTION_MUTANTS
from pyharness.protocols.common import network_mutants, process_mutants
from pyharness.protocols.common.network import Network
from pyharness.protocols.stopping.stop_the_world import Controller

if TYPE_CHECKING:
    from pyharness.protocols.common.process import Process

__all__ = ["MUTANTS", "Mutant"]


class Mutant(NamedTuple):
    """A seeded bug: the protocol it breaks, ``None`` for any, and the classes to run it with.

    Where several protocols are of one ``family``, their common class, ``process`` is mixed into any of them.
    """

    protocol: str | None
    process: type[Process[Any]] | None = None
    network: type[Network] = Network
    controller: type[Controller] = Controller
    family: type[Process[Any]] | None = None
    handler: type[Operator] = Operator
    checkpoints: type[CheckpointCoordinator] = CheckpointCoordinator


def _of_network(kind: type[Network]) -> Mutant:
    return Mutant(None, network=kind)


MUTANTS: dict[str, Mutant] = {
    # of the channels, in any protocol
    "NonFifoChannel": _of_network(network_mutants.NonFifoChannel),
    "CappedChannel": _of_network(network_mutants.CappedChannel),
    "UnfairChannel": _of_network(network_mutants.UnfairChannel),
    "ColourOfReceiver": _of_network(network_mutants.ColourOfReceiver),
    "ColourAfterSending": _of_network(network_mutants.ColourAfterSending),
    # of the colouring
    "NoGuard": Mutant("WhiteRed", process_mutants.NoGuard),
    "RecordEarly": Mutant("WhiteRed", process_mutants.RecordEarly),
    "TurnBack": Mutant("WhiteRed", process_mutants.TurnBack),
    "AcceptBeforeSend": Mutant("WhiteRed", process_mutants.AcceptBeforeSend),
    # of the markers
    "MarkerAfterMessage": Mutant("ChandyLamport", process_mutants.MarkerAfterMessage),
    "LateTurn": Mutant("ChandyLamport", process_mutants.LateTurn),
    "SecondMarker": Mutant("ChandyLamport", process_mutants.SecondMarker),
    "DropChannelState": Mutant("ChandyLamport", process_mutants.DropChannelState),
    "RecordPastMarker": Mutant("ChandyLamport", process_mutants.RecordPastMarker),
    "RecordUntilRed": Mutant("ChandyLamport", process_mutants.RecordUntilRed),
    "RecordAgain": Mutant("ChandyLamport", process_mutants.RecordAgain),
    "InitiatorRecordsAgain": Mutant("ChandyLamport", process_mutants.InitiatorRecordsAgain),
    "MarkerPerMarker": Mutant("ChandyLamport", process_mutants.MarkerPerMarker),
    "FewerInitiators": Mutant("ChandyLamport", process_mutants.FewerInitiators),
    "FinishEarly": Mutant("ChandyLamport", process_mutants.FinishEarly),
    "ForgetInput": Mutant("ChandyLamport", process_mutants.ForgetInput),
    "RecordBeforeSending": Mutant("ChandyLamport", process_mutants.RecordBeforeSending),
    "TwoPerOutput": Mutant("ChandyLamport", process_mutants.TwoPerOutput),
    # of the controller that stops the world
    "RecordAtAnyTime": Mutant("StopTheWorld", controller=network_mutants.RecordAtAnyTime),
    "ResumeEarly": Mutant("StopTheWorld", controller=network_mutants.ResumeEarly),
    "ForgetChannels": Mutant("StopTheWorld", controller=network_mutants.ForgetChannels),
    "MissOne": Mutant("StopTheWorld", controller=network_mutants.MissOne),
    "ForgetRecord": Mutant("StopTheWorld", process_mutants.ForgetRecord),
    # of the barriers
    "NoBlocking": Mutant("AlignedBarriers", BARRIER_MUTANTS["NoBlocking"]),
    "RecordAtFirstBarrier": Mutant("AlignedBarriers", BARRIER_MUTANTS["RecordAtFirstBarrier"]),
    "WrongChannelsLogged": Mutant("UnalignedBarriers", BARRIER_MUTANTS["WrongChannelsLogged"]),
    "OvertakenLost": Mutant("UnalignedBarriers", BARRIER_MUTANTS["OvertakenLost"]),
    "UnblockAtTimeout": Mutant("TimeoutBarriers", BARRIER_MUTANTS["UnblockAtTimeout"]),
    "DropLog": Mutant("CyclicBarriers", BARRIER_MUTANTS["DropLog"]),
    "LogPastBarrier": Mutant("CyclicBarriers", BARRIER_MUTANTS["LogPastBarrier"]),
    "WaitForBackEdges": Mutant("CyclicBarriers", BARRIER_MUTANTS["WaitForBackEdges"]),
    "NoBlockingInCycles": Mutant("CyclicBarriers", BARRIER_MUTANTS["NoBlockingInCycles"]),
    "FirstBarrierIsEnough": Mutant("AtLeastOnceBarriers", BARRIER_MUTANTS["FirstBarrierIsEnough"]),
    **{name: Mutant(None, kind, family=BarrierProcess) for name, kind in ANY_BARRIER_MUTANTS.items()},
    # of checkpoints and recovery
    **{name: Mutant("Checkpoints", process) for name, process in TASK_MUTANTS.items()},
    **{name: Mutant("Checkpoints", checkpoints=kind) for name, kind in COORDINATOR_MUTANTS.items()},
    **{name: Mutant("Checkpoints", handler=OPERATOR_MUTANTS[kind]) for name, kind in HANDLER_MUTANTS.items()},
    # of the collection
    **{name: Mutant("Collection", process) for name, process in COLLECTION_MUTANTS.items()},
}
"""Every seeded bug by its name."""
