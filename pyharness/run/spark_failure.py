"""What went wrong in Spark, in one line: its own message is a page of two languages' stack traces."""

from __future__ import annotations

import re
from typing import Final

_RAISED: Final = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?P<cause>\S.*)", re.MULTILINE
)
_LOST: Final = re.compile(r"most recent failure: (?:Lost task [^:]*?\): )?(?P<cause>\S.*)")
_CAUSED: Final = re.compile(r"^Caused by: (?P<cause>\S.*)", re.MULTILINE)
_THROWN: Final = re.compile(r"^: (?P<cause>\S.*)", re.MULTILINE)


def cause_of(error: BaseException) -> str:
    """Return the line that says why: what Python raised in a task, why the task was lost, or what Java threw first.

    Where none of them is told, it is the first line of the message, or the error's name if it has none.
    """
    text = str(error).strip()
    for pattern, nth in ((_RAISED, -1), (_LOST, 0), (_CAUSED, -1), (_THROWN, 0)):
        if found := list(pattern.finditer(text)):
            return found[nth]["cause"].strip()
    return text.partition("\n")[0] or type(error).__name__
