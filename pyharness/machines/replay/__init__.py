"""Compare a trace, or a complete state space, of the specs with the implementation."""

from pyharness.machines.replay.explore import Exploration, explore
from pyharness.machines.replay.replay import Divergence, Replay, is_fair, liveness_violations, replay

__all__ = ["Divergence", "Exploration", "Replay", "explore", "is_fair", "liveness_violations", "replay"]
