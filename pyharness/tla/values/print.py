"""Write TLA+ values as text that SANY, TLC and :func:`pyharness.tla.values.parse_value` read back as the same value.

A module that holds such text must extend Integers for a negative number and TLC for a function that is not a
record (operators ``:>`` and ``@@``), and declare each model value as a constant.
"""

from __future__ import annotations

import re
from typing import Final

from pyharness.base.errors import SpecError
from pyharness.tla.values.values import Fn, ModelValue, Value, sort_key

_RESERVED: Final = frozenset(
    """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS
    DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS
    OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN
    THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS
    """.split()  # noqa: SIM905 - a list of quoted words is harder to read
)
_IDENTIFIER: Final = re.compile(r"[0-9_]*[A-Za-z][0-9A-Za-z_]*\Z")
_ESCAPE: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"})


def is_identifier(text: str) -> bool:
    """Whether ``text`` may stand as a name in a module: a field, a constant, an operator."""
    return bool(_IDENTIFIER.match(text)) and text not in _RESERVED and not text.startswith(("WF_", "SF_"))


def to_tla(value: Value) -> str:
    """Return the TLA+ text of ``value``, always the same for equal values (sets and domains are sorted).

    Raises ``SpecError`` for a string that SANY cannot read (a control character, an open backquote), for a model
    value whose name is not an identifier, and for something that is not a value.
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, ModelValue):
        if not is_identifier(value.name):
            raise SpecError(f"a model value cannot be named {value.name!r}", hint="use letters, digits and _")
        return value.name
    if isinstance(value, tuple):
        return f"<<{', '.join(map(to_tla, value))}>>"
    if isinstance(value, frozenset):
        return f"{{{', '.join(to_tla(item) for item in sorted(value, key=sort_key))}}}"
    if isinstance(value, Fn):
        if all(isinstance(key, str) and is_identifier(key) for key in value):
            return f"[{', '.join(f'{key} |-> {to_tla(item)}' for key, item in value.items())}]"
        return f"({' @@ '.join(f'{to_tla(key)} :> {to_tla(item)}' for key, item in value.items())})"
    raise SpecError(f"{value!r} is not a TLA+ value", hint="see pyharness.tla.values.values")


def _string(text: str) -> str:
    escaped = text.translate(_ESCAPE)
    if not escaped.isprintable():
        raise SpecError(f"TLA+ cannot write the string {text!r}", hint="remove its control characters")
    if text.rfind("`") > text.rfind("'"):  # SANY reads `…' in a string as a quotation, over the string's end
        raise SpecError(f"TLA+ cannot write the string {text!r}", hint="close the backquote with a '")
    return f'"{escaped}"'
