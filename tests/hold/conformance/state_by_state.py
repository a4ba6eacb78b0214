"""A comparison as simple as can be, in memory and without Spark: the yardstick of the real ones."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from pyharness.hold.conformance.graph_comparison import Paths
from pyharness.hold.conformance.subject import Implementation


def implementation_of(model, mutant=None):
    return Implementation(model.composition, mutant, stop_when_over=bool(model.stop))


def mismatches(graph, implementation, depth=None):
    """Compare a graph that is in memory, state by state, without Spark; yield where the successors differ."""
    expand = cache(lambda number: implementation.expand(graph.states[number]))
    levels = depth and Paths(graph.initial, [(e.source, e.action, e.target) for e in graph.edges]).depth
    targets = defaultdict(lambda: defaultdict(set))
    for edge in graph.edges:
        targets[edge.source][edge.action].add(edge.target)
    for number in graph.states:
        theirs = {
            action: {expand(target).key for target in found} for action, found in targets[number].items()
        }
        followed = depth is None or levels[number] < depth
        ours = expand(number).successors.items() if followed else ()
        ours = {action: set(keys) for action, keys in ours}
        yield from ((number, action) for action in {*theirs, *ours} if theirs.get(action) != ours.get(action))


def differ(graph, implementation, depth=None):
    return next(mismatches(graph, implementation, depth), None) is not None
