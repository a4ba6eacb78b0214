"""The digest of this package's code, on which a result depends: without comments and docstrings."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Digest a module's code, as Python compiles it without docstrings and assertions; no line has its number there."""
    code = compile(content, "", "exec", dont_inherit=True, optimize=2)
    return hashlib.sha256("\n".join(_facts(code)).encode()).digest()


def _facts(code: CodeType) -> Iterator[str]:
    """Yield all that a code does, and that of the functions within it."""
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    numbers = (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    yield repr((names, numbers, code.co_code, code.co_exceptiontable))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _facts(constant)
        else:
            yield _text(constant)


def _text(constant: object) -> str:
    """Write a constant: the same in every process, where a set has another order in each."""
    if isinstance(constant, tuple | frozenset):
        parts = [_text(part) for part in constant]
        return repr((type(constant).__name__, parts if isinstance(constant, tuple) else sorted(parts)))
    return repr(constant)
