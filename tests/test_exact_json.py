"""Exact JSON: one text for a value, and a reader that takes nothing else than it says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.exact_json import WHOLE, WITH_DECIMALS, JsonError, Rules, canonical, depth, parsed

EXACT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


def test_both_forms_are_written_as_ever():
    value = {"b": [1, "é\n", None], "a": {"empty": [], "of": {}}, "c": True}
    assert canonical(value) == '{"a":{"empty":[],"of":{}},"b":[1,"\\u00e9\\n",null],"c":true}'
    assert (
        canonical(value, indent=1)
        == '{\n "a": {\n  "empty": [],\n  "of": {}\n },\n "b": [\n  1,\n  "é\\n",\n  null\n ],\n "c": true\n}'
    )


@given(EXACT)
def test_what_is_written_is_read_again(value):
    assert parsed(canonical(value).encode()) == value
    assert parsed(canonical(value, indent=1).encode()) == value


@pytest.mark.parametrize(
    "value", [0.5, {1: "a number as a name"}, [float("nan")], {"a": [object()]}, {"a": b"bytes"}]
)
def test_what_has_no_exact_text_is_refused(value):
    with pytest.raises(ValueError, match="exact JSON holds only"):
        canonical(value)


@pytest.mark.parametrize(
    ("data", "rules", "words"),
    [
        (b"{", WHOLE, "not JSON"),
        (b'{"a": 1, "a": 1}', WHOLE, "a key stands twice"),
        (b'{"a": 1, "\\u0061": 1}', WITH_DECIMALS, "a key stands twice"),
        (b"[NaN]", WITH_DECIMALS, "NaN"),
        (b"[-Infinity]", WITH_DECIMALS, "infinite"),
        (b"[1e999]", WITH_DECIMALS, "infinite"),
        (b"[1.0]", WHOLE, "not whole"),
        (b"[1e2]", WHOLE, "not whole"),
        (b"1" * 19, Rules(digits=18), "not whole"),
        (b"1" * 100_000, WHOLE, "not whole"),
        (b"\xff", WHOLE, "UTF-8"),
        (b"[1, 2, 3]", Rules(bytes=8), "more than 8 bytes"),
        (b"[" * 65 + b"]" * 65, WHOLE, "deeper than 64"),
        (b"[" * 1_000_000, WHOLE, "deeper than 64"),
    ],
)
def test_what_could_mean_two_things_or_exhaust_the_machine_is_refused(data, rules, words):
    with pytest.raises(JsonError, match=words):
        parsed(data, rules)


def test_a_fault_says_its_line_and_nothing_of_the_text():
    with pytest.raises(JsonError) as caught:
        parsed(b'{"a": 1,\n secret}')
    assert caught.value.place("file") == "file, line 2"
    assert "secret" not in str(caught.value)


def test_decimals_are_read_where_they_may_be():
    assert parsed(b"[0.5, 1e2, 3]", WITH_DECIMALS) == [0.5, 100.0, 3]


def test_brackets_inside_texts_do_not_count():
    text = json.dumps(["[" * 500, '\\"[' * 500]).encode()
    assert depth(text) == 1
    assert parsed(text) == json.loads(text)
