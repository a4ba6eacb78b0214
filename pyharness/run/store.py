"""Objects below a URI of a store: list, read, write, remove, through pyarrow's file systems.

An object is written whole or not at all. Every error of the store is a ToolError that says what, where and what to do.
"""

from __future__ import annotations

import mimetypes
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyarrow import fs

from pyharness.errors import SpecError, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pyharness.run.store_uri import StoreUri

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
