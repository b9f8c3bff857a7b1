"""From the bytes of neighbouring files to exact tables: no table moves by more than its sensitivity, or all is refused."""

from __future__ import annotations

from collections import Counter
from datetime import date

import numpy as np
import pytest
from neighbours_of import LAYOUTS, PERSON, SHAPES, base_lines, chunks, line, rule_of, tiles, with_chunk

from dpcore.errors import AtlasError, InternalError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from dpcore.private.loading import load
from dpcore.private.source.reading import inspect
from dpcore.private.source.report import BadRecords
from dpcore.private.source.trips_file import TripsFile
from dpcore.private.trips import local_rows
from tests.cities import rows_of
from tests.engines import count

M = 3
CHOICES = KeyChoices(Period(date(2024, 3, 1), date(2024, 3, 20)))
ALL = tuple(measure_named(name, CHOICES) for name in MEASURES if not MEASURES[name].needs_districts)
"""Flows between districts are sums of flows between tiles (``tests/test_neighbours.py``)."""
NAMES = tuple(SHAPES)
MAIN = ("trips", "trips between tiles", "records", "points", "bike share (new)", "Hubway (MAPC)")
COMMA, SEMICOLON, GZIP = LAYOUTS[:3]


def loaded(files, *, drop):
    """The trips of some files (name, bytes); None where they are refused."""
    policy = BadRecords.DROP if drop else BadRecords.REFUSE
    try:
        uploads = [TripsFile.uploaded(name, data) for name, data in files]
        seen = [inspect(file) for file in uploads]
        options = {"timezone": "Europe/Berlin", "bad_records": policy, "rule": rule_of(seen)}
        return load(uploads, seen, tiles(), **options)
    except InternalError as error:
        raise AssertionError(f"a fault instead of a refusal: {error}") from None
    except AtlasError:
        return None


def stored(trips):
    """The prepared rows, by person and all that is kept of a trip."""
    return Counter((row["user_id"], repr(row)) for row in rows_of(trips).to_pylist())


def tables(trips, bound):
    measures = [
        measure
        for measure in ALL
        if (trips.has_users or not measure.needs_users) and (trips.has_points or not measure.needs_points)
    ]
    answers = ExactAnswers(count(bounded(trips, bound), measures))
    return {measure: answers.dense(measure, measure.keys(trips.tile_ids)) for measure in measures}


def moved(base, trips):
    """What moved by more than it may, in words; where one person writes under several ids each is a unit."""
    rows = stored(trips)
    told = []
    lost = stored(base) - rows
    if lost:
        told.append(f"{lost.total()} trips of others are lost or changed")
    people = {user for user, _ in rows} - {user for user, _ in stored(base)}
    bounds = [(ContributionBound.per_trip(), local_rows(trips).count - local_rows(base).count)]
    if trips.has_users:
        bounds.append((ContributionBound.per_user(M), len(people)))
    for bound, units in bounds:
        before, after = tables(base, bound), tables(trips, bound)
        for measure, table in before.items():
            l1 = int(np.abs(table - after[measure]).sum())
            if l1 > measure.sensitivity(bound) * max(1, units):
                told.append(
                    f"L1 of {measure.name} {l1}, declared {measure.sensitivity(bound)} a {bound.unit.value}"
                )
    return told


def split(shape):
    """All others in three files of one set, in three layouts; the last holds one line."""
    layouts = (COMMA, SEMICOLON, GZIP)
    lines = [base_lines(shape, layout.separator) for layout in layouts]
    pieces = (slice(0, 10), slice(10, -1), slice(-1, None))
    return [(layout, own[piece]) for layout, own, piece in zip(layouts, lines, pieces, strict=True)]


def set_with(shape, chunk, where):
    """The files of the set with a chunk in the file of a number, or a line each in all of them."""
    files = []
    for number, (layout, lines) in enumerate(split(shape)):
        own = chunk.replace(b",", b";") if layout.separator == ";" else chunk
        if where == "over all":
            own = b"\n".join(own.split(b"\n")[number::3])
        elif number != where:
            own = b""
        with_own = with_chunk(lines, own, ("top", "middle", "end")[number]) if own else lines
        files.append((f"{number}-{layout.name}", layout.file(shape, with_own)))
    return files


