"""A cell is read from its own letters: the same alone and beside any cell of another person.

Columns are parsed together where all cells allow it and one by one where not. Both ways must take the same texts.
"""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbours_of import CELLS, TIMES

from dpcore.measures.attribute import attribute_of
from dpcore.private.source.attributes import attribute_values
from dpcore.private.source.extras import extra_values, unlisted, without_point_zero
from dpcore.private.source.fields import MISSING, degrees, ids, stripped, with_missing
from dpcore.private.source.geometry import first_and_last
from dpcore.private.source.report import USER_MISSING, Faults, Sieve
from dpcore.private.source.times import instants

PLAIN = (
    "2024-03-04 10:00:00", "2024-03-04T10:00", "2024-03-04 10:00:00.123456", "2024-03-04 10:00:00Z", "2024-03-04T10:00+01:00",
    "2024-03-31 02:30:00", "2024-10-27 02:30:00", "1970-01-01 00:00:00", "2100-12-31 23:59:59", "3/4/24 10:00",
    "0.5", ".5", "5.", "-.5", "1e1", "1E-1", "-0", "90", "180", "1_0", "infinity", "Infinity", "NAN", "nan(1)", "-nan", "0b1",
    "u1", "u 1", "é", "23", "23.0", "0.0", "007.0", "male", "member", "02139",
)  # fmt: skip
SHAPES = (
    "POINT (13.4 52.5)", " point z(1 2 3)", "POINT (1 2", "POINT (1 91)", "POINT (nan 2)", "POINT EMPTY", "POINT (1 2) x",
    "SRID=4326;POINT (1 2)", "SRID=3857;POINT (1 2)", "LINESTRING (1 2, 3 4, 5 6)", "LINESTRING (1 2)", "LINESTRING (1 2, 3)",
    "MULTIPOINT ((1 2), (3 4))", "POLYGON ((0 0, 1 1, 1 0, 0 0))", "GEOMETRYCOLLECTION (POINT (1 2))",
    '{"type": "Point", "coordinates": [13.4, 52.5]}', '{"type": "Point", "coordinates": ["13.4", 52.5]}', "{" * 3_000,
    '{"type": "LineString", "coordinates": [[1, 2], [3, 400]]}', '{"lat": 52.5, "lng": 13.4}', '{"lat": 52.5}',
    '{"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}}, {"geometry": {"type": "Point", "coordinates": [3, 4]}}]}',
    '{"type": "Point", "coordinates": [1e999, true]}', "[[1, 2]]",
    "1709287200", "1709287200.25", "1709287200123", "170928720012", "1709287200123456", "1709287200123456789", "9" * 19, "20240301",
    "3/1/2024 1:30 PM", "13/3/2024 13:30 AM", "1.3.2024 00:00", "52,5", "1,234,5",
)  # fmt: skip
EVERY = tuple(dict.fromkeys((*PLAIN, *SHAPES, *CELLS, *(write("") for write in TIMES.values()))))


def row_by_row(values, missing, bad):
    """What is known of each row: its value where it has one, whether it is missing, and the rules that it broke."""
    wrong = [tuple(rule.what for rule, mask in bad if mask[row]) for row in range(len(values))]
    return [
        (None if lost or broken else value, bool(lost), broken)
        for value, lost, broken in zip(values.tolist(), missing, wrong, strict=True)
    ]


def column_of(texts):
    return with_missing(pa.array(texts, pa.string()))


def times(texts, order):
    read = instants(column_of(texts), "Europe/Berlin", times=order)
    bad = [(rule, mask & ~read.missing) for rule, mask in read.bad]
    return row_by_row(read.values, read.missing, bad)


def places(texts, axis):
    read = degrees(column_of(texts), axis)
    return row_by_row(read.values, read.missing, read.bad)


def shapes(texts, *, line):
    read = first_and_last(column_of(texts), line=line)
    return list(zip(*(row_by_row(one.values, one.missing, one.bad) for one in read), strict=True))


def names(texts):
    sieve = Sieve(Faults(), np.arange(len(texts)) + 1)
    read = ids(column_of(texts), "user", sieve, USER_MISSING)
    return list(zip(without_point_zero(read).to_pylist(), read.to_pylist(), sieve.bad.tolist(), strict=True))


