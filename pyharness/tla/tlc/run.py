"""Run TLC as a subprocess in a directory of its own, so that it cannot outlive or outgrow us, and read its output.

TLC runs a compiled class that it finds beside a module in the place of the module's definitions. So TLC is never given a
user's directory: regardless of the files that are there, linked there, or put there during a run, it sees copies of the
modules' texts from the start of the run.

Each run has its own ``java.io.tmpdir`` and ``-metadir``: 2.15 unpacks its standard modules into the former by
plain name, and runs that share it break each other. All is removed afterwards.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_bytes
from pyharness.tla.tlc.digest import Digest, read_progress
from pyharness.tla.tlc.messages import MessageReader
from pyharness.tla.tlc.outcome import EndedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyharness.tla.tlc.result import Progress, Result


_NAME: Final = re.compile(rb"[A-Za-z0-9_]+")
_MODULE: Final = re.compile(r"([A-Za-z0-9_]+)\.tla")


def private_modules(
    root: Path, module: str, libraries: Iterable[Path], into: Path, config: str | None = None
) -> tuple[Path, Path]:
    """Copy ``module`` and ``config`` of ``root`` and all modules that they may name; return two directories in ``into``.

    The first has copies from ``root``, the second from the ``libraries``, the nearest module of each name. A module is
    needed if its name stands in the text of one that is: no text loads a module that it does not name. Only regular
    files, and the targets of links to them, are copied.

    Raises SpecError for a file that cannot be read, or is too large.
    """
    own, others = into / "root", into / "library"
    own.mkdir()
    others.mkdir()
    there = [(own, root, _modules(root)), *((others, place, _modules(place)) for place in libraries)]
    if config is not None and (root / config).is_file():
        _copy(root / config, own / config)
    known = set[str]().union(*(names for _, _, names in there))
    waiting, seen = [module], {module}
    while waiting:
        name = waiting.pop()
        for target, place, names in there:
            if name in names and (place / f"{name}.tla").is_file():
                text = _copy(place / f"{name}.tla", target / f"{name}.tla")
                found = {word.decode() for word in _NAME.findall(text)} & known - seen
                seen |= found
                waiting += sorted(found)
                break
    return own, others


def java_environment() -> dict[str, str]:
    """Return the environment of TLC and SANY, without variables that give options to Java or change what it loads.

    The encoding is set, for under C Java misreads file names that are not ASCII.
    """
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8"}


def _modules(place: Path) -> frozenset[str]:
    with suppress(OSError):  # a directory of a user's specs may be missing
        names = os.listdir(place)  # noqa: PTH208 - there are many, and a run of TLC for each of many models
        return frozenset(found[1] for name in names if (found := _MODULE.fullmatch(name)))
    return frozenset()


def _copy(source: Path, target: Path) -> bytes:
    text = read_bytes(source, MOST_MODULE_BYTES)
    target.write_bytes(text)
    return text


_MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of one line that are read at once."""

_MAX_STDERR: Final = 64 * 1024
"""Bytes of the standard error that are kept."""

_COVERAGE_INTERVAL: Final = 30_000
"""Minutes between coverage reports: long enough that only the final one is printed, and fits TLC's milliseconds."""

_PR_SET_PDEATHSIG: Final = 1


