"""Objects of a store, the claim of a run on it, and results on their way there: against a server on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from pyharness.base.errors import SpecError, ToolError
from pyharness.gate.jobs import store as store_module
from pyharness.gate.jobs import stored_results
from pyharness.gate.jobs.store import LOCK, Store, StoreClaim
from pyharness.gate.jobs.store_uri import StoreUri
from pyharness.gate.jobs.stored_results import StoredResults
from tests.gate.run.store_server import CREDENTIALS, SECONDS, started_store


@pytest.fixture(scope="module")
def server():
    with started_store() as started:
        yield started


@pytest.fixture(autouse=True)
def credentials(monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def store(server, request):
    """A store with a prefix of its own."""
    return Store(StoreUri.parse(server.uri(request.node.name)))


def until(what):
    end = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


# -- URIs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("file:///tmp/out", "give the path: /tmp/out"),
        ("s3:///prefix", "names no bucket"),
        ("s3://key:secret@bucket/x", "credentials are not part of a URI"),
        ("s3://key@bucket/x", "credentials are not part of a URI"),
        ("nope://bucket/x", "Unrecognized filesystem type"),
        ("s3://bucket/x?endpoint=here", "'endpoint'"),
    ],
)
def test_a_uri_that_cannot_be_used_is_told(text, says):
    with pytest.raises(SpecError, match=says) as caught:
        Store(StoreUri.parse(text))
    assert "secret" not in str(caught.value)


def test_people_are_shown_a_uri_without_its_options():
    uri = StoreUri.parse("s3://bucket/a/b/?scheme=http&endpoint_override=127.0.0.1:1")
    assert (uri.of(), uri.of("x/y")) == ("s3://bucket/a/b", "s3://bucket/a/b/x/y")


# -- objects ---------------------------------------------------------------------------------------------------


def test_objects_are_written_read_named_and_removed(store, server, request):
    assert store.names() == {}
    assert store.read("jobs/a.json") is None
    for name, content in (
        ("jobs/a.json", b"1"),
        ("jobs/b.json", b"2"),
        ("page/x/y.html", b""),
        ("page/a b", b""),
    ):
        store.write(name, content)
    store.write("jobs/a.json", b"3")
    assert (store.read("jobs/a.json"), store.read("page/x/y.html")) == (b"3", b"")
    assert set(store.names()) == {"jobs/a.json", "jobs/b.json", "page/x/y.html", "page/a b"}
    assert set(store.names("jobs")) == {"jobs/a.json", "jobs/b.json"}
    assert server.kind("page/x/y.html", request.node.name) == "text/html"
    store.clear("page")
    store.clear("page")
    store.remove("jobs/b.json")
    store.remove("jobs/b.json")
    assert set(store.names()) == {"jobs/a.json"}


def test_a_bucket_that_is_not_there_is_told(server):
    store = Store(StoreUri.parse(server.uri(bucket="none")))
    with pytest.raises(
        ToolError, match=r"s3://none/runs/tiny/a: there is no such bucket .*\n  make the bucket"
    ):
        store.write("a", b"")


def test_a_store_that_does_not_answer_is_told():
    store = Store(StoreUri.parse("s3://bucket/x?scheme=http&endpoint_override=127.0.0.1:1"))
    with pytest.raises(
        ToolError, match=r"s3://bucket/x: the store does not answer .*connect.*\n  look at the network"
    ):
        store.names()


def test_a_store_that_wants_other_credentials_is_told():
    with started_store(INITIAL_NO_AUTH_ACTION_COUNT="1") as guarded:
        store = Store(StoreUri.parse(guarded.uri()))
        with pytest.raises(ToolError, match=r"the store refuses access .*\n  set AWS_ACCESS_KEY_ID"):
            store.write("a", b"")
        with pytest.raises(ToolError, match="the store refuses access"):
            store.names()


# -- the claim -------------------------------------------------------------------------------------------------


def test_a_second_run_is_refused_and_leaves_nothing(store):
    first = StoreClaim(store)
    with pytest.raises(
        ToolError, match=rf"(?s)another run uses this store \(process {os.getpid()} on .*--out"
    ):
        StoreClaim(store)
    first.require_held()
    assert len(store.names(LOCK)) == 1
    first.release()
    StoreClaim(store).release()
    assert store.names(LOCK) == {}


def test_of_two_that_begin_at_once_at_most_one_is_let_in(store, server, request, monkeypatch):
    """The second begins when the first has written its claim and not yet looked for others'."""
    other = Store(StoreUri.parse(server.uri(request.node.name)))
    refused = []

    def names(under, look=store.names):
        if not refused:
            with pytest.raises(ToolError) as caught:
                StoreClaim(other)
            refused.append(caught.value)
        return look(under)

    monkeypatch.setattr(store, "names", names)
    StoreClaim(store).require_held()
    assert len(refused) == 1