def attribute(texts, name):
    column = column_of(texts)
    return list(zip(extra_values(name, column).to_pylist(), unlisted(name, column).tolist(), strict=True))


def declared(texts, attribute, column_of=column_of):
    values, strange = attribute_values(attribute_of(attribute), column_of(texts))
    return list(zip(values.to_pylist(), strange.tolist(), strict=True))


READERS = {
    "times": lambda texts: times(texts, "year-first"),
    "times, maybe month first": lambda texts: times(texts, "month-first"),
    "times, maybe day first": lambda texts: times(texts, "day-first"),
    "points": lambda texts: shapes(texts, line=False),
    "lines": lambda texts: shapes(texts, line=True),
    "latitudes": lambda texts: places(texts, "lat"),
    "longitudes": lambda texts: places(texts, "lng"),
    "ids": names,
    **{name: lambda texts, name=name: attribute(texts, name) for name in ("zip", "gender", "user_type")},
    "categories": lambda texts: declared(texts, 'mode=u1,member,0.5,23,"a ""b"""'),
    "amounts": lambda texts: declared(texts, "fare=-5:100:0.01"),
}


def unread(texts):
    """A column whose texts that mean missing were not read as null before."""
    return pa.array(texts, pa.string())


UNREAD = {
    "stripped": lambda texts: stripped(unread(texts)).to_pylist(),
    "unread categories": lambda texts: declared(texts, "mode=u1,NULL,0.5", unread),
    "unread amounts": lambda texts: declared(texts, "fare=-5:100:0.01", unread),
}
READERS |= UNREAD


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", MISSING)
def test_a_text_that_means_missing_means_it_beside_every_other_cell(reader, text):
    read = READERS[reader]
    alone = repr(read([text])[0])
    if reader in UNREAD:
        assert alone == repr(read([f" {text}\t"])[0])
    for other in EVERY:
        assert repr(read([text, other])[0]) == alone, other[:40]
        assert repr(read([other, text])[1]) == alone, other[:40]


def alone_and_in_company(reader, texts):
    read = READERS[reader]
    return [read([text])[0] for text in texts], read(list(texts))


@pytest.mark.parametrize("reader", READERS)
def test_a_cell_means_the_same_beside_every_other_cell(reader):
    read = READERS[reader]
    alone = {text: repr(read([text])[0]) for text in EVERY}
    assert len(set(alone.values())) > 2
    for turn, one in enumerate(EVERY):
        for other in PLAIN[turn % 12 :: 12]:
            assert list(map(repr, read([one, other]))) == [alone[one], alone[other]], (one[:40], other[:40])


@pytest.mark.audit
@pytest.mark.parametrize("reader", READERS)
def test_a_cell_means_the_same_beside_every_other_cell_there_is(reader):
    read = READERS[reader]
    alone = {text: repr(read([text])[0]) for text in EVERY}
    for one, other in itertools.product(EVERY, EVERY):
        assert list(map(repr, read([one, other]))) == [alone[one], alone[other]], (one[:40], other[:40])


NEAR = st.one_of(
    st.sampled_from(EVERY),
    st.builds(
        lambda text, at, what: text[: at % (len(text) + 1)] + what + text[at % (len(text) + 1) + 1 :],
        st.sampled_from(EVERY),
        st.integers(0, 30),
        st.text("0123456789-+:/.TZeE nN_,\u0661\u00a0'", max_size=2),
    ),
    st.text(max_size=8),
).filter(lambda text: "\x00" not in text)


def check_company(reader, texts):
    alone, together = alone_and_in_company(reader, texts)
    assert list(map(repr, alone)) == list(map(repr, together))


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(READERS)), st.lists(NEAR, min_size=1, max_size=4))
def test_a_cell_means_the_same_in_any_company(reader, texts):
    check_company(reader, texts)


@pytest.mark.audit
@settings(max_examples=50_000, deadline=None)
@given(st.sampled_from(sorted(READERS)), st.lists(NEAR, min_size=1, max_size=4))
def test_a_cell_means_the_same_in_any_company_at_length(reader, texts):
    check_company(reader, texts)
