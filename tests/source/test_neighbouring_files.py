"""Neighbours are files: whatever stands on the lines of one person, the records of all others are read the same.

Or the whole file is refused: it is never accepted with records of others missing, new or changed.
"""

from __future__ import annotations

import functools
import itertools
import zoneinfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbours_of import (
    CELLS,
    LAYOUTS,
    NEW,
    OLD,
    OTHERS,
    PERSON,
    PLACES,
    SHAPES,
    Layout,
    Shape,
    base_lines,
    base_trips,
    chunks,
    difference,
    is_of,
    line,
    pieces,
    read_rows,
    text_table,
    with_chunk,
)

from dpcore import limits

COMMA = LAYOUTS[0]
SMALL_BLOCK = 700  # some records
NAMES = tuple(SHAPES)
MAIN = ("trips", "records", "bike share (old)", "Hubway (MAPC)")
"""A form of each kind: with people, with several records a trip, month first, with stations."""


@pytest.fixture(autouse=True)
def at_speed(monkeypatch):
    """Thousands of small files: the folder of time zones is looked through once."""
    monkeypatch.setattr(zoneinfo, "available_timezones", known_zones)


@functools.cache
def known_zones(tell=zoneinfo.available_timezones):
    return tell()


def wrong(shape, layout, chunk, place, *, drop):
    """What a chunk did to the others; None where the file was refused."""
    lines = base_lines(shape, layout.separator)
    base = base_of(shape, layout)
    rows = read_rows(layout.file(shape, with_chunk(lines, chunk, place)), layout.name, drop=drop)
    return None if rows is None else difference(base, rows, shape, pieces(chunk))


_BASES = {}


def base_of(shape, layout):
    """The trips of a file without the chunk, read strictly."""
    key = shape, layout
    if key not in _BASES:
        data = layout.file(shape, base_lines(shape, layout.separator))
        _BASES[key] = read_rows(data, layout.name, drop=False)
        assert _BASES[key]
        assert is_of(shape, data, layout.name)
    return _BASES[key]


def attacked(shape, cases):
    """Runs cases (what, chunk, layout, place, drop); how many were accepted, and what was wrong, in words."""
    accepted, found = 0, []
    for number, (what, chunk, layout, place, drop) in enumerate(cases):
        with pytest.MonkeyPatch.context() as patch:
            if number % 2:
                patch.setattr(limits, "CSV_BLOCK_BYTES", SMALL_BLOCK)
            told = wrong(shape, layout, chunk, place, drop=drop)
        accepted += told == ""
        if told:
            found.append(
                f"{what}, {layout.name} {layout.separator} {layout.end!r}, {place}, drop {drop}: {told}"
            )
    return accepted, found


def test_every_form_is_written_and_every_layout_is_read():
    assert {*SHAPES} == {*OLD, *NEW}
    for shape, layout in itertools.product(SHAPES.values(), LAYOUTS):
        base = base_of(shape, layout)
        assert base.total() == len(base_trips(shape)) - (
            6 if shape.form.layout == "records" else 0
        )  # ids of trips repeat
        assert base == base_of(shape, COMMA)


@pytest.mark.parametrize("name", NAMES)
def test_no_lines_of_one_person_change_how_others_are_read(name):
    shape = SHAPES[name]
    turn = NAMES.index(name)
    texts = [(what, chunk) for what, chunk in chunks(shape) if "is cell" not in what]
    if name not in MAIN:  # they differ in the names of their columns alone
        texts = texts[turn % 2 :: 2]
    cases = [
        (what, chunk, COMMA, ("top", PLACES[1 + (number + turn) % 3])[number % 2], True)
        for number, (what, chunk) in enumerate(texts)
    ]
    cases += [
        (what, chunk, COMMA, PLACES[number % 4], False)
        for number, (what, chunk) in enumerate(texts)
        if number % len(NAMES) == turn
    ]
    accepted, found = attacked(shape, cases)
    assert found == []
    assert accepted >= len(cases) // 4


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_of_one_person_changes_how_others_are_read(name):
    """Each cell in every column of the form, a line each; what is bad is dropped."""
    shape = SHAPES[name]
    turn = NAMES.index(name)
    cells = shape.trip(PERSON, 1)[0]
    cases = []
    for number, cell in enumerate(CELLS):
        if name not in MAIN and number % 3 != turn % 3:
            continue
        lines = [line([*cells[:at], cell, *cells[at + 1 :]]) for at in range(len(cells))]
        cases.append((f"cell {number}", b"\n".join(lines), COMMA, PLACES[(number + turn) % 3], True))
    accepted, found = attacked(shape, cases)
    assert found == []
    assert accepted >= len(cases) * 3 // 4


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=["semicolon", "gzip", "zip", "return"])
@pytest.mark.parametrize("drop", [False, True], ids=["strict", "drop"])
def test_nor_in_other_layouts_of_a_file(layout, drop):
    for name in MAIN:
        shape = SHAPES[name]
        found = list(chunks(shape, layout.separator))
        some = [case for case in found if "is cell" not in case[0]][drop :: 4 if drop else 9]
        some += found[len(some) + drop :: 149]
        cases = [(*case, layout, PLACES[number % 3], drop) for number, case in enumerate(some)]
        if layout.end == b"\r":
            cases = [(what, chunk.replace(b"\n", b"\r"), *rest) for what, chunk, *rest in cases]
        accepted, wrongs = attacked(shape, cases)
        assert wrongs == []
        assert accepted


