"""Compare a trace, or a complete state space, of the specs with the implementation."""

from pyharness.machines.replay.explore import explore
from pyharness.machines.replay.replay import Replay, replay

__all__ = ["Replay", "explore", "replay"]
