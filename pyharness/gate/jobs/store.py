"""Objects below a URI of a store, through pyarrow's file systems; and one run at a time in it, by a claim.

An object is written whole or not at all. Every error of the store is a ToolError that says what, where and what to do.

One run at a time in a store, which has no locks: each run has an object of its own below ``lock/``, its claim. A run
writes its claim before it looks for others, so that of two runs that begin at once at least one sees the other: both
are never let in, though both may be refused. It renews its claim while it goes on. A claim that was not renewed for
long, by the store's own clock, is of a run that was killed or cut off, and another run may remove it; a run whose claim
is gone puts no verdict there.
"""

from __future__ import annotations

import json
import mimetypes
import os
import re
import socket
import uuid
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import fs

from pyharness.base.errors import SpecError, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.gate.jobs.store_uri import StoreUri


_REFUSED: Final = (
    r"ACCESS_DENIED|ACCESS_KEY|SIGNATURE|UNRECOGNIZED_CLIENT|MISSING_AUTHENTICATION|CLIENT_TOKEN|EXPIRED"
    r"|HTTP (?:status|response code):? 40[13]|Forbidden|credential"
)
_CAUSES: Final = (
    (r"NO_SUCH_BUCKET|[Bb]ucket '[^']*' not found", "there is no such bucket", "make the bucket, or name another one"),
    (
        _REFUSED,
        "the store refuses access",
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws; they must permit to read and write",
    ),
    (
        r"NETWORK_CONNECTION|curlCode|TIMEOUT|[Tt]imed out|SERVICE_UNAVAILABLE|SLOW_DOWN|Could not connect",
        "the store does not answer",
        "look at the network, at scheme and endpoint_override in the URI, and at the store; then run the command again",
    ),
)  # fmt: skip
"""What the client's words mean, and what to do about it: the first that fits."""


class Store:
    """The objects below ``uri``, each named by its path from there."""

    def __init__(self, uri: StoreUri) -> None:
        """Connect. Raises SpecError for a URI that is of no store, ToolError when the store cannot be reached."""
        self.uri = uri
        try:
            with self._told():
                self._system, root = fs.FileSystem.from_uri(uri.text)
        except pa.ArrowInvalid as error:
            hint = "such as s3://BUCKET/PREFIX?region=REGION or …?scheme=http&endpoint_override=HOST:PORT"
            raise SpecError(str(error).partition(". Detail:")[0], where=uri.of(), hint=hint) from None
        self._root = root.rstrip("/")

    def names(self, under: str = "") -> dict[str, datetime]:
        """Name all objects, or those below ``under``, each with the store's own time of its last change."""
        place = self._path(under) if under else self._root
        selector = fs.FileSelector(place, recursive=True, allow_not_found=True)
        with self._told(under):
            found = self._system.get_file_info(selector)
        return {
            info.path[len(self._root) + 1 :]: info.mtime for info in found if info.type is fs.FileType.File
        }

    def read(self, name: str) -> bytes | None:
        """Return an object's content, ``None`` if there is none of this name."""
        try:
            with self._told(name), self._system.open_input_stream(self._path(name)) as stream:
                content: bytes = stream.read()
        except FileNotFoundError:
            return None
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write an object, in place of one of this name; a browser is told what it is."""
        kind, _ = mimetypes.guess_type(name)
        told = {"Content-Type": kind} if kind else None
        with self._told(name), self._system.open_output_stream(self._path(name), metadata=told) as stream:
            stream.write(content)

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        try:
            with self._told(name):
                self._system.delete_file(self._path(name))
        except FileNotFoundError:
            pass

    def clear(self, under: str) -> None:
        """Remove all objects whose names begin with ``under`` and a slash."""
        with self._told(under):
            self._system.delete_dir_contents(self._path(under), missing_dir_ok=True)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _told(self, name: str = "") -> Iterator[None]:
        """Say what an error of the client means; that there is no such object is left to the caller."""
        try:
            yield
        except (FileNotFoundError, pa.ArrowInvalid):
            raise
        except (OSError, pa.ArrowException) as error:
            raise _meaning(str(error), self.uri.of(name)) from None


def _meaning(said: str, where: str) -> ToolError:
    for pattern, meaning, hint in _CAUSES:
        if re.search(pattern, said):
            return ToolError(f"{meaning} ({_short(said)})", where=where, hint=hint)
    return ToolError(f"the store failed: {_short(said)}", where=where)


def _short(said: str) -> str:
    """Return the client's words without the part that names what we asked for, and without a request's number."""
    told = re.sub(r" \(Request ID: [^)]*\)|; Details: .*", "", said.partition("\n")[0])
    return told[told.find("AWS Error") :] if "AWS Error" in told else told


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
