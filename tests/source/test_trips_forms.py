"""Which form a file has, told from its header; re-mapping; what is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest
import shapely
from reading_of import CANONICAL, GOOD, LONG, ZONES, parquet, reading_of, rows_of, upload

from dpcore.errors import InputError
from dpcore.private.source import inspect
from dpcore.private.source.forms import FORMS

BIKE_OLD = (
    "tripduration,starttime,stoptime,start station id,start station name,start station latitude,"
    "start station longitude,end station id,end station name,end station latitude,end station longitude,"
    "bikeid,usertype,birth year,gender\n"
)
BIKE_CAPITALS = (
    "Trip Duration,Start Time,Stop Time,Start Station ID,Start Station Name,Start Station Latitude,"
    "Start Station Longitude,End Station ID,End Station Name,End Station Latitude,End Station Longitude,"
    "Bike ID,User Type,Birth Year,Gender\n"
)
BIKE_NEW = (
    "ride_id,rideable_type,started_at,ended_at,start_station_name,start_station_id,end_station_name,"
    "end_station_id,start_lat,start_lng,end_lat,end_lng,member_casual\n"
)


@pytest.mark.parametrize(
    ("header", "form", "users", "points"),
    [
        (CANONICAL, "trips", True, True),
        ("user_id,started_at,ended_at,start_tile,end_tile\n", "trips between tiles", True, False),
        (LONG, "records", True, True),
        (BIKE_OLD, "bike share (old)", False, True),
        (BIKE_CAPITALS, "bike share (old)", False, True),
        (BIKE_NEW, "bike share (new)", False, True),
        (ZONES, "taxi zones (yellow)", False, False),
        (ZONES.replace("tpep", "lpep"), "taxi zones (green)", False, False),
        (
            "hvfhs,Pickup_DateTime,DropOff_datetime,PUlocationID,DOlocationID\n",
            "taxi zones (for hire)",
            False,
            False,
        ),
        ('\ufeff"UID"," Tid ",DATETIME,"lat",Lng\n', "records", True, True),
        (LONG.replace("\n", "\r\n"), "records", True, True),
        (LONG.strip(), "records", True, True),
        ("\n\n" + LONG, "records", True, True),
        ("name,phone," + LONG, "records", True, True),
    ],
)
def test_the_header_tells_the_form_and_a_file_without_records_is_fine(header, form, users, points):
    found = inspect(upload(header))
    assert (found.form, found.has_users, found.has_points) == (form, users, points)
    table, report = reading_of(header)
    assert (table.num_rows, report.records, report.trips) == (0, 0, 0)


def test_every_form_is_recognised_as_itself_and_no_other():
    for form in FORMS:
        header = ",".join([*form.headers.values(), *form.signs])
        seen = inspect(upload(header))
        assert (seen.form, seen.layout, seen.mapping.keys()) == (form.name, form.layout, form.headers.keys())


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (
            "uid,tid,datetime,lat,breite\n",
            "column missing: lng.*lng needs one of lng, lon, long, .*--column lng=NAME",
        ),
        (
            "user_id,started_at,p1,p2,p3,p4,p5\n",
            "columns missing: ended_at, start_lat, .*--column ended_at=NAME --column start_lat=NAME.*also be a geometry",
        ),
        ("origin,destination,flow\n", "a row is a number of trips, not a trip: trips.csv, column flow"),
        (
            "uid,tid,datetime,lat,latitude,lng,Longitude\n",
            "two columns for one role: trips.csv: lat is lat or latitude, lng is lng or Longitude.*--column lat=NAME --column lng=",
        ),
        ("uid\ttid\tdatetime\tlat\tbreite\n", "column missing: lng"),
        ("uid;tid;datetime;lat;breite\n", "column missing: lng"),
        ("a\n", "columns missing"),
        (CANONICAL.strip() + ",uid,tid,datetime,lat,lng\n", "fit 2 forms"),
        ("uid,uid,tid,datetime,lat,lng\n", "two columns have the same name"),
        ("uid,UID ,tid,datetime,lat,lng\n", "two columns have the same name"),
        ("\n\n", "no header"),
        (",".join(f"c{i}" for i in range(300)), "300 columns, the limit is 256"),
        ('"uid,tid,datetime,lat,lng\n' + "x" * 200, "a quotation mark in the first line is not closed"),
        ("x" * 200_000, "looks like data"),
    ],
)
def test_a_header_that_fits_no_form_is_refused_with_a_hint(header, text):
    with pytest.raises(InputError, match=text):
        inspect(upload(header))


def test_points_without_trip_ids_are_recognised_and_need_a_rule_to_be_read():
    seen = inspect(upload("uid,datetime,lat,lng\n"))
    assert (seen.layout, seen.has_users, seen.has_points) == ("points", True, True)
    with pytest.raises(InputError, match=r"points without trip ids: trips.csv.*--trip-gap.*--stays"):
        reading_of("uid,datetime,lat,lng\n")


def test_the_missing_column_is_named_beside_the_found_ones():
    with pytest.raises(InputError, match="Found: uid, tid, datetime, lat, breite"):
        inspect(upload("uid,tid,datetime,lat,breite\n"))


def test_the_first_record_of_a_file_without_header_is_never_shown():
    with pytest.raises(InputError, match="looks like data") as refused:
        inspect(upload("canary,t1,2024-03-01 10:00:00,52.5,13.4\n"))
    assert "canary" not in str(refused.value)


def test_duplicate_and_empty_names_of_columns_that_are_not_needed_do_no_harm():
    text = "x,x,,uid,tid,datetime,lat,lng\n1,2,3,u,t,2024-03-01 10:00:00,1,2\n"
    assert rows_of(text)[0]["user_id"] == "u"


def test_extra_columns_are_never_decoded():
    table, _ = reading_of("phone," + CANONICAL + "+49 canary," + GOOD)
    assert "canary" not in str(table.to_pylist())


def test_a_vehicle_is_never_a_user():
    assert not inspect(upload(BIKE_OLD)).has_users
    with pytest.raises(InputError, match="a vehicle is not a user"):
        inspect(upload(CANONICAL.replace("user_id", "bikeid")), {"user_id": "bikeid"})


def test_one_role_can_be_given_to_another_column():
    text = "uid,tid,datetime,lat,breite\nu,t,2024-03-01 10:00:00,1,2\n"
    assert inspect(upload(text), {"lng": "breite"}).mapping["lng"] == "breite"
    assert rows_of(text, mapping={"lng": "Breite"})[0]["end_lng"] == 2.0


def test_all_roles_can_be_named_for_any_header():
    text = "wer,von,bis,a,b,c,d\n" + GOOD
    mapping = dict(zip(CANONICAL.strip().split(","), ["wer", "von", "bis", "a", "b", "c", "d"], strict=True))
    assert rows_of(text, mapping=mapping) == rows_of(CANONICAL + GOOD)


def test_the_user_is_left_out_only_by_naming_all_other_roles():
    names = CANONICAL.strip().split(",")[1:]
    assert not inspect(upload(CANONICAL), dict(zip(names, names, strict=True))).has_users
    assert inspect(upload(CANONICAL), {"started_at": "started_at"}).has_users
    assert not inspect(upload("x" + CANONICAL)).has_users  # a row is a trip; whose it is, nobody says


@pytest.mark.parametrize(
    ("mapping", "text"),
    [
        ({"lng": "nowhere"}, "unknown column"),
        ({"lng": "lat"}, "column missing: lat"),
        ({"lng": "lat", "lat": "lat"}, "one column for two roles"),
        ({"nonsense": "lat"}, "unknown role.*Roles are uid, tid"),
        ({"started_at": "datetime"}, "columns missing: ended_at"),
        ({"started_at": "datetime", "lat": "lat"}, "do not make up a form"),
    ],
)
def test_impossible_mappings_are_refused(mapping, text):
    with pytest.raises(InputError, match=text):
        inspect(upload(LONG), mapping)


def test_a_column_without_a_name_plays_no_role():
    with pytest.raises(InputError, match="a column without a name"):
        inspect(upload("uid,tid,datetime,lat,\n"), {"lng": ""})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("told", ["", "sep={}\n", '\n"SEP={}"\r\n'])
def test_a_file_of_excel_is_read_whatever_separates_its_fields(separator, told):
    text = (LONG + "ü,7,2024-03-01 10:00:00,52.5,13.4\n").replace(",", separator)
    (row,) = rows_of("\ufeff" + told.format(separator) + text)
    assert (row["user_id"], row["end_lat"]) == ("ü", 52.5)


def test_a_header_that_is_no_utf8_makes_the_file_latin_1_and_no_record_does():
    text = LONG.strip() + ",Größe\nü,7,2024-03-01 10:00:00,52.5,13.4,ß\n"
    (row,) = rows_of(text.encode("latin-1"))
    assert row["user_id"] == "ü"
    with pytest.raises(InputError, match=r"not UTF-8: trips\.csv, line 2"):
        rows_of(text.replace("Größe", "size").encode("latin-1"))


@pytest.mark.parametrize(
    "before",
    ["\n \n" * 8, "sep=,\n" + " \n" * 9, " " * (2**20 - len(LONG) - 2) + "\n"],
    ids=["white space", "sep=", "the first MiB ends in a letter of the record"],
)
def test_no_record_makes_a_file_latin_1_wherever_the_header_stands(before):
    row = "ü,7,2024-03-01 10:00:00,52.5,13.4\n"
    (found,) = rows_of(before + LONG + row)
    assert found["user_id"] == "ü"
    with pytest.raises(InputError, match="not UTF-8"):
        rows_of((before + LONG).encode() + row.encode("latin-1"))


def test_a_second_line_of_excel_is_a_header_for_the_letters_too():
    with pytest.raises(InputError, match="not UTF-8"):  # the header is the second sep=, which is plain
        rows_of(("sep=;\nsep=,\n" + LONG.strip() + ",Größe\n").encode("latin-1"))


def test_attributes_are_known_by_their_names_and_not_read():
    text = (
        CANONICAL.strip()
        + ",Travel Mode,trip_purpose,bikeid,fare_amount,usertype\n"
        + GOOD.strip()
        + ",bus,x,3,1,y\n"
    )
    seen = inspect(upload(text), {"purpose": "usertype"})
    assert seen.attributes == {
        "mode": "Travel Mode",
        "purpose": "usertype",
        "user_type": "usertype",
        "fare": "fare_amount",
    }
    assert seen.needed == seen.mapping
    assert inspect(upload(text)).attributes["purpose"] == "trip_purpose"


def test_a_date_and_a_time_of_day_are_one_time_also_where_the_owner_names_the_date():
    text = "uid,tid,date,time,lat,lng\nu,t,2024-03-01,9:05,1,2\nu,t,2024-03-01 00:00:00,10:00:00,1,2\n"
    for mapping in (None, {"datetime": "date"}):
        seen = inspect(upload(text), mapping)
        assert (dict(seen.clocks), seen.mapping["datetime"]) == ({"datetime": "time"}, "date")
        (row,) = rows_of(text, mapping=mapping)
        assert row["end_us"] - row["start_us"] == 55 * 60_000_000
    whole = text.replace("date,time", "datetime,time of day")
    assert not inspect(upload(whole)).clocks


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("LINESTRING (13.4 52.5, 9 9, 13.5 52.6)", (52.5, 13.4, 52.6, 13.5)),
        ('{"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}}, {"geometry": {"type": "Point", "coordinates": [3, 4, 0]}}]}', (2, 1, 4, 3)),
        ("MultiLineString(" + ", ".join(["(1 2, 3 4)"] * 900) + ")", (2, 1, 4, 3)),
        ("", None),
        ("POINT (1 2)", False),
        ("LINESTRING (13.4 52.5, 13.5 100)", False),
    ],
)  # fmt: skip
def test_the_ends_of_a_line_are_those_of_a_trip_and_a_point_is_no_line(line, ends):
    text = "user;started_at;finished_at;geom\nu;2024-03-01 10:00;2024-03-01 10:30;" + line + "\n"
    table, report = reading_of(text, drop=True)
    assert report.dropped_records == (ends is False)
    for row in table.to_pylist():
        found = tuple(row[name] for name in ("start_lat", "start_lng", "end_lat", "end_lng"))
        assert (found if row["complete"] else None) == ends


def test_a_number_that_may_be_a_day_and_its_hour_is_no_unix_time():
    text = "uid,tid,datetime,lat,lng\n" + "".join(
        f"u,{at},{at},1,1\n" for at in (1709287200, 2024030110, 1999123123)
    )
    table, report = reading_of(text, drop=True)
    assert [report.dropped_records, table.num_rows] == [2, 1]
    stamps = pa.array([1709287200, 2024030110, 2024030110123])
    for values in (stamps, stamps.cast(pa.float64())):
        columns = {
            "uid": ["u"] * 3,
            "tid": ["a", "b", "c"],
            "datetime": values,
            "lat": [1.0] * 3,
            "lng": [1.0] * 3,
        }
        assert reading_of(parquet(columns), "t.parquet", drop=True)[1].dropped_records == 2


def test_well_known_binary_in_parquet_is_read_as_text_is():
    columns = {"uid": ["u"] * 3, "tid": ["t"] * 3, "time": [1709287200, 1709287260, 1709287320]}
    wkb = [*shapely.to_wkb(shapely.points([[13.4, 52.5], [13.5, 52.6]])), b"\x01\x07broken"]
    table, report = reading_of(
        parquet(columns | {"geom": pa.array(wkb, pa.binary())}), "t.parquet", drop=True
    )
    (row,) = table.to_pylist()
    assert (row["start_lng"], row["end_lat"], row["end_us"] - row["start_us"]) == (13.4, 52.6, 60_000_000)
    assert [rule.rule for rule in report.dropped] == ["not a point"]
