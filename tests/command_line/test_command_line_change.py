"""What changed, from the command line and in the library: a sentence, a table, and what is refused."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

import dpcore
from dpcore.errors import InputError
from dpcore.measures.choices import KeyChoices
from dpcore.release import write_bundle
from tests.release.made_releases import WEEK, made_release

WEIGHTS = {"visits_per_tile": 3, "total_trips": 1, "od_flows": 1}


@pytest.fixture
def bundles(tmp_path):
    for name in ("a", "b"):
        write_bundle(made_release(weights=WEIGHTS, id=name), tmp_path / name)
    return tmp_path / "a", tmp_path / "b"


def test_the_change_is_a_table_and_a_sentence(run, bundles):
    code, out, err = run("change", *bundles)
    assert code == 0, err
    rows = [*csv.DictReader(io.StringIO(out))]
    assert [*rows[0]] == ["tile_id", "a", "b", "change", "low", "high", "told"]
    assert len(rows) == 5
    assert err.startswith("Trips")
    assert "a change be told" in err or "no change can be told" in err
    assert "note: All trips means at most 160 trips of each person." in err
    for row in rows:
        told = float(row["low"]) > 0 or float(row["high"]) < 0
        assert told == (row["told"] != "")
    assert run("change", *bundles, "--measure", "od_flows")[0] == 0


def test_the_library_says_the_same(run, bundles):
    found = dpcore.change(*bundles)
    assert found.attrs["sentence"] in run("change", *bundles)[2]
    assert found.attrs["total"]["low"] <= found.attrs["total"]["share"] <= found.attrs["total"]["high"]
    assert [*found["tile_id"]] == ["A", "B", "C", "D", "outside"]


def test_other_bounds_leave_the_total_and_refuse_the_cells(run, bundles, tmp_path):
    write_bundle(made_release(weights=WEIGHTS, id="other", max_trips=5), tmp_path / "other")
    code, out, err = run("change", bundles[0], tmp_path / "other")
    assert code == 0, err
    assert len(out.splitlines()) == 1
    assert "A counts at most 3 trips of each person and B at most 5" in err
    code, out, err = run("change", bundles[0], tmp_path / "other", "--measure", "visits_per_tile")
    assert (code, out) == (2, "")
    assert "error: the cells cannot be laid beside each other. A counts at most 3 trips" in err


def test_what_must_not_be_compared_ends_with_code_2(run, bundles, tmp_path):
    one, _ = bundles
    write_bundle(made_release(unit="trip", weights={"visits_per_tile": 1}, id="trips"), tmp_path / "trips")
    for other, said in (
        (one, "one draw"),
        (tmp_path / "trips", "hides single trips"),
        (tmp_path / "gone", "gone"),
    ):
        code, out, err = run("change", one, other)
        assert (code, out) == (2, "")
        assert said in err
    for name in ("split", "again"):
        choices = KeyChoices(WEEK, splits={"mode": ["bus", "rail"]})
        write_bundle(made_release(weights={"visits_per_tile": 1}, id=name, choices=choices), tmp_path / name)
    code, _, err = run("change", tmp_path / "split", tmp_path / "again")
    assert code == 2
    assert "--category" in err
    code, _, err = run("change", tmp_path / "split", tmp_path / "again", "--category", "mode=bus")
    assert code == 0, err
    release = dpcore.read_bundle(one)
    with pytest.raises(InputError, match="one draw"):
        dpcore.change(release, replace(release, id="b", raised_from="a"))
    code, _, err = run("change", one, bundles[1], "--measure", "trips_per_hour")
    assert code == 2
    assert "did not release trips_per_hour" in err
