"""The default plan on the command line: M that follows, districts and the cap of the total, and what is refused."""

from __future__ import annotations

import json
import re

import pytest

from dpcore.release import read_bundle
from tests.command_line.conftest import rows

DECLARED = ("--about-trips", "3000", "--about-users", "340")


@pytest.fixture
def release(run, city, tmp_path):
    """`release` at user level without M, with the words given."""

    def command(*words: object, unit="user"):
        return run(
            *("release", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
            *(
                "--timezone",
                "Europe/Berlin",
                "--privacy-unit",
                unit,
                "--epsilon",
                "1",
                "--out",
                tmp_path / "out",
            ),
            *("--ledger", tmp_path / "ledger.db", "--dataset", "city", "--yes", *words),
        )

    return command


def test_m_follows_from_declared_numbers_and_is_said(release, tmp_path):
    code, _, err = release(*DECLARED)
    assert code == 0, err
    plan = read_bundle(tmp_path / "out").plan
    assert f"note: --max-trips {plan.bound.max_trips}, for which the estimates are expected to be best" in err
    assert re.search(
        r"note: expected: \d[\d,to ]* of 30 tiles known; of 100 visits, [\d, to]+ lie in them\n", err
    )
    assert re.search(r"note: (Of 100 visits, .* lie in tiles|No tile of [\d,]+ is) known within 25 %", err)
    assert "trips_per_weekday" in plan.weights  # without dates it follows from nothing
    assert "od_districts" not in plan.weights  # 30 tiles are too few


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (DECLARED, "Flows between tiles would be bought from ε "),
        (DECLARED[:2], "Declare about how many trips and people there are."),
        (("--measures", "visits_per_tile"), ""),
    ],
)
def test_a_plan_without_flows_says_what_it_would_take_to_buy_them(release, words, said):
    code, _, err = release("--max-trips", "8", *words)
    assert code == 0, err
    assert said in err
    assert ("between tiles" in err) is bool(said)


@pytest.mark.parametrize("words", [(), DECLARED[:2], DECLARED[2:]])
def test_m_is_needed_where_people_or_trips_are_not_declared(release, tmp_path, words):
    code, out, err = release(*words)
    assert (code, out) == (2, "")
    assert "contribution bound must be a whole number" in err
    assert not (tmp_path / "out").exists()


def test_districts_and_the_cap_are_chosen_by_option(run, release, tmp_path):
    code, _, err = release(
        "--max-trips", "4", "--districts", "3", "--most-trips", "50", "--measures", "od_districts,total_trips"
    )
    assert code == 0, err
    choices = read_bundle(tmp_path / "out").plan.choices
    assert choices.districts.names == ("1", "2", "3")
    assert choices.most_trips == 50
    told = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["command"]
    assert "--districts 3" in told
    assert "--most-trips 50" in told
    flows = rows(run("table", tmp_path / "out", "od_districts")[1])
    assert {row["origin"] for row in flows} == {"1", "2", "3", "outside"}


def test_without_districts_there_are_no_flows_between_them(release, tmp_path):
    own = ("--max-trips", "4", *DECLARED)
    code, _, err = release(*own, "--districts", "none")
    assert code == 0, err
    plan = read_bundle(tmp_path / "out").plan
    assert "od_districts" not in plan.weights
    assert plan.choices.districts is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--districts", "own"), "the tiles have no districts of their own: --districts own"),
        (("--districts", "1"), "there cannot be so many districts"),
        (("--districts", "31"), "there cannot be so many districts"),
        (("--districts", "many"), "give a number of districts, own or none"),
        (("--most-trips", "0"), "the cap on trips of a person"),
        (
            ("--districts", "none", "--measures", "od_districts"),
            "flows between districts are asked for and left out",
        ),
        (("--weights", "od_flows=2"), "this is not a weight of a chosen measure"),
    ],
)
def test_districts_and_caps_that_cannot_be_are_refused(release, tmp_path, words, said):
    code, out, err = release("--max-trips", "4", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "out").exists()


def test_tiles_that_are_each_a_district_of_their_own_are_refused(release, city, tmp_path):
    tiles = json.loads((city / "tiles.geojson").read_text(encoding="utf-8"))
    for number, feature in enumerate(tiles["features"]):
        feature["properties"]["district"] = f"district {number}"
    (tmp_path / "own.geojson").write_text(json.dumps(tiles), encoding="utf-8")
    code, _, err = release("--max-trips", "4", "--tiles", tmp_path / "own.geojson", "--districts", "own")
    assert code == 2
    assert "every tile is a district of its own, which groups nothing" in err


def test_own_districts_of_the_tiles_are_taken(run, release, city, tmp_path):
    tiles = json.loads((city / "tiles.geojson").read_text(encoding="utf-8"))
    for number, feature in enumerate(tiles["features"]):
        feature["properties"]["district"] = "north" if number % 3 else "south"
    (tmp_path / "own.geojson").write_text(json.dumps(tiles), encoding="utf-8")
    code, _, err = release("--max-trips", "4", "--tiles", tmp_path / "own.geojson")
    assert code == 0, err
    assert "note: 2 districts" in err
    assert read_bundle(tmp_path / "out").plan.choices.districts.names == ("north", "south")
    code, out, _ = run(
        *("exact", "od_districts", "--trips", city / "trips.parquet", "--tiles", tmp_path / "own.geojson"),
        *("--timezone", "Europe/Berlin"),
    )
    assert code == 0
    assert {row["origin"] for row in rows(out)} == {"north", "south", "outside"}


def test_flows_of_tiles_are_one_option_away(release, tmp_path):
    assert release("--max-trips", "4", "--measures", "od_flows,visits_per_tile")[0] == 0
    assert [*read_bundle(tmp_path / "out").plan.weights] == ["od_flows", "visits_per_tile"]
