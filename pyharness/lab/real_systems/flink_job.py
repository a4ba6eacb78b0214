"""The Flink that :mod:`~pyharness.lab.real_systems.flink_log` kills: a job in SQL on a cluster within one process.

Two sources count from 1, a join of them gives each number once, and a file sink commits what is in a checkpoint once
that is complete. Flink logs what its barrier handlers and its coordinator do; none of its code is changed.

Run as ``python -m pyharness.lab.real_systems.flink_job PARENT PLACE LOG MODE ROWS RATE INSERTS [CHECKPOINT]``; PARENT is
the process that does. With two inserts the second one never ends, and there are hardly any checkpoints.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.java import find_java
from pyharness.base.toolchain.java_in_process import start_java
from pyharness.hold.flink.flink_classes import HANDLERS, find_jar

COORDINATOR: Final = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"

MODES: Final = {
    "aligned": {},
    "unaligned": {"execution.checkpointing.unaligned.enabled": "true"},
    "at-least-once": {"execution.checkpointing.mode": "AT_LEAST_ONCE"},
}
"""The modes of checkpoints, each with what sets it."""

MOST_AT_ONCE: Final = {"aligned": 3, "unaligned": 1, "at-least-once": 3}
"""Checkpoints that may be under way at once; Flink allows one that is unaligned."""

_PARALLEL: Final = 2
_HERE: Final = "127.0.0.1"
_OPENED: Final = (
    *("lang", "lang.reflect", "net", "io", "nio", "text", "time", "util"),
    *("util.concurrent", "util.concurrent.atomic", "util.concurrent.locks"),
)
"""Packages of Java that Flink looks into, as its own scripts let it."""

_LAYOUT: Final = """\
rootLogger.level = ERROR
rootLogger.appenderRef.file.ref = File
appender.file.name = File
appender.file.type = File
appender.file.fileName = ${{sys:log.file}}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss,SSS}} %-5p [%t] %c %x - %m%n
logger.handlers.name = {handlers}
logger.handlers.level = DEBUG
logger.coordinator.name = {coordinator}
logger.coordinator.level = DEBUG
"""


def end_with(parent: int) -> None:
    """End once the process that has started this one is gone: a job may have no end of its own."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _run(place: Path, log: Path, mode: str, rows: int, rate: int, inserts: int, checkpoint: str) -> None:
    layout = place / "log4j2.properties"
    layout.write_text(
        _LAYOUT.format(handlers=HANDLERS.rstrip("."), coordinator=COORDINATOR), encoding="utf-8"
    )
    options = (
        *("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={place}"),
        *(f"-Dlog.file={log}", f"-Dlog4j2.configurationFile={layout}"),
        *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED),
    )
    jpype = start_java(options, [str(path) for path in sorted(find_jar().parent.glob("*.jar"))])
    configuration = jpype.JClass("org.apache.flink.configuration.Configuration")()
    for key, value in _settings(place, mode, inserts, checkpoint).items():
        configuration.setString(key, value)
    settings = jpype.JClass("org.apache.flink.table.api.EnvironmentSettings").newInstance()
    tables = jpype.JClass("org.apache.flink.table.api.TableEnvironment").create(
        settings.inStreamingMode().withConfiguration(configuration).build()
    )
    for name in ("a", "b"):
        tables.executeSql(
            f"CREATE TABLE {name} (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '{rate}', "
            f"'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '{rows}')"
        )
    tables.executeSql(
        "CREATE TABLE joined (id BIGINT) "
        f"WITH ('connector' = 'filesystem', 'path' = '{(place / 'output').as_uri()}', 'format' = 'csv')"
    )
    statements = tables.createStatementSet()
    statements.addInsertSql("INSERT INTO joined SELECT a.id FROM a JOIN b ON a.id = b.id")
    if inserts > 1:
        tables.executeSql(
            "CREATE TABLE slow (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1')"
        )
        tables.executeSql("CREATE TABLE nowhere (id BIGINT) WITH ('connector' = 'blackhole')")
        statements.addInsertSql("INSERT INTO nowhere SELECT id FROM slow")
    statements.execute().await_()
    (place / "finished").touch()
    os._exit(0)  # what Flink leaves running does not keep this from ending


def _settings(place: Path, mode: str, inserts: int, checkpoint: str) -> dict[str, str]:
    """Return the configuration of the job and its cluster: it listens on the loopback interface, to clients with our key."""
    word = secrets.token_hex(16)
    store = _key(place, word)
    restored = {"execution.state-recovery.path": Path(checkpoint).as_uri()} if checkpoint else {}
    return {
        "parallelism.default": str(_PARALLEL),
        "restart-strategy.type": "none",
        "execution.checkpointing.dir": (place / "checkpoints").as_uri(),
        "execution.checkpointing.interval": "20 ms" if inserts == 1 else "1 h",
        "execution.checkpointing.min-pause": "0 ms",
        "execution.checkpointing.max-concurrent-checkpoints": str(MOST_AT_ONCE[mode]),
        "execution.checkpointing.tolerable-failed-checkpoints": "1000000",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
        **MODES[mode],
        **restored,
        "rest.address": _HERE,
        "rest.bind-address": _HERE,
        "rest.bind-port": "0",
        "jobmanager.bind-host": _HERE,
        "taskmanager.bind-host": _HERE,
        "taskmanager.host": _HERE,
        "taskmanager.memory.network.min": "16mb",
        "taskmanager.memory.network.max": "16mb",
        "io.tmp.dirs": str(place),
        "security.ssl.rest.enabled": "true",
        "security.ssl.rest.authentication-enabled": "true",
        "security.ssl.internal.enabled": "true",
        **{
            f"security.ssl.{part}.{kind}{what}": value
            for part in ("rest", "internal")
            for kind in ("keystore", "truststore")
            for what, value in (("", str(store)), ("-password", word))
        },
        "security.ssl.rest.key-password": word,
        "security.ssl.internal.key-password": word,
    }


def _key(place: Path, word: str) -> Path:
    """Make a key that only this process knows, which each client of Flink must have."""
    store = place / "key.p12"
    store.unlink(missing_ok=True)
    command = [
        *(
            str(find_java().executable.resolve()),
            "-m",
            "java.base/sun.security.tools.keytool.Main",
            "-genkeypair",
            "-alias",
            "own",
        ),
        *("-keyalg", "EC", "-dname", "CN=localhost", "-validity", "2", "-storetype", "PKCS12"),
        *("-keystore", str(store), "-storepass:env", "PYHARNESS_KEY", "-keypass:env", "PYHARNESS_KEY"),
    ]
    made = subprocess.run(
        command, env={**os.environ, "PYHARNESS_KEY": word}, capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise ToolError(f"Java makes no key: {made.stdout}{made.stderr}"[:500])
    return store


if __name__ == "__main__":
    os.umask(0o077)
    parent_, place_, log_, mode_, rows_, rate_, inserts_, *checkpoint_ = sys.argv[1:]
    threading.Thread(target=end_with, args=(int(parent_),), daemon=True).start()
    _run(Path(place_), Path(log_), mode_, int(rows_), int(rate_), int(inserts_), "".join(checkpoint_))
