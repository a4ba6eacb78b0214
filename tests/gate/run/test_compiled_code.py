"""The code that a result is named by is the code that runs: with modules that are compiled and then replaced."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from pyharness.base.errors import ToolError
from pyharness.gate.jobs.named_code import require_own_code

OLD, NEW = "print('old')\n", "print('new')\n"
BY_TIME, UNCHECKED, CHECKED = (
    getattr(py_compile.PycInvalidationMode, name) for name in ("TIMESTAMP", "UNCHECKED_HASH", "CHECKED_HASH")
)


def runs(module):
    """What Python prints that imports the module."""
    told = subprocess.run(
        [sys.executable, "-B", "-c", f"import {module.stem}"],
        cwd=module.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.strip()


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "some_module.py"
    path.write_text(OLD, encoding="utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


@pytest.mark.parametrize("mode", [BY_TIME, UNCHECKED, CHECKED])
def test_what_was_compiled_from_the_source_is_fine_also_after_the_source_was_touched(module, mode):
    require_own_code([module])
    py_compile.compile(str(module), invalidation_mode=mode)
    require_own_code([module])
    module.chmod(0o600)
    require_own_code([module, module.with_name("gone.py"), module.with_name("data.txt")])
    assert runs(module) == "old"


@pytest.mark.parametrize("mode", [BY_TIME, UNCHECKED])
def test_a_source_that_was_replaced_by_one_of_its_size_and_time_is_not_what_runs(module, mode):
    py_compile.compile(str(module), invalidation_mode=mode)
    module.write_text(NEW, encoding="utf-8")
    os.utime(module, (1_700_000_000, 1_700_000_000))
    assert runs(module) == "old"
    with pytest.raises(ToolError, match=r"an older text of this module(?s:.*)__pycache__") as caught:
        require_own_code([module])
    assert str(module) in str(caught.value)


@pytest.mark.parametrize(("mode", "seconds"), [(BY_TIME, 1_700_000_001), (CHECKED, 1_700_000_000)])
def test_a_source_that_python_compiles_again_is_what_runs(module, mode, seconds):
    py_compile.compile(str(module), invalidation_mode=mode)
    module.write_text(NEW, encoding="utf-8")
    os.utime(module, (seconds, seconds))
    assert runs(module) == "new"
    require_own_code([module])


def test_what_python_cannot_read_it_does_not_run(module):
    compiled = Path(py_compile.compile(str(module)))
    for content in (b"", b"garbage", compiled.read_bytes()[:20]):
        compiled.write_bytes(content)
        os.utime(compiled, (1, 1))
        require_own_code([module])
