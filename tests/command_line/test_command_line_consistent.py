"""Agreeing tables and even weights from the command line."""

from __future__ import annotations

import pytest

from dpcore.release import read_bundle, write_bundle
from tests.command_line.conftest import rows
from tests.release.made_releases import made_release

WEIGHTS = {
    "ds_statistics": 2,
    "trips_per_weekday": 1,
    "trips_per_hour": 2,
    "visits_per_tile": 3,
    "visits_per_time_tile": 3,
    "od_flows": 3,
    "user_time_delta": 1,
}


@pytest.fixture
def bundle(tmp_path):
    write_bundle(made_release(weights=WEIGHTS, period=None), tmp_path / "bundle")
    return tmp_path / "bundle"


def total(table, **keys):
    return sum(float(row["value"]) for row in table if all(row[name] == text for name, text in keys.items()))


def test_printed_tables_agree_at_every_rung_and_files_stay(run, bundle):
    before = {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()}
    for epsilon in ("0.5", "2"):
        tables = {}
        for measure in WEIGHTS:
            code, out, err = run("table", bundle, measure, "--epsilon", epsilon, "--consistent")
            assert code == 0, err
            tables[measure] = rows(out)
            drawn = rows(run("table", bundle, measure, "--epsilon", epsilon)[1])
            assert [list(row)[:-2] for row in drawn] == [list(row)[:-2] for row in tables[measure]]
            assert ("as drawn" in err) == (measure == "user_time_delta")
        trips = total(tables["ds_statistics"], statistic="trips")
        assert total(tables["trips_per_weekday"]) == pytest.approx(trips, abs=1e-3)
        assert total(tables["visits_per_time_tile"]) == pytest.approx(trips, abs=1e-3)
        assert total(tables["trips_per_hour"], kind="end") == pytest.approx(trips, abs=1e-3)
        complete = total(tables["ds_statistics"], statistic="complete_trips")
        assert total(tables["od_flows"]) == pytest.approx(complete, abs=1e-3)
        for tile in ("A", "outside"):
            visits = total(tables["visits_per_tile"], tile_id=tile)
            parts = total(tables["od_flows"], origin=tile) + total(
                tables["visits_per_time_tile"], tile_id=tile
            )
            assert visits == pytest.approx(parts, abs=1e-3)
    assert {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()} == before


def test_half_widths_are_those_of_the_estimate(run, bundle):
    drawn = rows(run("table", bundle, "ds_statistics")[1])
    agreed = rows(run("table", bundle, "ds_statistics", "--consistent")[1])
    of = {row["statistic"]: float(row["half_width_95"]) for row in agreed}
    was = {row["statistic"]: float(row["half_width_95"]) for row in drawn}
    assert of["trips"] < 0.8 * was["trips"]
    assert of["users"] >= was["users"]  # nothing else in this release tells how many people there are


def test_what_the_release_does_not_hold_is_refused(run, bundle):
    code, out, err = run("table", bundle, "travel_time", "--consistent")
    assert (code, out) == (2, "")
    assert err.startswith("error: unknown measure in this release")
    assert run("table", bundle, "od_flows", "--consistent", "--epsilon", "7")[0] == 2


@pytest.mark.parametrize("about", [(), ("--about-trips", "2000", "--about-users", "200")])
def test_a_release_with_even_weights_says_them(run, tmp_path, about):
    city = tmp_path / "city"
    assert run("demo", "--trips", "2000", "--tiles", "20", "--seed", "3", "--out", city)[0] == 0
    code, _, err = run(
        *("release", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
        *("--timezone", "Europe/Berlin", "--privacy-unit", "user", "--max-trips", "5", "--epsilon", "1"),
        *("--ledger", tmp_path / "ledger.db", "--dataset", "city", "--out", tmp_path / "bundle"),
        *("--measures", "visits_per_tile,trips_per_weekday,trips_per_hour", "--weights", "even", *about),
    )
    assert code == 0, err
    assert "note: weights visits_per_tile=" in err
    weights = read_bundle(tmp_path / "bundle").plan.weights
    assert weights["visits_per_tile"] > weights["trips_per_weekday"]
