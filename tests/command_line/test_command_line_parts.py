"""Large counts by mode, on weeks apart and by zones of stops, from the command line to the bundle."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta

import pyarrow.parquet as pq
import pytest

import dpcore
from tests.command_line.conftest import rows

STOPS = [f"S{number}" for number in range(8)]
MODES = ["bus", "train", "ferry", "lightrail"]
MODES_OPTION = ("--parts", f"mode={','.join(MODES)}")
WEEKS = ("--dates", "2024-04-01/2024-04-21", "--skip-dates", "2024-04-08/2024-04-14")
ERROR = re.compile(r"(note: .+\n)*error: [^:]+: .+\. .+\n")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Trips of four modes and of others in three weeks, between stops that are known by their ids."""
    folder = tmp_path_factory.mktemp("opal")
    lines = ["uid,started_at,ended_at,start_tile,end_tile,mode"]
    for number in range(20_000):
        mode = [*MODES, "tram", ""][number % 6]
        day = date(2024, 4, 1) + timedelta(days=number // 6 % 21)
        start, end = STOPS[number // 126 % 8], STOPS[number // 7 % 8]
        lines.append(f"u{number % 900},{day} 08:00:00,{day} 08:20:00,{start},{end},{mode}")
    (folder / "trips.csv").write_text("\n".join(lines), encoding="utf-8")
    features = [
        {
            "type": "Feature",
            "properties": {"tile_id": stop},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]],
            },
        }
        for x, stop in enumerate(STOPS)
    ]
    (folder / "tiles.geojson").write_text(
        json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8"
    )
    zones = ["tile_id,zone", *(f"{stop},{2000 + number // 4}" for number, stop in enumerate(STOPS))]
    (folder / "zones.csv").write_text("\n".join(zones), encoding="utf-8")
    return folder


@pytest.fixture
def synth(run, place, tmp_path):
    def command(*words, unit=("--privacy-unit", "trip"), epsilon="8", out="bundle"):
        return run(
            *("synth", "stability", "--trips", place / "trips.csv", "--tiles", place / "tiles.geojson"),
            *("--timezone", "Australia/Sydney", *unit, "--epsilon", epsilon, "--out", tmp_path / out),
            *("--ledger", tmp_path / "ledger.db", "--dataset", "cards", *words),
        )

    return command


def manifest(tmp_path, name="bundle"):
    return json.loads((tmp_path / name / "manifest.json").read_bytes())


def test_modes_on_two_weeks_apart_are_56_parts_with_the_published_thresholds_and_one_charge(
    run, synth, tmp_path
):
    code, out, err = synth("--variant", "opal", *MODES_OPTION, *WEEKS)
    assert code == 0, err
    assert "charged 4 and delta 3/4000000, left 6" in out
    told = manifest(tmp_path)
    assert told["parts"]["columns"] == ["mode", "date"]
    assert len(told["parts"]["listed"]) == 56
    assert [one["threshold"] for one in told["tables"]] == [34, 34, 34, 34, 18, 18]
    assert "56 parts (mode x date)" in told["statements"]["relations"][-1]
    shown = rows((tmp_path / "bundle" / "tables" / "on_time.csv").read_text(encoding="utf-8"))
    assert {row["mode"] for row in shown} == {*MODES}
    days = {row["date"] for row in shown}
    assert days == {f"2024-04-{day:02d}" for day in (*range(1, 8), *range(15, 22))}
    assert min(int(row["value"]) for row in shown) >= 34
    assert run("verify", tmp_path / "bundle")[0] == 0
    trips = pq.read_table(tmp_path / "bundle" / "trips.parquet")
    assert {*trips["mode"].to_pylist()} <= {*MODES}
    assert re.search(r"for your eyes only: ([0-9,]+) of 20,000 trips lie within", err)
    readme = (tmp_path / "bundle" / "README.md").read_text(encoding="utf-8")
    assert "other days are left out, and so are 2024-04-08 to 2024-04-14" in readme
    assert "Attributes of trips, from public lists: mode" in readme
    question = "on_time = 08:00, mode = ferry, date = 2024-04-15"
    (answer,) = rows(run("ask", tmp_path / "bundle", question)[1])
    assert (answer["mode"], answer["date"]) == ("ferry", "2024-04-15")
    assert len(rows(run("ask", tmp_path / "bundle", "on_time = 08:00, mode = ferry")[1])) == 14
    assert "no such part was released" in run("ask", tmp_path / "bundle", "on_time = 08:00, mode = tram")[2]


