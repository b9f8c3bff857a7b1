"""What the command line says of options that play no part, and of files that hold nothing."""

from __future__ import annotations

import re

import pytest

from dpcore.command_line.main import main
from dpcore.release import read_bundle
from tests.command_line.conftest import city_in, ran


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    return city_in(tmp_path_factory.mktemp("city"), trips=1000, tiles=20)


@pytest.fixture
def run(capsys, city, tmp_path):
    """A command on the trips of the city; `release` with the usual options."""

    def command(name: str, *words: object, trips="trips.parquet") -> tuple[int, str, str]:
        place = trips if isinstance(trips, type(tmp_path)) else city / trips
        usual = ("--trips", place, "--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin")
        paying = ("--epsilon", "1", "--out", tmp_path / "out", "--ledger", tmp_path / "ledger.db")
        return ran(capsys, name, *words, *usual, *(paying if name == "release" else ()))

    return command


USER = ("--privacy-unit", "user", "--max-trips", "3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--about-trips", "3000"), "declared numbers have no effect on this plan"),
        (("--about-users", "30"), "declared numbers have no effect on this plan"),
        (("--step", "week"), "no effect on trips_per_hour: --step"),
        (("--windows", "6,18"), "no effect on trips_per_hour: --windows"),
        (("--bins", "travel_time=0:60:5"), "no effect on trips_per_hour: --bins travel_time"),
        (("--districts", "3", "--most-trips", "9"), "no effect on trips_per_hour: --districts, --most-trips"),
    ],
)
def test_an_option_that_plays_no_part_is_said(run, words, said):
    code, _, err = run("release", "--measures", "trips_per_hour", *USER, *words)
    assert code == 0, err
    assert f"note: {said}\n" in err


def test_options_that_play_their_part_are_not_mentioned(run):
    dated = ("--dates", "2024-04-01/2024-04-28", "--step", "week")
    code, _, err = run("release", "--measures", "trips_over_time", *USER, *dated)
    assert code == 0
    assert "no effect" not in err
    code, _, err = run("exact", "trips_per_weekday", "--step", "week")
    assert (code, err) == (0, "note: no effect on trips_per_weekday: --step\n")
    assert run("exact", "travel_time", "--bins", "travel_time=0:60:5")[2] == ""


def test_the_note_of_even_weights_names_that_of_the_summaries(run):
    code, _, err = run(
        *("release", "--measures", "travel_time,od_flows,five_numbers", "--weights", "even", *USER),
        *("--about-trips", "1000", "--about-users", "300"),
    )
    assert code == 0, err
    assert re.search(r"note: weights travel_time=\d+,od_flows=\d+,five_numbers=50\n", err)


def test_nothing_cannot_be_declared(run):
    code, _, err = run("release", *USER, "--weights", "even", "--about-trips", "0")
    assert code == 2
    assert "error: this declares no trips: --about-trips." in err


