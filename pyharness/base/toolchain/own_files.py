"""Write and remove this tool's own files: atomically, and through no link that somebody else may have made.

One run at a time uses a directory of results (:func:`locked`).

A repository that is checked can hold links, at ``build`` or below it. So a place is checked when it is named
(:func:`own_place`), before anything runs, and its directory again whenever something is written or removed there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIST: Final = ".written-by-pyharness"
"""The name of the file that lists the files that this tool wrote to a directory which may have others."""

_LISTED: Final = re.compile(r"(?![./])[^\0]{1,300}")
_STREAMS: Final = ("/dev/", "/proc/self/fd/")
"""The beginnings of paths of devices and of files that the shell has opened, which are written into."""

_MOST_LISTED: Final = 4 * 1024 * 1024

LOCK: Final = ".lock"
"""The name of the file that a run locks in its directory, and that identifies a directory of results."""

_OURS: Final = frozenset(
    {"failures", "jobs", "report", "report-parts"} | {"junit.xml", "summary.md", "tables"}
)
"""The names that runs write, replace and remove in a directory of results."""

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def own_place(path: Path) -> Path:
    """Return the place that a user named, which may not exist yet, as a path without links.

    A link in the repository of the working directory (or below the working directory, outside of one) may have come
    with the files to be checked, and is refused; any other was made by the user who names the place, and is followed.

    Raises SpecError for a link that is refused, naming it, and for a name that is not UTF-8: Arrow takes no other.
    """
    absolute = _absolute(path)
    try:
        str(absolute).encode("utf-8")
    except UnicodeEncodeError:
        hint = "set LC_ALL=C.UTF-8 or PYTHONUTF8=1 where the locale is ASCII, or take another name"
        raise SpecError("this name cannot be read as UTF-8", where=ascii(str(absolute)), hint=hint) from None
    here, inside = Path(absolute.anchor), _repository()
    for part in absolute.parts[1:]:
        step = here / part
        if step.is_symlink():
            if here.is_relative_to(inside):
                raise _refused(step)
            step = Path(os.path.realpath(step))
        here = step
    return path if here == absolute else here


def require_no_links(directory: Path) -> None:
    """Require that there is no link in ``directory`` or below it. Raises SpecError, naming the first."""
    for parent, below, files in os.walk(directory):
        for path in (Path(parent, name) for name in (*below, *files)):
            if path.is_symlink():
                raise _refused(path)


def own_directory(directory: Path) -> Path:
    """Make a directory, with those above it, unless it exists, and return it.

    Raises SpecError if a link leads to it, NotADirectoryError if something else is at its place, or on the way to it,
    PermissionError where none can be made, as in ``/proc``.
    """
    absolute = _absolute(directory)
    if Path(os.path.realpath(absolute)) != absolute:
        raise _refused(next(path for path in (absolute, *absolute.parents) if path.is_symlink()))
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        taken = next(path for path in (absolute, *absolute.parents) if path.exists())
        raise NotADirectoryError(
            errno.ENOTDIR, "this is not a directory, and one is needed here", str(taken)
        ) from None
    except FileNotFoundError:
        raise PermissionError(errno.EACCES, "no directory can be made here", str(absolute)) from None
    return directory


def write_text(path: Path, text: str, errors: str = "strict") -> None:
    """Write a file as UTF-8, as :func:`write_bytes` does; ``errors`` are those of ``str.encode``."""
    write_bytes(path, text.encode("utf-8", errors))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically, in a directory that is made if there is none.

    A file of that name is replaced, a link as such: its target stays. Raises SpecError if a link leads to the
    directory, OSError when it cannot be written.
    """
    directory = own_directory(path.parent)
    draft = directory / f".{uuid.uuid4().hex}.draft"
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def named_place(path: Path) -> Path:
    """Return the place of a file that a user named to be written, now or at the end of the run.

    Raises SpecError for a link that :func:`own_place` refuses, for a directory, and if something else is where a
    directory must be.
    """
    if str(path).startswith(_STREAMS):
        return path
    place = own_place(path)
    if place.is_dir():
        raise _is_directory(path)
    _require_directory(_absolute(place).parent)
    return place


def named_directory(path: Path) -> Path:
    """Return the place of a directory that a user named, which may not exist yet.

    Raises SpecError for a link that :func:`own_place` refuses, and if something else is where a directory must be.
    """
    place = own_place(path)
    _require_directory(_absolute(place))
    return place


def _require_directory(absolute: Path) -> None:
    """Require that a directory exists, or that nothing at its place prevents making it. Raises SpecError."""
    above = next(each for each in (absolute, *absolute.parents) if os.path.lexists(each))
    if not above.is_dir():
        raise SpecError("this is not a directory, and one is needed here", where=str(above))


def require_file_place(path: Path) -> None:
    """Require that :func:`write_named` can write a file, as far as can be seen, before long work begins.

    Raises SpecError as :func:`named_place` does, and for a directory that does not exist or is not writable.
    """
    place = _file_place(path)
    if str(path).startswith(_STREAMS):
        return
    into = place.parent if place.is_file() or not place.exists() else place
    if not os.access(into, os.W_OK):
        raise SpecError("cannot be written: Permission denied", where=str(path))


