"""The canonical form is that of Python's own writer, whatever is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.release.canonical import canonical

ALONE = (
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    ALONE,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_it_is_what_json_writes(value):
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
    assert canonical(value) == f"{written}\n".encode()


@pytest.mark.parametrize("value", [{1: "a number as a name"}, [float("nan")], {"a": {"b": object()}}])
def test_what_a_manifest_cannot_hold_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        canonical(value)
