"""Exact answers against a second, independent program's (kept beside the project)."""

from __future__ import annotations

import csv
import io

import pytest

from dpcore import owner
from dpcore.__main__ import main
from dpcore.privacy import ContributionBound
from dpcore.tessellation import read_tessellation

FILES = {
    "trips_over_time": ("date",),
    "trips_per_weekday": ("weekday",),
    "trips_per_hour": ("kind", "day_type", "hour"),
    "visits_per_tile": ("tile_id",),
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

    before = owner.exact_table(load(), "od_flows", ContributionBound.per_user(5), None)
    monkeypatch.setattr("dpcore.private.engine.duckdb.count", None)
    monkeypatch.setattr("dpcore.private.loading.write_prepared", None)
    assert owner.exact_table(load(), "od_flows", ContributionBound.per_user(5), None) == before
