"""Where trips and tiles are both wrong, commands tell both at once, as far as the trips may be looked at."""

from __future__ import annotations

import pytest

from dpcore.api import owner
from dpcore.command_line import main

GOOD = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
PROJECTED = 'tile_id,wkt\nA,"POLYGON ((5000 0, 5001 0, 5001 1, 5000 0))"\n'  # fmt: skip
TILES, RECORD = "coordinates are outside the globe", "not a time"
BAD = GOOD + "u,yesterday,2024-03-01 10:00,0.5,0.5,0.5,0.5\n"


@pytest.mark.parametrize(
    ("trips", "more", "told", "looked"),
    [
        (GOOD + "u,2024-03-01 09:00,2024-03-01 10:00,0.5,0.5,0.5,0.5\n", "", [TILES], False),
        (GOOD.replace("ended_at", "until"), "", [TILES, "column missing: ended_at"], False),
        (BAD, "", [TILES, RECORD], True),
        (BAD, "--drop-bad", [TILES], False),
        ("uid,tid,stop,lat,lng\nu,0,first,0.5,0.5\n", "--column no_times=stop", [TILES, "not a whole number"], True),
        ("uid,datetime,lat,lng\nu,soon,0.5,0.5\n", "--trip-gap 30min", [TILES, RECORD], True),
    ],
    ids=["trips are good", "a column", "a record", "a record that is left out", "an order", "a point"],
)  # fmt: skip
def test_exact_tells_what_is_wrong_with_trips_and_tiles_at_once(tmp_path, capsys, trips, more, told, looked):
    files = {"trips": tmp_path / "trips.csv", "tiles": tmp_path / "tiles.csv"}
    files["trips"].write_text(trips)
    files["tiles"].write_text(PROJECTED)
    words = [word for name, place in files.items() for word in (f"--{name}", str(place))]
    assert main(["exact", "visits_per_tile", *words, "--timezone", "Europe/Berlin", *more.split()]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(told)
    assert all(words in line for line, words in zip(lines, told, strict=True))
    assert owner.was_seen(owner.fingerprints(owner.trips_files([str(files["trips"])]))) is looked


@pytest.mark.parametrize(
    ("silent", "told"), [("", [TILES, RECORD]), ("--parameters-chosen before_data", [TILES])]
)
def test_a_release_says_nothing_of_records_where_nobody_looked(tmp_path, capsys, silent, told):
    trips, tiles = tmp_path / "trips.csv", tmp_path / "tiles.csv"
    trips.write_text(BAD)
    tiles.write_text(PROJECTED)
    words = [
        "--trips",
        str(trips),
        "--tiles",
        str(tiles),
        "--timezone",
        "Europe/Berlin",
        "--privacy-unit",
        "user",
    ]
    words += [
        "--max-trips",
        "2",
        "--epsilon",
        "1",
        "--dataset",
        "d",
        "--population",
        "p",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(["release", *words, *silent.split()]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [text for text in (TILES, RECORD) if any(text in line for line in lines)] == told
    assert not (tmp_path / "out").exists()
