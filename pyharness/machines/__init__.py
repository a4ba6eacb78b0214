"""Machines: the protocols as sans-IO state machines, composed on a graph, with explained properties; and replay."""
