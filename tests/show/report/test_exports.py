"""The formats of a trace: the same bytes each time, and each can be had as a file."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.show.report.formats.export_formats import FORMATS, written
from pyharness.tla.tlc.itf import to_itf
from tests.command import run
from tests.show.report.committed import NAMES, TRACES, read
from tests.show.report.hostile import HOSTILE_META, hostile_trace


def test_the_committed_pages_and_texts_are_what_is_written():
    for trace in NAMES:
        for ending, name in ((".html", "html"), (".txt", "text")):
            committed = TRACES / f"{trace}{ending}"
            assert not committed.exists() or committed.read_text(encoding="utf-8") == written(
                name, *read(trace)
            )


WRITE_ALL = """
import hashlib, pathlib, sys
from pyharness.show.report.formats.export_formats import FORMATS, written
from pyharness.tla.tlc import read_trace
from pyharness.tla.tlc import read_trace
digest = hashlib.sha256()
for path in sys.argv[1:]:
    trace, meta = read_trace(pathlib.Path(path))
    for write in FORMATS.values():
        digest.update(write(trace, meta).encode())
print(digest.hexdigest())
"""


def test_the_same_trace_gives_the_same_bytes(tmp_path):
    odd = tmp_path / "hostile.itf.json"
    odd.write_text(to_itf(hostile_trace(), HOSTILE_META), encoding="utf-8")
    paths = [odd, *(TRACES / f"{name}.itf.json" for name in ("LateTurn", "kuper", "CommitEarly"))]
    digests = {
        subprocess.run(
            [sys.executable, "-c", WRITE_ALL, *map(str, paths)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("target", sorted(FORMATS))
def test_every_format_goes_to_a_file(target, tmp_path):
    out = tmp_path / "out"
    result = run("trace", "export", TRACES / "LateTurn.itf.json", "--to", target, "--out", out)
    assert (result.exit_code, result.output) == (0, "")
    assert out.read_bytes()
