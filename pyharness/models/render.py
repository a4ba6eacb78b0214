"""Model modules and configurations for TLC, rendered with jinja2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

APPLICATION = (
    "InitialStates",
    "Sendable",
    "AfterSend",
    "Acceptable",
    "AfterAccept",
    "Internals",
    "Conserved",
)
"""The constants of ``Application`` that an application defines, each under its own name and the constant's."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A model ready for TLC: the root ``module``'s name, its text and its configuration's."""

    module: str
    tla: str
    cfg: str


class Graph(Protocol):
    """A graph as a model needs it: its name, its processes, channels and initiators."""

    @property
    def id(self) -> str:
        """The name of the graph."""

    @property
    def processes(self) -> int:
        """The number of processes."""

    @property
    def channels(self) -> Iterable[tuple[int, int]]:
        """The channels, each as its source and its target."""

    @property
    def initiators(self) -> Iterable[int]:
        """The processes that may begin."""


class Assumed(Protocol):
    """A hypothesis of a theorem, which a model must show."""

    @property
    def name(self) -> str:
        """The name of the hypothesis in the model."""

    @property
    def formula(self) -> str:
        """The formula, in one line."""

    @property
    def kind(self) -> str:
        """The subject of the hypothesis: ``each`` state, the ``first`` one, or a ``behaviour``."""


class Dispatch(NamedTuple):
    """An operator that is another one on some graphs: those of a mutant, whose names begin with the mutant's.

    ``parameters`` are those of its definition and ``arguments`` the same in a call, with brackets, both empty if there
    are none. ``cases`` are pairs of a mutant and its definition; elsewhere it is ``plain``, of which ``own`` is the
    right-hand side, its lines where they stand in its module, if the model must define it.
    """

    name: str
    parameters: str
    arguments: str
    cases: tuple[tuple[str, str], ...]
    plain: str
    own: str = ""


@cache
def _environment() -> Environment:
    # What is rendered is TLA+, not HTML, and every value is either a name that was checked or a number.
    return Environment(
        loader=PackageLoader("pyharness.models", "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
    )


def render_model(
    *,
    title: str,
    extends: Sequence[str],
    graphs: Sequence[Graph],
    constants: Sequence[tuple[str, str]],
    overrides: Sequence[tuple[str, str]],
    invariants: Sequence[str],
    properties: Sequence[str],
    stop: str,
    assumed: Sequence[Assumed] = (),
    fair: bool = False,
    prefix: str = "",
    depth: int | None = None,
    begins: Sequence[Mapping[str, str]] = (),
    firsts: Sequence[tuple[str, str, str]] = (),
    watched: str = "",
    dispatched: Sequence[Dispatch] = (),
    module: str = "Model",
) -> Rendered:
    """Render the root module and its configuration.

    ``extends`` are the spec (or the mutant's module) and the application; ``constants`` pairs of a constant's
    name and its value as TLA+; ``overrides`` pairs of an operator's name and its replacement's; ``stop`` a state
    predicate beyond which no behaviour is followed, or ``""``; ``fair`` adds the spec's Fairness; with the
    ``prefix`` H, HInit, HNext, hvars and HFairness stand for Init, Next, vars and Fairness; ``depth`` is the number
    of states beyond which no behaviour is followed. The hypotheses ``assumed`` are
    checked, too: in each state, as temporal properties, or else in the initial states. Behaviours begin in the states
    ``begins``, the values of all variables as TLA+, if there are any, and else in the spec's initial states.

    With ``firsts``, triples of a property's name, ``state`` or ``step``, and its formula, TLC prints where each is
    violated first on each graph: ``<<"first", number, graph, steps>>``, the numbers from 1 in their order; and in
    each state that is followed and violates one, ``<<register>>``, which is ``graphs * number + graph``, both counted
    from 0. Of
    ``invariants`` and ``properties``, which are among them, the first violations are reported with a trace, under
    ``First`` and the name, but at most one in a state.

    Where the state formula ``watched`` holds, the action ``Watched`` is enabled, which changes nothing.

    The operators that are ``dispatched`` are overridden too; the graphs' names are then a mutant's, a colon, and more.
    """
    values = {
        "title": title.replace("\n", " "),
        "module": module,
        "extends": list(extends),
        "graphs": list(graphs),
        "constants": list(constants),
        "overrides": [*overrides, *((each.name, f"Of{each.name}") for each in dispatched)],
        "dispatched": list(dispatched),
        "invariants": list(invariants),
        "properties": list(properties),
        "stop": stop,
        "assumed": list(assumed),
        "fair": fair,
        "depth": depth,
        "begins": list(begins),
        "firsts": list(firsts),
        "watched": watched,
        "numbers": {name: number for number, (name, _, _) in enumerate(firsts, start=1)},
        "prefix": prefix,
        "vars": f"{prefix.lower()}vars",
    }
    tla = _environment().get_template("model.tla.jinja").render(values)
    cfg = _environment().get_template("model.cfg.jinja").render(values)
    return Rendered(module, tla, cfg + "\n")