_LATE: Final = (
    "-XX:Tier3InvocationThreshold=1000",
    "-XX:Tier3MinInvocationThreshold=500",
    "-XX:Tier3CompileThreshold=2000",
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=20000",
    "-XX:Tier4CompileThreshold=60000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
"""Java compiles later than by itself: 1.7 instead of 2.5 CPU seconds for 27,000 states, and 11.8 instead of 12.7 for 810,000."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """Random behaviours instead of all states: ``num`` of them, of at most ``depth`` steps each.

    With ``file`` each behaviour is written to ``<file>_<worker>_<n>``; read one with ``read_simulation``.
    """

    num: int
    depth: int = 100
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class TlcRun:
    """The settings of one run of TLC.

    ``java`` and ``jar`` are the executable and tla2tools.jar. ``directory`` holds the root module
    ``<module>.tla`` and its configuration ``config`` (``<module>.cfg`` unless given); further modules are looked
    up there and in ``libraries``. TLC reads copies. ``heap_mib`` is the Java heap in MiB, ``timeout`` the wall time in
    seconds after which the run is killed, ``cpu_seconds`` the CPU time after which the kernel kills it: either way its
    time was up.
    ``fp`` selects the fingerprint polynomial: ids in dumps are comparable between runs of the same one. ``dump``
    writes all states to that file, as a graph with the names of the actions if ``dump_graph`` is set (a name in
    ``.dot``), else as plain text (a name in ``.dump``). ``coverage`` makes TLC count actions and expressions, for
    about a third more time. ``go_on`` continues after a violation (``-continue``).
    ``jvm_options`` and ``options`` are passed on to Java and to TLC.

    ``quick_jvm`` leaves out the optimising compiler. Measured with 2.15 on two cores, CPU seconds with and without
    it: 1.6 and 3.6 for a model of 2,605 states, 26 to 33 and 23 to 25 for one of 164,565 states. Unset it from
    about 100,000 states on: that compiler then begins late (:data:`_LATE`). A second worker or ParallelGC gained
    nothing in CPU time.
    """

    java: Path
    jar: Path
    directory: Path
    module: str
    config: str | None = None
    libraries: tuple[Path, ...] = ()
    workers: int = 1
    heap_mib: int = 1024
    timeout: float | None = None
    cpu_seconds: int | None = None
    fp: int = 0
    seed: int | None = None
    check_deadlock: bool = False
    coverage: bool = False
    dump: Path | None = None
    dump_graph: bool = True
    simulation: Simulation | None = None
    go_on: bool = False
    quick_jvm: bool = True
    jvm_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def command(self, scratch: Path) -> list[str]:
        """Return the command line; ``scratch`` is the run's own, with ``tmp``, ``meta``, ``library``.

        Raises ``SpecError`` if the name of the dump does not have its suffix.
        """
        java = [
            str(self.java),
            "-XX:+UseSerialGC",
            f"-Xmx{self.heap_mib}m",
            f"-Djava.io.tmpdir={scratch / 'tmp'}",
        ]
        if self.quick_jvm:
            java.append("-XX:TieredStopAtLevel=1")
        else:
            java += _LATE
        if self.libraries:
            java.append(f"-DTLA-Library={scratch / 'library'}")
        tlc = ["-tool", "-metadir", str(scratch / "meta"), "-checkpoint", "0", "-workers", str(self.workers)]
        tlc += ["-config", self.config or f"{self.module}.cfg"]
        if self.simulation is None:
            tlc += ["-fp", str(self.fp)]
        else:
            file = f"file={self.simulation.file.absolute()}," if self.simulation.file else ""
            tlc += ["-simulate", f"{file}num={self.simulation.num}", "-depth", str(self.simulation.depth)]
        if self.seed is not None:
            tlc += ["-seed", str(self.seed)]
        if not self.check_deadlock:
            tlc.append("-deadlock")
        if self.coverage:
            tlc += ["-coverage", str(_COVERAGE_INTERVAL)]
        if self.dump:
            suffix = ".dot" if self.dump_graph else ".dump"
            if self.dump.suffix != suffix:  # TLC would add it
                raise SpecError(f"the name of this dump must end in {suffix}", where=str(self.dump))
            tlc += ["-dump", *(["dot,actionlabels"] if self.dump_graph else []), str(self.dump.absolute())]
        if self.go_on:
            tlc.append("-continue")
        return [*java, *self.jvm_options, "-cp", str(self.jar), "tlc2.TLC", *tlc, *self.options, self.module]


def run_tlc(
    run: TlcRun,
    *,
    output: Path | None = None,
    max_output: int = 64 * 1024 * 1024,
    on_progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Run TLC and return its result; the process and its children are gone when this returns.

    ``output`` is a file that gets TLC's standard output as it comes, at most ``max_output`` bytes of it.
    ``on_progress`` is called with each progress message, about once a minute.

    Raises ``SpecError`` if there is no such module or the dump is misnamed, ``ToolError`` if Java cannot be
    started or prints a state that cannot be read. A run that fails, is killed or runs out of time does not raise:
    see ``Result.outcome``.
    """
    if not (run.directory / f"{run.module}.tla").is_file():
        raise SpecError(f"there is no module {run.module}", where=str(run.directory))
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pyharness-tlc-")))
        (scratch / "tmp").mkdir()
        log = _Log(stack.enter_context(output.open("wb")) if output else None, max_output)
        config = run.config or f"{run.module}.cfg"
        own, _ = private_modules(run.directory, run.module, run.libraries, scratch, config)
        process = stack.enter_context(_start(run.command(scratch), own, run.cpu_seconds))
        stack.callback(_kill, process)
        return _follow(process, run.timeout, log, on_progress)


def _follow(
    process: subprocess.Popen[bytes],
    timeout: float | None,
    log: _Log,
    on_progress: Callable[[Progress], None] | None,
) -> Result:
    """Read the output to its end and return the result; kill the process when ``timeout`` seconds are over."""
    started = time.monotonic()
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(timeout, stop) if timeout is not None else None
    errors = _Tail(process.stderr)
    reader, digest = MessageReader(), Digest()
    try:
        if timer:
            timer.daemon = True
            timer.start()
        pipe = cast("IO[bytes]", process.stdout)
        for chunk in iter(lambda: pipe.readline(_MAX_LINE), b""):
            log.write(chunk)
            for message in reader.feed(chunk.decode(errors="replace")):
                digest.add(message)
                progress = on_progress and read_progress(message, time.monotonic() - started)
                if on_progress and progress:
                    on_progress(progress)
        status = process.wait()
    finally:
        if timer:
            timer.cancel()
    for message in reader.close():
        digest.add(message)
    return digest.result(
        status,
        stderr=errors.text(),
        ended_by=EndedBy.TIMEOUT if late.is_set() or status == -signal.SIGXCPU else EndedBy.EXIT,
        intact=reader.intact,
        output=reader.outside,
        seconds=time.monotonic() - started,
    )


def _start(command: list[str], directory: Path, cpu_seconds: int | None) -> subprocess.Popen[bytes]:
    """Start ``command`` in a session of its own; the kernel kills it when this process dies.

    The kernel ties that to the thread that starts it, which is the one that follows it to its end.
    """
    try:
        return subprocess.Popen(
            command,
            cwd=directory,
            env=java_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=partial(_bound, os.getpid(), cpu_seconds),  # noqa: PLW1509 - a few calls, no locks
        )
    except OSError as error:
        raise ToolError(
            f"cannot start Java: {error}", where=command[0], hint="check the Java installation"
        ) from None


def _bound(parent: int, cpu_seconds: int | None) -> None:
    """Bound a process that is about to run: to the life of its parent, and to a number of seconds of CPU time."""
    if cpu_seconds is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _PRCTL is not None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel was asked
            os._exit(1)


_PRCTL: Any
try:
    _PRCTL = ctypes.CDLL(None).prctl
except (AttributeError, OSError):  # not Linux
    _PRCTL = None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, if it is still there."""
    with suppress(ProcessLookupError, PermissionError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


class _Log:
    """A file that gets at most ``room`` bytes; or no file."""

    def __init__(self, file: IO[bytes] | None, room: int) -> None:
        self._file = file
        self._room = room

    def write(self, data: bytes) -> None:
        if self._file and self._room > 0:
            self._file.write(data[: self._room])
            self._room -= len(data)
            self._file.flush()


class _Tail:
    """Reads a pipe to its end in a thread and keeps its beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._kept = b""
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes] | None) -> None:
        with suppress(ValueError):  # an error ended the run, and closed the pipe
            for data in iter(lambda: pipe.read(8192) if pipe else b"", b""):
                self._kept += data[: _MAX_STDERR - len(self._kept)]

    def text(self) -> str:
        """Return the text that was read, after the end of the pipe."""
        self._thread.join(timeout=10)
        return self._kept.decode(errors="replace")
