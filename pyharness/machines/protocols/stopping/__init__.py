"""Snapshots taken while nothing moves."""
