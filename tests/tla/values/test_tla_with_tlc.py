"""What ``to_tla`` writes means the same to TLC, and what TLC prints means the same to ``parse_value``."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from strategies import integers, names, texts

from pyharness.base.toolchain.jar import find_tla2tools
from pyharness.base.toolchain.java import find_java
from pyharness.tla.tlc import Outcome, TlcRun, read_states, run_tlc
from pyharness.tla.values import ModelValue, function, is_identifier, same, to_tla

MODELS = st.sampled_from(["mv_a", "mv_b", "mv_c"]).map(ModelValue)
ODD = ["TRUE", "FALSE", "IF", "WF_x", "1a", "1", "_", "_0", "é", "->", ""]
# TLC can only make sets and domains of elements that it can compare.
ALIKE = [
    st.booleans(),
    integers,
    texts,
    MODELS,
    st.tuples(integers, texts),
    st.frozensets(integers, max_size=2),
]


def _compound(values):
    return (
        st.lists(values, max_size=3).map(tuple)
        | st.sampled_from(ALIKE).flatmap(lambda kind: st.frozensets(kind, max_size=4))
        | st.sampled_from(ALIKE).flatmap(lambda kind: st.dictionaries(kind, values, max_size=3)).map(function)
        | st.dictionaries(names | st.sampled_from(ODD), values, max_size=3).map(function)
    )


VALUES = st.recursive(st.booleans() | integers | texts | MODELS, _compound, max_leaves=15)


@pytest.mark.tlc
@settings(max_examples=2, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(values=st.lists(VALUES, min_size=60, max_size=150))
def test_round_trip_through_tlc(values, tmp_path_factory):
    directory = tmp_path_factory.mktemp("values")
    branches = "\n".join(f"  \\/ x = <<{i}, {to_tla(value)}>>" for i, value in enumerate(values))
    (directory / "V.tla").write_text(
        "---- MODULE V ----\nEXTENDS Integers, TLC\nCONSTANTS mv_a, mv_b, mv_c\nVARIABLE x\n"
        f"Init ==\n{branches}\nNext == FALSE /\\ x' = x\n====\n"
    )
    (directory / "V.cfg").write_text(
        "INIT Init\nNEXT Next\nCONSTANTS\n" + "".join(f"mv_{c} = mv_{c}\n" for c in "abc")
    )
    dump = directory / "states.dump"
    run = TlcRun(
        find_java().executable,
        find_tla2tools().path,
        directory,
        "V",
        dump=dump,
        dump_graph=False,
        heap_mib=256,
    )
    result = run_tlc(run)
    assert result.outcome is Outcome.SUCCESS, result.error_text
    read = dict(state["x"] for state in read_states(dump, expected=len(values)))
    for i, value in enumerate(values):
        assert same(read[i], value), to_tla(value)


def test_model_value_names_are_identifiers():
    assert all(is_identifier(f"mv_{c}") for c in "abc")
