"""Of the pages that Spark prints about a failure, the line that says why."""

from __future__ import annotations

import pytest

from pyharness.gate.jobs.spark_session import cause_of

IN_PYTHON = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.runJob.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 3.0 failed 4 times, most recent \
failure: Lost task 0.3 in stage 3.0 (TID 9) (127.0.0.2 executor 1): org.apache.spark.api.python.PythonException: \
Traceback (most recent call last):
  File "/srv/spark/python/lib/pyspark.zip/pyspark/worker.py", line 2044, in main
    process()
OSError: [Errno 28] No space left on device

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "./pyharness-12ab/pyharness/tla/tlc/run.py", line 190, in run_tlc
    raise ToolError("ErrorLog")
pyharness.base.errors.ToolError: cannot start Java: No such file or directory
  check the Java installation

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:581)
\tat org.apache.spark.ErrorHandling.handle(ErrorHandling.scala:3)

Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.$anonfun$abortStage$3(DAGScheduler.scala:3122)
"""
LOST = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.runJob.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent \
failure: Lost task 0.3 in stage 0.0 (TID 3) (127.0.0.3 executor 4): ExecutorLostFailure (executor 4 exited caused by \
one of the running tasks) Reason: worker lost: 127.0.0.3 shut down
Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.handleError(DAGScheduler.scala:1)
"""
IN_JAVA = """An error occurred while calling o101.collect.
: org.apache.spark.SparkException: Job aborted.
\tat somewhere.OnError(Somewhere.scala:1)
Caused by: org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device
\tat somewhere
Caused by: java.io.IOException: No space left on device"""


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (IN_PYTHON, "pyharness.base.errors.ToolError: cannot start Java: No such file or directory"),
        (LOST, LOST[LOST.index("ExecutorLost") : LOST.index("\nDriver")]),
        (IN_JAVA, "java.io.IOException: No space left on device"),
        (IN_JAVA.partition("\nCaused")[0], "org.apache.spark.SparkException: Job aborted."),
        ("[Errno 28] No space left on device", "[Errno 28] No space left on device"),
        ("", "RuntimeError"),
    ],
    ids=["raised in Python", "an executor lost", "Java's first cause", "what Java threw", "one line", "nothing"],
)  # fmt: skip
def test_the_cause_is_found(text, cause):
    assert cause_of(RuntimeError(text)) == cause