def test_a_file_without_records_is_said(run, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text("user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n", encoding="utf-8")
    code, out, err = run("exact", "trips_per_weekday", trips=empty)
    assert code == 0
    assert err == "note: there are no records in empty.csv, only a header\n"
    assert {line.rpartition(",")[2] for line in out.splitlines()[1:]} == {"0"}


def test_a_file_without_records_is_said_among_others_too(run, city, tmp_path):
    folder = tmp_path / "months"
    folder.mkdir()
    (folder / "1.csv").write_bytes((city / "trips.csv").read_bytes())
    header = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
    (folder / "2.csv").write_text(header, encoding="utf-8")
    code, _, err = run("exact", "trips_per_weekday", trips=folder)
    assert code == 0
    assert err == "note: there are no records in 2.csv, only a header\n"


def test_who_stops_a_command_reads_one_line(run, monkeypatch):
    def stop(*_words, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpcore.api.owner.load", stop)
    code, out, err = run("exact", "trips_per_weekday")
    assert (code, out, err) == (130, "", "stopped: nothing half-done is left behind\n")


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        (
            "travel_time=0:60:7",
            "travel_time: LAST minus FIRST is not a multiple of WIDTH",
        ),
        ("travel_time=60:0:5", "travel_time: give rising edges"),
        ("travel_time=0:a:5", "travel_time: give rising edges"),
        ("travel_time=0:60:0", "travel_time: give rising edges"),
        ("travel_time", "write MEASURE=EDGES"),
        ("travel_time=5,3", "these are not edges of bins: edges of travel_time"),
        ("jump_length=a", "these are not edges of bins: edges of jump_length"),
        ("mobility_entropy=0.5,1,2", "an edge lies where no value can: edges of mobility_entropy"),
        ("trips_per_user=-1,5", "an edge lies where no value can: edges of trips_per_user"),
        ("radius_of_gyration=-0.5,5", "an edge lies where no value can: edges of radius_of_gyration"),
        ("jump_length=-1,5", "an edge lies where no value can: edges of jump_length"),
        ("user_tile_count=-2,5", "an edge lies where no value can: edges of user_tile_count"),
        ("travel_time=-5,5", "an edge lies where no value can: edges of travel_time"),
    ],
)
def test_bad_bins_name_their_measure_and_what_is_wrong(run, bins, said):
    code, _, err = run("exact", bins.partition("=")[0], "--bins", bins)
    assert code == 2
    assert said in err


def test_gaps_may_be_negative_and_entropy_may_be_one(run):
    assert run("exact", "user_time_delta", "--bins", "user_time_delta=-2,0,2")[0] == 0
    assert run("exact", "mobility_entropy", "--bins", "mobility_entropy=0,0.5,1")[0] == 0


def test_too_large_a_bound_says_the_limit(run):
    code, _, err = run("exact", "od_flows", "--privacy-unit", "user", "--max-trips", "10001")
    assert code == 2
    assert "a whole number from 1 to 10,000" in err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--title", "x" * 2_000), 2),
        (("--part", "north"), 2),
        (("--nonce", " "), 2),
        (("--measures", "trips_over_time"), 2),
        (("--total-budget", "0.5"), 3),
        (("--account-unit", "user", "--privacy-unit", "trip"), 2),
    ],
)
def test_a_release_that_is_refused_opens_no_account(run, capsys, tmp_path, words, code):
    unit = () if "--privacy-unit" in words else USER
    found, _, err = run("release", "--measures", "trips_per_hour", *unit, *words)
    assert found == code, err
    if (tmp_path / "ledger.db").exists():
        assert main(["ledger", "entries", str(tmp_path / "ledger.db")]) == 0
        assert "register" not in capsys.readouterr().out


def test_a_bound_on_people_where_there_are_none_opens_no_account(run, capsys, tmp_path):
    rides = tmp_path / "rides.csv"
    rides.write_text(
        "ride_id,rideable_type,started_at,ended_at,start_station_name,start_station_id,end_station_name,end_station_id,"
        "start_lat,start_lng,end_lat,end_lng,member_casual\n"
        "1,bike,2024-04-01 08:00:00,2024-04-01 09:00:00,a,1,b,2,52.5,13.4,52.5,13.4,member\n",
        encoding="utf-8",
    )
    code, _, err = run("release", "--measures", "visits_per_tile", *USER, "--yes", trips=rides)
    assert code == 2, err
    assert main(["ledger", "entries", str(tmp_path / "ledger.db")]) == 0
    assert "register" not in capsys.readouterr().out
    code, _, err = run(
        "release", "--measures", "visits_per_tile", "--privacy-unit", "trip", "--yes", trips=rides
    )
    assert code == 0, err  # no account of people stands in its way


@pytest.mark.parametrize("about", [(), ("--about-trips", "2000", "--about-users", "200")])
def test_a_release_with_even_weights_says_them(run, tmp_path, about):
    measures = ("--measures", "visits_per_tile,trips_per_weekday,trips_per_hour")
    code, _, err = run("release", *measures, *USER, "--weights", "even", "--dataset", "city", *about)
    assert code == 0, err
    assert "note: weights visits_per_tile=" in err
    weights = read_bundle(tmp_path / "out").plan.weights
    assert weights["visits_per_tile"] > weights["trips_per_weekday"]
