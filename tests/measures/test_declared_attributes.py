"""Declared attributes: what an owner may write, what it means, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.errors import InputError
from dpcore.measures.attribute import Amount, Categories, attribute_of, attributes_of, text_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mode=bus, rail ,bike", ("bus", "rail", "bike")),
        ('mode="bus, night","the ""L"""', ("bus, night", 'the "L"')),
        ('mode="0:10:1"', ("0:10:1",)),
        ("mode=0:10:1,b", ("0:10:1", "b")),
        ("mode=Bus,bus", ("Bus", "bus")),
    ],
)
def test_categories_are_a_list_that_may_quote_its_words(text, words):
    found = attribute_of(text)
    assert found == Categories("mode", words)
    assert found.labels == (*words, "other", "missing")
    assert attribute_of(text_of(found)) == found


@pytest.mark.parametrize(
    ("text", "ends"),
    [("fare=0:100:0.01", (0, 10_000)), ("fare= -5 : 2.5 : 0.5", (-10, 5)), ("fare=-0.001:0:0.001", (-1, 0))],
)
def test_numbers_have_bounds_in_whole_units(text, ends):
    found = attribute_of(text)
    assert isinstance(found, Amount)
    assert (found.lowest, found.highest) == ends
    assert attribute_of(text_of(found)) == found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("mode", "not an attribute"),
        ("Mode=a", "not a name"),
        ("hour=a", "tables have already"),
        ("duration=0:9:1", "tables have already"),
        ("mode=", "a category must have"),
        ("mode=a,,b", "a category must have"),
        ("mode=" + "x" * 81, "a category must have"),
        ("mode=a\x1b[31m", "cannot be printed"),
        ("mode=a,a", "listed twice"),
        ("mode=bus,Other", "always there"),
        ('mode="bus', "do not match"),
        ("mode=" + ",".join(map(str, range(10_000))), "10,000 categories, the limit is 1,000"),
        ("fare=0:100:0", "unit above 0"),
        ("fare=0:100:0,01", "decimal point, not a comma"),
        ("fare=-5,50:20,00:0,01", "decimal point, not a comma"),
        ("fare=0:100", "bounds without a unit"),
        ("fare=5:5:1", "must be below"),
        ("fare=0:1:0.3", "whole numbers of the unit"),
        ("fare=0:100:0.00000001", "1,000,000,000 units"),
    ],
)
def test_what_no_table_can_have_is_refused_in_words(text, what):
    with pytest.raises(InputError, match=what):
        attribute_of(text)


def test_the_library_takes_lists_and_texts():
    found = attributes_of({"mode": ["bus, night", "rail"], "fare": "0:100:0.01"})
    assert found == (
        Categories("mode", ("bus, night", "rail")),
        Amount("fare", *map(Fraction, ("0", "100", "0.01"))),
    )
    assert attributes_of(None) == ()
    with pytest.raises(InputError, match="17 attributes, the limit is 16"):
        attributes_of({f"a{number}": "x" for number in range(17)})


@pytest.mark.parametrize(
    "words", [("06:00", "12:00"), ("0:100",), ("0:20:0", "01"), ("-5", "0:20", "0:0", "01"), ("0:1:1",)]
)
def test_categories_that_look_like_bounds_are_written_so_that_they_are_read_back(words):
    assert attribute_of(text_of(Categories("slot", words))) == Categories("slot", words)


def test_times_of_day_are_categories_without_quotation_marks():
    assert attribute_of("slot=06:00,12:00") == Categories("slot", ("06:00", "12:00"))
