"""How far a reader of an action must go, in each spec: the longest chain of definitions that begins at the action.

A hop leads from a definition to one that it names, in the same module or in another one of this project; to name
a definition of the same ``LET``, a constant, a variable or what TLA+ itself brings is none. SANY tells who names
whom, so that nothing is taken for a name that is not.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from pyharness.base.toolchain.spec_files import SPECS
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.library import Library
from tests.sany import roots_of, sany, within_one

pytestmark = pytest.mark.tlc

LIMIT = 5
"""The most hops from an action to the last definition that it leads to.

A module that only watches another one, such as a history, has actions that name that one's: it may have one more.
"""

ASSUMPTIONS = {"Application.Room"}
"""Definitions that say no more than TRUE, and yet something to a reader: a channel has always room (EWD864a)."""

LIBRARY = Library(SPECS)
ACTING = sorted(
    path.stem
    for path in SPECS.glob("*.tla")
    if re.search(r"^[A-Z]?Next ==", path.read_text("utf-8"), re.MULTILINE)
)


def definitions(root, kept, *libraries):
    """Return who names whom, ``Module.Name`` by ``Module.Name``, and the definitions that are another name only."""
    tree = sany(root, kept, libraries)
    kinds = {entry.findtext("UID"): entry[1] for entry in tree.iterfind("context/entry")}
    modules = {path.stem for place in (root.parent, *libraries) for path in place.glob("*.tla")}
    ours = {
        uid: kind
        for uid, kind in kinds.items()
        if kind.tag == "UserDefinedOpKind" and kind.findtext("location/filename") in modules
    }
    inner = {ref.text for kind in kinds.values() for ref in kind.iterfind(".//LetInNode/opDefs/*/UID")}

    def label(uid):
        return f"{ours[uid].findtext('location/filename')}.{ours[uid].findtext('uniquename')}"

    def named(uid, inside=frozenset()):
        for ref in ours[uid].iterfind("body//UserDefinedOpKindRef/UID"):
            if ref.text in inner & ours.keys() - inside:
                yield from named(ref.text, inside | {ref.text})
            elif ref.text in ours.keys() - inner - {uid}:
                yield label(ref.text)

    names = defaultdict(set)
    for uid in ours.keys() - inner:
        names[label(uid)].update(named(uid))
    return names, {label(uid) for uid in ours.keys() - inner if says_nothing(ours[uid], kinds)}


def says_nothing(definition, kinds):
    """Tell whether a definition is only another name of a parameter, a variable, TRUE, or one with its parameters."""
    body = definition.find("body/OpApplNode")
    if body is None:
        return False
    own = [ref.text for ref in definition.iterfind("params/leibnizparam/FormalParamNodeRef/UID")]
    given = [ref.text for ref in body.iterfind("operands/OpApplNode/operator/FormalParamNodeRef/UID")]
    count = len(body.findall("operands/*"))
    operator = body.find("operator")[0]
    if operator.tag == "BuiltInKindRef":
        return kinds[operator.findtext("UID")].findtext("uniquename") in {"TRUE", "FALSE"}
    return count == 0 or (operator.tag == "UserDefinedOpKindRef" and count == len(given) and given == own)


def longest(names, name, above=()):
    """Return the longest chain of definitions from ``name``, which is its first."""
    chains = [
        longest(names, other, (*above, name)) for other in sorted(names[name]) if other not in (*above, name)
    ]
    return [name, *max(chains, key=len, default=[])]


def found(names, name):
    """Return the definitions that ``name`` leads to, itself among them."""
    seen, waiting = set(), [name]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += names[current]
    return seen


def actions(module, names):
    """Return the actions of a module, wherever in the modules that it extends they stand."""
    for action in next_actions(LIBRARY, module):
        (place,) = (m.name for m in LIBRARY.closure(module) if f"{m.name}.{action}" in names)
        yield f"{place}.{action}"


@pytest.fixture(scope="module")
def of_the_specs(tmp_path_factory, session_directory):
    root = within_one(tmp_path_factory.mktemp("all"), [[name] for name in roots_of(LIBRARY)])
    return definitions(root, session_directory / "sany", SPECS)


@pytest.mark.parametrize("module", ACTING)
def test_an_action_is_read_in_a_few_hops(module, of_the_specs):
    names, _ = of_the_specs
    chains = [longest(names, action) for action in actions(module, names)]
    assert len(chains) >= 3
    limit = LIMIT + any(other.name in ACTING for other in LIBRARY.closure(module) if other.name != module)
    for chain in chains:
        assert len(chain) - 1 <= limit, " > ".join(chain)


@pytest.mark.parametrize("module", ACTING)
def test_nothing_that_an_action_leads_to_is_only_another_name(module, of_the_specs):
    names, idle = of_the_specs
    for action in actions(module, names):
        only = {name for name in found(names, action) & idle if not name.endswith(".LAMBDA")}
        assert (
            only <= ASSUMPTIONS
        )  # (a LAMBDA is an argument: this input is never shut, that is never logged)


def test_hops_and_other_names_are_seen(tmp_path, session_directory):
    (tmp_path / "Base.tla").write_text(
        "---- MODULE Base ----\nEXTENDS Naturals\nVARIABLE x\n"
        "E == x + 1\nF(n) == n + E\nObeys(says) == says\nAlways == TRUE\nRemembered == x\n"
        "Both(a, b) == a /\\ b\nSame(a, b) == Both(a, b)\nSwapped(a, b) == Both(b, a)\n====\n",
        encoding="utf-8",
    )
    (tmp_path / "Top.tla").write_text(
        "---- MODULE Top ----\nEXTENDS Base\n"
        "RECURSIVE C(_)\nC(n) == IF n = 0 THEN TRUE ELSE C(F(0))\nB(n) == C(n) \\/ n = n\n"
        "A == LET D(n) == F(n) IN B(D(1)) /\\ x' = x\n====\n",
        encoding="utf-8",
    )
    names, idle = definitions(tmp_path / "Top.tla", session_directory / "sany")
    assert longest(names, "Top.A") == ["Top.A", "Top.B", "Top.C", "Base.F", "Base.E"]
    assert found(names, "Top.C") == {"Top.C", "Base.F", "Base.E"}
    assert idle == {"Base.Obeys", "Base.Always", "Base.Same", "Base.Remembered"}
