"""Logs of real runs, held against the specs: whether a program's snapshots are right."""
