"""Chandy and Lamport's snapshot with asyncio, for `pyharness hold -- python3 snapshot.py`.

A stateful program: it keeps its state, and `reset` begins anew. BUG=late-turn records one marker late; BUG=history
forgets to record after two messages.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from typing import Any

BUG = os.environ.get("BUG")


# -- the algorithm ---------------------------------------------------------------------------------------------


class Snapshot:
    def __init__(self, send: Callable[[str, dict[str, Any]], None], setting: dict[str, Any]) -> None:
        self.send_to, self.initiator = send, setting["initiator"]
        self.inputs, self.outputs = setting["inputs"], setting["outputs"]
        self.items: list[int] = setting["items"]
        self.recorded: list[int] | None = None
        self.channels: dict[str, list[int]] = {name: [] for name in self.inputs}
        self.closed: set[str] = set()
        self.seen = 0

    def record(self) -> None:
        self.recorded = list(self.items)
        for name in self.outputs:
            self.send_to(name, {"type": "marker"})

    def send(self, body: dict[str, Any], src: str) -> None:
        self.items.remove(body["msg"])
        self.send_to(body["to"], {"type": "message", "msg": body["msg"]})

    def message(self, body: dict[str, Any], src: str) -> None:
        self.items.append(body["msg"])
        self.seen += BUG == "history" and self.recorded is None
        if self.recorded is not None and src not in self.closed and self.seen < 2:
            self.channels[src].append(body["msg"])

    def marker(self, body: dict[str, Any], src: str) -> None:
        late = BUG == "late-turn" and not self.closed
        self.closed.add(src)
        if self.recorded is None and not late:
            self.record()

    def initiate(self, body: dict[str, Any], src: str) -> None:
        if not self.initiator or self.recorded is not None:
            raise RuntimeError("not now")
        self.record()

    def shows(self) -> dict[str, Any]:
        complete = self.recorded is not None and self.closed == set(self.inputs)
        return {
            "items": self.items,
            "recorded": self.recorded,
            "channels": self.channels,
            "complete": complete,
        }


# -- the glue --------------------------------------------------------------------------------------------------


class Node:
    async def main(self) -> None:
        reader = asyncio.StreamReader(limit=2**20)  # bytes of a line, for which asyncio allows 65,536
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            self.take(**json.loads(line))

    def take(self, src: str, dest: str, body: dict[str, Any]) -> None:
        kind, number = body["type"], {"in_reply_to": body["msg_id"]}
        if kind == "init":
            self.name = body["node_id"]
            self.send(src, {"type": "init_ok", **number})
        elif kind == "reset":
            self.machine = Snapshot(self.send, body)
            self.send(src, {"type": "reset_ok", "version": 1, **number})
        elif kind == "show":
            self.send(src, {"type": "show_ok", **number, **self.machine.shows()})
        else:
            try:
                getattr(self.machine, kind)(body, src)
            except RuntimeError as error:
                self.send(src, {"type": "error", "code": 22, "text": str(error), **number})

    def send(self, dest: str, body: dict[str, Any]) -> None:
        print(json.dumps({"src": self.name, "dest": dest, "body": body}), flush=True)


asyncio.run(Node().main())
