"""Chandy and Lamport's snapshot with asyncio, for `pyharness hold -- python3 chandy_lamport.py`.

A stateful program: it keeps its state, and `reset` begins anew. BUG=late-turn records one marker late; BUG=history
forgets to record after two messages.
"""

import asyncio
import json
import os
import sys

BUG = os.environ.get("BUG")


# -- the algorithm ---------------------------------------------------------------------------------------------


class ChandyLamport:
    def __init__(self, send, setting):
        self.send_to, self.initiator = send, setting["initiator"]
        self.inputs, self.outputs = setting["inputs"], setting["outputs"]
        self.items, self.recorded, self.seen = setting["items"], None, 0
        self.channels = {name: [] for name in self.inputs}
        self.closed = set()

    def record(self):
        self.recorded = list(self.items)
        for name in self.outputs:
            self.send_to(name, {"type": "marker"})

    def send(self, body, source):
        self.items.remove(body["msg"])
        self.send_to(body["to"], {"type": "message", "msg": body["msg"]})

    def message(self, body, source):
        self.items.append(body["msg"])
        self.seen += BUG == "history" and self.recorded is None
        if self.recorded is not None and source not in self.closed and self.seen < 2:
            self.channels[source].append(body["msg"])

    def marker(self, body, source):
        late = BUG == "late-turn" and not self.closed
        self.closed.add(source)
        if self.recorded is None and not late:
            self.record()

    def initiate(self, body, source):
        if not self.initiator or self.recorded is not None:
            raise RuntimeError("not now")
        self.record()

    def shows(self):
        complete = self.recorded is not None and self.closed == set(self.inputs)
        return {"items": self.items, "recorded": self.recorded, "channels": self.channels, "complete": complete}


# -- the glue --------------------------------------------------------------------------------------------------


class Node:
    async def main(self):
        reader = asyncio.StreamReader(limit=2**20)  # bytes of a line, for which asyncio allows 65,536
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            self.take(**json.loads(line))

    def take(self, src, dest, body):
        kind, number = body["type"], {"in_reply_to": body["msg_id"]}
        if kind == "init":
            self.name = body["node_id"]
            self.send(src, {"type": "init_ok", **number})
        elif kind == "reset":
            self.machine = ChandyLamport(self.send, body)
            self.send(src, {"type": "reset_ok", "version": 1, **number})
        elif kind == "show":
            self.send(src, {"type": "show_ok", **number, **self.machine.shows()})
        else:
            try:
                getattr(self.machine, kind)(body, src)
            except RuntimeError as error:
                self.send(src, {"type": "error", "code": 22, "text": str(error), **number})

    def send(self, dest, body):
        print(json.dumps({"src": self.name, "dest": dest, "body": body}), flush=True)


asyncio.run(Node().main())
