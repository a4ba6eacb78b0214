"""Model checking of distributed snapshot algorithms, and a Python implementation held against the specs."""

__version__ = "0.1.0"
