"""Attributes and groups of one's own from the command line: ``synth roy``, ``synth groups`` and ``synth sweep``."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.command_line.conftest import rows, unseen

TRIP = ("--privacy-unit", "trip")
WEEK = ("--dates", "2011-07-28/2011-08-03")
STATIONS = {"23": 0, "24": 1, "36": 2}
OWN = (
    *("--attribute", "birth=1930:2000:1", "--column", "birth=birth_date", "--attribute", "bike=A,B"),
    *("--column", "bike=bike_nr", "--draw", "birth,bike"),
)
GROUPS = ("--together", "zip,user_type,gender", "--together", "gender+birth=3", "--measure", "start+bike")


@pytest.fixture(scope="module")
def hubway(tmp_path_factory):
    """Trips in the form of the challenge of 2013: women ride A, men B; casual riders have neither zip, gender nor birth."""
    place, rng = tmp_path_factory.mktemp("hubway"), np.random.default_rng(1)
    lines = [
        "seq_id,hubway_id,status,duration,start_date,strt_statn,end_date,end_statn,bike_nr,subsc_type,zip_code,birth_date,gender"
    ]
    for number in range(1_500):
        start, stop = rng.choice([*STATIONS], 2)
        day = rng.choice(["7/28/2011", "7/29/2011", "8/1/2011"])
        hour, minutes = int(rng.integers(6, 22)), int(rng.integers(5, 40))
        woman, casual = rng.random() < 0.3, start == "36"
        year = int(rng.integers(1975, 1990)) if woman else int(rng.integers(1950, 1965))
        who = "Casual,,," if casual else f"Registered,'02139,{year},{'Female' if woman else 'Male'}"
        lines.append(
            f"{number},{number},Closed,{60 * minutes},{day} {hour}:00:00,{start},{day} {hour}:{minutes:02}:00,{stop},"
            f"{'A' if woman else 'B'},{who}"
        )
    (place / "hubway_trips.csv").write_text("\n".join(lines), encoding="utf-8")
    features = [
        {
            "type": "Feature",
            "properties": {"tile_id": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]],
            },
        }
        for name, x in STATIONS.items()
    ]
    tiles = json.dumps({"type": "FeatureCollection", "features": features})
    (place / "stations.geojson").write_text(tiles, encoding="utf-8")
    (place / "zips.txt").write_text("02139\n02140\n", encoding="utf-8")
    return place


@pytest.fixture
def synth(run, hubway):
    def command(kind, *words: object):
        files = ("--trips", hubway / "hubway_trips.csv", "--tiles", hubway / "stations.geojson")
        return run("synth", kind, *files, "--timezone", "America/New_York", *words)

    return command


@pytest.fixture
def released(synth, hubway, tmp_path):
    """What the command gave, and the bundle."""
    people = ("--attributes", "user_type,gender", "--zips", hubway / "zips.txt")
    code, out, err = synth(
        *("roy", *WEEK, *TRIP, "--epsilon", "9", *people, *OWN, *GROUPS, "--bands", "60,120"),
        *("--out", tmp_path / "out", "--ledger", tmp_path / "ledger.db"),
    )
    assert code == 0, err
    assert "charged 9, left 1" in out
    assert "1,500 of 1,500 trips lie within what is counted" in err
    return tmp_path / "out"


def test_riders_of_hubway_keep_gender_type_age_and_bike_by_the_groups_of_the_owner(run, released):
    told = json.loads((released / "manifest.json").read_bytes())
    assert [table["name"] for table in told["tables"]][3:] == [
        *("band+duration", "start+zip", "bike", "zip+user_type+gender", "gender+birth", "start+bike")
    ]
    assert {table["sensitivity"] for table in told["tables"]} == {1}
    assert told["method"]["together"] == ["zip+user_type+gender=2", "gender+birth=3"]
    bands = rows((released / "tables" / "band-duration.csv").read_text(encoding="utf-8"))
    assert {row["band"] for row in bands} == {"same place", "60 to 120 km", "120 to inf km"}
    assert "--together gender,birth=3" in told["command"]
    assert "--bands 60,120" in told["command"]
    assert run("verify", released)[0] == 0
    made = pq.read_table(released / "trips.parquet").to_pandas()
    women, men = (made[made["gender"] == one]["birth"].mean() for one in ("female", "male"))
    assert 1978 < women < 1986
    assert 1953 < men < 1961
    assert made[made["user_type"] == "Casual"]["birth"].isna().mean() > 0.8
    assert made["birth"].dropna().between(1930, 2000).all()
    assert set(made["bike"].dropna()) <= {"A", "B", "other"}


def test_synthetic_trips_load_with_the_attributes_that_they_were_drawn_with(run, released, hubway):
    code, out, err = run(
        *("synth", "sweep", "--trips", released / "trips.parquet", "--tiles", hubway / "stations.geojson"),
        *("--timezone", "America/New_York", *WEEK, "--attribute", "birth=1930:2000:1", "--draw", "birth"),
        *("--runs", "2", "--epsilons", "9", "--mode", "sound", "--outliers", "pair"),
    )
    assert code == 0, err
    assert "note: no effect on the mode sound: --outliers\n" in err
    birth = {row["metric"]: row for row in rows(out) if row["table"] == "Birth"}
    assert float(birth["EMD"]["mean"]) < 5


def test_groups_are_proposed_from_a_release_and_from_what_is_declared(run, released):
    code, out, err = run("synth", "groups", released, "--declare", "hour+bike=0.3")
    assert code == 0, err
    told = {row["attributes"]: row for row in rows(out)}
    assert told["gender+birth"]["proposed"] == "yes"
    assert float(told["gender+birth"]["association"]) > 0.5
    assert told["start+bike"]["proposed"] == ""
    assert (told["hour+bike"]["source"], told["hour+bike"]["proposed"]) == ("declared", "yes")
    assert "--together gender,birth" in err
    assert "--together hour,bike" in err
    code, out, err = run("synth", "groups", "--declare", "mode+hour=0.3", "--declare", "mode,fare=0.05")
    assert code == 0, err
    assert [row["proposed"] for row in rows(out)] == ["yes", ""]
    assert err == "note: --together hour,mode\n"


def test_where_no_group_is_proposed_each_association_has_its_reason(run):
    code, _, err = run("synth", "groups", "--declare", "mode+hour=0.05", "--declare", "mode,fare=0.02")
    assert code == 0, err
    assert err == "note: no group is proposed; associations weaker than 0.1: 2\n"
    _, _, err = run("synth", "groups", "--declare", "hour+start=0.7")
    assert err == "note: no group is proposed; associations used by the usual tables anyway: 1\n"


def test_a_sweep_has_both_modes_all_tables_and_one_mean(synth, tmp_path):
    out = tmp_path / "private" / "sweep.csv"
    code, printed, err = synth(
        *("sweep", *WEEK, "--attributes", "gender", "--runs", "2", "--epsilons", "0.1,0.9", "--out", out)
    )
    assert (code, printed) == (0, "")
    assert "for your eyes only" in err
    assert (
        "note: mode paper leaves out trips more than 3 IQR beyond the quartiles of all trips (ours, the nearest to its words)\n"
        in err
    )
    assert "AvRLE 0.06 to 0.30 (sigma 0.003 to 0.015); EMD 0.06 to 0.99" in err
    assert oct(out.stat().st_mode)[-3:] == "600"
    found = rows(out.read_text(encoding="utf-8"))
    assert {row["mode"] for row in found} == {"sound", "paper"}
    assert {row["epsilon"]: row["price"] for row in found if row["mode"] == "paper"} == {
        "0.1": "0.2",  # four tables: flows, times, durations, gender
        "0.9": "1.8",
    }
    of_days = [row for row in found if row["table"] == "Days" and row["metric"] == "EMD"]
    assert len(of_days) == 4
    assert {row["in"] for row in of_days} == {"days"}
    assert len([row for row in found if row["table"] == "Mean of all tables"]) == 4 * 4
    assert not (tmp_path / "ledger.db").exists()


ROY = ("roy", *WEEK, *TRIP, "--epsilon", "1")
REFUSED = {
    "an attribute that was not declared": (*ROY, "--draw", "mode"),
    "a declared attribute whose column is not there": (*ROY, "--attribute", "mode=a,b", "--draw", "mode"),
    "a group of one": (*ROY, "--together", "hour"),
    "a group of what is not drawn": (*ROY, "--together", "start,gender"),
    "a group that draws nothing": (*ROY, "--together", "start,end"),
    "a table that is paid for already": (*ROY, "--measure", "start+hour"),
    "a weight that is none": (*ROY, "--together", "hour,duration=much"),
    "steps that fall": (*ROY, "--bands", "2,1"),
    "steps that are none": (*ROY, "--bands", "near"),
    "an attribute with the name of a rider's": (
        *(*ROY, "--attributes", "gender", "--attribute", "gender=Male,Female", "--draw", "gender"),
    ),
    "a sweep of one run": ("sweep", *WEEK, "--runs", "1"),
    "a sweep without dates": ("sweep",),
    "a sweep of no epsilon": ("sweep", *WEEK, "--epsilons", ""),
    "a sweep of people who have no name": ("sweep", *WEEK, "--max-trips", "3"),
    "a rule for outliers that is none": ("sweep", *WEEK, "--outliers", "all"),
    "a mode that is none": ("sweep", *WEEK, "--mode", "good"),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_bad_input_ends_with_two_and_one_line(synth, tmp_path, words):
    ends = () if words[0] == "sweep" else ("--out", tmp_path / "out", "--ledger", tmp_path / "ledger.db")
    code, out, err = synth(*words, *ends)
    assert (code, out) == (2, ""), err
    assert re.search(r"^error: [^:]+: .+\. .+\n\Z", err, re.MULTILINE), err
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "ledger.db").exists()
    assert unseen()


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("nowhere",),
        ("--declare", "mode=0.3"),
        ("--declare", "mode+hour=2"),
        ("--declare", "mode+mode=0.3"),
        ("--declare", "mode+hour=0.3", "--at-least", "-1"),
    ],
)
def test_groups_from_nothing_are_refused(run, words):
    code, out, err = run("synth", "groups", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
