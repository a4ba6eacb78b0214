"""The digest of this package's code, on which a result depends: of its syntax, without comments and docstrings."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]


@cache
def code_digest(*places: str) -> str:
    """Digest the files of this package below ``places``, which are directories such as ``tla/modules``.

    If two digests are equal, the same code made both results. It is computed at the first call: the code that this
    process has loaded does not change later.
    """
    digest = hashlib.sha256()
    for path in code_files(*places):
        digest.update(path.relative_to(_ROOT).as_posix().encode())
        content = path.read_bytes()
        digest.update(_of_code(content) if path.suffix == ".py" else hashlib.sha256(content).digest())
    return digest.hexdigest()


def code_files(*places: str) -> list[Path]:
    """Return the files below ``places``, modules and data, sorted."""
    found = {path for place in places for path in (_ROOT / place).rglob("*")}
    return sorted(path for path in found if path.is_file() and path.suffix != ".pyc")


@cache
def _of_code(content: bytes) -> bytes:
    """Digest a module's code."""
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).digest()


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(getattr(line.value, "value", None), str)
