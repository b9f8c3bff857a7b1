"""Points on the command line: the rule that cuts them is asked for, charged alike, and said in every bundle."""

from __future__ import annotations

import json
import random

import pytest

import dpcore
from dpcore.errors import PrivacyError
from tests.points_of import some_points

TILES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"tile_id": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[0, south], [2, south], [2, south + 1], [0, south + 1], [0, south]]],
            },
        }
        for name, south in (("A", 0), ("B", 1))
    ],
}


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    """A file of points and its tiles."""
    place, rng = tmp_path_factory.mktemp("points"), random.Random(4)
    rows = [row for user in "uvwxyz" for row in some_points(rng, user, 40)]
    (place / "points.csv").write_text(
        "".join(f"{','.join(row)}\n" for row in [("uid", "datetime", "lat", "lng"), *rows])
    )
    (place / "tiles.geojson").write_text(json.dumps(TILES))
    return place


@pytest.fixture
def ask(run, points, tmp_path):
    """A command with the files of points, a time zone and, for a release, an account."""

    def command(*words, out=None, unit="trip", dataset="points"):
        files = ("--trips", points / "points.csv", "--tiles", points / "tiles.geojson", "--timezone", "UTC")
        if out is None:
            return run("exact", "od_flows", *files, *words)
        bound = ("--max-trips", 3) if unit == "user" else ()
        paid = ("--ledger", tmp_path / "ledger.db", "--dataset", dataset, "--yes", "--out", tmp_path / out)
        asked = ("--privacy-unit", unit, *bound, "--epsilon", "1", "--measures", "visits_per_tile")
        return run("release", *files, *asked, *paid, *words)

    return command


def test_points_are_counted_by_a_rule_and_refused_without_one(ask):
    code, _, err = ask()
    assert (code, "--trip-gap 30min or --stays 200m,20min" in err) == (2, True)
    assert "two rules" in ask("--trip-gap", "30min", "--stays", "200m,20min")[2]
    assert "Leave --engine spark out" in ask("--trip-gap", "30min", "--engine", "spark")[2]
    by_gap, by_stays = (ask(*rule)[1] for rule in (("--trip-gap", "30min"), ("--stays", "200m,20min")))
    assert by_gap.startswith("origin,destination,value\n")
    assert by_gap != by_stays


def test_a_release_says_its_rule_and_an_account_of_trips_keeps_to_one(ask, run, tmp_path):
    code, _, err = ask("--trip-gap", "30min", out="first")
    assert code == 0, err
    assert "note: The trips were cut from points" in err
    manifest = json.loads((tmp_path / "first" / "manifest.json").read_text())
    words = "a trip ends where its person has no point for more than 30 minutes"
    assert manifest["trip_rule"] == "trip-gap 30min"
    assert words in manifest["statements"]["trip_rule"]
    assert words in (tmp_path / "first" / "README.md").read_text()
    assert manifest["command"].endswith("--trip-gap 30min")
    assert run("verify", tmp_path / "first")[0] == 0
    assert str(dpcore.read_bundle(tmp_path / "first").trip_rule.gap_s) == "1800"

    for rule, unit, said in (
        (("--trip-gap", "2h"), "trip", "Its trips: trip-gap 30min. These: trip-gap 2h"),
        (("--trip-gap", "2h"), "user", "cut by another rule"),
        (("--trip-gap", "30min", "--timezone", "Europe/Berlin"), "trip", "cut by another time zone"),
        (("--trip-gap", "30min", "--times", "day-first"), "trip", "lng=lng, uid=uid (day-first)"),
        (("--stays", "200m,20min"), "trip", "cannot be protected one by one"),
        (("--stays", "200m,20min"), "user", "and an account of users"),
    ):
        code, _, err = ask(*rule, out="other", unit=unit)
        assert (code, said in err) == (2, True), err
    assert ask("--trip-gap", "1800s", out="again", unit="user")[0] == 0
    assert ask("--stays", "200m,20min", out="stays", unit="user", dataset="people")[0] == 0
    assert ask("--trip-gap", "2h", out="gap", unit="user", dataset="people")[0] == 0


def test_a_notebook_cuts_alike_and_shows_no_preview_of_single_trips_between_stays(points):
    tiles = dpcore.load_tiles(points / "tiles.geojson")
    trips = dpcore.load_trips(points / "points.csv", tiles, timezone="UTC", stays="200m,20min")
    plan = dpcore.Plan.up_to(dpcore.ContributionBound.per_trip(), {"visits_per_tile": 1}, "1")
    with pytest.raises(PrivacyError, match="one by one"):
        dpcore.preview(trips, plan)
