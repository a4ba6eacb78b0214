"""Fake Java runtimes: shell scripts that answer ``-version`` the way a real one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pyharness.base.toolchain import java as java_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(autouse=True)
def forget_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return each test an empty per-process cache."""
    monkeypatch.setattr(java_module, "_found", {})


@pytest.fixture
def fake_java(tmp_path: Path) -> Callable[..., Path]:
    """Make ``<name>/bin/java``, saying ``version`` and ending with ``status``; returns the directory ``<name>``."""

    def make(name: str, version: str = "17.0.9", *, status: int = 0, text: str | None = None) -> Path:
        home = tmp_path / name
        (home / "bin").mkdir(parents=True)
        (home / "lib").mkdir()
        script = home / "bin" / "java"
        line = f'openjdk version "{version}" 2024-01-01' if text is None else text
        script.write_text(
            f"#!/bin/sh\ncat >&2 <<'END'\n{line}\nEND\nexit {status}\n".replace("cat", "/bin/cat")
        )
        script.chmod(0o755)
        return home

    return make
