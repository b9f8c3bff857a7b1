"""Sums and means on the command line and in the library: what is written, what is told, and what is refused."""

from __future__ import annotations

import csv
import json
import random

import pytest

import dpcore
from dpcore.command_line import main
from dpcore.errors import PrivacyError
from dpcore.privacy import ContributionBound
from tests.command_line.conftest import rows

HEADER = ("uid", "started_at", "ended_at", "start_lng", "start_lat", "end_lng", "end_lat", "fare", "mode")
PLACES = [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5)]
SUM = ("--sum", "fare=0:20:0.01")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Trips with fares, some of them strange, and four tiles; nobody writes into the folder."""
    folder, rng = tmp_path_factory.mktemp("fares"), random.Random(5)
    fares = [
        *(f"{rng.randint(100, 1900) / 100}" for _ in range(391)),
        "-3",
        "250",
        "2,50",
        "1,234",
        "",
        "free",
        "nan",
        "7",
        "1e400",
    ]
    with (folder / "trips.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(HEADER)
        for number, fare in enumerate(fares):
            (x, y), (to_x, to_y) = rng.choice(PLACES), rng.choice(PLACES)
            hour, minutes = rng.randint(6, 20), rng.randint(1, 59)
            day = f"2024-04-{1 + number % 7:02}"
            ends = f"{day}T{hour:02}:00:00Z", f"{day}T{hour:02}:{minutes:02}:00Z"
            writer.writerow([f"u{number % 150}", *ends, x, y, to_x, to_y, fare, rng.choice(["bus", "rail"])])
    boxes = [
        {
            "type": "Feature",
            "properties": {"tile_id": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]]],
            },
        }
        for name, (x, y) in zip("ABCD", [(0, 0), (1, 0), (0, 1), (1, 1)], strict=True)
    ]
    (folder / "tiles.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": boxes}))
    return folder


@pytest.fixture
def owned(files):
    return ("--trips", files / "trips.csv", "--tiles", files / "tiles.geojson", "--timezone", "UTC")


def test_a_fare_is_clamped_and_what_is_no_number_is_missing(run, owned):
    code, out, _ = run("exact", "mean_fare", *owned, *SUM)
    (one,) = rows(out)
    assert code == 0
    # -3 is set to 0, 250 and 1e400 to 20 and nothing, 2,50 is 2.5; 1,234 may be either, so nobody knows
    assert one["statistic"] == "all"
    assert int(one["count"]) + int(one["missing"]) == 400
    assert int(one["missing"]) == 5
    (total,) = rows(run("exact", "sum_fare", *owned, *SUM)[1])
    assert float(total["value"]) / int(one["count"]) == pytest.approx(float(one["value"]), abs=1e-3)


@pytest.mark.parametrize("by", ["visits_per_tile", "od_flows", "trips_per_hour", "trips_over_time"])
def test_every_table_of_sums_adds_up_to_the_number(run, owned, by):
    (whole,) = rows(run("exact", "sum_duration", *owned, "--sum", "duration=0:60:0.5")[1])
    table = rows(run("exact", "sum_duration", *owned, "--sum", "duration=0:60:0.5", "--by", by)[1])
    times = 2 if by in {"visits_per_tile", "trips_per_hour"} else 1
    assert sum(float(row["value"]) for row in table) == pytest.approx(times * float(whole["value"]))
    means = rows(run("exact", "mean_duration", *owned, "--sum", "duration=0:60:0.5", "--by", by)[1])
    assert sum(int(row["count"]) for row in means) == times * 400
    assert all(row["value"] == "" or 0 <= float(row["value"]) <= 60 for row in means)


@pytest.fixture(scope="module")
def bundle(files, tmp_path_factory):
    """A release of sums and means, with so large an epsilon that it is near the truth."""
    out = tmp_path_factory.mktemp("bundle") / "b"
    words = (
        "release",
        "--trips",
        files / "trips.csv",
        "--tiles",
        files / "tiles.geojson",
        "--timezone",
        "UTC",
    )
    words += ("--privacy-unit", "trip", "--epsilon", "20", "--measures", "visits_per_tile", *SUM)
    words += ("--sum", "distance=0:200:1", "--by", "visits_per_tile", "--total-budget", "50", "--out", out)
    words += ("--ledger", out.parent / "ledger.db")
    assert main([*map(str, words)]) == 0
    return out


def test_a_release_holds_both_and_tells_them_with_ranges(run, owned, bundle):
    assert run("verify", bundle)[0] == 0
    told = rows(run("table", bundle, "mean_fare")[1])
    exact = rows(run("exact", "mean_fare", *owned, *SUM, "--by", "visits_per_tile")[1])
    for shown, true in list(zip(told, exact, strict=True))[:4]:
        assert shown["tile_id"] == true["tile_id"]
        assert float(shown["low_95"]) <= float(shown["value"]) <= float(shown["high_95"])
        assert float(shown["low_95"]) - 1 <= float(true["value"]) <= float(shown["high_95"]) + 1
        assert float(shown["count"]) == pytest.approx(int(true["count"]), abs=20)
        assert float(shown["missing_half_width_95"]) > 0
    assert told[4]["tile_id"] == "outside"
    # Nobody was there. Noise alone gives about one empty cell in forty a mean (`dpcore.noise.ratio`), which then has a range.
    assert abs(float(told[4]["count"])) < 20
    ends = [told[4][name] for name in ("low_95", "value", "high_95")]
    assert ends == ["", "", ""] or 0 <= float(ends[0]) <= float(ends[1]) <= float(ends[2]) <= 20
    sums = rows(run("table", bundle, "sum_fare", "--epsilon", "10")[1])
    assert list(sums[0]) == ["tile_id", "value", "half_width_95"]
    assert float(sums[0]["half_width_95"]) < 200
    released = dpcore.read_bundle(bundle)
    frame = dpcore.table(released, "mean_fare")
    assert frame["value"].dtype == float
    assert [*frame["tile_id"]] == ["A", "B", "C", "D", "outside"]
    assert "--sum fare=0:20:0.01 --sum distance=0:200:1 --by visits_per_tile" in released.command


def test_no_number_of_a_report_stands_alone(run, bundle, tmp_path):
    code, _, _ = run("report", bundle, "--out", tmp_path / "r.html", "--static")
    page = (tmp_path / "r.html").read_text()
    assert code == 0
    assert "Sums and means" in page
    assert "Mean of fare by tile" in page
    article = page[page.index('<article id="mean_fare">') :]
    assert '<th scope="col">from</th>' in article[: article.index("</article>")]


def test_a_changed_bound_or_part_in_a_bundle_is_refused(run, bundle, tmp_path):
    for old, new in (("fare=0:20:0.01", "fare=0:40:0.01"), ('"by":"visits_per_tile"', '"by":"od_flows"')):
        copy = tmp_path / new.strip('"').replace(":", "-").replace('"', "")
        copy.mkdir()
        for file in bundle.rglob("*"):
            if file.is_file():
                (copy / file.relative_to(bundle)).parent.mkdir(parents=True, exist_ok=True)
                (copy / file.relative_to(bundle)).write_bytes(file.read_bytes())
        manifest = copy / "manifest.json"
        text = manifest.read_text()
        assert old in text.replace('": "', '":"')
        manifest.write_text(
            text.replace(old, new).replace(old.replace('":"', '": "'), new.replace('":"', '": "'))
        )
        code, _, err = run("verify", copy)
        assert (code, "error:" in err) == (2, True)


def test_split_and_summed_at_once(run, owned):
    code, out, _ = run("exact", "mean_fare", *owned, *SUM, "--split", "mode=bus", "--by", "visits_per_tile")
    table = rows(out)
    assert code == 0
    assert list(table[0]) == ["mode", "tile_id", "value", "count", "missing"]
    assert [row["mode"] for row in table[::5]] == ["bus", "other", "missing"]
    assert sum(int(row["count"]) + int(row["missing"]) for row in table) == 800


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sum", "fare=20:0:0.01"), "below the highest"),
        (("--sum", "fare=0:20:0.03"), "whole numbers of the unit"),
        (("--sum", "fare=0:20"), "bounds without a unit"),
        (("--sum", "fare=0:90000:0.01"), "the limit"),
        (("--sum", "duration=0:0.002:0.00000001"), "microsecond"),
        (("--sum", "Fare=0:20:1"), "not a name"),
        (("--sum", "tile_id=0:20:1"), "a name that tables have already"),
        (("--sum", "toll=0:20:1"), "no column holds the attribute toll"),
        ((*SUM, *SUM), "declared twice"),
        ((*SUM, "--attribute", "fare=0:30:0.01"), "declared twice"),
        (("--by", "od_flows"), "no sum"),
        ((), "unknown measure"),
    ],
)
def test_refused_before_anything_is_counted(run, owned, words, said):
    measure = "mean_toll" if "toll=0:20:1" in words else "mean_fare"
    code, out, err = run("exact", measure, *owned, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("error: ")


def test_a_sum_that_nobody_asks_for_is_said_to_have_no_effect(run, owned):
    code, _, err = run("exact", "visits_per_tile", *owned, *SUM)
    assert code == 0
    assert "no effect on visits_per_tile: --sum fare" in err


def test_bounds_that_cut_values_move_the_mean(files):
    tiles = dpcore.load_tiles(files / "tiles.geojson")
    trips = dpcore.load_trips(files / "trips.csv", tiles, timezone="UTC", attributes={"fare": "-10:300:0.01"})
    found = dpcore.clamping(trips, "fare=0:20:0.01")
    assert found.mean > found.mean_within > 0
    assert (found.count, found.missing) == (395, 5)
    wide = dpcore.clamping(trips, "fare=-10:300:0.01")
    assert wide.mean == wide.mean_within == pytest.approx(found.mean)
    minutes = dpcore.clamping(trips, "duration=0:30:0.5")
    assert minutes.mean > minutes.mean_within
    with pytest.raises(PrivacyError, match="same declaration"):
        dpcore.clamping(trips, "fare=-20:20:0.01")


def test_a_preview_and_exact_answers_in_the_library(files):
    tiles = dpcore.load_tiles(files / "tiles.geojson")
    trips = dpcore.load_trips(files / "trips.csv", tiles, timezone="UTC", attributes={"fare": "0:20:0.01"})
    choices = dpcore.KeyChoices(sums={"fare": "0:20:0.01"}, by="trips_per_hour")
    exact = dpcore.exact_table(trips, "mean_fare", choices=choices)
    assert exact["value"].dtype == float
    assert exact["value"].isna().any()  # hours without trips
    plan = dpcore.Plan.up_to(ContributionBound.per_user(3), {"mean_fare": 1, "sum_fare": 1}, "2", choices)
    assert plan.measure("mean_fare").sensitivity(plan.bound) == 2 * 3 * 2_000
    frame = dpcore.table(dpcore.preview(trips, plan), "mean_fare")
    assert "truth" in frame
    other = dpcore.KeyChoices(sums={"fare": "0:30:0.01"})
    with pytest.raises(PrivacyError, match="same declaration"):
        dpcore.exact_table(trips, "mean_fare", choices=other)
