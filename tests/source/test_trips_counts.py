"""A row that is a number of trips is refused by the name of its column; an owner who declares that each row is one trip loads it."""

from __future__ import annotations

import time

import pytest
from reading_of import CANONICAL, GOOD, LONG, reading_of, upload

from dpcore.command_line import main
from dpcore.errors import InputError
from dpcore.private.source import inspect

COUNTS = (
    "trips", "Trips", "flow", "Flows", "count", "Counts", "num_trips", "N_trips", "nb trips", "number of trips", "No. of trips",
    "# of trips", "Trip Count", "total", "Total Trips", "trips_total", "all-trips", "volume", "trips_2019", "avg_trips", "daily trips",
    "od_flow", "odTrips", "person_trips", "visitor_flows", "ridership", "journeys", "ride_count", "Commuters", "S000", "OBS_VALUE",
    "All categories: Method of travel to work", "viajes", "Anzahl Fahrten", "trips (all)", "trips_n", "trips_AM_peak", "count(trip_id)",
    "Trips (000s)", "Trips/day", "trips_expanded", "persons_trips", "Flow (persons)", "count_star()", "COUNT(*)", "ride_id_count", "n_taps",
    "rented_bike_count", "sum", "num_records", "row_count", "hires", "boardings", "uid_count", "trips_hbw", "Fahrten_gesamt", "건수", "件数", "bookings", "Anzahl Ausleihen", "Núm. viajes", "liczba przejazdów", "antal turer", "出行次数",
    "flow_value", "hits", "throughput", "quantidade", "trips_jan", "veh_trips", "Fahrtenzahl", "AADT",
)  # fmt: skip
"""Names of columns that say it whatever stands beside them."""
DOUBTFUL = ("value", "passengers", "persons", "users", "size", "unique_users", "users_count")
"""Names that say it only where a row names neither a person nor a trip."""
OF_ROWS = ("n", "N", "records", "entries", "taps", "devices")
"""Names that say it where no id of a trip stands beside them."""
NO_COUNTS = (
    "passenger_count", "total_amount", "Trip Total", "trip_number", "trip_no", "journey_no", "Number", "bike number", "Total duration",
    "Trips Pooled", "trip_type", "Number of stopovers", "trip_miles", "order", "weight",
    "row_number", "record_id", "transaction_id", "hour_of_day", "number of changes", "check_in", "numero_viaje", "country", "discount", "bus",
)  # fmt: skip
ENDS = "started_at,ended_at,start_tile,end_tile"
WORDS = r"a row is a number of trips, not a trip: trips\.csv, column .*hiding one row hides nobody.*--column '?one_trip="


@pytest.mark.parametrize("name", COUNTS)
def test_a_column_that_counts_trips_is_refused_in_every_form(name):
    for header in (ENDS, CANONICAL.strip(), LONG.strip(), "uid,datetime,lat,lng", "origin,destination"):
        with pytest.raises(InputError, match=WORDS) as refused:
            inspect(upload(f'{header},"{name}"\n'))
        assert name in str(refused.value)
        assert refused.value.options == {"--column one_trip"}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_doubtful_name_counts_trips_only_where_a_row_is_nobodys(name):
    with pytest.raises(InputError, match=WORDS):
        inspect(upload(f"{ENDS},{name}\n"))
    for own in ("user_id", "ride_id", "trip_id"):
        assert inspect(upload(f"{own},{ENDS},{name}\n")).layout == "trips"


@pytest.mark.parametrize("name", OF_ROWS)
def test_rows_of_a_person_two_places_and_a_number_are_sums_too(name):
    for own in ("", "user_id,"):
        with pytest.raises(InputError, match=WORDS):
            inspect(upload(f"{own}{ENDS},{name}\n"))
    assert inspect(upload(f"user_id,trip_id,{ENDS},{name}\n")).layout == "trips"


@pytest.mark.parametrize("name", NO_COUNTS)
def test_what_the_field_writes_of_one_trip_loads(name):
    assert inspect(upload(f"{ENDS},{name}\n")).form == "trips between tiles, without users"


@pytest.mark.parametrize("cell", ["1", "25", "", "x"])
def test_an_owner_declares_that_each_row_is_one_trip_and_no_cell_decides(cell):
    text = f"{CANONICAL.strip()},count\n{GOOD.strip()},{cell}\n"
    with pytest.raises(InputError, match=WORDS):
        reading_of(text)
    rows, report = reading_of(text, mapping={"one_trip": "count"})
    assert (rows.num_rows, report.notes) == (1, ())


def test_modes_side_by_side_are_numbers_of_trips_unless_a_row_has_an_id():
    with pytest.raises(InputError, match=r"columns car, bus\."):
        inspect(upload(f"{ENDS},car,bus\n"))
    assert inspect(upload(f"trip_id,{ENDS},car,bus\n")).layout == "trips"


@pytest.mark.parametrize("word", ["n", "obs", "trips", "count", "0s", "people", "visit", "inout", "unique"])
def test_a_long_name_is_told_at_once(word):
    began = time.thread_time()
    assert inspect(upload(f"{ENDS},{(word * 80)[:79]}x\n")).layout == "trips"
    assert time.thread_time() - began < 2


def test_a_column_with_a_role_counts_nothing():
    seen = inspect(upload("started_at,ended_at,count,total\n"), {"start_tile": "count", "end_tile": "total"})
    assert seen.mapping["start_tile"] == "count"


@pytest.mark.parametrize("name", ["weight", "trip_weight", "WTTRDFIN", "expansion factor"])
def test_a_weight_of_a_survey_is_not_used_and_that_is_said(name):
    seen = inspect(upload(f"{CANONICAL.strip()},{name}\n"))
    assert seen.notes == (f"column {name}: weights are not used, each row counts as one trip",)


def test_the_command_refuses_and_loads_with_the_option_that_it_names(tmp_path, city, capsys):
    place = tmp_path / "od.csv"
    place.write_text(f"{ENDS},trips\n2024-03-01 08:00,2024-03-01 08:20,A,B,25\n")
    words = ["exact", "od_flows", "--trips", str(place), "--tiles", str(city), "--timezone", "Europe/Berlin"]
    assert main(words) == 2
    assert "--column one_trip=trips" in capsys.readouterr().err
    assert main([*words, "--column", "one_trip=trips"]) == 0
    assert capsys.readouterr().out.split() == ["origin,destination,value", "A,B,1"]


@pytest.fixture
def city(tmp_path):
    place = tmp_path / "tiles.csv"
    place.write_text(
        'tile_id,wkt\nA,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\nB,"POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))"\n'
    )
    return place
