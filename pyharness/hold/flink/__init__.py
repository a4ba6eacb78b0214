"""Apache Flink's own barrier handlers, run inside this process and compared with the spec's.

Needs the optional extra ``flink``. :func:`flink_drive` is to Flink what ``drive`` is to the
:class:`~pyharness.machines.protocols.Operator`: a list of events in, what the handler did at each of them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.base.errors import ToolError
from pyharness.hold.flink.flink_classes import start_flink
from pyharness.hold.flink.flink_task import FlinkTask
from pyharness.hold.flink.handler_comparison import Comparer, Deviation, check_events
from pyharness.hold.flink.real_handlers import FLINK_MODES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.machines.protocols.applications.application import Value
    from pyharness.machines.protocols.checkpoints.operator_drive import Reaction

__all__ = ["FLINK_MODES", "flink_compare", "flink_drive"]


def flink_drive(
    events: Iterable[tuple[int, Value]], inputs: int = 2, mode: str = "aligned", jar: Path | None = None
) -> tuple[Reaction, ...]:
    """Let Flink's handler take these events, and return what it did at each.

    Events are those of ``drive``: pairs of an input and a record, a ``Barrier``, a ``Cancel``, an ``Overtaking``,
    ``END`` or ``TIMEOUT``. ``mode`` is one of :data:`FLINK_MODES`; ``jar`` another ``flink-dist`` than the
    installed one. Raises SpecError for an event that cannot be, and without the extra; ToolError, with the number of
    the event, when the handler throws.
    """
    given = tuple(events)
    check_events(given, inputs, mode)
    driven = FlinkTask(start_flink(jar), inputs, mode).drive(given)
    if driven.failure:
        raise ToolError(f"Flink's handler threw {driven.failure}", where=f"event {len(driven.moments) + 1}")
    return driven.moments


def flink_compare(
    events: Iterable[tuple[int, Value]], inputs: int = 2, mode: str = "aligned", jar: Path | None = None
) -> Deviation | None:
    """Return where Flink's handler and the spec's differ first on these events, or None."""
    given = tuple(events)
    check_events(given, inputs, mode)
    return Comparer(start_flink(jar), mode).compare(given, inputs)
