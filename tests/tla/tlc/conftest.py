"""TLC itself, for the tests that run it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pyharness.base.toolchain import find_java, find_tla2tools, quick_start
from pyharness.tla.tlc import TlcRun

SPECS = Path(__file__).parent / "specs"


@pytest.fixture(scope="session")
def tlc():
    """Make a ``TlcRun`` of a module in ``specs`` and a configuration; further fields as keywords."""
    java, jar = find_java(), find_tla2tools()
    options = quick_start(java, jar)

    def make(module, config, **fields):
        return TlcRun(
            java.executable,
            jar.path,
            fields.pop("directory", SPECS),
            module,
            config,
            heap_mib=fields.pop("heap_mib", 256),
            jvm_options=fields.pop("jvm_options", options),
            **fields,
        )

    return make


@pytest.fixture
def specs(tmp_path):
    """A private copy of the specs."""
    return Path(shutil.copytree(SPECS, tmp_path / "specs"))
