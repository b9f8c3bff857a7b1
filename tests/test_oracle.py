"""Exact answers against a second, independent program's (kept beside the project)."""

from __future__ import annotations

import csv
import io
import json

import pytest

from dpcore.api import owner
from dpcore.command_line.main import main
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import ENGINES
from dpcore.tiles import read_tessellation
from tests import engines

BINNED = {
    "travel_time": ("per_trip", "travel_time_min"),
    "jump_length": ("per_trip", "jump_length_km"),
    "user_time_delta": ("per_trip", "gap_before_h"),
    "trips_per_user": ("per_user", "n_trips"),
    "radius_of_gyration": ("per_user", "radius_of_gyration_km"),
    "user_tile_count": ("per_user", "user_tile_count"),
    "mobility_entropy": ("per_user", "mobility_entropy"),
}
FILES = {
    "trips_over_time": ("date",),
    "trips_per_weekday": ("weekday",),
    "trips_per_hour": ("kind", "day_type", "hour"),
    "visits_per_tile": ("tile_id",),
    "visits_per_time_tile": ("day_type", "window", "tile_id"),
    "od_flows": ("origin", "destination"),
}


def rows(text: str, keys: tuple[str, ...]) -> dict[tuple[str, ...], int]:
    return {tuple(row[k] for k in keys): int(row["value"]) for row in csv.DictReader(io.StringIO(text))}


def exact(capsys, shared, measure, *more) -> str:
    code = main(
        [
            *("exact", measure, "--trips", str(shared("oracle-mini/trips.csv"))),
            *("--tiles", str(shared("oracle-mini/tiles.geojson")), "--timezone", "Europe/Berlin", *more),
        ]
    )
    assert code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("measure", "keys"), FILES.items())
def test_every_count_is_the_expected_one(capsys, shared, measure, keys):
    expected = shared(f"oracle-mini/expected/{measure}.csv").read_text(encoding="utf-8")
    printed = exact(capsys, shared, measure)
    assert printed.splitlines()[0] == ",".join([*keys, "value"])
    assert rows(printed, keys) == rows(expected, keys)


def test_trips_per_user_counts_every_user_of_the_expected_list_in_its_bin(capsys, shared):
    with shared("oracle-mini/expected/per_user.csv").open(encoding="utf-8") as listed:
        trips = [int(row["n_trips"]) for row in csv.DictReader(listed)]
    printed = exact(capsys, shared, "trips_per_user")
    assert printed.splitlines()[0] == "bin_start,bin_end,value"
    bins = rows(printed, ("bin_start", "bin_end"))
    assert bins == {(low, high): sum(float(low) <= n < float(high) for n in trips) for low, high in bins}
    assert sum(bins.values()) == len(trips) == 60
    bounded = exact(capsys, shared, "trips_per_user", "--privacy-unit", "user", "--max-trips", "1")
    assert bounded == printed  # it is there to choose the bound, so no bound touches it


@pytest.mark.parametrize(("measure", "expected"), BINNED.items())
def test_every_value_of_the_expected_list_is_counted_in_its_bin(capsys, shared, measure, expected):
    file, column = expected
    with shared(f"oracle-mini/expected/{file}.csv").open(encoding="utf-8") as listed:
        values = [float(row[column]) for row in csv.DictReader(listed) if row[column]]
    printed = exact(capsys, shared, measure)
    assert printed.splitlines()[0] == "bin_start,bin_end,value"
    bins = rows(printed, ("bin_start", "bin_end"))
    edges = [float(low) for low, _ in bins] + [float("inf")]
    assert len(bins) >= 10
    assert edges[0] == -float("inf")
    assert edges == sorted(set(edges))  # half open, without a gap
    assert [float(high) for _, high in bins] == edges[1:]
    # nothing lies so near to an edge that the nine decimals of the list could be read either way
    assert all(value % 1 == 0 or abs(value - edge) > 1e-6 for value in values for edge in edges[1:-1])
    assert bins == {(low, high): sum(float(low) <= x < float(high) for x in values) for low, high in bins}
    whole = {"user_time_delta": 240}.get(measure, {"per_trip": 300, "per_user": 60}[file])
    assert sum(bins.values()) == len(values) == whole


def test_the_numbers_of_people_trips_and_records_are_the_expected_ones(capsys, shared):
    counts = json.loads(shared("oracle-mini/expected/counts.json").read_text(encoding="utf-8"))
    assert rows(exact(capsys, shared, "ds_statistics"), ("statistic",)) == {
        ("users",): counts["n_users"],
        ("trips",): counts["n_trips"],
        ("records",): counts["n_records"],
        ("complete_trips",): counts["n_trips"],
        ("incomplete_trips",): 0,
    }
    kept = exact(capsys, shared, "ds_statistics", "--privacy-unit", "user", "--max-trips", "5")
    trips = counts["trips_kept_at_M"]["5"]
    assert [*rows(kept, ("statistic",)).values()] == [counts["n_users"], trips, 2 * trips, trips, 0]


