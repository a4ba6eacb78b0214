"""Spark's ``EpochCoordinator``, which commits the epochs of continuous processing, in this process.

Each writer reports for each epoch what it has written, each reader its offset: the epoch is complete when all
have. Spark commits epochs in order: one that is complete waits for those before it. In the words of ``Checkpoints``
both are acknowledgements, and the coordinator is the spec's where Overlap is 2: :class:`InOrder` asks that one, which
the gate compares with the spec, state by state.

The coordinator is Spark's class, in a Java machine of this process; its constructor, which wants a Spark session, is
passed over, and its fields are set to what that sets them to. The sink, the stream and the execution that it calls are
ours.
"""

from __future__ import annotations

import random
from functools import cache
from importlib import metadata
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.toolchain.extras import require_extra
from pyharness.base.toolchain.java_in_process import start_java
from pyharness.base.toolchain.toml_tables import read_table
from pyharness.lab.real_systems.held_rules import Held, Rule
from pyharness.machines.protocols.checkpoints.checkpoint_coordinator import (
    IN_ORDER,
    Acknowledgement,
    CheckpointCoordinator,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_SPARK: Final = "org.apache.spark.sql.execution.streaming.continuous."
_CONNECTOR: Final = "org.apache.spark.sql.connector."
_OPTIONS: Final = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "-Dlog4j2.level=OFF",
)


_DIFFERENCES: Final = Path(__file__).with_name("epoch_differences.toml")
_FORMAT: Final = "pyharness-epoch-differences/1"
_EPOCHS: Final = 8
"""More than the orders have that are tried."""


class Message(NamedTuple):
    """A message to the coordinator.

    ``kind`` is ``writer`` or ``reader``, ``part`` its partition; epochs count from 1.
    """

    kind: str
    part: int
    epoch: int


class InOrder:
    """The rule: an epoch is committed when the coordinator completes it.

    A message of a writer or a reader is an acknowledgement. When all readers have reported, the epoch's offsets are
    logged. A message that comes again changes nothing.
    """

    def __init__(self, writers: int, readers: int) -> None:
        self.parts = {"writer": writers, "reader": readers}
        self.coordinator = CheckpointCoordinator(writers + readers, (), _EPOCHS, overlap=IN_ORDER)
        self.state = self.coordinator.initial()
        self.seen: set[Message] = set()

    @property
    def committed(self) -> int:
        """The newest epoch that is committed, 0 if none is."""
        return max(self.state.completed, default=0)

    def take(self, message: Message) -> list[str]:
        """Take a message, and return the calls that it leads to: ``offsets 1``, ``sink 1: 0 1``, ``log 1``."""
        if message in self.seen:
            return []
        self.seen.add(message)
        calls = []
        if message.kind == "reader" and self._all("reader", message.epoch):
            calls.append(f"offsets {message.epoch}")
        numbers = " ".join(str(part) for part in range(self.parts["writer"]))
        for epoch in self._complete(message):
            calls += [f"sink {epoch}: {numbers}", f"log {epoch}"]
        return calls

    def _complete(self, message: Message) -> list[int]:
        """Return the epochs that a message completes, which was triggered before it came."""
        while self.state.triggered < message.epoch and (more := self.coordinator.trigger(self.state)):
            self.state = more
        process = 1 + message.part + (self.parts["writer"] if message.kind == "reader" else 0)
        before = self.state.completed
        acknowledged = [Acknowledgement(message.epoch, process, (), ())]
        self.state = self.coordinator.account(self.state, acknowledged, (), ())
        return sorted(self.state.completed - before)

    def _all(self, kind: str, epoch: int) -> bool:
        return all(Message(kind, part, epoch) in self.seen for part in range(self.parts[kind]))


class LogsAgain(InOrder):
    """The rule with Spark's difference: offsets are logged at each report that finds all reports of its epoch there.

    At a commit the reports of epochs before the last committed one are dropped.
    """

    def __init__(self, writers: int, readers: int) -> None:
        super().__init__(writers, readers)
        self.reports: set[Message] = set()

    def take(self, message: Message) -> list[str]:
        """Take a message as the rule does, but for the offsets."""
        again, committed = message in self.seen, self.committed
        calls = super().take(message)
        if message.kind == "reader":
            self.reports.add(message)
            of_epoch = [each for each in self.reports if each.epoch == message.epoch]
            if again and len(of_epoch) == self.parts["reader"]:
                calls.append(f"offsets {message.epoch}")
        if self.committed > committed:
            self.reports = {each for each in self.reports if each.epoch >= self.committed}
        return calls


_VARIANTS: Final = {"LogsAgain": LogsAgain}
"""The rules with a known difference, as the file names them."""


