"""A few seconds of `make fuzz`: no reader of files fails otherwise than by an error that says what is wrong."""

from __future__ import annotations

import pytest

from tests.security import fuzz_readers
from tests.security.fuzz_readers import READERS, SECONDS, changed, fuzz


@pytest.mark.parametrize("reader", sorted(READERS))
def test_no_input_is_a_crash_or_takes_long(reader, monkeypatch):
    found = fuzz(reader, 25 * READERS[reader][3], seed=20)
    assert (found.crashes, found.hangs) == ([], [])
    assert found.slowest < SECONDS
    assert found.memory < fuzz_readers.MOST_MEMORY


@pytest.mark.parametrize("reader", sorted(READERS))
def test_each_reader_reads_what_is_well(reader, tmp_path):
    """Otherwise nothing but its refusal is tried."""
    read, name, seeds, _ = READERS[reader]
    path = tmp_path / "place" / name
    path.parent.mkdir(parents=True)
    good = seeds()
    assert good
    well = 0
    for seed in good:
        path.write_bytes(seed)
        try:
            read(path)
            well += 1
        except fuzz_readers.HarnessError:
            continue
    assert well


def test_an_input_is_made_again_of_its_seed_and_number():
    def made(seed):
        return [changed(b'{"a": [1, 2]}', fuzz_readers.random.Random(f"{seed} {n}")) for n in range(50)]

    assert made(1) == made(1) != made(2)


@pytest.mark.parametrize(
    ("fails", "found"), [(ZeroDivisionError, "crashes"), (KeyError, "crashes"), (TimeoutError, "hangs")]
)
def test_a_reader_that_fails_is_found(monkeypatch, fails, found):
    def broken(_path):
        raise fails

    monkeypatch.setitem(READERS, "itf", (broken, *READERS["itf"][1:]))
    assert len(getattr(fuzz("itf", 3, seed=1), found)) == 3


def test_a_reader_that_waits_is_ended(monkeypatch):
    monkeypatch.setattr(fuzz_readers, "SECONDS", 0.2)
    monkeypatch.setitem(READERS, "itf", (lambda _: fuzz_readers.time.sleep(30), *READERS["itf"][1:]))
    assert len(fuzz("itf", 1, seed=1).hangs) == 1


def test_an_alarm_behind_the_reader_loses_no_other_input(monkeypatch):
    """It comes as what the reader said is noted: the next input is tried."""
    late = iter([True])

    def noted(*_):
        if next(late, False):
            raise TimeoutError
        return 0

    monkeypatch.setattr(fuzz_readers.signal, "setitimer", noted)
    found = fuzz("plans", 3, seed=1)
    assert (found.inputs, len(found.hangs)) == (3, 1)
