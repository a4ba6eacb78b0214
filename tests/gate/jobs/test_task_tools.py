"""Where tasks find their tools, and what is sent for it: with a stand-in for Spark's context."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.gate.jobs import task_tools
from pyharness.gate.jobs.task_tools import DriversTools, ShippedTools, tools_for_tasks
from pyharness.models.machine_tools import Tools, find_tools
from pyharness.tla.modules.library import Library
from tests.long import some

LIBRARY = Library(SPECS)


class Context:
    """Spark's context, as far as it is used; tasks find their code at ``code``, or where it is."""

    def __init__(self, master, environment=(), code=None):
        self.master, self.environment, self.listArchives = master, dict(environment), []
        self._code = code

    def parallelize(self, values, _slices):
        return SimpleNamespace(map=lambda task: [self._code or task(value) for value in values])

    def runJob(self, tasks, function, numbers):  # noqa: N802
        return function(tasks[number] for number in numbers)

    def addArchive(self, path):  # noqa: N802 - Spark's name
        assert Path(path.partition("#")[0]).is_file()
        self.listArchives.append(f"spark://driver/files/{Path(path).name}")


@pytest.fixture
def served(monkeypatch, tmp_path):
    monkeypatch.setattr("pyspark.SparkFiles.getRootDirectory", lambda: str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("master", ["local", "local[2]", "local[2,4]", "local[*]"])
def test_on_this_machine_nothing_is_sent(master):
    context, tools = Context(master), find_tools()
    with tools_for_tasks(context, tools, LIBRARY) as given:
        assert given == DriversTools(tools, LIBRARY)
    assert (context.environment, context.listArchives) == ({}, [])


@pytest.mark.parametrize(
    ("theirs", "match"),
    [
        ({"jar_sha256": "1" * 64}, "not the jar that was sent"),
        ({"java_version": "21.0.4"}, r"Java is 21\.0\.4 here, and 17\.0\.15 where the run was started"),
        ({"java_version": "1.7.0"}, r"Java is 1\.7\.0 here"),
    ],
)
def test_another_machine_has_the_jar_and_the_java_that_results_are_named_by(monkeypatch, theirs, match):
    ours = Tools(Path("java"), Path("jar"), "0" * 64, (SPECS,), (), "17.0.15")
    shipped = ShippedTools(ours.jar_sha256, ours.java_version, own_specs=False)
    monkeypatch.setattr(task_tools, "find_tools", lambda *_, **__: replace(ours, **theirs))
    with pytest.raises(ToolError, match=match):
        shipped.library  # noqa: B018 - it is looked for when it is asked for
    newer = replace(ours, java_version="17.0.16")
    monkeypatch.setattr(task_tools, "find_tools", lambda *_, **__: newer)
    assert ShippedTools(ours.jar_sha256, ours.java_version, own_specs=False).tools == newer


def test_tasks_of_this_machine_that_run_other_code_are_an_error():
    context = Context("local[2]", code="/another/clone/pyharness")
    with (
        pytest.raises(ToolError, match="tasks run the code in /another/clone/pyharness, and not that in"),
        tools_for_tasks(context, find_tools(), LIBRARY),
    ):
        pass


@pytest.mark.parametrize(
    ("master", "before"),
    some(
        [
            ("k8s://https://h:1", {}),
            ("local-cluster[2,1,1024]", {"PYTHONPATH": "theirs"}),
            ("yarn", {"PYTHONPATH": "theirs"}),
            ("spark://host:7077", {}),
        ],
        2,
    ),
)
def test_elsewhere_the_archive_is_sent_once_and_the_session_is_as_before(served, master, before):
    context, tools = Context(master, before), find_tools()
    for _ in range(2):
        with tools_for_tasks(context, tools, LIBRARY) as given:
            assert given == ShippedTools(tools.jar_sha256, tools.java_version, own_specs=False)
            (archive,) = served.glob("pyharness-*.zip")
            assert context.environment["PYTHONPATH"].split(":") == [f"./{archive.stem}", *before.values()]
        assert context.environment == before
        assert len(context.listArchives) == 1


def test_own_specs_are_sent_and_named(served, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "Own.tla").write_text("---- MODULE Own ----\n====\n", encoding="utf-8")
    with tools_for_tasks(Context("spark://host:7077"), find_tools(own), LIBRARY) as given:
        assert given.own_specs
