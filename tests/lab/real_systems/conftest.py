"""Bytewax, where the extra is installed; the tests that need it are skipped elsewhere."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest


@pytest.fixture(scope="session")
def bytewax():
    if not find_spec("bytewax") and os.environ.get("PYHARNESS_SYSTEMS") != "required":
        pytest.skip("bytewax not installed; `make systems` does")
    from pyharness.lab.real_systems import bytewax_flow

    return bytewax_flow
