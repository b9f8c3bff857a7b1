"""Five-number summaries and bought ranges from the command line."""

from __future__ import annotations

import json
import re

import pytest

from dpcore.measures import BINS, GRIDS
from dpcore.measures.bins import LEVELS
from dpcore.release import read_bundle
from tests.command_line.conftest import rows


@pytest.fixture
def release(run, city, tmp_path):
    def command(out: str, *words: object):
        return run(
            *("release", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
            *("--timezone", "Europe/Berlin", "--privacy-unit", "user", "--max-trips", "5", "--epsilon", "1"),
            *("--out", tmp_path / out, "--ledger", tmp_path / "ledger.db", "--dataset", "city", *words),
        )

    return command


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
    bought = json.loads((tmp_path / "a" / "manifest.json").read_text(encoding="utf-8"))["five_numbers"][
        "values"
    ]
    methods = {"exponential mechanism", "from the released histogram"}  # whichever is better
    assert {row["method"] for row in printed} <= methods
    for row in printed:
        if row["method"] == "exponential mechanism":
            assert row["value"] == bought[row["measure"]][row["statistic"]]
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
    assert (code, err.startswith("error: this rung was not released")) == (2, True)


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


def test_usual_bins_that_the_owner_names_are_kept_and_not_paid_for(release, tmp_path):
    usual = ",".join(BINS["travel_time"].edges)
    words = ("--measures", "travel_time,jump_length", "--buy-ranges", "0.2", "--bins", f"travel_time={usual}")
    code, _, err = release("e", *words)
    assert code == 0, err
    told = json.loads((tmp_path / "e" / "manifest.json").read_text(encoding="utf-8"))
    assert list(told["ranges"]["values"]) == ["jump_length"]
    assert told["ranges"]["epsilon_of_one"]["exact"] == "1/5"
    assert f"--bins travel_time={usual}" in told["command"]
    code, _, err = release("f", "--measures", "travel_time", *words[2:])
    assert (code, "there is no range to buy" in err) == (2, True)


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


def test_even_weights_and_a_weight_of_summaries_go_together(release, tmp_path):
    """The measures get even weights, whatever the summaries get, and what was not said even is refused."""
    measures = ("--measures", "visits_per_tile,travel_time,five_numbers")
    weights = []
    for number, text in enumerate(("even", "even,five_numbers=20", " five_numbers=20 , even")):
        code, _, err = release(f"w{number}", *measures, "--weights", text)
        assert code == 0, err
        told, _, own = err.partition("note: weights ")[2].splitlines()[0].rpartition(",five_numbers=")
        assert own == ("20" if "20" in text else "50")
        weights.append(told)
        assert read_bundle(tmp_path / f"w{number}").plan.five_numbers == (20 if "20" in text else 50)
    assert len(set(weights)) == 1
    assert weights[0] != "visits_per_tile=70,travel_time=25"
    for wrong in ("even,travel_time=3", "even,even", "odd", "even,five_numbers=0"):
        code, _, err = release("refused", *measures, "--weights", wrong)
        assert code == 2, wrong
        assert "weight" in err


def test_with_few_trips_a_note_says_that_buying_is_not_worth_it(release):
    words = ("--measures", "travel_time,five_numbers")
    code, _, err = release("few", *words, "--about-trips", "3000", "--about-users", "700")
    assert code == 0
    assert "note: Purchased five-number summaries are not expected to beat" in err
    assert re.search(r"better from about [0-9,]+ values on \(about [0-9,]+ are expected\)", err)
    _, _, err = release("many", *words, "--about-trips", "10000000", "--about-users", "2000000")
    assert "not expected" not in err
    _, _, err = release("unknown", *words)
    assert "their number was not declared" in err
