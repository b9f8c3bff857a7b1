"""Exact JSON: one text for a value, and a reader that takes nothing else than it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from fractions import Fraction
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import InputError
from dpcore.exact_json import (
    WHOLE,
    WITH_DECIMALS,
    Fault,
    JsonError,
    Part,
    Rules,
    at_most,
    canonical,
    depth,
    matching,
    parsed,
    plain,
    read_as,
    whole,
)

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


class Colour(Enum):
    RED = "r"
    BLUE = "b"


@dataclass(frozen=True)
class Stop:
    name: Annotated[str, matching("[a-z]+", "a name in small letters")]
    share: Fraction
    colour: Colour = Colour.RED
    seen: date | None = None


@dataclass(frozen=True)
class Line:
    stops: Annotated[tuple[Stop, ...], at_most(3)]
    form: Literal["bus", "rail"]
    seats: Mapping[str, Annotated[int, whole(99)]]
    open: bool

    def __post_init__(self) -> None:
        if self.form == "rail" and not self.open:
            raise InputError("rail is always open", "secret", "Open it.")
        if not self.seats:
            raise ValueError("secret")


LINE = Line(
    (Stop("a", Fraction(1, 3), Colour.BLUE, date(2024, 5, 1)), Stop("b", Fraction(0))), "bus", {"x": 3}, True
)


def faults_of(kind, value) -> list[Fault]:
    found: list[Fault] = []
    assert (read_as(kind, value, "file", found) is None) is bool(found)
    return found


def test_a_dataclass_is_read_by_its_annotations():
    written = json.loads(json.dumps(plain(LINE)))
    assert read_as(Line, written) == LINE
    del written["stops"][1]["colour"], written["stops"][1]["seen"]
    assert read_as(Line, written) == LINE


def test_all_faults_are_told_at_once_with_their_places_and_quote_nothing():
    stops = [{"name": "SECRET", "share": "1/0", "colour": "SECRET"}, {"secret": 1, "name": 3}, "SECRET"]
    found = faults_of(Line, {"stops": stops, "form": "SECRET", "seats": {"SECRET": 100, "y": True}})
    assert set(found) == {
        Fault("this is missing", "file, open"),
        Fault("this should be a name in small letters", "file, stops 1, name"),
        Fault("this should be an exact fraction such as 1/10", "file, stops 1, share"),
        Fault("this should be one of RED, BLUE", "file, stops 1, colour"),
        Fault("a member is unknown, the known ones are name, share, colour, seen", "file, stops 2"),
        Fault("this is missing", "file, stops 2, share"),
        Fault("this should be a name in small letters", "file, stops 2, name"),
        Fault("this should be an object", "file, stops 3"),
        Fault("this should be one of bus, rail", "file, form"),
        Fault("this should be a whole number of at most 99", "file, seats 1"),
        Fault("this should be a whole number of at most 99", "file, seats 2"),
    }
    assert "secret" not in str(found).lower()
    with pytest.raises(
        JsonError, match="not a value of this kind: this should be one of RED, BLUE: stop, colour"
    ):
        read_as(Stop, {"name": "a", "share": "1", "colour": "r"}, "stop")


def test_what_a_dataclass_refuses_is_a_fault_of_its_place():
    good = plain(LINE)
    assert faults_of(Line, good | {"form": "rail", "open": False}) == [Fault("rail is always open", "file")]
    assert faults_of(Line, good | {"seats": {}}) == [
        Fault("this should be members that fit together", "file")
    ]
    assert faults_of(Line, good | {"stops": []}) == [
        Fault("this should be a list of 1 to 3 entries", "file, stops")
    ]
    assert len(faults_of(Line, good | {"stops": [3] * 10_000})) == 1, "it is not read"


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (int, True, "a whole number"),
        (bool, 1, "true or false"),
        (Fraction, 0.5, "an exact fraction"),
        (Fraction, 1, "an exact fraction"),
        (Fraction, "1e9", "an exact fraction"),
        (float, True, "a number"),
        (date, "20240501", "a date"),
        (date, "2024-W18-3", "a date"),
        (date, "2024-05-01T12:00:00Z", "a date"),
        (datetime, "2024-05-01", "a time"),
        (datetime, "2024-13-01T12:00:00Z", "a time"),
        (Literal[False], 0, "one of False"),
        (Literal["a"], ["a"], "one of a"),
        (Colour, ["RED"], "one of RED, BLUE"),
        (Colour, "r", "one of RED, BLUE"),
        (int | date, "x", "a whole number or a date such as 2024-05-01"),
        (int | None, "x", "a whole number"),
        (tuple[int, int], [1], "a list"),
        (tuple[int, ...], {"a": 1}, "a list"),
        (Mapping[str, int], [1], "an object"),
        (Stop, [], "an object"),
    ],
)
def test_only_exactly_a_type_is_read_as_it(kind, value, expected):
    (fault,) = faults_of(kind, value)
    assert fault.where == "file"
    assert expected in fault.what


def test_times_are_read_in_utc():
    assert read_as(datetime, "2024-05-01T12:00:00Z") == datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_a_part_leaves_other_members_to_other_readers():
    @dataclass(frozen=True)
    class Head(Part):
        number: int

    assert read_as(Head, {"number": 3, "more": [None]}) == Head(3)
    assert faults_of(Head, {"more": 1}) == [Fault("this is missing", "file, number")]


def test_an_error_of_many_faults_tells_them_as_notes():
    found = InputError.of_faults([Fault(f"fault {n}", f"place {n}") for n in range(30)], "Mend it.")
    assert str(found) == "fault 0: place 0. Mend it. And 29 more."
    assert found.__notes__ == [*found.faults]
    assert found.faults[1:2] + found.faults[-1:] == ("fault 1: place 1.", "And 10 more.")
