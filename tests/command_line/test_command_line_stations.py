"""Stations on the command line: a public table for tiles, trips by the ids in it."""

from __future__ import annotations

import csv
import io

import pytest

from dpcore.tiles import read_tessellation
from tests.command_line.conftest import ran as run

ZONE = ("--timezone", "America/New_York")
STATIONS = "id;terminal;station;lat;lng\r" + "".join(
    f"{number};X{number};Station {number};42.{350 + number};-71.1\r" for number in range(3, 8)
)
TRIPS = "start_date,strt_statn,end_date,end_statn,subsc_type,zip_code,gender\r" + "".join(
    f"9/{day}/2012 8:00:00,{3 + day % 5}.0,9/{day}/2012 8:30:00,{3 + day % 2},Registered,'02139,Male\r"
    for day in range(1, 11)
)
RIDES = (
    "starttime,stoptime,start station id,start station latitude,start station longitude,end station id,"
    "end station latitude,end station longitude,bikeid,usertype,gender\n"
    + "2012-09-01 08:00:00,2012-09-01 08:30:00,3,42.353,-71.1,4,42.3537,-71.1,9,Subscriber,1\n"
    * 3
)


@pytest.fixture
def place(tmp_path):
    for name, text in {"stations.csv": STATIONS, "hubway_trips.csv": TRIPS, "rides.csv": RIDES}.items():
        (tmp_path / name).write_text(text, newline="")
    return tmp_path


def visits(capsys, place, trips, *options):
    code, out, err = run(
        *(capsys, "exact", "visits_per_tile", "--trips", place / trips, "--tiles", place / "stations.csv"),
        *(*ZONE, *options),
    )
    assert code == 0, err
    assert "note: each tile holds the places nearest to its station" in err
    return {row["tile_id"]: int(row["value"]) for row in csv.DictReader(io.StringIO(out))}


def test_hubway_trips_are_counted_at_their_stations(capsys, place):
    found = visits(capsys, place, "hubway_trips.csv")
    assert found == {"3": 7, "4": 7, "5": 2, "6": 2, "7": 2, "outside": 0}
    assert visits(capsys, place, "hubway_trips.csv", "--by-station") == found


def test_rides_are_counted_by_coordinates_or_by_station(capsys, place):
    # they end nearer to station 4 than to 3, at more than 50 m
    assert visits(capsys, place, "rides.csv")["4"] == 3
    assert visits(capsys, place, "rides.csv", "--station-radius", "20")["outside"] == 3
    assert visits(capsys, place, "rides.csv", "--station-radius", "20", "--by-station")["outside"] == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ("--station-radius", "5"),
            "error: the radius of a station's tile is out of range: station radius. Give 10",
        ),
        (("--station-radius", "wide"), "invalid float value"),
        (("--tile-id", "terminals"), "there is no property"),
    ],
)
def test_what_cannot_be_is_refused(capsys, place, options, text):
    code, out, err = run(
        *(capsys, "exact", "visits_per_tile", "--trips", place / "rides.csv"),
        *("--tiles", place / "stations.csv", *ZONE, *options),
    )
    assert (code != 0, out) == (True, "")
    assert text in err


def test_a_file_without_stations_cannot_be_counted_by_them(capsys, place):
    (place / "trips.csv").write_text("uid,tid,datetime,lat,lng\n")
    code, _, err = run(
        *(capsys, "exact", "visits_per_tile", "--trips", place / "trips.csv"),
        *("--tiles", place / "stations.csv", *ZONE, "--by-station"),
    )
    assert code != 0
    assert "error: the file has no ids of stations: trips.csv. Leave --by-station out." in err


def test_trips_between_stations_are_released_and_their_tiles_come_back(capsys, place):
    out = place / "bundle"
    code, _, err = run(
        *(capsys, "release", "--trips", place / "hubway_trips.csv", "--tiles", place / "stations.csv", *ZONE),
        *("--privacy-unit", "trip", "--epsilon", "1", "--dates", "2012-09-01/2012-09-30", "--out", out),
        *("--dataset", "hubway", "--ledger", place / "ledger.db"),
    )
    assert code == 0, err
    assert run(capsys, "verify", out)[0] == 0
    here = place / "stations.csv"
    assert (
        read_tessellation(out / "tiles.geojson", "tiles.geojson").digest
        == read_tessellation(here, here.name).digest
    )


def test_a_command_keeps_declared_attributes_whether_it_counts_by_station_or_not(capsys, place):
    kept = ("--attribute", "user_type=Subscriber", "--attribute", "ride=0:5:0.5", "--column", "ride=bikeid")
    for station in ((), ("--by-station",)):
        assert visits(capsys, place, "rides.csv", *kept, *station) == visits(
            capsys, place, "rides.csv", *station
        )
    strange = ("--attribute", "user_type=Customer", "--attribute", "fare=0:9:1", "--column", "fare=usertype")
    files = ("--trips", place / "rides.csv", "--tiles", place / "stations.csv", *ZONE)
    code, _, err = run(capsys, "exact", "visits_per_tile", *files, *strange[2:])
    assert code == 0, err
    assert "note: values of fare that are no number, counted as missing: 3, which are most. " in err
    for words, told in (
        (
            strange,
            "one column for a role and an attribute, or for two attributes: rides.csv, column usertype",
        ),
        (("--attribute", "mode=bus"), "no column holds the attribute mode: rides.csv"),
        (
            ("--attribute", "mode=" + ",".join(map(str, range(10_000)))),
            "10,000 categories, the limit is 1,000",
        ),
        (("--attribute", "mode"), "not an attribute: --attribute"),
    ):
        code, _, err = run(capsys, "exact", "visits_per_tile", *files, *words)
        assert code == 2
        assert f"error: {told}" in err
