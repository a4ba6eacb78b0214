"""A behaviour in words: its values with their fields' names, and the properties, which say why it violates them."""

from pyharness.explain.readable_values import Wording
from pyharness.explain.why import REASONS, why

__all__ = ["REASONS", "Wording", "why"]
