"""Flink's classes, where the extra is installed; the tests that need them are skipped elsewhere."""

from __future__ import annotations

import os

import pytest

from pyharness.base.toolchain.extras import missing
from pyharness.hold.flink.flink_classes import start_flink


@pytest.fixture(scope="session")
def flink():
    absent = missing("flink")
    if absent and os.environ.get("PYHARNESS_FLINK") != "required":
        pytest.skip(f"{', '.join(absent)} not installed; `make flink` does")
    return start_flink()
