"""The command line as other tools rely on it: codes, forms of errors, where things go."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys

import pytest

from dpcore.errors import AtlasError
from dpcore.measures import MEASURES
from tests.command_line.conftest import ran as run

ERROR = re.compile(r"error: [^:]+: .+\. .+")


def test_the_demo_city_answers_every_measure(capsys, city):
    twice, other = (
        {"trips_per_hour", "visits_per_tile"},
        {"ds_statistics", "missing_values", "user_time_delta", "incomplete_trips"},
    )
    for measure in MEASURES:
        code, out, err = run(
            *(capsys, "exact", measure, "--trips", city / "trips.parquet"),
            *("--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin"),
        )
        assert (code, err) == (0, "")
        values = [int(row["value"]) for row in csv.DictReader(io.StringIO(out))]
        if not MEASURES[measure].counts_users and measure not in other:
            assert sum(values) == (6000 if measure in twice else 3000)


def files_of(city):
    """The files of a city, as a command takes them."""
    tiles = ("--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin")
    return ("--trips", city / "trips.parquet", *tiles)


def test_several_measures_are_counted_together_and_written_to_files(capsys, city, tmp_path):
    asked = ("visits_per_tile", "od_districts", "five_numbers", "visits_per_tile")
    code, out, err = run(capsys, "exact", *asked, *files_of(city), "--out", tmp_path)
    assert (code, out, err) == (0, "", "")
    assert sorted(one.stem for one in tmp_path.iterdir()) == sorted({*asked})
    for measure in asked:
        assert (tmp_path / f"{measure}.csv").read_text() == run(capsys, "exact", measure, *files_of(city))[1]


def test_several_measures_are_not_printed_as_one_table(capsys, city):
    code, out, err = run(capsys, "exact", "od_flows", "visits_per_tile", *files_of(city))
    assert (code, out) == (2, "")
    assert err == "error: several tables cannot be printed as one: command exact. Add --out DIR.\n"
    code, out, err = run(capsys, "exact", "od_flows", "visits", *files_of(city))
    assert (code, out) == (2, "")
    assert "unknown measure" in err


def test_csv_and_parquet_are_the_same_city(capsys, city):
    common = ("--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin")
    answers = [
        run(capsys, "exact", "od_flows", "--trips", city / name, *common)[1]
        for name in ("trips.csv", "trips.parquet")
    ]
    assert answers[0] == answers[1]


def test_a_table_can_go_to_a_folder(capsys, city, tmp_path):
    code, out, _ = run(
        *(capsys, "exact", "trips_per_weekday", "--trips", city / "trips.parquet"),
        *("--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin", "--out", tmp_path / "tables"),
    )
    assert (code, out) == (0, "")
    assert (
        (tmp_path / "tables" / "trips_per_weekday.csv")
        .read_text(encoding="utf-8")
        .startswith("weekday,value\n0,")
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required"),
        (["exakt"], "invalid choice"),
        (["exact"], "required"),
        (["demo", "--trips", "many", "--seed", "1", "--out", "x"], "--trips"),
        (["demo", "--trips", "0", "--seed", "1", "--out", "x"], "trips"),
        (["exact", "visits"], "required"),
        (["exact", "visits", "--trips", "T", "--tiles", "G"], "visits_per_tile"),
        (["exact", "od_flows", "--trips", "gone.csv", "--tiles", "gone.geojson"], "gone.geojson"),
        (["exact", "od_flows", "--trips", "gone.csv", "--tiles", "TILES"], "gone.csv"),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES"], "time zone"),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--timezone", "Mars"], "Mars"),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--max-trips", "5"], "--privacy-unit"),
        (
            [
                "exact",
                "od_flows",
                "--trips",
                "TRIPS",
                "--tiles",
                "TILES",
                "--privacy-unit",
                "user",
                "--max-trips",
                "0",
            ],
            "bound",
        ),
        (
            [
                "exact",
                "od_flows",
                "--trips",
                "TRIPS",
                "--tiles",
                "TILES",
                "--timezone",
                "UTC",
                "--out",
                "TRIPS",
            ],
            "--out",
        ),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--privacy-unit", "user"], "bound"),
        (
            ["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--privacy-unit", "day"],
            "user or trip",
        ),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--dates", "2024"], "--dates"),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--times", "noon"], "day-first"),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--column", "uid"], "ROLE=NAME"),
        (["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--column", "hue=a"], "unknown role"),
        (
            [
                "exact",
                "od_flows",
                "--trips",
                "TRIPS",
                "--tiles",
                "TILES",
                "--column",
                "uid=a",
                "--column",
                "uid=b",
            ],
            "given twice",
        ),
        (
            ["exact", "od_flows", "--trips", "TRIPS", "--tiles", "TILES", "--dates", "2024-02-01/2024-01-01"],
            "period",
        ),
    ],
)
def test_bad_input_ends_with_code_2_and_one_line_that_helps(capsys, city, arguments, words):
    places = {"TRIPS": city / "trips.csv", "TILES": city / "tiles.geojson"}
    code, out, err = run(capsys, *(places.get(a, a) for a in arguments))
    assert (code, out) == (2, "")
    assert words in err.splitlines()[0]
    assert all(map(ERROR.fullmatch, err.splitlines()))
    files_gone = "gone.csv" in arguments and "gone.geojson" in arguments
    assert len(err.splitlines()) == 1 + files_gone  # what is wrong with trips and tiles is told at once


def test_an_unknown_fault_names_its_place_and_no_value(capsys, monkeypatch):
    def broken(*_arguments):
        raise RuntimeError("canary 52.123")

    monkeypatch.setattr("dpcore.demo.write_city", broken)
    code, _, err = run(capsys, "demo", "--trips", "5", "--seed", "1", "--out", "x")
    assert code == 1
    assert "canary" not in err
    assert "RuntimeError in test_command_line.py" in err


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "dpcore", "--help"], check=True, capture_output=True, text=True
    )
    assert "exact" in done.stdout


def test_errors_read_as_what_where_mend():
    assert str(AtlasError("a", "b", "C.")) == "a: b. C."


def test_forget_deletes_what_was_loaded(capsys, city, own_home):
    arguments = ("--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson", "--timezone", "UTC")
    assert run(capsys, "exact", "od_flows", *arguments)[0] == 0
    assert list((own_home / "private" / "cache").iterdir())
    assert run(capsys, "forget")[0] == 0
    assert not (own_home / "private" / "cache").exists() or not list(
        (own_home / "private" / "cache").iterdir()
    )
    assert (own_home / "private" / "keys" / "bounding.key").exists()
