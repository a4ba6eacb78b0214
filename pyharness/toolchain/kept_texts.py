"""What an earlier run left and a later one believes: it carries a seal that only this user can make.

The key is in the user's own cache, or in the environment where several machines are to believe each other. A repository
cannot bring results of its own with it, though it may bring files of any content and any digest.

One without the seal of this user is made anew: a repository may hold files of any name and content.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.toolchain.bounded_files import MOST_KEPT_BYTES, read_bytes
from pyharness.toolchain.own_files import remove, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


VARIABLE: Final = "PYHARNESS_KEY"
"""The environment variable with the key of machines that believe each other: at least 16 characters, kept secret."""

_SHORTEST: Final = 16
_BYTES: Final = 32


def seal(kind: str, *parts: str) -> str:
    """Return the seal of some texts, which are of one ``kind``: of another kind the same texts have another one.

    Raises SpecError if the key in the environment is too short.
    """
    told = "".join(f"{len(part)}:{part}" for part in (kind, *parts))
    return hmac.new(_key(), told.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def is_sealed(found: object, kind: str, *parts: str) -> bool:
    """Tell whether this is the seal of these texts; errors as in :func:`seal`."""
    made = seal(kind, *parts).encode()
    return isinstance(found, str) and found.isascii() and hmac.compare_digest(found.encode(), made)


def own_cache(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the user's own directory for what saves time, which is made; ``None`` where others may write to it.

    It is ``pyharness`` below ``XDG_CACHE_HOME`` (default ``~/.cache``). There is none for who has no home.
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
                os.link(draft, path)  # whole, and never over the key of a process that was quicker
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


_NAME: Final = re.compile(r"[0-9a-f]{32}")
_MOST: Final = 3000
"""So many texts stay in a directory when a command begins to add others."""


def name_of_content(*parts: str) -> str:
    """Return the name of what is made from these texts: 32 hexadecimal digits."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


class KeptTexts:
    """Texts of one ``kind`` in ``directory``, the newest of them; without a directory none is kept."""

    def __init__(self, directory: Path | None, kind: str) -> None:
        self._directory = directory
        self._kind = kind
        self._pruned = False
        self._used: set[str] = set()

    def text(self, made_from: tuple[str, ...], make: Callable[[], str]) -> str:
        """Return the text made from this, which says all that it depends on, and ``make`` it if it is not kept.

        Raises what ``make`` does.
        """
        name = name_of_content(*made_from)
        text = self.find(name)
        if text is None:
            text = make()
            self.keep(name, text)
        return text

    def find(self, name: str) -> str | None:
        """Return the text of a name, or ``None`` if none is kept that this user's seal is on."""
        if self._directory is None:
            return None
        self._used.add(name)
        try:
            said, _, text = read_bytes(self._directory / name, MOST_KEPT_BYTES).decode().partition("\n")
        except (SpecError, UnicodeDecodeError):
            return None
        return text if is_sealed(said, self._kind, name, text) else None

    def keep(self, name: str, text: str) -> None:
        """Keep a text under a name. A directory that cannot be written costs time, and no text."""
        if self._directory is None:
            return
        with suppress(OSError, SpecError):
            write_text(self._directory / name, f"{seal(self._kind, name, text)}\n{text}")
            if not self._pruned:
                self._pruned = True
                for old in sorted(self._texts(), key=lambda path: path.stat().st_mtime)[:-_MOST]:
                    remove(old)

    def forget_unused(self) -> None:
        """Remove the texts that nobody asked for."""
        for path in self._texts():
            if path.name not in self._used:
                with suppress(OSError):
                    remove(path)

    def _texts(self) -> list[Path]:
        if self._directory is None or not self._directory.is_dir():
            return []
        return [path for path in self._directory.iterdir() if _NAME.fullmatch(path.name)]
