"""The structure of the package: imports go one way, modules stay small, names explain themselves."""

from __future__ import annotations

import ast
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import pyharness

ROOT = Path(pyharness.__file__).parent
WINGS = ["base", "tla", "machines", "models", "hold", "gate", "show", "cli"]
"""Each imports only from those before it."""

BESIDE = ["prove", "mutants", "lab"]
"""They import from the wings, and are imported by ``cli`` alone."""

SHARED = {"__version__"}
"""What the package itself offers to all rooms."""

MODULES = sorted(path.relative_to(ROOT.parent) for path in ROOT.rglob("*.py"))


def imports(path, text=None):
    """Yield every module that a file imports, by any form of import, with the line."""
    tree = ast.parse(text if text is not None else (ROOT.parent / path).read_text(encoding="utf-8"))
    package = path.parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "pyharness":
                yield from ((f"pyharness.{a.name}", node.lineno) for a in node.names if a.name not in SHARED)
            else:
                yield module, node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in {
            "import_module",
            "__import__",
        }:
            constants = [
                a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
            ]
            yield from ((name, node.lineno) for name in constants)


def wing(dotted):
    """Return the wing of a module of this package; "" for the package itself, None for others."""
    first, _, rest = dotted.partition(".")
    name = rest.partition(".")[0]
    return None if first != "pyharness" else name if name in {*WINGS, *BESIDE} else ""


def may_import(own, other):
    if own in {other, "cli"}:
        return True
    if own in BESIDE:
        return other in WINGS and other != "cli"
    return other in WINGS and WINGS.index(other) < WINGS.index(own)


def wrong_imports(path, text=None):
    own = wing(".".join(path.with_suffix("").parts))
    if not own:
        return []
    found = ((module, line, wing(module)) for module, line in imports(path, text))
    return [
        f"{path}:{line} imports {module}"
        for module, line, other in found
        if other is not None and not may_import(own, other)
    ]


def test_a_wing_imports_from_those_before_it_only():
    assert [wrong for path in MODULES for wrong in wrong_imports(path)] == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyharness/gate/judge/pinned.py", "from pyharness.mutants.properties import watching"),
        ("pyharness/prove/steps.py", "from pyharness.lab import runtime"),
        ("pyharness/lab/runtime/vertex.py", "import pyharness.cli"),
    ],
)
def test_no_wing_imports_what_stands_beside_it(path, text):
    assert wrong_imports(Path(path), text)


@pytest.mark.parametrize(
    "text",
    [
        "import pyharness.cli",
        "from pyharness import cli",
        "from pyharness.cli.main import main",
        "from ... import cli",
        "from ...cli import main",
        "from importlib import import_module\nimport_module('pyharness.cli.plan_run')",
        "def later():\n    from pyharness import check",
        "if TYPE_CHECKING:\n    import pyharness.cli.library as lib",
    ],
)
def test_every_form_of_import_is_seen(text):
    assert wrong_imports(Path("pyharness/tla/values/values.py"), text)


def test_no_module_is_in_a_circle():
    """Type-only imports count, too: a circle of names is one to the reader. The package itself loads on demand."""
    graph = {".".join(p.with_suffix("").parts).removesuffix(".__init__"): set() for p in MODULES}
    for path in MODULES:
        own = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse((ROOT.parent / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module in graph:
                names = {f"{node.module}.{a.name}" for a in node.names}
                graph[own] |= (names & set(graph)) or {node.module}
    del graph["pyharness"]
    assert circle({name: found - {"pyharness"} for name, found in graph.items()}) is None


def circle(graph):
    """Return a circle of a graph, or None."""
    state = {}

    def visit(node, path):
        state[node] = "open"
        for following in sorted(graph[node]):
            if state.get(following) == "open":
                return [*path[path.index(following) :], following] if following in path else [following]
            if following not in state and (found := visit(following, [*path, following])):
                return found
        state[node] = "done"
        return None

    for node in sorted(graph):
        if node not in state and (found := visit(node, [node])):
            return found
    return None


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_a_module_can_be_read_in_one_sitting():
    sizes = {path: len((ROOT.parent / path).read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: size for path, size in sizes.items() if size > 700} == {}


def test_a_file_name_occurs_once():
    names = Counter(path.name for path in MODULES if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("name", [*WINGS, *BESIDE])
def test_what_is_exported_exists_and_says_what_it_is(name):
    module = import_module(f"pyharness.{name}")
    assert module.__doc__
    for public in getattr(module, "__all__", ()):
        assert getattr(module, public) is not None


OF_PYTHON = {"__future__", "abc", "collections", "dataclasses", "functools", "itertools", "typing"}
"""What the state machines take from Python: nothing of it reads, waits, draws lots or keeps anything."""

CHANGES = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"),
    *("remove", "reverse", "setdefault", "sort", "update"),
}
"""Methods that change what they are called on."""


def beside_the_state(path, text=None):
    """Yield what a module of the protocols does beside going from state to state, with the line."""
    tree = ast.parse(text if text is not None else path.read_text(encoding="utf-8"))
    for name, line in imports(path, text):
        if not name.startswith("pyharness") and name.partition(".")[0] not in OF_PYTHON:
            yield line, name
    for node in ast.walk(tree):
        match node:
            case ast.Global() | ast.Nonlocal():
                yield node.lineno, "a name of others"
            case ast.Call(func=ast.Name(id="open" | "input" | "print" | "hash" | "id" | "setattr" as name)):
                yield node.lineno, name
            case ast.alias(name="cache" | "lru_cache" | "cached_property" as name):
                yield node.lineno, name
            case ast.Call(func=ast.Attribute(value=ast.Attribute(), attr=name)) if name in CHANGES:
                yield node.lineno, name
            case ast.Subscript(value=ast.Attribute(attr=name), ctx=ast.Store() | ast.Del()):
                yield node.lineno, name
            case ast.FunctionDef(name=name) if name != "__init__":
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store | ast.Del):
                        yield inner.lineno, f"{name} sets {inner.attr}"


NO_MACHINES = {"operator_drive.py"}
"""It holds the state for the prompt, as a driver does."""


@pytest.mark.parametrize(
    "path", sorted((ROOT / "machines" / "protocols").rglob("*.py")), ids=lambda path: path.stem
)
def test_a_state_machine_keeps_nothing_beside_its_state(path):
    """What it answers depends on what it is asked: one that remembers is another one in the next run."""
    found = [f"{line}: {what}" for line, what in beside_the_state(path)]
    assert path.name in NO_MACHINES or not found


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from time import monotonic",
        "def accept(self, state):\n    self.seen = True",
        "def accept(self, state):\n    self.seen += 1",
        "def accept(self, state):\n    del self.seen",
        "def accept(self, state):\n    self.seen[state] = True",
        "def accept(self, state):\n    self.seen.add(state)",
        "from functools import lru_cache",
        "def accept(self, state):\n    global seen\n    seen = True",
        "def accept(self, state):\n    print(state)",
    ],
)
def test_what_a_state_machine_must_not_do_is_seen(text):
    assert list(beside_the_state(ROOT / "machines" / "protocols" / "common" / "process.py", text))
