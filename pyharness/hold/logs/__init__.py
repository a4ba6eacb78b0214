"""Logs of real runs, checked against the specs: whether a program's snapshots are right."""
