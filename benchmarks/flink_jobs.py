"""Look in whole jobs of Flink for what leads to the first corner of its tracker: an input that skips a checkpoint.

Runs a small SQL job on the cluster inside one Java machine, at least once, with a checkpoint every ten milliseconds
that is given up after ten, and reads from Flink's log what each tracker was handed. Needs the extra for Flink
(``make flink``).

    python benchmarks/flink_jobs.py --runs 10
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from pyharness.hold.flink.flink_classes import find_jar

LOGGING = """rootLogger.level = INFO
rootLogger.appenderRef.file.ref = file
appender.file.name = file
appender.file.type = FILE
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %c{{1}} {{%t}} %m%n
logger.tracker.name = org.apache.flink.streaming.runtime.io.checkpointing
logger.tracker.level = DEBUG
"""
SETTINGS = {
    "execution.checkpointing.interval": "10ms",
    "execution.checkpointing.timeout": "10ms",
    "execution.checkpointing.mode": "AT_LEAST_ONCE",
    "execution.checkpointing.max-concurrent-checkpoints": "8",
    "execution.checkpointing.min-pause": "0ms",
    "execution.checkpointing.tolerable-failed-checkpoints": "1000000",
    "parallelism.default": "2",
    "restart-strategy.type": "none",
    "taskmanager.memory.managed.size": "64mb",
}
SOURCE = (
    "CREATE TABLE {name} (k INT) WITH ('connector'='datagen','number-of-rows'='{rows}','rows-per-second'='{rate}',"
    "'fields.k.min'='0','fields.k.max'='50')"
)
JOB = (
    "INSERT INTO out_ SELECT k, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM "
    "(SELECT k FROM soon UNION ALL SELECT k FROM late) GROUP BY k) GROUP BY k"
)
"""One source ends long before the other one, and two tasks in a row have several inputs."""

HANDED = re.compile(r"CheckpointBarrierTracker \{(?P<task>.*?)\} (?P<said>.*)")
BARRIER = re.compile(
    r"Received barrier for checkpoint (\d+) from channel InputChannelInfo\{gateIdx=(\d+), inputChannelIdx=(\d+)\}"
)
CANCELLATION = re.compile(r"Received cancellation barrier for checkpoint (\d+)")


def main() -> None:
    """Run the jobs, and print what the trackers were handed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="pyharness-flink-") as directory:
        log = Path(directory, "flink.log")
        failed = run_jobs(runs, Path(directory), log)
        text = log.read_text(encoding="utf-8", errors="replace")
    tasks = courses(text)
    seen = partial_checkpoints(tasks)
    print(f"{runs} jobs, {failed} failed; {text.count('Completed checkpoint')} checkpoints completed")
    print(f"{len(tasks)} trackers were handed {sum(map(len, tasks.values())):,} barriers and cancellations")
    print(f"{sum(seen.values())} times one input brought a barrier of a checkpoint that another one skipped:")
    print(f"{seen['cancelled']} times a cancellation came as well, {seen['silent']} times none did")
    print(f"{text.count('Alignment time is less than zero')} exceptions of the first corner")


def run_jobs(runs: int, directory: Path, log: Path) -> int:
    """Run the job so often, with Flink's log in a file; return how many failed."""
    import jpype  # noqa: PLC0415 - optional

    (directory / "log4j2.properties").write_text(LOGGING.format(log=log), encoding="utf-8")
    opened = [f"--add-opens=java.base/java.{p}=ALL-UNNAMED" for p in ("lang", "net", "time", "util")]
    options = [
        "-Xmx1500m",
        "-XX:+UseSerialGC",
        f"-Dlog4j.configurationFile={directory / 'log4j2.properties'}",
    ]
    jpype.startJVM(*options, *opened, classpath=[str(jar) for jar in find_jar(None).parent.glob("*.jar")])
    configuration = jpype.JClass("org.apache.flink.configuration.Configuration")()
    for key, value in SETTINGS.items():
        configuration.setString(key, value)
    settings = jpype.JClass("org.apache.flink.table.api.EnvironmentSettings")
    environment = jpype.JClass("org.apache.flink.table.api.TableEnvironment")
    failed = 0
    for _ in range(runs):
        tables = environment.create(
            settings.newInstance().inStreamingMode().withConfiguration(configuration).build()
        )
        tables.executeSql(SOURCE.format(name="soon", rows=60, rate=60))
        tables.executeSql(SOURCE.format(name="late", rows=900, rate=300))
        tables.executeSql("CREATE TABLE out_ (k INT, n BIGINT) WITH ('connector'='blackhole')")
        try:
            tables.executeSql(JOB).await_()
        except jpype.JException as error:
            print(error.getMessage())
            failed += 1
    return failed


def courses(log: str) -> dict[tuple[str, int], list[tuple[int, str | None]]]:
    """Return what each tracker was handed, in order: an id, and the input that brought its barrier, if it was one.

    A tracker is a task's name and the number of its job: ids begin anew with each.
    """
    job: Counter[str] = Counter()
    highest: dict[str, dict[str, int]] = defaultdict(dict)
    found: dict[tuple[str, int], list[tuple[int, str | None]]] = defaultdict(list)
    for match in HANDED.finditer(log):
        task = match["task"]
        if barrier := BARRIER.search(match["said"]):
            number, source = int(barrier[1]), f"{barrier[2]}.{barrier[3]}"
            if number <= highest[task].get(source, 0):
                job[task] += 1
                highest[task].clear()
            highest[task][source] = number
            found[task, job[task]].append((number, source))
        elif cancellation := CANCELLATION.search(match["said"]):
            found[task, job[task]].append((int(cancellation[1]), None))
    return found


def partial_checkpoints(tasks: dict[tuple[str, int], list[tuple[int, str | None]]]) -> Counter[str]:
    """Count the checkpoints of which some inputs brought a barrier and others a newer one only."""
    seen: Counter[str] = Counter()
    for course in tasks.values():
        last: dict[str, int] = {}
        brought: dict[int, set[str]] = defaultdict(set)
        for number, source in course:
            if source is not None:
                last[source] = max(number, last.get(source, 0))
                brought[number].add(source)
        cancelled = {number for number, source in course if source is None}
        for number, sources in brought.items():
            if any(last[source] > number for source in last.keys() - sources):
                seen["cancelled" if number in cancelled else "silent"] += 1
    return seen


if __name__ == "__main__":
    main()
