"""Hypothesis strategies for TLA+ values."""

from __future__ import annotations

from hypothesis import strategies as st

from pyharness.tla.values import ModelValue, Value, function, is_identifier

texts = st.text(
    st.characters(min_codepoint=32, max_codepoint=126) | st.sampled_from("\n\t\r\f"), max_size=12
).filter(lambda text: text.rfind("`") <= text.rfind("'"))
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True).filter(is_identifier)
integers = st.integers(-(2**31) + 1, 2**31 - 1)
atoms = st.booleans() | integers | texts | names.map(ModelValue)
# TLA+ sets and domains never mix Booleans and integers: TRUE = 1 cannot be evaluated.
keys = st.sampled_from(
    [st.booleans(), integers, texts, names, names.map(ModelValue), st.tuples(integers, texts)]
)


def _compound(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    # Any two Booleans or integers deep in a set could clash, so the items of a set hold no Booleans.
    items = st.recursive(
        integers | texts | names.map(ModelValue), lambda v: st.lists(v, max_size=3).map(tuple)
    )
    return (
        st.lists(values, max_size=4).map(tuple)
        | st.frozensets(items, max_size=4)
        | keys.flatmap(lambda k: st.dictionaries(k, values, max_size=4)).map(function)
        | st.lists(values, max_size=4).map(lambda v: function(enumerate(v)))
    )


values: st.SearchStrategy[Value] = st.recursive(atoms, _compound, max_leaves=12)