WORST = ("times year first", "times with Z", "times month first", "open quote that begins the last field", "half quotes on two lines",
         "well formed", "one field too few")  # fmt: skip


def some_chunks(shape, step):
    """The worst chunks, and some of all others, different ones for each form."""
    every = dict(chunks(shape))
    some = list(every)[NAMES.index(shape.form.name) :: step]
    return {what: every[what] for what in dict.fromkeys((*WORST, *some))}


def must_not_move(base, shape, step, with_it):
    """With each broken or well-formed record, in the files that ``with_it`` makes: moved within bounds, or refused."""
    found, accepted = {}, 0
    for number, (what, chunk) in enumerate(some_chunks(shape, step).items()):
        trips = loaded(with_it(chunk, number % 4), drop=True)
        if trips is not None:
            accepted += 1
            told = moved(base, trips)
            if told:
                found[what] = told
    assert found == {}
    assert accepted


@pytest.mark.parametrize("name", NAMES)
def test_no_table_moves_by_more_than_its_sensitivity_or_the_file_is_refused(name):
    shape = SHAPES[name]
    lines = base_lines(shape)
    base = loaded([(COMMA.name, COMMA.file(shape, lines))], drop=False)

    def with_it(chunk, turn):
        place = ("top", "top", "middle", "apart")[turn]
        return [(COMMA.name, COMMA.file(shape, with_chunk(lines, chunk, place)))]

    must_not_move(base, shape, 120, with_it)


@pytest.mark.parametrize("name", MAIN)
def test_nor_in_several_files_that_are_one_data_set(name):
    shape = SHAPES[name]
    base = loaded(set_with(shape, b"", 0), drop=False)
    assert local_rows(base).count
    must_not_move(base, shape, 200, lambda chunk, turn: set_with(shape, chunk, (0, 1, 2, "over all")[turn]))


def test_one_trip_with_times_of_another_kind_does_not_empty_a_month_first_file():
    shape = SHAPES["bike share (new)"]
    lines = [line(cells) for number in range(200) for cells in shape.trip("", number)]
    base = loaded([("t.csv", COMMA.file(shape, lines))], drop=True)
    for what in ("year first", "with Z", "with an offset"):
        chunk = dict(chunks(shape))[f"times {what}"]
        trips = loaded([("t.csv", COMMA.file(shape, [chunk, *lines]))], drop=True)
        assert trips is None or moved(base, trips) == []


@pytest.mark.parametrize("drop", [False, True], ids=["strict", "drop"])
def test_one_quotation_mark_left_open_does_not_swallow_the_trips_of_others(drop):
    shape = SHAPES["bike share (new)"]
    lines = [line(cells) for number in range(99) for cells in shape.trip("", 5 * number)]
    base = loaded([("t.csv", COMMA.file(shape, lines))], drop=drop)
    (own,) = shape.trip(PERSON, 0)
    chunk = line(own)
    for with_it in (
        [b'"' + chunk, *lines],
        [
            b'"' + chunk,
            *lines[:50],
            chunk[: chunk.find(b",")] + b'"' + chunk[chunk.find(b",") :],
            *lines[50:],
        ],
        [*lines, b'"' + chunk],
    ):
        trips = loaded([("t.csv", COMMA.file(shape, with_it))], drop=drop)
        assert trips is None or moved(base, trips) == []


@pytest.mark.parametrize("layout", LAYOUTS, ids=["comma", "semicolon", "gzip", "zip", "return"])
def test_a_byte_order_mark_on_the_line_of_one_person_is_read_the_same_wherever_the_line_stands(layout):
    """Only the beginning of a file has such a mark: elsewhere it is a letter of a cell, on the first line as well."""
    header = b"user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng"
    one = b"%s,2024-03-04 10:00:00,2024-03-04 10:30:00,0.5,0.5,1.5,1.5"
    marked = [b"\xef\xbb\xbf" + one % b"bob", one % b"bob"]
    alone, after = (layout.end.join([header, *lines]) for lines in (marked, [one % b"alice", *marked]))
    there, here = (
        loaded([("t.csv", text.replace(b",", layout.separator.encode()))], drop=False)
        for text in (alone, after)
    )
    assert moved(there, here) == []
