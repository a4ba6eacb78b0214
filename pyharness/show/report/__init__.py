"""Traces, state graphs and runs in the formats people read."""
