"""A behaviour in words: its values with their fields' names, and why it violates a property."""

from pyharness.explain.readable_values import Wording
from pyharness.explain.why import REASONS, why

__all__ = ["REASONS", "Wording", "why"]
