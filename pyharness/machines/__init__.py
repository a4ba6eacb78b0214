"""Machines: the protocols as sans-IO state machines, composed on a graph, with properties that give a reason; replay."""
