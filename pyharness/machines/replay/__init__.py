"""Hold a trace, or a whole state space, of the specs against the implementation."""

from pyharness.machines.replay.explore import Exploration, explore
from pyharness.machines.replay.replay import Divergence, Replay, is_fair, liveness_violations, replay

__all__ = ["Divergence", "Exploration", "Replay", "explore", "is_fair", "liveness_violations", "replay"]
