"""The snapshot protocols as sans-IO state machines, one module per spec, under the spec's names.

=========================  ==============================
``specs/Application.tla``  ``application``
``specs/Computation.tla``  ``process``
``specs/WhiteRed.tla``     ``white_red``
``ChandyLamport.tla``      ``chandy_lamport``
``Snapshots.tla``          ``snapshots``
``StopTheWorld.tla``       ``stop_the_world``
``specs/Barriers.tla``     ``barrier_protocols``, with the five specs that extend it
``specs/Dataflow.tla``     ``dataflow``
``specs/Collection.tla``   ``collection``
``specs/Predicates.tla``   ``predicates``
``specs/Tasks.tla``        ``tasks``
``BarrierHandler.tla``     ``operator``, ``operator_drive``
``Checkpoints.tla``        ``checkpoint_tasks``, ``checkpoint_coordinator``
``specs/mutants/``         ``*_mutants``
=========================  ==============================
"""

from pyharness.machines.protocols.applications.application import (
    Application,
    Automata,
    Channel,
    Items,
    Transition,
    Value,
)
from pyharness.machines.protocols.applications.dataflow import Dataflow, FoldState
from pyharness.machines.protocols.applications.tasks import Tasks
from pyharness.machines.protocols.barriers.barrier_protocols import (
    BARRIER,
    AlignedBarriers,
    AtLeastOnceBarriers,
    BarrierState,
    CyclicBarriers,
    TimeoutBarriers,
    UnalignedBarriers,
)
from pyharness.machines.protocols.checkpoint_mutants import OPERATOR_MUTANTS
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import (
    Acknowledgement,
    CheckpointCoordinator,
    CoordinatorState,
)
from pyharness.machines.protocols.checkpoints.checkpoint_tasks import (
    Task,
    TaskState,
    TaskStep,
)
from pyharness.machines.protocols.checkpoints.operator import (
    END,
    MODES,
    Barrier,
    Cancel,
    EndOfInput,
    Handled,
    Operator,
    OperatorState,
)
from pyharness.machines.protocols.checkpoints.operator_drive import (
    GO_ON,
    TIMEOUT,
    Effect,
    GoOn,
    Overtaking,
    Queued,
    Reaction,
    Timeout,
    drive,
    transcript,
)
from pyharness.machines.protocols.collecting.collection import (
    FAILS,
    HOLDS,
    PENDING,
    Collector,
    CollectorState,
    Report,
    Reporter,
)
from pyharness.machines.protocols.collecting.predicates import (
    PREDICATES,
    Predicate,
    Snapshot,
    never,
    predicate_of,
)
from pyharness.machines.protocols.colouring.white_red import WhiteRed, WhiteRedState
from pyharness.machines.protocols.common.mutant import Mutant
from pyharness.machines.protocols.common.process import (
    MARKER,
    RED,
    WHITE,
    Body,
    Coloured,
    Element,
    Marker,
    Message,
    Network,
    Process,
    Recorded,
    Step,
)
from pyharness.machines.protocols.markers.chandy_lamport import ChandyLamport, ChandyLamportState
from pyharness.machines.protocols.markers.snapshots import (
    SnapshotId,
    SnapshotMarker,
    Snapshots,
    SnapshotsState,
)
from pyharness.machines.protocols.stopping.stop_the_world import (
    Controller,
    StopTheWorld,
    StopTheWorldState,
    World,
)

__all__ = [
    "BARRIER",
    "END",
    "FAILS",
    "GO_ON",
    "HOLDS",
    "MARKER",
    "MODES",
    "OPERATOR_MUTANTS",
    "PENDING",
    "PREDICATES",
    "RED",
    "TIMEOUT",
    "WHITE",
    "Acknowledgement",
    "AlignedBarriers",
    "Application",
    "AtLeastOnceBarriers",
    "Automata",
    "Barrier",
    "BarrierState",
    "Body",
    "Cancel",
    "ChandyLamport",
    "ChandyLamportState",
    "Channel",
    "CheckpointCoordinator",
    "Collector",
    "CollectorState",
    "Coloured",
    "Controller",
    "CoordinatorState",
    "CyclicBarriers",
    "Dataflow",
    "Effect",
    "Element",
    "EndOfInput",
    "FoldState",
    "GoOn",
    "Handled",
    "Items",
    "Marker",
    "Message",
    "Mutant",
    "Network",
    "Operator",
    "OperatorState",
    "Overtaking",
    "Predicate",
    "Process",
    "Queued",
    "Reaction",
    "Recorded",
    "Report",
    "Reporter",
    "Snapshot",
    "SnapshotId",
    "SnapshotMarker",
    "Snapshots",
    "SnapshotsState",
    "Step",
    "StopTheWorld",
    "StopTheWorldState",
    "Task",
    "TaskState",
    "TaskStep",
    "Tasks",
    "Timeout",
    "TimeoutBarriers",
    "Transition",
    "UnalignedBarriers",
    "Value",
    "WhiteRed",
    "WhiteRedState",
    "World",
    "drive",
    "never",
    "predicate_of",
    "transcript",
]
