"""Estimates from the command line: ``table --estimate``, and what a release writes."""

from __future__ import annotations

import pytest

from dpcore.release import write_bundle
from tests.command_line.conftest import rows
from tests.release.made_releases import made_release
from tests.release.tampering import as_of
from tests.synthetic_release.made_synthetic import made_synthetic

WEIGHTS = {"visits_per_tile": 3, "visits_per_time_tile": 2, "trips_per_hour": 1}
LAST = ["estimate", "low", "high"]


@pytest.fixture(scope="module")
def of_trips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "trips"
    write_bundle(made_release(weights=WEIGHTS, unit="trip"), folder)
    return folder


@pytest.fixture(scope="module")
def of_people(tmp_path_factory):
    """At user level without a paid total."""
    folder = tmp_path_factory.mktemp("bundles") / "people"
    write_bundle(made_release(weights={**WEIGHTS, "trips_per_user": 1}), folder)
    return folder


@pytest.mark.parametrize("whose", ["counted", "all"])
@pytest.mark.parametrize("epsilon", [None, "0.1", "0.5"])
def test_estimates_are_printed_at_every_rung_and_files_stay(run, of_trips, whose, epsilon):
    before = {file: file.read_bytes() for file in of_trips.rglob("*") if file.is_file()}
    at = () if epsilon is None else ("--epsilon", epsilon)
    for measure in WEIGHTS:
        code, out, err = run("table", of_trips, measure, "--estimate", whose, *at)
        assert code == 0, err
        drawn = rows(run("table", of_trips, measure, *at)[1])
        found = rows(out)
        assert list(found[0])[-3:] == LAST
        keys = [name for name in found[0] if name not in LAST]
        assert [[row[name] for name in keys] for row in found] == [
            [row[name] for name in keys] for row in drawn
        ]
        for row in found:
            low, value, high = (float(row[name]) for name in ("low", "estimate", "high"))
            assert 0 <= low <= value <= high
    assert {file: file.read_bytes() for file in of_trips.rglob("*") if file.is_file()} == before


def test_at_the_finest_rung_they_are_those_of_the_files(run, of_trips):
    printed = rows(run("table", of_trips, "visits_per_tile", "--estimate", "all")[1])
    stated = rows((of_trips / "estimates" / "visits_per_tile.csv").read_text(encoding="utf-8"))
    for name, column in zip(LAST, ("all", "all_low", "all_high"), strict=True):
        assert [float(row[name]) for row in printed] == [float(row[column]) for row in stated]


def test_flows_are_estimated_wherever_visits_were_released_and_small_ones_are_not_listed(run, tmp_path):
    write_bundle(made_release(sparse=True, weights={"visits_per_tile": 1}, unit="trip"), tmp_path / "b")
    code, out, err = run("table", tmp_path / "b", "od_flows", "--estimate", "counted")
    assert code == 0, err
    found = rows(out)
    assert list(found[0]) == ["origin", "destination", *LAST]
    assert min(float(row["estimate"]) for row in found) >= 0.5
    assert ("nan" in out) is False
    if any(row["low"] == "" for row in found):
        assert "No range is known" in err


def test_what_a_reader_must_know_stands_on_standard_error(run, of_trips, of_people):
    _, _, err = run("table", of_trips, "visits_per_tile", "--estimate", "all")
    assert "All trips count." in err
    assert "likely ranges" in err
    _, _, err = run("table", of_people, "visits_per_tile", "--estimate", "counted")
    assert "does not say how many trips there are in all" in err


@pytest.mark.parametrize("measure", [*WEIGHTS, "trips_per_user"])
def test_without_a_paid_total_there_are_no_estimates_for_all_trips(run, of_people, measure):
    code, out, err = run("table", of_people, measure, "--estimate", "all")
    assert (code, out) == (2, "")
    assert "does not say how many trips there are in all" in err
    assert "counted" in err
    assert "total_trips" in err


@pytest.mark.parametrize("version", [1, 2])
def test_a_bundle_of_before_has_estimates_of_the_trips_that_count(run, tmp_path, version):
    write_bundle(made_release(weights=WEIGHTS), tmp_path / "b")
    wanted = run("table", tmp_path / "b", "visits_per_tile", "--estimate", "counted")[1]
    as_of(tmp_path / "b", version)
    code, out, err = run("table", tmp_path / "b", "visits_per_tile", "--estimate", "counted")
    assert (code, out) == (0, wanted), err
    assert run("table", tmp_path / "b", "visits_per_tile", "--estimate", "all")[0] == 2


def test_what_cannot_be_estimated_is_refused_with_what_to_do(run, of_trips, tmp_path):
    for words, said in (
        (("travel_time", "--estimate", "all"), "visits_per_tile"),
        (("five_numbers", "--estimate", "counted"), "visits_per_tile"),
        (("visits_per_tile", "--estimate", "counted", "--epsilon", "0.4"), "0.5"),
        (("visits_per_tile", "--estimate", "best"), "counted"),
    ):
        code, out, err = run("table", of_trips, *words)
        assert (code, out) == (2, "")
        assert said in err
    write_bundle(made_synthetic(), tmp_path / "roy")
    name = "start+end"
    code, out, err = run("table", tmp_path / "roy", name, "--estimate", "counted")
    assert (code, out) == (2, "")
    assert "only releases of tables have estimates" in err
    assert "start+end" in err


def test_a_measure_that_is_only_estimated_or_only_derived_is_refused_with_the_way_to_it(run, of_people):
    code, _, err = run("table", of_people, "od_flows")
    assert code == 2
    assert "unknown measure in this release: 'od_flows'" in err
    assert "--estimate counted" in err
    code, _, err = run("table", of_people, "ds_statistics", "--estimate", "counted")
    assert code == 2
    assert "derived from other tables" in err
    assert "without --estimate" in err
    code, _, err = run("table", of_people, "ds_statistics")
    assert code == 0, err
