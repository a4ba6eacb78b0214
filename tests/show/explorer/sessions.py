"""Sessions to test with: every protocol and mutant on small graphs that it is about."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from pyharness.base.topology import parse_topology
from pyharness.machines.systems import PROTOCOLS, mutants_for
from pyharness.show.explorer.explorer_site import ExplorerSite
from pyharness.show.explorer.private_site import serve
from pyharness.show.explorer.protocol_subject import open_graph

GRAPHS = {
    "Items": ("ring:3", "n2-6-i1", "line:2"),
    "Tasks": ("ring:3", "n2-6-i1"),
    "Dataflow": ("pipeline:3", "join:3"),
}


def graph(text):
    return parse_topology(text)


def opened(protocol="ChandyLamport", text="ring:3", mutant=None, **said):
    return open_graph(protocol, graph(text), said, mutant)


def late_turn():
    return opened(text="n2-6-i1", mutant="LateTurn")


def every_composition():
    """Each protocol with each of its mutants, on a graph of its application: (protocol, mutant, graph)."""
    for name, spec in PROTOCOLS.items():
        graphs = GRAPHS[spec.application]
        for number, mutant in enumerate((None, *mutants_for(name))):
            yield name, mutant, graphs[number % len(graphs)]


def texts(session):
    return [choice.text for choice in session.choices()]


def take(session, text):
    session.take(session.here.number, texts(session).index(text))


@contextmanager
def running(session):
    """Serve a session, and yield the address of its page."""
    server = serve(ExplorerSite(session))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
