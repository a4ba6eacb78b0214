"""A behaviour in words: its values with their fields' names, and the properties, with the reason why it violates them."""

from pyharness.machines.explain.readable_values import Wording
from pyharness.machines.explain.why import REASONS, why

__all__ = ["REASONS", "Wording", "why"]
