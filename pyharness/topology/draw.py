"""Draw a topology as text: adjacency list, matrix, GraphViz."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyharness.topology.digraph import Topology


def adjacency(topology: Topology) -> str:
    """Write a line for each process, such as ``P1* -> P2 P3``; a star marks initiators, a dash no outputs."""
    lines = []
    for process in range(1, topology.processes + 1):
        star = "*" if process in topology.initiators else " "
        targets = " ".join(topology.process_name(target) for _, target in topology.outputs(process))
        lines.append(f"{topology.process_name(process)}{star} -> {targets or '-'}")
    return "\n".join(lines)


def matrix(topology: Topology) -> str:
    """Lay out the adjacency matrix under a line of targets: ``1`` if row has a channel to column, else ``.``."""
    processes = range(1, topology.processes + 1)
    names = [topology.process_name(process) for process in processes]
    width = max(map(len, names))
    rows = [["", *names]]
    for source, name in zip(processes, names, strict=True):
        cells = ("1" if (source, target) in topology.channels else "." for target in processes)
        rows.append([name, *cells])
    return "\n".join(" ".join(cell.rjust(width) for cell in row) for row in rows)


def dot(topology: Topology) -> str:
    """Write a GraphViz digraph named by the id; initiators have a double border, edges their channels' names."""
    lines = [f'digraph "{topology.id}" {{', "  node [shape=circle];"]
    for process in range(1, topology.processes + 1):
        border = " [shape=doublecircle]" if process in topology.initiators else ""
        lines.append(f"  {topology.process_name(process)}{border};")
    for source, target in topology.channels:
        ends = f"{topology.process_name(source)} -> {topology.process_name(target)}"
        lines.append(f'  {ends} [label="{topology.channel_name((source, target))}"];')
    return "\n".join([*lines, "}"])