def test_what_was_killed_on_this_machine_holds_nothing(store, server, request):
    code = (
        "import sys, time; from pyharness.gate.jobs.store import Store; from pyharness.gate.jobs.store_uri import StoreUri\n"
        "from pyharness.gate.jobs.store import StoreClaim\n"
        "StoreClaim(Store(StoreUri.parse(sys.argv[1]))); print('held', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, server.uri(request.node.name)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(ToolError, match=f"process {process.pid}"):
            StoreClaim(store)
        process.kill()
    StoreClaim(store).release()


def test_what_was_killed_elsewhere_holds_nothing_after_a_while(store, monkeypatch):
    store.write(
        f"{LOCK}/other.json", json.dumps({"machine": "far/1/2", "process": 1, "since": "noon"}).encode()
    )
    with pytest.raises(ToolError, match=r"process 1 on far, since noon"):
        StoreClaim(store)
    monkeypatch.setattr(store_module, "STALE_SECONDS", -1)
    held = StoreClaim(store)
    assert len(store.names(LOCK)) == 1
    held.require_held()


def test_a_claim_that_cannot_be_read_is_one(store):
    for content in (b"\xff", b"[]", b"{}"):
        store.write(f"{LOCK}/other.json", content)
        with pytest.raises(ToolError, match="another run uses this store"):
            StoreClaim(store)


# -- results ---------------------------------------------------------------------------------------------------


@pytest.fixture
def results(store, tmp_path):
    """Results that begin in a directory, again if need be; and what was said."""

    class Begun:
        def __init__(self):
            self.said = []

        def __call__(self, name="first"):
            (tmp_path / name).mkdir(exist_ok=True)
            return StoredResults(store, tmp_path / name, self.said.append)

    return Begun()


def filled(directory, names, text="old"):
    for name in names:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")


ALL = {
    *("jobs/a.json", "history/1.json", "failed.json", "named.json", "tables/runs/part-0.parquet"),
    *("report/index.html", "report/traces/x.html", "failures/m.txt", "junit.xml", "summary.md"),
}
KEPT = {"jobs/a.json", "history/1.json", "failed.json", "named.json", "tables/runs/part-0.parquet"}


def test_results_come_to_the_store_and_what_the_next_run_needs_comes_back(store, results):
    first = results()
    filled(first.directory, [*ALL, ".lock", "report-parts/a", "history/.draft"])
    first.mirror(first.directory / "jobs" / "a.json")
    until(lambda: "jobs/a.json" in store.names())
    first.publish()
    assert set(store.names()) == ALL
    second = results("second")
    assert set(store.names()) - set(store.names(LOCK)) == KEPT, (
        "what tells of a run is gone when the next begins"
    )
    path = second.directory / "jobs" / "a.json"
    assert not path.exists()
    second.bring_jobs([path, path.with_name("b.json")])
    brought = {p.relative_to(second.directory).as_posix() for p in second.directory.rglob("*") if p.is_file()}
    assert brought == {"jobs/a.json", "history/1.json", "failed.json", "named.json"}
    path.unlink()
    second.mirror(path)
    second.publish()
    assert set(store.names()) == KEPT - {"jobs/a.json"}
    assert results.said == []


def test_what_tells_of_the_verdict_is_put_last(store, results, monkeypatch):
    written = []

    def write(name, content, real=store.write):
        written.append(name)
        real(name, content)

    begun = results()
    filled(begun.directory, ALL)
    monkeypatch.setattr(store, "write", write)
    begun.publish()
    assert written[-3:] == ["report/index.html", "summary.md", "junit.xml"]
    assert len(written) == len(set(written))


def test_a_store_that_is_lost_and_comes_back_has_everything(store, results, monkeypatch):
    lost, real = [True], store.write

    def write(name, content):
        if lost[0]:
            raise ToolError("the store does not answer", where="s3://here")
        real(name, content)

    monkeypatch.setattr(stored_results, "RENEWED_SECONDS", 0.05)
    begun = results()
    monkeypatch.setattr(store, "write", write)
    filled(begun.directory, ["jobs/a.json", "junit.xml"])
    begun.mirror(begun.directory / "jobs" / "a.json")
    until(lambda: results.said)
    assert results.said == [
        f"s3://here: the store does not answer; the run goes on, and its results wait in {begun.directory}"
    ]
    with pytest.raises(ToolError, match="does not answer"):
        begun._settle()
    assert "jobs/a.json" not in store.names()
    lost[0] = False
    until(lambda: len(results.said) == 2)
    assert "answers again" in results.said[1]
    begun.publish()
    assert set(store.names()) == {"jobs/a.json", "junit.xml"}


def test_a_store_that_stays_lost_is_an_error(store, results, monkeypatch):
    begun = results()
    filled(begun.directory, ["junit.xml", "jobs/a.json"])

    def write(*_):
        raise ToolError("the store does not answer")

    monkeypatch.setattr(store, "write", write)
    begun.mirror(begun.directory / "jobs" / "a.json")
    with pytest.raises(ToolError, match="does not answer"):
        begun.publish()
    assert "junit.xml" not in store.names()


def test_a_run_whose_store_was_taken_puts_no_verdict_there(store, results, monkeypatch):
    begun = results()
    filled(begun.directory, ALL)
    monkeypatch.setattr(store_module, "STALE_SECONDS", -1)
    other = StoreClaim(store)
    with pytest.raises(ToolError, match="another run has taken the store"):
        begun.publish()
    other.require_held()
    assert set(store.names()) == set(store.names(LOCK))


def test_the_claim_is_renewed_while_the_run_goes_on(store, results, monkeypatch):
    monkeypatch.setattr(stored_results, "RENEWED_SECONDS", 0.05)
    begun = results()
    (before,) = store.names(LOCK).values()
    until(lambda: [*store.names(LOCK).values()] > [before])
    begun.publish()
