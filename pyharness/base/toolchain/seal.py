"""Seal files, so that a later run trusts only those that this user made: nobody else has the key.

The key is in the user's own cache, or in the environment, for several machines that trust each other. A repository
cannot bring results of its own with it, though it may bring files of any content and any digest.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import uuid
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE: Final = "PYHARNESS_KEY"
"""The environment variable with the key of machines that trust each other: at least 16 characters, kept secret."""

_SHORTEST: Final = 16
_BYTES: Final = 32


def seal(kind: str, *parts: str) -> str:
    """Return the seal of some texts of one ``kind``, in hexadecimal; the same texts of another kind have another seal.

    Raises SpecError if the key in the environment is too short.
    """
    content = "".join(f"{len(part)}:{part}" for part in (kind, *parts))
    return hmac.new(_key(), content.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def is_sealed(found: object, kind: str, *parts: str) -> bool:
    """Return whether ``found`` is the seal of these texts; raises as :func:`seal` does."""
    made = seal(kind, *parts).encode()
    return isinstance(found, str) and found.isascii() and hmac.compare_digest(found.encode(), made)


def own_cache(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the user's own cache directory, made if necessary; ``None`` if others may write to it, or without a home.

    It is ``pyharness`` below ``XDG_CACHE_HOME`` (default ``~/.cache``).
    """
    environ = os.environ if environ is None else environ
    home, cached = environ.get("HOME"), environ.get("XDG_CACHE_HOME")
    if not cached and not home:
        return None
    directory = Path(cached or Path(str(home), ".cache"), "pyharness")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
    except OSError:
        return None
    return directory if status.st_uid == os.getuid() and not status.st_mode & 0o022 else None


def _key() -> bytes:
    given = os.environ.get(VARIABLE)
    if given is None:
        return _kept(own_cache())
    if len(given) < _SHORTEST:
        raise SpecError(f"a key has at least {_SHORTEST} characters", where=VARIABLE, hint="or unset it")
    return hashlib.sha256(given.encode("utf-8", "surrogateescape")).digest()


@cache
def _kept(directory: Path | None) -> bytes:
    """Return the key that is kept in a directory, made now if there is none; without one, a key of this process."""
    new = secrets.token_bytes(_BYTES)
    if directory is None:
        return new
    path, draft = directory / "key", directory / f".key.{uuid.uuid4().hex}"
    try:
        if not path.exists():
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(new)
            try:
                os.link(draft, path)  # complete, and never over the key of a process that was quicker
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status, key = os.fstat(file.fileno()), file.read(_BYTES + 1)
    except OSError:
        return new
    mine = stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return key if mine and len(key) == _BYTES else new
