"""How systems that are used align checkpoints, as their code says it, and which of the claims that satisfies.

Each is a few lines that do what a file of that system does, of the version that was read; nothing of it is run here.
What is run is in `pyharness hold flink`, and whoever has such a system may hold it against the spec by `pyharness hold`.
"""