@pytest.mark.parametrize("name", NAMES)
def test_a_well_formed_trip_is_read_strictly_wherever_it_stands(name):
    shape = SHAPES[name]
    for place, number in itertools.product(PLACES, range(5)):
        chunk = b"\n".join(line(cells) for cells in shape.trip(PERSON, number))
        rows = read_rows(
            COMMA.file(shape, with_chunk(base_lines(shape), chunk, place)), COMMA.name, drop=False
        )
        assert rows is not None
        base = base_of(shape, COMMA)
        assert difference(base, rows, shape, 1) == ""
        assert (rows - base).total() == 1


@pytest.mark.parametrize("name", NAMES)
def test_no_row_of_text_in_parquet_changes_how_others_are_read(name):
    shape = SHAPES[name]
    records = [cells for trip in base_trips(shape) for cells in trip]
    base = read_rows(text_table(shape, records), "trips.parquet", drop=False)
    assert base == base_of(shape, COMMA)
    cells = shape.trip(PERSON, 1)[0]
    accepted, found = 0, []
    some = CELLS if name in MAIN else CELLS[NAMES.index(name) % 3 :: 3]
    for number, cell in enumerate((*some, '"', "a\nb", "a\r", "\x00")):
        rows = [[*cells[:at], cell, *cells[at + 1 :]] for at in range(len(cells))]
        at = (0, len(records) // 2, len(records))[number % 3]
        data = text_table(shape, [*records[:at], *rows, *records[at:]])
        read = read_rows(data, "trips.parquet", drop=True)
        accepted += read is not None
        told = read is not None and difference(base, read, shape, len(rows))
        if told:
            found.append(f"cell {number}: {told}")
    assert found == []
    assert accepted >= len(some) * 3 // 4


@pytest.mark.parametrize("name", MAIN)
@pytest.mark.parametrize("drop", [False, True], ids=["strict", "drop"])
def test_others_who_write_times_in_every_way_are_read_as_if_each_were_alone(name, drop):
    shape = Shape(SHAPES[name].form, mixed=True)
    base = base_of(shape, COMMA)
    assert base.total() == base_of(SHAPES[name], COMMA).total()
    found = [(what, chunk) for what, chunk in chunks(shape) if what.startswith("times")]
    cases = [(*case, COMMA, place, drop) for case in found for place in ("top", "end")]
    accepted, wrongs = attacked(shape, cases)
    assert wrongs == []
    assert accepted >= 2 * 5  # year first in five ways, at two places


WITHOUT_K = (
    *'""",,;\n\r\\\'` \t0579-/:.+TZeEN#=@|{}[]',
    *("\x00", "\x0b", "\x1c", "\x85", "\ufeff", "\u00a0", "\u2028", "\u200b", "\u0661"),
    *("\n\n", '""', '","', '"\n"', "\r\n", "NULL", "inf", "nan"),
)
BYTES = [*(text.encode() for text in WITHOUT_K), b"\xff", b"\xc3", b"\xed\xa0", b"x" * 5_000]
EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "replace"]), st.integers(0, 400), st.sampled_from(BYTES)),
    min_size=1,
    max_size=4,
)


def edited(chunk, edits):
    for kind, place, what in edits:
        at = place % (len(chunk) + 1)
        chunk = chunk[:at] + (b"" if kind == "delete" else what) + chunk[at + (kind != "insert") :]
    return chunk


def check_edits(name, number, edits, place, drop, block):
    shape = SHAPES[name]
    chunk = edited(b"\n".join(line(cells) for cells in shape.trip(PERSON, number)), edits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "CSV_BLOCK_BYTES", block)
        assert not wrong(shape, COMMA, chunk, place, drop=drop)


EDITED = {
    "name": st.sampled_from(NAMES),
    "number": st.integers(0, 4),
    "edits": EDITS,
    "place": st.sampled_from(PLACES),
    "drop": st.sampled_from([True, True, True, False]),
    "block": st.sampled_from([limits.CSV_BLOCK_BYTES, SMALL_BLOCK]),
}


def test_the_ids_of_others_cannot_be_written_by_an_edit():
    assert all("k" in other for other in OTHERS)
    assert all(b"k" not in piece for piece in BYTES)
    assert "k" not in PERSON


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(**EDITED)
def test_whatever_is_written_over_the_lines_of_one_person_others_are_read_the_same(
    name, number, edits, place, drop, block
):
    check_edits(name, number, edits, place, drop, block)


@pytest.mark.audit
@settings(max_examples=20_000, deadline=None)
@given(**EDITED)
def test_whatever_is_written_over_them_at_length(name, number, edits, place, drop, block):
    check_edits(name, number, edits, place, drop, block)


@pytest.mark.audit
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("drop", [False, True], ids=["strict", "drop"])
def test_every_chunk_in_every_layout_and_place(name, drop):
    shape = SHAPES[name]
    cases = [
        (what, chunk, layout, place, drop)
        for layout in (*LAYOUTS, Layout("trips.csv.gz", ";"))
        for place in PLACES
        for what, chunk in chunks(shape, layout.separator)
    ]
    assert attacked(shape, cases)[1] == []
