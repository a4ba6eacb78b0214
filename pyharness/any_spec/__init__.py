"""Specs that have no graphs and no plan, each with its own configuration for TLC: read, checked, and told."""
