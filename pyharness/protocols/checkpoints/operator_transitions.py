"""What the barrier handler of an operator may do in which phase, and what it refuses: its transition table."""

from __future__ import annotations

from pyharness.errors import DriverError, PeerError
from pyharness.protocols.common.transition_table import Refusal, Row, TransitionTable

_TRIGGERED = "on each output: cancellations of what it aborts, and the barrier when the state is recorded"
_ABORTED = "the cancellation on each output, once for an id"
_ENDED = "on each output: barriers that it completes; and the end, with the last input's"
_OPEN = "the input has not ended and is not blocked"
_HEARD = "the mode is timeout, the barrier is of a new checkpoint, and its input is open"

OPERATOR_TRANSITIONS = TransitionTable(
    phases={
        "idle": "no checkpoint is pending",
        "aligning": "one is pending, and the operator's state is not recorded",
        "recording": "the operator's state is recorded for a pending one, and barriers have not come",
    },
    rows=(
        Row("idle", "handle record", ("idle",), "what the record makes", "the input has not ended"),
        Row(
            "idle",
            "handle barrier",
            ("idle", "aligning", "recording"),
            _TRIGGERED,
            "the input has not ended",
        ),
        Row("idle", "handle cancel", ("idle",), _ABORTED, "the input has not ended"),
        Row("idle", "handle end", ("idle",), _ENDED, "the input has not ended"),
        Row("idle", "overtake", ("idle", "recording"), _TRIGGERED, "the mode is unaligned"),
        Row("aligning", "handle record", ("aligning",), "what the record makes", _OPEN),
        Row("aligning", "handle barrier", ("idle", "aligning", "recording"), _TRIGGERED, _OPEN),
        Row("aligning", "handle cancel", ("idle", "aligning"), _ABORTED, _OPEN),
        Row("aligning", "handle end", ("idle", "aligning", "recording"), _ENDED, _OPEN),
        Row("idle", "announce", ("aligning",), "", _HEARD),
        Row("aligning", "time_out", ("recording",), _TRIGGERED, "the mode is timeout"),
        Row("aligning", "announce", ("aligning",), _ABORTED, _HEARD),
        Row("recording", "announce", ("aligning",), _ABORTED, _HEARD),
        Row("recording", "handle record", ("recording",), "what the record makes", _OPEN),
        Row("recording", "handle barrier", ("idle", "aligning", "recording"), _TRIGGERED, _OPEN),
        Row("recording", "handle cancel", ("idle", "recording"), _ABORTED, _OPEN),
        Row("recording", "handle end", ("idle", "recording"), _ENDED, _OPEN),
        Row(
            "recording",
            "overtake",
            ("idle", "recording"),
            _TRIGGERED,
            "the mode is unaligned; or timeout, and the barrier is of the checkpoint that was switched",
        ),
    ),
    refusals=(
        Refusal("handle", "an input that there is not", DriverError),
        Refusal("handle", "a checkpoint's id that is no integer, or less than the first", PeerError),
        Refusal(
            "handle",
            "a marker, a message or a barrier without an id: things of other protocols",
            PeerError,
        ),
        Refusal("overtake", "any of these, and what is no barrier", PeerError),
    ),
)