def test_the_command_of_a_bundle_makes_the_same_choices_again(synth, place, tmp_path):
    zones = ("--zones", place / "zones.csv")
    assert synth("--variant", "opal", *MODES_OPTION, *WEEKS, *zones)[0] == 0
    words = manifest(tmp_path)["command"].split()
    kept = words[words.index("--dates") : words.index("--dataset")]
    again = [place / "zones.csv" if word == "ZONES" else word for word in kept]
    assert synth(*again, "--nonce", "again", out="again")[0] == 0
    assert manifest(tmp_path, "again")["method"] == manifest(tmp_path)["method"]


def test_people_are_hidden_over_all_parts_together(synth, tmp_path):
    unit = ("--privacy-unit", "user", "--max-trips", "6")
    code, out, err = synth(*MODES_OPTION, *WEEKS, unit=unit)
    assert code == 0, err
    assert "charged 8 and delta 1/1000000, left 2" in out
    assert "the noise hides 6 trips of a person over all parts together" in str(
        manifest(tmp_path)["statements"]
    )


def test_stops_become_postcodes_whose_tiles_are_those_of_the_bundle(run, synth, place, tmp_path):
    words = ("--zones", place / "zones.csv", "--combinations", "on_loc,off_loc", *MODES_OPTION)
    code, _, err = synth(*words)
    assert code == 0, err
    shown = rows((tmp_path / "bundle" / "tables" / "on_loc.csv").read_text(encoding="utf-8"))
    assert {row["on_loc"] for row in shown} == {"2000", "2001"}
    tiles = json.loads((tmp_path / "bundle" / "tiles.geojson").read_bytes())
    assert [one["properties"]["tile_id"] for one in tiles["features"]] == ["2000", "2001"]
    assert run("verify", tmp_path / "bundle")[0] == 0
    release = dpcore.read_bundle(tmp_path / "bundle")
    assert {*dict(release.plan.zones)} == {*STOPS}
    files = (
        "--trips",
        tmp_path / "bundle" / "trips.parquet",
        "--tiles",
        tmp_path / "bundle" / "tiles.geojson",
    )
    found = rows(run("exact", "visits_per_tile", *files, "--timezone", "Australia/Sydney")[1])
    assert {row["tile_id"]: int(row["value"]) > 0 for row in found}["2001"]


def test_stops_that_one_side_lacks_are_refused_or_outside(synth, place, tmp_path):
    short = tmp_path / "short.csv"
    text = (place / "zones.csv").read_text(encoding="utf-8").replace("S7,2001", "S9,2001")
    short.write_text(text, encoding="utf-8")
    usual = ("--combinations", "on_loc", "--zones", short)
    code, _, err = synth(*usual)
    assert (code, bool(ERROR.fullmatch(err))) == (2, True), err
    assert "1 lines name no tile: short.csv, first: line 9" in err
    assert synth(*usual, "--unzoned", "outside")[0] == 0
    shown = rows((tmp_path / "bundle" / "tables" / "on_loc.csv").read_text(encoding="utf-8"))
    assert {row["on_loc"] for row in shown} == {"2000", "2001", "UNKNOWN"}


REFUSED = {
    "numbers": ("--parts", "fare=0:100:0.01"),
    "the same attribute twice": ("--parts", "mode=bus", "--parts", "mode=train"),
    "a column of a table": ("--parts", "on_loc=a,b"),
    "a day": ("--parts", "date=a,b"),
    "no list": ("--parts", "mode="),
    "a list with other": ("--parts", "mode=bus,other"),
    "an attribute that no column has": ("--parts", "colour=red"),
    "a category that was not kept": ("--attribute", "mode=bus", "--parts", "mode=train"),
    "a formula": ("--parts", "mode=bus,=1+1"),
    "a tag": ("--parts", "mode=bus,<b>train</b>"),
    "a sign that nobody sees": ("--parts", "mode=bus,tr\u200bain"),
    "days left out of none": ("--skip-dates", "2024-04-02/2024-04-03"),
    "all days left out": ("--dates", "2024-04-01/2024-04-07", "--skip-dates", "2024-04-01/2024-04-07"),
    "no file of zones": ("--zones", "nowhere.csv"),
    "too many parts": (*MODES_OPTION, "--dates", "1990-01-01/1999-12-31"),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_bad_parts_and_zones_end_with_two_and_one_line_and_nothing_is_spent(synth, tmp_path, words):
    code, out, err = synth(*words)
    assert (code, out) == (2, ""), err
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "bundle").exists()
    ledger = tmp_path / "ledger.db"
    assert not ledger.exists() or not dpcore.accounts(dpcore.open_ledger(ledger)).size


def test_a_category_with_a_comma_is_a_part_of_its_own(run, synth, tmp_path):
    code, _, err = synth("--parts", 'mode=bus,"ferry, fast (new)"', "--combinations", "on_time")
    assert code == 0, err
    assert manifest(tmp_path)["parts"]["listed"] == [["bus"], ["ferry, fast (new)"]]
    assert run("verify", tmp_path / "bundle")[0] == 0
