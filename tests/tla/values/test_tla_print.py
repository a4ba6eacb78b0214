import pytest

from pyharness.base.errors import SpecError
from pyharness.tla.values import ModelValue, function, is_identifier, record, to_tla


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "TRUE"),
        (-3, "-3"),
        ('say "hi"\\\n', r'"say \"hi\"\\\n"'),
        ("a `quotation' \u00e9", '"a `quotation\' \u00e9"'),
        (ModelValue("p1"), "p1"),
        ((), "<<>>"),
        ((1, ("a",)), '<<1, <<"a">>>>'),
        (frozenset({3, 1, 2}), "{1, 2, 3}"),
        (frozenset({"b", "a"}), '{"a", "b"}'),
        (record(b=1, a=2), "[a |-> 2, b |-> 1]"),
        (function({"k 1": 1}), '("k 1" :> 1)'),
        (function({"IF": 1}), '("IF" :> 1)'),
        (function({"WF_x": 1}), '("WF_x" :> 1)'),
        (function({(2, 1): 0, (1, 2): ()}), "(<<1, 2>> :> <<>> @@ <<2, 1>> :> 0)"),
        (function({ModelValue("q"): 1, ModelValue("p"): function({0: 1})}), "(p :> (0 :> 1) @@ q :> 1)"),
    ],
)
def test_writes_tla(value, text):
    assert to_tla(value) == text


@pytest.mark.parametrize(
    "value", ["bell\a", "open `", "it's `", ModelValue("not a name"), ModelValue("IF"), 1.5, (None,)]
)
def test_refuses_what_tla_cannot_say(value):
    with pytest.raises(SpecError):
        to_tla(value)


def test_identifiers():
    assert all(map(is_identifier, ["a", "A_1", "1a", "_a"]))
    assert not any(map(is_identifier, ["", "1", "_", "_0", "1_2", "a b", "IF", "a\n", "SF_x", "é"]))
