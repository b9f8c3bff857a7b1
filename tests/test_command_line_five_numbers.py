"""Five-number summaries and bought ranges from the command line."""

from __future__ import annotations

import csv
import io
import json

import pytest

from dpcore.__main__ import main
from dpcore.quantile_grids import GRIDS, LEVELS


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    out = tmp_path_factory.mktemp("city")
    assert main(["demo", "--trips", "3000", "--tiles", "30", "--seed", "7", "--out", str(out)]) == 0
    return out


@pytest.fixture
def run(capsys):
    def command(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


@pytest.fixture
def release(run, city, tmp_path):
    def command(out: str, *words: object):
        return run(
            *("release", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
            *("--timezone", "Europe/Berlin", "--privacy-unit", "user", "--max-trips", "5", "--epsilon", "1"),
            *("--out", tmp_path / out, "--ledger", tmp_path / "ledger.db", "--dataset", "city", *words),
        )

    return command


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def test_a_release_buys_summaries_and_ranges_and_prints_them(run, release, tmp_path):
    measures = "travel_time,user_time_delta,od_flows"
    code, out, err = release(
        *(
            "a",
            "--measures",
            f"{measures},five_numbers",
            "--weights",
            "five_numbers=20",
            "--buy-ranges",
            "0.2",
        )
    )
    assert code == 0, err
    assert "charged 1, left 9" in out
    told = json.loads((tmp_path / "a" / "manifest.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in told["measures"]] == measures.split(",")
    assert (told["five_numbers"]["weight"], told["ranges"]["share"]["exact"]) == (20, "1/5")
    assert "--buy-ranges 0.2" in told["command"]
    code, out, err = run("table", tmp_path / "a", "five_numbers")
    assert code == 0, err
    assert out.splitlines()[0] == "measure,statistic,value,half_width_95,low_95,high_95,method"
    printed = rows(out)
    assert [(row["measure"], row["statistic"]) for row in printed] == [
        (name, statistic) for name in ("travel_time", "user_time_delta") for statistic in LEVELS
    ]
    assert {row["method"] for row in printed} == {"exponential mechanism"}
    for row in printed:
        assert GRIDS[row["measure"]].number(row["value"]) >= 0
        low, value, high = (float(row[name]) for name in ("low_95", "value", "high_95"))
        assert low <= value <= high
        assert float(row["half_width_95"]) == pytest.approx(max(value - low, high - value))
    code, out, _ = run("table", tmp_path / "a", "five_numbers", "--epsilon", "0.5")
    assert {row["method"] for row in rows(out)} == {"from the released histogram"}
    code, out, err = run("table", tmp_path / "a", "travel_time")
    assert code == 0, err
    assert len(rows(out)) >= 10
    assert run("verify", tmp_path / "a")[0] == 0
    code, _, err = run("table", tmp_path / "a", "five_numbers", "--epsilon", "7")
    assert (code, err.startswith("error: this release does not hold that rung")) == (2, True)


def test_free_summaries_of_a_release_that_bought_none(run, release, tmp_path):
    assert release("b", "--measures", "trips_per_user")[0] == 0
    code, out, _ = run("table", tmp_path / "b", "five_numbers")
    assert code == 0
    assert {row["method"] for row in rows(out)} == {"from the released histogram"}
    assert "five_numbers" not in (tmp_path / "b" / "manifest.json").read_text(encoding="utf-8")


def test_without_measures_a_weight_alone_asks_for_summaries(release, tmp_path):
    assert release("c", "--weights", "five_numbers=30")[0] == 0
    told = json.loads((tmp_path / "c" / "manifest.json").read_text(encoding="utf-8"))
    assert told["five_numbers"]["weight"] == 30
    assert len(told["five_numbers"]["values"]) == len(GRIDS)


@pytest.mark.parametrize(
    "words",
    [
        ("--measures", "five_numbers"),
        ("--measures", "od_flows,five_numbers"),
        ("--measures", "travel_time,five_numbers,five_numbers"),
        ("--measures", "travel_time", "--weights", "five_numbers=3"),
        ("--measures", "travel_time,five_numbers", "--weights", "five_numbers=0"),
        ("--measures", "travel_time,five_numbers", "--weights", "five_numbers=x"),
        ("--measures", "od_flows", "--buy-ranges", "0.1"),
        ("--measures", "travel_time", "--buy-ranges", "1"),
        ("--measures", "travel_time", "--buy-ranges", "0"),
        ("--measures", "travel_time", "--buy-ranges", "-0.1"),
        ("--measures", "travel_time", "--buy-ranges", "1e-2"),
    ],
)
def test_what_cannot_be_bought_is_refused_before_anything_is_spent(release, tmp_path, words):
    code, _, err = release("d", *words)
    assert code == 2
    assert "error: " in err
    assert not (tmp_path / "d").exists()


def test_the_owner_reads_exact_summaries(run, city):
    trips = (
        "--trips",
        city / "trips.parquet",
        "--tiles",
        city / "tiles.geojson",
        "--timezone",
        "Europe/Berlin",
    )
    code, out, err = run("exact", "five_numbers", *trips)
    assert code == 0, err
    assert out.splitlines()[0] == "measure,statistic,value"
    assert len(rows(out)) == len(GRIDS) * len(LEVELS)
    for name in GRIDS:
        values = [float(row["value"]) for row in rows(out) if row["measure"] == name]
        assert values == sorted(values)
