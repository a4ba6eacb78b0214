"""One run at a time in a store, which has no locks: each run has an object of its own below ``lock/``, its claim.

A run writes its claim before it looks for others, so that of two runs that begin at once at least one sees the other:
both are never let in, though both may be refused. It renews its claim while it goes on. A claim that was not renewed
for long, by the store's own clock, is of a run that was killed or cut off, and another run may remove it; a run whose
claim is gone puts no verdict there.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import ToolError

if TYPE_CHECKING:
    from pyharness.run.store import Store

LOCK: Final = "lock"
"""The claims are the objects below this name."""

RENEWED_SECONDS: Final = 20
"""So often a run renews its claim."""

STALE_SECONDS: Final = 180
"""A claim that is so much older than a new one holds nothing."""


class StoreClaim:
    """The claim of this run on ``store``."""

    def __init__(self, store: Store) -> None:
        """Take the store for this run. Raises ToolError when another run holds it, or the store cannot be written."""
        self._store = store
        self._name = f"{LOCK}/{uuid.uuid4().hex}.json"
        self._owner = {
            "machine": _machine(),
            "process": os.getpid(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.renew()
        try:
            claims = self.require_held()
            for name in sorted(claims.keys() - {self._name}):
                self._look_at(name, (claims[self._name] - claims[name]).total_seconds())
        except BaseException:
            with suppress(ToolError):
                self.release()
            raise

    def renew(self) -> None:
        """Write the claim, as new."""
        self._store.write(self._name, json.dumps(self._owner).encode())

    def require_held(self) -> dict[str, datetime]:
        """Return the claims of all runs; raise ToolError when this run's is gone."""
        claims = self._claims()
        if self._name not in claims:
            raise ToolError(
                "another run has taken the store, for this one did not answer for long",
                where=self._store.uri.of(),
                hint="let that run end, then run the command again",
            )
        return claims

    def release(self) -> None:
        """Remove the claim."""
        self._store.remove(self._name)

    def _claims(self) -> dict[str, datetime]:
        return {name: time for name, time in self._store.names(LOCK).items() if name.endswith(".json")}

    def _look_at(self, name: str, age: float) -> None:
        """Remove another run's claim if that run has ended; raise ToolError if it may be under way."""
        content = self._store.read(name)
        if content is None:
            return
        owner = _read(content)
        if age > STALE_SECONDS or _has_ended(owner):
            self._store.remove(name)
            return
        who = f"process {owner.get('process', '?')} on {str(owner.get('machine', '?')).partition('/')[0]}"
        raise ToolError(
            f"another run uses this store ({who}, since {owner.get('since', '?')})",
            where=self._store.uri.of(),
            hint=f"wait until it has ended, or give this run an --out of its own; "
            f"if it was killed, its claim ends {STALE_SECONDS} s after its last sign",
        )


def _read(content: bytes) -> dict[str, Any]:
    try:
        owner: Any = json.loads(content)
    except ValueError:
        return {}
    return owner if isinstance(owner, dict) else {}


def _machine() -> str:
    """Name this machine, as far as processes see each other on it: its name, its start, its space of process ids."""
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}/{start}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return (
            f"{socket.gethostname()}/{uuid.uuid4().hex}"  # processes cannot be looked up, so none has ended
        )


def _has_ended(owner: dict[str, Any]) -> bool:
    """Whether a claim is of a process of this machine that is no more."""
    process = owner.get("process")
    if owner.get("machine") != _machine() or not isinstance(process, int):
        return False
    return not Path("/proc", str(process)).exists()