def each_in_order(writers: int, readers: int, epochs: int) -> Iterator[tuple[Message, ...]]:
    """Yield every order in which each partition's messages come by ascending epochs, up to the names of partitions.

    Of two writers, the one that speaks first is writer 0, and so for readers.
    """
    parts = [("writer", n) for n in range(writers)] + [("reader", n) for n in range(readers)]

    def go(sent: dict[tuple[str, int], int], order: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
        if len(order) == len(parts) * epochs:
            yield order
            return
        for kind, number in parts:
            done = sent[kind, number]
            if done == epochs or (not done and number and not sent[kind, number - 1]):
                continue
            yield from go({**sent, (kind, number): done + 1}, (*order, Message(kind, number, done + 1)))

    yield from go(dict.fromkeys(parts, 0), ())


def any_order(writers: int, readers: int, epochs: int) -> Iterator[tuple[Message, ...]]:
    """Yield every order of all messages."""
    yield from permutations(_messages(writers, readers, epochs))


def drawn(generator: random.Random, writers: int, readers: int, epochs: int) -> tuple[Message, ...]:
    """Return all messages in a random order, some of them twice."""
    messages = list(_messages(writers, readers, epochs))
    messages += generator.choices(messages, k=generator.randrange(3))
    generator.shuffle(messages)
    return tuple(messages)


def _messages(writers: int, readers: int, epochs: int) -> Iterator[Message]:
    for epoch in range(1, epochs + 1):
        yield from (Message("writer", part, epoch) for part in range(writers))
        yield from (Message("reader", part, epoch) for part in range(readers))


def hold_spark_epochs(
    *, seed: int, sequences: int, epochs: int, place: Path, say: Callable[[str], object]
) -> Held:
    """Give Spark's coordinator and the rule the same messages: all orders of few, ``sequences`` random ones of more.

    Raises SpecError without the extra for Flink, which has JPype1.
    """
    spark = start_spark()
    rules = {
        "fifo": Rule("in order", f"{epochs} epochs, 2 writers, 2 readers, each partition's by ascending epochs: every "
            "order, up to the names of partitions, leads to the calls of the rule, message by message", "A8"),
        "any": Rule("any order", f"{max(1, epochs - 1)} epochs, 2 writers, 2 readers: every order at all does", "A8"),
        "random": Rule("random", "4 epochs, 3 writers, 2 readers, up to 2 messages twice: a random order does", "A8"),
    }  # fmt: skip
    generator = random.Random(seed)  # noqa: S311 - orders, no secrets
    spaces: list[tuple[str, int, Iterable[tuple[Message, ...]]]] = [
        ("fifo", 2, each_in_order(2, 2, epochs)),
        ("any", 2, any_order(2, 2, max(1, epochs - 1))),
        ("random", 3, (drawn(generator, 3, 2, 4) for _ in range(sequences))),
    ]
    messages = expected = 0
    for name, writers, orders in spaces:
        for number, order in enumerate(orders):
            messages += len(order)
            expected += _compare(spark, rules[name], writers, 2, order)
            if number % 1000 == 0:
                say(f"{name}: {number:,}")
    known = Rule("known differences", "each is there, as listed in the file", "A8")
    for each in (table.left for table in read_table(_DIFFERENCES, _FORMAT).tables("difference")):
        order = read_messages(each["sequence"])
        last = spark.coordinate(each["writers"], each["readers"], order)[-1]
        known.check(each["name"], ", ".join(last), each["spark"])
    return Held(
        system="spark-epochs",
        version=f"pyspark {metadata.version('pyspark')}",
        command=f"pyharness systems spark-epochs --seed {seed} --epochs {epochs} --sequences {sequences}",
        did={"sequences": sum(rule.checked for rule in rules.values()), "messages": messages},
        rules=[*rules.values(), known],
        seen={"sequences with a known difference": expected},
    )


def read_messages(text: str) -> tuple[Message, ...]:
    """Return the messages of a text such as ``reader 0: 1, writer 1: 2``."""
    words = (each.replace(":", "").split() for each in text.split(", "))
    return tuple(Message(kind, int(part), int(epoch)) for kind, part, epoch in words)


def _compare(spark: SparkClasses, rule: Rule, writers: int, readers: int, order: Sequence[Message]) -> bool:
    """Check one sequence, and return whether it has a known difference: then it does as a variant of the rule does."""
    found = spark.coordinate(writers, readers, order)
    wanted = _calls(InOrder(writers, readers), order)
    known = found != wanted and any(
        found == _calls(each(writers, readers), order) for each in _VARIANTS.values()
    )
    text = ", ".join(f"{kind} {part}: {epoch}" for kind, part, epoch in order)
    rule.check(text, found, found if known else wanted)
    return known


def _calls(rule: InOrder, order: Sequence[Message]) -> list[list[str]]:
    return [rule.take(message) for message in order]


class _Sink:
    """A sink that notes what is committed; ``messages`` are the writers', by partition."""

    def __init__(self, calls: list[str], messages: Sequence[Any]) -> None:
        self.calls, self.messages = calls, messages

    def commit(self, epoch: int, messages: Any) -> None:
        shown = [
            str(part) for part, mine in enumerate(self.messages) if any(each is mine for each in messages)
        ]
        shown += ["?"] * (len(messages) - len(shown))
        self.calls.append(f"sink {epoch}: {' '.join(shown)}")

    def abort(self, epoch: int, _messages: Any) -> None:
        self.calls.append(f"abort {epoch}")


class _Execution:
    """An execution that notes the epochs it is given, in place of Spark's."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def invoke(self, _proxy: Any, method: Any, _proceed: Any, arguments: Any) -> None:
        name = str(method.getName())
        if name in _NOTIFIED:
            self.calls.append(f"{_NOTIFIED[name]} {arguments[0]}")


class SparkClasses:
    """Spark's coordinator and what it needs, in the Java machine of this process."""

    def __init__(self, jpype: Any) -> None:
        JClass, JProxy = jpype.JClass, jpype.JProxy  # noqa: N806 - as JPype has them
        self.calls: list[str] = []
        self.jpype = jpype
        objenesis = JClass("org.objenesis.ObjenesisStd")()
        factory = JClass("javassist.util.proxy.ProxyFactory")()
        factory.setSuperclass(JClass(f"{_SPARK}ContinuousExecution").class_)
        execution = objenesis.newInstance(factory.createClass())
        self.execution = execution
        execution.setHandler(JProxy("javassist.util.proxy.MethodHandler", inst=_Execution(self.calls)))
        message = f"{_CONNECTOR}write.WriterCommitMessage"
        self.messages = [JProxy(message, dict={}) for _ in range(8)]
        self.sink = JProxy(
            f"{_CONNECTOR}write.streaming.StreamingWrite", inst=_Sink(self.calls, self.messages)
        )
        coordinator = JClass(f"{_SPARK}EpochCoordinator")
        self.instantiator = objenesis.getInstantiatorOf(coordinator.class_)
        self.fields = {}
        for each in coordinator.class_.getDeclaredFields():
            each.setAccessible(True)
            self.fields[str(each.getName()).rpartition("$")[2]] = each
        self.apply = JClass("scala.Function1").class_.getMethod("apply", JClass("java.lang.Object").class_)
        self.map = JClass("scala.collection.mutable.HashMap")
        self.set = JClass("scala.collection.mutable.HashSet")
        self.writer = JClass(f"{_SPARK}CommitPartitionEpoch")
        self.reader = JClass(f"{_SPARK}ReportPartitionOffset")

    def coordinate(self, writers: int, readers: int, order: Sequence[Message]) -> list[list[str]]:
        """Give a new coordinator messages, and return the calls that each led to."""
        coordinator = self.instantiator.newInstance()
        integer, long = self.jpype.JClass("java.lang.Integer"), self.jpype.JClass("java.lang.Long")
        values = {
            "writeSupport": self.sink,
            "query": self.execution,
            "epochBacklogQueueSize": integer(10_000),
            "numReaderPartitions": integer(readers),
            "numWriterPartitions": integer(writers),
            "currentDriverEpoch": long(1),
            "lastCommittedEpoch": long(0),
            "partitionCommits": self.map(),
            "partitionOffsets": self.map(),
            "epochsWaitingToBeCommitted": self.set(),
        }
        for name, value in values.items():
            self.fields[name].set(coordinator, value)
        receive = coordinator.receive()
        found = []
        for message in order:
            self.calls.clear()
            if message.kind == "writer":
                report = self.writer(message.part, message.epoch, self.messages[message.part])
            else:
                report = self.reader(message.part, message.epoch, None)
            self.apply.invoke(receive, report)  # the class of what it returns is not public
            found.append(list(self.calls))
        return found


_NOTIFIED: Final = {"addOffset": "offsets", "commit": "log", "stopInNewThread": "stop"}


@cache
def start_spark() -> SparkClasses:
    """Start the Java machine of this process with Spark's jars.

    Raises SpecError without JPype1 or Spark, ToolError when the machine does not start.
    """
    require_extra("spark", "pyspark")
    import pyspark  # noqa: PLC0415 - half a second

    return SparkClasses(start_java(_OPTIONS, [f"{Path(pyspark.__file__).parent}/jars/*"]))
