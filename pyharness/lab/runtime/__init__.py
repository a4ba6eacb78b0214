"""The snapshot protocols over sockets: an operating-system process for each vertex of a graph, a pair of sockets a channel.

The state machines are those that are checked (:mod:`pyharness.machines.protocols`), and what they do is logged for
``pyharness validate``. ``vertex`` and its two kinds drive a machine without I/O; ``vertex_process`` gives it sockets, a
log and a parent; ``system_run`` is that parent, which judges the snapshots.
"""