def test_no_field_is_empty(capsys, shared):
    fields = rows(exact(capsys, shared, "missing_values"), ("column",))
    assert fields == dict.fromkeys([("uid",), ("tid",), ("datetime",), ("lat",), ("lng",)], 0)


def test_gaps_are_those_between_all_trips_and_a_bound_only_leaves_some_out(capsys, shared):
    every = rows(exact(capsys, shared, "user_time_delta"), ("bin_start", "bin_end"))
    bounded = ("--privacy-unit", "user", "--max-trips", "5")
    kept = rows(exact(capsys, shared, "user_time_delta", *bounded), ("bin_start", "bin_end"))
    assert all(kept[key] <= every[key] for key in every)
    assert 0 < sum(kept.values()) < sum(every.values())


def test_distances_cannot_be_told_from_zone_ids(capsys, shared, tmp_path):
    file = tmp_path / "zones.csv"
    file.write_text(
        "user_id,started_at,ended_at,start_tile,end_tile\nu,2024-04-01 08:00:00,2024-04-01 09:00:00,T01,T04\n",
        encoding="utf-8",
    )
    tiles = str(shared("oracle-mini/tiles.geojson"))
    found = {}
    for measure in MEASURES:
        asked = ["exact", measure, "--trips", str(file), "--tiles", tiles, "--timezone", "Europe/Berlin"]
        asked += ["--districts", "2"] if MEASURES[measure].needs_districts else []
        found[measure] = main(asked)
        said = capsys.readouterr()
        assert found[measure] == 0 or "no coordinates" in said.err
    assert {name for name, code in found.items() if code} == {"jump_length", "radius_of_gyration"}


def test_users_cannot_be_counted_in_a_file_without_any(capsys, shared, tmp_path):
    file = tmp_path / "nobody.csv"  # bike share: no user column
    file.write_text(
        "ride_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
        "1,2024-04-01 08:00:00,2024-04-01 09:00:00,52.5,13.4,52.5,13.4\n",
        encoding="utf-8",
    )
    tiles = str(shared("oracle-mini/tiles.geojson"))
    code = main(
        ["exact", "trips_per_user", "--trips", str(file), "--tiles", tiles, "--timezone", "Europe/Berlin"]
    )
    assert code == 2
    assert "no user column" in capsys.readouterr().err


@pytest.mark.parametrize(("max_trips", "trips"), [(1, 60), (2, 91), (5, 156), (10, 231), (20, 282)])
def test_bounding_keeps_the_expected_number_of_trips(capsys, shared, max_trips, trips):
    printed = exact(capsys, shared, "od_flows", "--privacy-unit", "user", "--max-trips", str(max_trips))
    assert sum(rows(printed, ("origin", "destination")).values()) == trips


def test_both_engines_count_the_same(shared):
    tiles = read_tessellation(shared("oracle-mini/tiles.geojson"), "tiles.geojson")
    file = owner.TripsFile.on_disk(shared("oracle-mini/trips.csv"))
    trips = owner.load(file, owner.inspect(file), tiles, timezone="Europe/Berlin")
    measures = [*MEASURES.values()]
    for bound in (ContributionBound.per_trip(), ContributionBound.per_user(1), ContributionBound.per_user(5)):
        compiled, sql = (engines.count(bounded(trips, bound), measures, engine) for engine in ENGINES)
        for name in MEASURES:
            assert compiled[name].tolist() == sql[name].tolist(), (name, bound)


def test_a_public_period_counts_other_days_under_before_and_after(capsys, shared):
    printed = rows(exact(capsys, shared, "trips_over_time", "--dates", "2024-04-02/2024-04-27"), ("date",))
    assert (printed["before",], printed["2024-04-02",], printed["after",]) == (12, 10, 6)
    assert len(printed) == 28


def test_the_same_answers_come_from_the_cache_and_from_the_file(capsys, shared):
    first = exact(capsys, shared, "visits_per_tile")
    assert exact(capsys, shared, "visits_per_tile") == first
    assert exact(capsys, shared, "visits_per_tile", "--no-cache") == first


def test_a_second_load_counts_nothing_again(shared, monkeypatch):
    tiles = read_tessellation(shared("oracle-mini/tiles.geojson"), "tiles.geojson")

    def load():
        file = owner.TripsFile.on_disk(shared("oracle-mini/trips.csv"))
        return owner.load(file, owner.inspect(file), tiles, timezone="Europe/Berlin")

    before = owner.exact_table(load(), "od_flows", ContributionBound.per_user(5))
    monkeypatch.setattr("dpcore.private.engine.compiled.counting.count_rows", None)
    monkeypatch.setattr("dpcore.private.loading.read", None)
    assert owner.exact_table(load(), "od_flows", ContributionBound.per_user(5)) == before
