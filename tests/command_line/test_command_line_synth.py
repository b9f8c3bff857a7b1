"""Synthetic releases from the command line, as other tools rely on them: options, exit codes, what is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from tests.command_line.conftest import rows, unseen
from tests.conftest import ROOT

ERROR = re.compile(r"(note: .+\n)*error: [^:]+: .+\. .+\n")
DATES = ("--dates", "2024-03-04/2024-03-31")


@pytest.fixture(scope="module")
def city(city_of_twelve):
    return city_of_twelve


@pytest.fixture
def synth(run, city, tmp_path):
    """`synth` with the usual options, which the words given may override or add to."""

    def command(
        kind, *words: object, out="bundle", epsilon="8", unit=("--privacy-unit", "user", "--max-trips", "5")
    ):
        return run(
            *("synth", kind, "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
            *("--timezone", "Europe/Berlin", *unit, "--epsilon", epsilon, "--out", tmp_path / out),
            *("--ledger", tmp_path / "books" / "ledger.db", "--dataset", "city", *words),
        )

    return command


def test_trips_are_written_with_a_manifest_and_load_back(run, synth, city, tmp_path):
    code, out, err = synth("roy", *DATES, "--holidays", "2024-03-08")
    assert code == 0, err
    assert re.search(r"^release city-3-[0-9a-f]{6}$", out, re.MULTILINE)
    assert "charged 8, left 2" in out
    assert "--nonce" in err
    bundle = tmp_path / "bundle"
    told = json.loads((bundle / "manifest.json").read_bytes())
    assert (told["privacy"]["unit"], told["privacy"]["max_trips"]) == ("user", 5)
    assert told["privacy"]["epsilon"]["exact"] == "8/1"
    assert told["method"]["holidays"] == ["2024-03-08"]
    assert run("verify", bundle)[0] == 0
    assert run("verify", bundle, "--ledger", tmp_path / "books" / "ledger.db")[0] == 0
    files = (
        "--trips",
        bundle / "trips.parquet",
        "--tiles",
        city / "tiles.geojson",
        "--timezone",
        "Europe/Berlin",
    )
    code, out, err = run("exact", "visits_per_tile", *files)
    assert code == 0, err
    assert (
        sum(int(row["value"]) for row in rows(out)) == 2 * pq.read_metadata(bundle / "trips.parquet").num_rows
    )
    days = rows(run("exact", "trips_over_time", *files)[1])
    assert days[0]["date"] >= "2024-03-04"
    assert days[-1]["date"] <= "2024-04-01"  # a trip counts on the day on which it ends


def test_large_counts_are_written_and_delta_is_charged(run, synth, tmp_path):
    code, out, err = synth(
        "stability", "--delta", "1/1000000", "--minutes", "60", "--combinations", "on_loc,off_loc"
    )
    assert code == 0, err
    assert "charged 8 and delta 1/1000000, left 2" in out
    bundle = tmp_path / "bundle"
    told = json.loads((bundle / "manifest.json").read_bytes())
    assert told["privacy"]["delta"]["exact"] == "1/1000000"
    threshold = told["tables"][0]["threshold"]
    shown = rows((bundle / "tables" / "on_loc.csv").read_text(encoding="utf-8"))
    assert shown
    assert all(int(row["value"]) >= threshold for row in shown)
    assert [row["on_loc"] for row in shown] == sorted(row["on_loc"] for row in shown)
    ends = rows((bundle / "tables" / "off_loc.csv").read_text(encoding="utf-8"))
    counted = sum(int(row["value"]) for row in (*shown, *ends))
    assert pq.read_metadata(bundle / "trips.parquet").num_rows == counted
    assert run("verify", bundle)[0] == 0
    files = (
        "--trips",
        bundle / "trips.parquet",
        "--tiles",
        bundle / "tiles.geojson",
        "--timezone",
        "Europe/Berlin",
    )
    assert run("exact", "visits_per_tile", *files)[0] == 0


@pytest.mark.parametrize("variant", ["opal", "tight", "add-remove"])
def test_a_charge_of_half_the_epsilon_says_why(synth, variant):
    code, out, err = synth(
        "stability", "--variant", variant, "--combinations", "on_loc,off_loc", unit=("--privacy-unit", "trip")
    )
    assert code == 0, err
    halved = variant != "add-remove"
    assert f"charged {4 if halved else 8} and delta" in out
    why = "epsilon 8 is the promise where one trip is replaced by another. Accounts count one trip added or removed, and for that the "
    assert (f"note: {why}same noise costs epsilon 4\n" in err) == halved


def test_parts_by_date_are_printed_whole_and_the_usual_delta_is_taken(synth, tmp_path):
    assert synth("stability", "--dates", "2024-03-04/2024-03-06", epsilon="2")[0] == 0
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
    assert told["parts"]["listed"] == [["2024-03-04"], ["2024-03-05"], ["2024-03-06"]]
    assert told["method"]["delta"] == "1/1000000"
    assert told["method"]["variant"] == "user"
    assert len(told["tables"]) == 6


def test_the_same_nonce_costs_once_and_gives_the_same_trips(run, synth, tmp_path):
    words = (*DATES, "--nonce", "monday")
    assert synth("roy", *words, out="a")[0] == synth("roy", *words, out="b")[0] == 0
    one, two = ((tmp_path / name / "trips.parquet").read_bytes() for name in "ab")
    assert one == two
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["spent"] == "8"


def test_the_same_command_names_itself_alike_in_every_process(city, tmp_path):
    """Sets of days have another order in each process; what is asked for has not."""
    found, orders = set(), set()
    for seed in ("1", "2"):
        command = ["synth", "roy", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"]
        command += ["--timezone", "Europe/Berlin", "--privacy-unit", "trip", "--epsilon", "11", *DATES]
        command += ["--holidays", "2024-03-08,2024-03-09,2024-03-10", "--out", tmp_path / "out"]
        command += ["--ledger", tmp_path / "ledger.db", "--dataset", "city"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "EPSILON_ATLAS_HOME": str(tmp_path / "home")}
        order = "from datetime import date; print({date(2024, 3, day) for day in (8, 9, 10)})"
        orders.add(subprocess.check_output([sys.executable, "-c", order], env=environment))
        run = subprocess.run(
            [sys.executable, "-m", "dpcore", *map(str, command)],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 3, run.stderr  # more than there is: nothing is written
        found |= set(re.findall(r"--nonce (\w+)", run.stderr))
    assert len(orders) == 2
    assert len(found) == 1


@pytest.mark.parametrize("delta", ["1/1000000", "3/4000000", "7/10000000"])
def test_every_delta_that_a_manifest_prints_can_be_typed(synth, delta, tmp_path):
    code, _, err = synth("stability", "--delta", delta, "--combinations", "on_loc", epsilon="1")
    assert code == 0, err
    assert f"--delta {delta}" in json.loads((tmp_path / "bundle" / "manifest.json").read_text())["command"]


def test_a_refused_spend_ends_with_three_and_writes_nothing(synth, tmp_path):
    code, out, err = synth("roy", *DATES, epsilon="11")
    assert (code, out) == (3, "")
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "bundle").exists()


TRIP = ("--privacy-unit", "trip")
REFUSED = {
    "no dates": (("roy",), {}),
    "no days": (("roy", "--dates", "2024-03-05/2024-03-04"), {}),
    "no holidays": (("roy", *DATES, "--holidays", "Christmas"), {}),
    "an attribute that is none": (("roy", *DATES, "--attributes", "income"), {}),
    "an attribute that the file lacks": (("roy", *DATES, "--attributes", "gender"), {}),
    "holidays on other days": (("roy", *DATES, "--holidays", "2024-04-01"), {}),
    "an attribute twice": (("roy", *DATES, "--attributes", "gender,gender"), {}),
    "months of one month": (("roy", *DATES, "--by-month"), {}),
    "no list of zips": (("roy", *DATES, "--zips", "nowhere.txt"), {}),
    "months of a short period": (("roy", "--dates", "2024-03-04/2024-03-05", "--by-month"), {}),
    "delta for trips that need none": (("roy", *DATES, "--delta", "0.000001"), {}),
    "epsilon 0": (("roy", *DATES), {"epsilon": "0"}),
    "epsilon beyond": (("roy", *DATES), {"epsilon": "21"}),
    "epsilon that is none": (("roy", *DATES), {"epsilon": "1e-300"}),
    "no unit": (("roy", *DATES), {"unit": ()}),
    "a user without a bound": (("roy", *DATES), {"unit": ("--privacy-unit", "user")}),
    "a trip with a bound": (("roy", *DATES), {"unit": (*TRIP, "--max-trips", "3")}),
    "a trip in an account of users": (("roy", *DATES, "--account-unit", "user"), {"unit": TRIP}),
    "delta 0": (("stability", "--delta", "0"), {}),
    "a delta that is too small to be worked out": (("stability", "--delta", "1/" + "9" * 40), {}),
    "delta 1": (("stability", "--delta", "1"), {}),
    "delta beyond": (("stability", "--delta", "0.001"), {}),
    "delta that is none": (("stability", "--delta", "1/0"), {}),
    "a negative delta": (("stability", "--delta=-0.1"), {}),
    "a negative delta with an exponent": (("stability", "--delta", "-1e-6"), {}),
    "a combination in two orders": (("stability", "--combinations", "on_time+on_loc,on_loc+on_time"), {}),
    "bins of a minute": (("stability", "--minutes", "1"), {}),
    "bins of a day": (("stability", "--minutes", "1440"), {}),
    "columns that are none": (("stability", "--combinations", "on_loc,card_id"), {}),
    "a column twice": (("stability", "--combinations", "on_loc+on_loc"), {}),
    "nothing": (("stability", "--combinations", ""), {}),
    "bins that do not divide a day": (("stability", "--minutes", "7"), {}),
    "a variant for trips": (("stability", "--variant", "opal"), {}),
    "a variant for people": (("stability", "--variant", "user"), {"unit": TRIP}),
    "too many parts": (("stability", "--dates", "1990-01-01/2024-03-31"), {}),
    "another kind": (("trees",), {}),
    "zones of no file": (("stability", "--zones", "nowhere.csv"), {}),
}


@pytest.mark.parametrize(("words", "options"), REFUSED.values(), ids=REFUSED)
def test_bad_input_ends_with_two_and_one_line(synth, tmp_path, words, options):
    code, out, err = synth(*words, **options)
    assert (code, out) == (2, ""), err
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "bundle").exists()
    assert unseen()


@pytest.mark.parametrize("delta", ["1e-99", "-1e-6", "-0.1", "1/0", "0.001"])
def test_a_delta_that_is_refused_is_told_what_may_be_given(synth, delta):
    code, _, err = synth("stability", "--delta", delta)
    assert code == 2
    assert "1e-30 to 0.00001" in err
    assert "expected one argument" not in err


def test_how_many_trips_and_rows_there_are_is_told_to_the_owner(synth):
    code, out, err = synth(
        "stability", "--minutes", "5", "--combinations", "on_time+on_loc+off_loc", epsilon="1"
    )
    assert code == 0, err
    said = r"note: for your eyes only: ([0-9,]+) of 3,000 trips count: those within what is counted, at most"
    assert re.search(said, err)
    assert "0 rows of 1 table reached the threshold" in err
    assert "trips count" not in out
    code, _, err = synth("stability", "--combinations", "on_loc", out="more", epsilon="1")
    assert code == 0, err
    assert re.search(r"note: [1-9][0-9,]* rows of 1 table reached", err)


def test_dates_without_a_trip_are_published_like_any_and_the_owner_is_told(synth):
    code, _, err = synth("roy", "--dates", "2020-03-04/2020-03-05", epsilon="1")
    assert code == 0, err
    assert "note: for your eyes only: 0 of 3,000 trips lie within what is counted" in err
    assert err.index("repeat it with --nonce") < err.index("for your eyes only"), (
        "a run cut short while it counts has one"
    )


def write_tiles(place):
    """Two tiles side by side."""
    boxes = [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]] for x in (0, 1)]
    features = [
        {
            "type": "Feature",
            "properties": {"tile_id": str(number)},
            "geometry": {"type": "Polygon", "coordinates": [box]},
        }
        for number, box in enumerate(boxes)
    ]
    place.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return place


@pytest.mark.parametrize("drop", [(), ("--drop-bad",)])
def test_an_attribute_that_was_not_kept_is_refused_before_anything_is_said(run, tmp_path, drop):
    header = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,user_type,gender,zip"
    lines = [f"u{i},2024-03-04 08:00,2024-03-04 08:20,0.5,0.5,0.5,1.5,casual,1,02139" for i in range(40)]
    (tmp_path / "trips.csv").write_text(
        "\n".join([header, *lines, "u,yesterday,,,,,,,,"][: 42 if drop else 41]), encoding="utf-8"
    )
    write_tiles(tmp_path / "tiles.geojson")
    (tmp_path / "zips.txt").write_text("02139\n", encoding="utf-8")
    common = (
        "--trips",
        tmp_path / "trips.csv",
        "--tiles",
        tmp_path / "tiles.geojson",
        "--timezone",
        "UTC",
        *DATES,
        *drop,
    )
    pay = ("--privacy-unit", "trip", "--epsilon", "1", "--out", tmp_path / "b", "--ledger", tmp_path / "l.db")
    asked = ("--attributes", "user_type,gender", "--zips", tmp_path / "zips.txt")
    for kind, words in (("roy", pay), ("sweep", ())):
        code, out, err = run("synth", kind, *common, *words, *asked)
        assert (code, out) == (2, "")
        assert err.startswith("error: an attribute was not kept when these trips were read: ")
        assert "trips.csv, zip, user_type, gender" in err
        assert "--attribute zip=a,b,c" in err
        assert "--draw zip" in err
    assert not (tmp_path / "l.db").exists()
    way = ("--attribute", "user_type=casual,member", "--attribute", "gender=1,2", "--attribute", "zip=02139")
    code, _, err = run("synth", "roy", *common, *pay, *way, "--draw", "user_type,gender,zip")
    assert code == 0, err


def test_a_list_of_zips_that_are_none_is_refused_by_its_lines(synth, tmp_path):
    (tmp_path / "zips.txt").write_text("=1+1\n02139\n?\n", encoding="utf-8")
    code, _, err = synth("roy", *DATES, "--zips", tmp_path / "zips.txt")
    assert code == 2
    assert "zips.txt, line 1, 3" in err


def test_zips_and_attributes_come_from_public_lists(run, tmp_path):
    (tmp_path / "zips.txt").write_text("02139\n02140\n\n", encoding="utf-8")
    trips = tmp_path / "trips.csv"
    lines = ["started_at,ended_at,start_lat,start_lng,end_lat,end_lng,synthetic_id,zip,user_type"]
    lines += [
        f"2024-03-0{4 + i % 5} 08:00:00,2024-03-0{4 + i % 5} 08:20:00,0.5,0.5,0.5,1.5,{i},02139,Casual"
        for i in range(400)
    ]
    trips.write_text("\n".join(lines), encoding="utf-8")
    tiles = write_tiles(tmp_path / "tiles.geojson")
    code, _, err = run(
        *("synth", "roy", "--trips", trips, "--tiles", tiles, "--timezone", "America/New_York", *TRIP),
        *("--epsilon", "9", "--dates", "2024-03-04/2024-03-08", "--out", tmp_path / "out"),
        *("--zips", tmp_path / "zips.txt", "--attributes", "user_type", "--ledger", tmp_path / "ledger.db"),
    )
    assert code == 0, err
    table = pq.read_table(tmp_path / "out" / "trips.parquet").to_pandas()
    assert set(table["zip"]) <= {"02139", "02140", "other"}
    assert (table["zip"] == "02139").mean() > 0.8
    assert (table["user_type"] == "Casual").mean() > 0.8
    assert ((table["start_tile"] == "0") & (table["end_tile"] == "1")).mean() > 0.9
