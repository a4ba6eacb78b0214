"""Logs of real runs, held against the specs: are a program's snapshots right?."""
