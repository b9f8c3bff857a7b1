"""The shape of a file, what a row of it can be, and what is remembered of files with the same columns."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import InputError
from dpcore.private import kept, store
from dpcore.private.remembered import Said, _place, forget, recalled, remember
from dpcore.private.source.declared import DECLARED
from dpcore.private.source.forms import FORMS, UNTIMED, VISITS
from dpcore.private.source.reading import inspect
from dpcore.private.source.roles import surely_names
from dpcore.private.source.rows import ROWS, inspected_as, likely_roles, nearest_row, row_of
from dpcore.private.source.shape import columns_of, empty_fields
from dpcore.private.source.trips_file import TripsFile
from pages.owner.parts.data import column_words

POINT = next(row for row in ROWS if row.needed == ("uid", "datetime", "lat", "lng"))
CLOCKS = "wer,date,time,lat,lng\nq,2024-03-01,10:00,1,2\n"


def upload(text, name="trips.csv"):
    return TripsFile.uploaded(name, text if isinstance(text, bytes) else text.encode())


def test_every_general_form_is_one_row_and_every_row_a_form():
    general = {
        (form.layout, frozenset(form.headers)) for form in (*FORMS, *VISITS, *UNTIMED) if not form.published
    }
    rows = {(row.layout, frozenset(row.needed) | {"uid"}) for row in ROWS}
    assert {(layout, roles | {"uid"}) for layout, roles in general} == rows
    assert {role for row in ROWS for role in (*row.needed, *row.optional, *row.clocks)} == set(
        column_words.ROLES
    ) - {*DECLARED, "duration_s", "duration_min", "duration_hhmm", "duration_mmss"}
    assert [row.name for row in ROWS] == list(column_words.ROWS)


@pytest.mark.parametrize(
    "header", ["date,time,timestamp,lat,lng,uid", "date,time,lat,lng,uid", "x,y,lat,lng,uid,time"]
)
def test_the_page_proposes_the_columns_that_the_reader_takes(header):
    file = upload(f"{header}\n")
    assert likely_roles(header.split(",")) == dict(inspect(file).mapping)
    assert nearest_row(header.split(",")) == POINT


def test_as_few_roles_are_named_as_needed_so_that_a_clock_beside_a_date_is_found():
    chosen = {"uid": "wer", "datetime": "date", "lat": "lat", "lng": "lng"}
    found, named = inspected_as(upload(CLOCKS), POINT, chosen)
    assert (row_of(found), dict(named)) == (POINT, {"uid": "wer"})
    assert dict(found.clocks) == {"datetime": "time"}


def test_two_columns_for_one_role_are_told_apart_by_the_choice():
    two = upload("uid,datetime,lat,lng,latitude\nq,2024-03-01 10:00,1,2,3\n")
    found, named = inspected_as(
        two, POINT, {"uid": "uid", "datetime": "datetime", "lat": "latitude", "lng": "lng"}
    )
    assert found.mapping["lat"] == "latitude"
    assert dict(named) == {"lat": "latitude"}


def test_roles_that_make_up_no_form_are_refused():
    with pytest.raises(InputError):
        inspected_as(upload(CLOCKS), POINT, {"uid": "wer", "datetime": "wer", "lat": "lat", "lng": "lng"})


def test_a_first_line_of_unknown_words_may_be_a_record():
    assert not surely_names(("anna", "home", "work"))
    assert nearest_row(("anna", "home", "work")) is None
    assert surely_names(("wer", "lat", "lng"))


def test_parquet_declares_types_and_lists_are_not_counted():
    table = pa.table(
        {
            "uid": pa.array(["a", None, ""]).dictionary_encode(),
            "when": pa.array([0, 1, None], pa.timestamp("us")),
            "n": pa.array([1, 2, 3]),
            "share": pa.array([0.5, None, None]),
            "tags": pa.array([["x"], [], None]),
        }
    )
    out = io.BytesIO()
    pq.write_table(table, out)
    file = upload(out.getvalue(), "trips.parquet")
    assert [one.kind for one in columns_of(file)] == [
        "text",
        "date and time",
        "whole number",
        "number",
        "list or record",
    ]
    found = empty_fields(file)
    assert found.records == 3
    assert found.empty == (2, 1, 0, 2, None)
    assert found.share(4) is None
    assert repr(found) == "<EmptyFields>"


def test_what_was_said_is_found_for_the_same_columns_in_any_order_and_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path))
    said = Said(POINT.name, {"uid": "wer", "lat": "breite"}, "day-first", "trip-gap 30min")
    remember(("wer", "breite"), said)
    assert recalled(("breite", "wer")) == said
    assert recalled(("breite", "wer", "more")) is None
    assert not any("breite" in path.name for path in tmp_path.rglob("*"))
    forget(("wer", "breite"))
    assert recalled(("wer", "breite")) is None
    remember(("wer", "breite"), said)
    store.forget()
    assert recalled(("wer", "breite")) is None
    remember(("wer", "breite"), Said(POINT.name, rule="no rule"))
    assert recalled(("wer", "breite")) is None
    for wrong in ({"row": 3}, {"row": "a", "columns": {"uid": ["wer"]}}, {"row": "a", "times": 1}, {}, []):
        kept.keep(_place(("wer",)), lambda out, wrong=wrong: out.write(json.dumps(wrong).encode()))
        assert recalled(("wer",)) is None


def test_where_nothing_can_be_kept_nothing_is_remembered(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "file"))
    remember(("wer",), Said(POINT.name))
    forget(("wer",))
    assert recalled(("wer",)) is None


def test_of_a_large_file_the_first_records_are_counted():
    file = upload("uid,lat\n" + "a,\n" * 9 + "b,1\n")
    assert empty_fields(file, most=1).share(1) == 0.9
    assert empty_fields(upload("uid,uid\na,\n")).empty == (None, None)
    assert empty_fields(upload("uid,lat\n")).share(0) is None


def test_a_person_who_is_left_out_is_not_read():
    file = upload("uid,tid,datetime,lat,lng\nq,1,2024-03-01 10:00,1,2\n")
    row = next(row for row in ROWS if row.needed == ("tid", "datetime", "lat", "lng"))
    chosen = {role: role for role in row.needed}
    with pytest.raises(InputError, match="ids of trips may start again for each person"):
        inspected_as(file, row, chosen)
    chosen |= {"no_person": "uid"}
    found, named = inspected_as(file, row, chosen)
    assert not found.has_users
    assert dict(named) == chosen
    assert row.lacks({"tid": "tid"}) == ("datetime", "lat", "lng")


def test_the_oldest_shapes_are_let_go(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path))
    monkeypatch.setattr("dpcore.private.remembered._MOST_KEPT", 1)
    for name in ("a", "b"):
        remember((name,), Said(POINT.name))
    assert [recalled((name,)) is None for name in ("a", "b")].count(True) == 1