def _file_place(path: Path) -> Path:
    place = named_place(path)
    if not place.parent.exists():  # it is not made: a directory that is not there was misspelt
        raise SpecError("cannot be written: there is no such directory", where=str(path.parent))
    return place


def write_named(path: Path, content: str | bytes) -> None:
    """Write a file that a user named, or into the device or pipe of that name, such as ``/dev/stdout``.

    Raises SpecError as :func:`named_place` does, if there is no such directory, and for a pipe without a reader, which
    would keep the writer waiting; OSError when it cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    place = _file_place(path)
    stream = str(path).startswith(_STREAMS)
    if not stream and (not place.exists() or stat.S_ISREG(place.stat().st_mode)):
        write_bytes(place, data)
        return
    try:
        number = os.open(place, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise SpecError("this pipe has no reader", where=str(path)) from None
    os.set_blocking(number, True)
    with os.fdopen(number, "wb") as file:
        file.write(data)


def remove(path: Path) -> None:
    """Remove a file of ours, or a link of its name, if it is there.

    Raises SpecError if a link leads to its directory.
    """
    if path.parent.is_dir():
        own_directory(path.parent)
        path.unlink(missing_ok=True)


def write_list(place: Path, names: Iterable[str], below: str = "") -> None:
    """Record in the list at ``place`` that this tool wrote the files of these names, in its directory ``below`` if named.

    Earlier records of that directory are replaced.
    """
    others = {name for name in _noted(place) if not name.startswith(f"{below}/")} if below else set()
    write_text(
        place / LIST, "".join(f"{name}\n" for name in sorted({*others, *(_full(below, n) for n in names)}))
    )


def listed_files(place: Path, below: str = "") -> frozenset[str]:
    """Return the names that :func:`write_list` recorded for a directory; empty if there are none."""
    start = _full(below, "")
    return frozenset(name.removeprefix(start) for name in _noted(place) if name.startswith(start))


def _full(below: str, name: str) -> str:
    return f"{below}/{name}" if below else name


def _noted(place: Path) -> frozenset[str]:
    try:
        number = os.open(place / LIST, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            lines = file.read(_MOST_LISTED).decode("utf-8", "replace").split("\n")
    except OSError:
        return frozenset()
    return frozenset(name for name in lines if _LISTED.fullmatch(name) and ".." not in name.split("/"))


def files_below(directory: Path) -> frozenset[str]:
    """Return the names of all files and links below a directory, relative to it."""
    found = (Path(parent, name) for parent, below, files in os.walk(directory) for name in (*below, *files))
    names = (
        path.relative_to(directory).as_posix() for path in found if path.is_symlink() or not path.is_dir()
    )
    return frozenset(names)


def _absolute(path: Path) -> Path:
    """Return a path from the root, without ``..``, by its text alone: the target of a link is not known yet."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow the links


def _repository() -> Path:
    """Return the top of the repository that the working directory is in, or else the working directory."""
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def _is_directory(path: Path) -> SpecError:
    return SpecError(
        "this is a directory, and a file is to be written",
        where=str(path),
        hint="remove it, or name another place",
    )


def _refused(link: Path) -> SpecError:
    return SpecError(
        "this is a link, and nothing is written or removed through one that may be somebody else's",
        where=str(link),
        hint="remove it, or name the directory that it leads to by --out",
    )


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Lock ``directory``, which is made if there is none, for one run of a plan.

    The system releases the lock when the process ends in any way. Raises ToolError when another run holds it, or when
    it cannot be written; SpecError when there are links in it, when its lock is not a regular file, or when it is not
    a directory of results and has files that a run would replace.
    """
    own_place(directory)
    require_no_links(directory)
    _require_ours(directory)
    try:
        own_directory(directory)
        number = os.open(directory / LOCK, _FLAGS, 0o666)
    except IsADirectoryError:
        raise _no_lock(directory) from None
    except OSError as error:
        raise ToolError(f"results cannot be written here: {error.strerror}", where=str(directory)) from None
    about = os.fstat(number)
    # A file that has another name, too, may be somebody else's.
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(number)
        raise _no_lock(directory)
    with os.fdopen(number, "r+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = file.read(20).strip() or "unknown"
            raise ToolError(
                f"another run uses this directory (process {holder})",
                where=str(directory),
                hint="wait until it has ended, or give this run an --out of its own",
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _no_lock(directory: Path) -> SpecError:
    return SpecError(
        "this is not a file of a run, and a run would write into it",
        where=str(directory / LOCK),
        hint="remove it, or name another directory by --out",
    )


def _require_ours(directory: Path) -> None:
    if (directory / LOCK).is_file() or not directory.is_dir():
        return
    foreign = sorted(path.name for path in directory.iterdir() if path.name in _OURS)
    if foreign:
        raise SpecError(
            f"a run would replace what is here and is not its own: {', '.join(foreign)}",
            where=str(directory),
            hint="move that away, or name a new directory by --out",
        )
