"""Split tables from the command line: --split of exact and release, --category of report and compare."""

from __future__ import annotations

import pytest

from tests.command_line.conftest import rows

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,mode,purpose\n"
TILES = """{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"tile_id":"A"},"geometry":{"type":"Polygon","coordinates":[[[9,54],[9.1,54],[9.1,54.1],[9,54.1],[9,54]]]}},
{"type":"Feature","properties":{"tile_id":"B"},"geometry":{"type":"Polygon","coordinates":[[[9.1,54],[9.2,54],[9.2,54.1],[9.1,54.1],[9.1,54]]]}}]}"""
CANARY = "canary-mode-4711"


@pytest.fixture
def files(tmp_path):
    """Thirty trips; modes with quotation marks and commas, one on no list, some empty."""
    modes = ['"rail, fast"', '"say ""bus"""', CANARY, "", "walk"]
    lines = [
        f"u{n % 7},2024-04-0{1 + n % 5}T08:00,2024-04-0{1 + n % 5}T09:00,54.05,9.05,54.05,9.15,{modes[n % 5]},{'work' if n % 2 else ''}\n"
        for n in range(30)
    ]
    (tmp_path / "trips.csv").write_text(HEADER + "".join(lines), encoding="utf-8")
    (tmp_path / "tiles.geojson").write_text(TILES, encoding="utf-8")
    return ("--trips", tmp_path / "trips.csv", "--tiles", tmp_path / "tiles.geojson", "--timezone", "UTC")


LISTED = 'mode="rail, fast","say ""bus"""'


def test_a_table_begins_with_the_category_and_leaves_nothing_out(run, files):
    code, out, err = run("exact", "od_flows", *files, "--split", LISTED)
    assert code == 0, err
    found = {(row["mode"], row["origin"], row["destination"]): row["value"] for row in rows(out)}
    assert found == {
        ("rail, fast", "A", "B"): "6",
        ('say "bus"', "A", "B"): "6",
        ("other", "A", "B"): "12",
        ("missing", "A", "B"): "6",
    }
    assert out.startswith("mode,origin,destination,value")
    assert CANARY not in out + err


def test_a_list_that_leaves_most_out_counts_the_rest_as_other(run, files):
    code, out, _ = run(
        "exact", "trips_over_time", *files, "--split", "mode=walk", "--dates", "2024-04-01/2024-04-05"
    )
    assert code == 0
    sums: dict[str, int] = {}
    for row in rows(out):
        sums[row["mode"]] = sums.get(row["mode"], 0) + int(row["value"])
    assert sums == {"walk": 6, "other": 18, "missing": 6}
    code, undated, _ = run("exact", "trips_over_time", *files, "--split", "mode=walk")
    assert {row["date"] for row in rows(undated)} == {f"2024-04-0{day}" for day in range(1, 6)}


@pytest.mark.parametrize("engine", ["compiled", "duckdb"])
def test_two_splits_and_both_engines(run, files, engine):
    more = ("--split", "mode=walk", "--split", "purpose=work", "--engine", engine)
    code, out, _ = run("exact", "visits_per_tile", *files, *more, "--privacy-unit", "user", "--max-trips", 99)
    assert code == 0
    found = rows(out)
    assert len(found) == 3 * 3 * 3
    assert [*found[0]] == ["mode", "purpose", "tile_id", "value"]
    assert sum(int(row["value"]) for row in found) == 60
    assert {row["value"] for row in found if row["purpose"] == "other"} == {"0"}


def test_people_are_not_split_and_too_much_is_refused_with_its_limit(run, files):
    code, _, err = run("exact", "trips_per_user", *files, "--split", "mode=walk")
    assert code == 2
    assert "counts people" in err
    many = "mode=" + ",".join(f"c{number}" for number in range(10_000))
    code, _, err = run("exact", "od_flows", *files, "--split", many)
    assert code == 2
    assert "the limit is 1,000" in err
    code, _, err = run("exact", "od_flows", *files, "--split", "mode=0:5:1")
    assert code == 2
    assert "no categories" in err
    code, _, err = run("exact", "od_flows", *files, "--split", "mode=walk", "--attribute", "mode=bus")
    assert code == 2
    assert "declared twice" in err
    code, _, err = run("exact", "od_flows", *files, "--split", "colour=red")
    assert code == 2
    assert "colour" in err


def test_a_release_its_report_and_its_comparison_part_by_part(run, files, tmp_path):
    more = (
        "--privacy-unit",
        "user",
        "--max-trips",
        3,
        "--epsilon",
        2,
        "--measures",
        "od_flows,trips_per_hour,trips_per_user",
    )
    books = ("--ledger", tmp_path / "ledger.db", "--yes", "--out", tmp_path / "b")
    code, _, err = run("release", *files, *more, *books, "--split", LISTED)
    assert code == 0, err
    assert "not split, because they count people: trips_per_user" in err
    assert run("verify", tmp_path / "b")[0] == 0
    code, out, _ = run("table", tmp_path / "b", "od_flows")
    assert len(rows(out)) == 4 * 9
    assert [*dict.fromkeys(row["mode"] for row in rows(out))] == [
        "rail, fast",
        'say "bus"',
        "other",
        "missing",
    ]
    for path in (tmp_path / "b").rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    code, _, err = run("compare", tmp_path / "b", tmp_path / "b")
    assert code == 2
    assert "--category NAME=CATEGORY" in err
    assert run("report", tmp_path / "b", "--out", tmp_path / "all.html", "--static")[0] == 0  # of all parts
    assert "rail, fast" in (tmp_path / "all.html").read_text(encoding="utf-8")
    for words in (
        ("report", tmp_path / "b", "--out", tmp_path / "r.html", "--static"),
        ("compare", tmp_path / "b", tmp_path / "b"),
    ):
        code, _, err = run(*words, "--category", "mode=rail, fast")
        assert code == 0, err
        code, _, err = run(*words, "--category", "mode=ship")
        assert code == 2
        assert "category of mode" in err


def test_flows_by_window_are_listed_and_add_up(run, files):
    code, out, _ = run("exact", "od_flows_per_window", *files)
    assert code == 0
    assert [*rows(out)[0]] == ["day_type", "window", "origin", "destination", "value"]
    assert {(row["day_type"], row["window"]) for row in rows(out)} == {("weekday", "6-10")}
    assert sum(int(row["value"]) for row in rows(out)) == 30
