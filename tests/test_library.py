"""dpcore as a library: what it offers, and that frames are read like files."""

from __future__ import annotations

import ast
import importlib
import io
import subprocess
import sys
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely

import dpcore
from dpcore.api import frames, notebook, public  # noqa: F401 - they fill what is offered
from dpcore.api.offered import OFFERED
from dpcore.command_line.main import main
from dpcore.errors import BudgetExceededError, BundleError, InputError, PrivacyError, TessellationError
from dpcore.private import store
from dpcore.release import write_bundle
from dpcore.views.numbers.sentences import OWNER_MARK
from tests.cities import PLACES, four_tiles
from tests.conftest import ROOT
from tests.release.made_releases import made_release

CANARY = "person-canary-4711"
UTM = 25831  # of the four tiles


def records(**changes: object) -> pd.DataFrame:
    """Three trips of two people, one row a record; ids with zeros in front."""
    ways = [("007", "1", "A", "B"), ("007", "2", "B", "B"), ("7", "1", "C", "outside")]
    rows = [
        (user, trip, pd.Timestamp(2024, 4, 1 + number, hour), PLACES[place][1], PLACES[place][0])
        for number, (user, trip, *ends) in enumerate(ways)
        for hour, place in zip((8, 9), ends, strict=True)
    ]
    return pd.DataFrame(rows, columns=["uid", "tid", "datetime", "lat", "lng"]).assign(**changes)


def tile_frame(crs: int = 4326) -> gpd.GeoDataFrame:
    tiles = four_tiles()
    frame = gpd.GeoDataFrame({"tile_id": tiles.tile_ids}, geometry=list(tiles.polygons), crs=4326)
    return frame.to_crs(crs)


def loaded(frame: pd.DataFrame, **options: object):
    return dpcore.load_trips(frame, four_tiles(), **{"timezone": "Europe/Berlin", **options})


def visits(trips) -> dict[str, int]:
    table = dpcore.exact_table(trips, "visits_per_tile")
    return dict(zip(table["tile_id"], table["value"], strict=True))


def plan(epsilon: str = "1") -> dpcore.Plan:
    weights = {"visits_per_tile": 2, "trips_per_weekday": 1, "od_flows": 1}
    return dpcore.Plan.up_to(dpcore.ContributionBound.per_user(2), weights, epsilon)


def ledger_of(total: str = "3"):
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "town", unit="user", total_budget=total, population="two")
    return ledger


def test_every_name_it_offers_is_listed_once_and_explained():
    for name in dpcore.__all__:
        getattr(dpcore, name)  # a room is loaded at the first use of a name of it
    assert [*dpcore.__all__] == sorted({*dpcore.__all__}) == sorted(OFFERED)
    for name in dpcore.__all__:
        assert f"``{name}``" in dpcore.__doc__, name
        assert OFFERED[name].__doc__, name


def test_a_name_is_that_which_a_checker_of_types_sees():
    block = next(
        node for node in ast.parse((ROOT / "dpcore/__init__.py").read_text()).body if isinstance(node, ast.If)
    )
    seen = {
        one.name: part.module for part in block.body if isinstance(part, ast.ImportFrom) for one in part.names
    }
    assert sorted(seen) == dpcore.__all__
    for name, place in seen.items():
        assert getattr(importlib.import_module(place), name) is getattr(dpcore, name), name


def test_every_room_has_its_line_in_the_map():
    places = [
        path
        for path in (ROOT / "dpcore").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    ]
    rooms = {path.stem for path in places if not path.stem.startswith("__")}
    assert len(rooms) > 15
    assert {name for name in rooms if f"``{name}``" not in dpcore.__doc__} == set()


def test_no_name_it_offers_is_that_of_a_module():
    rooms = {path.stem for path in (ROOT / "dpcore").iterdir()}
    assert not rooms & set(dpcore.__all__)


def test_a_name_that_is_not_there_is_said_as_python_says_it():
    with pytest.raises(AttributeError, match="no attribute 'load_trip'"):
        dpcore.load_trip  # noqa: B018
    assert set(dpcore.__all__) < set(dir(dpcore))


def test_importing_the_package_imports_nothing_else():
    code = (
        "import sys, dpcore; print(sum(n.startswith('dpcore.') for n in sys.modules), 'numpy' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert shown.stdout.split() == ["0", "False"]


def test_a_frame_gives_the_answers_of_the_file_with_the_same_cells(tmp_path):
    frame = records()
    before = frame.copy()
    frame.to_csv(tmp_path / "trips.csv", index=False)
    frame.astype({"uid": "category", "tid": "int64"}).to_parquet(tmp_path / "trips.parquet", index=False)
    of_frame = loaded(frame)
    for file in (tmp_path / "trips.csv", str(tmp_path / "trips.parquet")):
        of_file = dpcore.load_trips(file, four_tiles(), timezone="Europe/Berlin")
        for measure in ("ds_statistics", "visits_per_tile", "od_flows", "trips_per_hour", "travel_time"):
            pd.testing.assert_frame_equal(
                dpcore.exact_table(of_frame, measure), dpcore.exact_table(of_file, measure)
            )
    pd.testing.assert_frame_equal(frame, before)
    users = dpcore.exact_table(of_frame, "ds_statistics").set_index("statistic")["value"]
    assert users["users"] == 2  # 007 and 7 are two people


def test_a_folder_names_what_is_not_read(tmp_path):
    folder = tmp_path / "months"
    folder.mkdir()
    records().to_csv(folder / "1.txt", index=False)
    (folder / "2.xlsx").write_bytes(b"PK")
    with pytest.warns(UserWarning, match=r"not read in the folder months: 2\.xlsx \(a spreadsheet"):
        trips = dpcore.load_trips(folder, four_tiles(), timezone="Europe/Berlin")
    assert trips.report.records == len(records())


@pytest.mark.parametrize(
    "change",
    [
        {"uid": lambda f: f["uid"].astype("category")},
        {"tid": lambda f: f["tid"].astype(int)},
        {"datetime": lambda f: f["datetime"].astype(str)},
        {"datetime": lambda f: f["datetime"].astype("datetime64[s]")},
        {"datetime": lambda f: f["datetime"].astype(object)},
        {"lat": lambda f: f["lat"].astype("Float64")},
        {"lat": lambda f: f["lat"].astype(str)},
        {"note": [["a", 1]] * 6},
        {"note": ["a", 1, None, {}, b"", 2.5]},
        {3: 3},
    ],
)
def test_cells_may_be_held_in_several_ways_and_other_columns_may_hold_anything(change):
    frame = records()
    assert visits(loaded(frame.assign(**change) if 3 not in change else frame.assign(x=1).set_axis([*frame, 3], axis=1))) == visits(
        loaded(frame)
    )  # fmt: skip


def test_the_index_of_a_frame_plays_no_role():
    assert visits(loaded(records().set_index(np.arange(6)[::-1] * 7))) == visits(loaded(records()))


def test_one_row_a_trip_is_read_as_well_and_columns_may_have_other_names():
    lng, lat = PLACES["A"]
    frame = pd.DataFrame(
        {
            "person": ["a", "b"],
            "started_at": pd.to_datetime(["2024-04-01 08:00", "2024-04-01 10:00"]),
            "ended_at": pd.to_datetime(["2024-04-01 09:00", "2024-04-01 11:00"]),
            "start_lat": lat,
            "start_lng": lng,
            "end_lat": lat,
            "end_lng": lng,
        }
    )
    assert visits(loaded(frame, columns={"user_id": "person"}))["A"] == 4


def test_times_with_a_zone_are_told_by_the_clock_of_the_city():
    frame = records()
    frame["datetime"] = frame["datetime"].dt.tz_localize("Europe/Berlin").dt.tz_convert("UTC")
    table = dpcore.exact_table(loaded(frame), "trips_per_hour")
    assert set(table[table["value"] > 0]["hour"]) == {"8", "9"}


def test_points_of_a_geodataframe_need_no_degrees():
    frame = records()
    points = gpd.GeoDataFrame(
        frame.drop(columns=["lat", "lng"]), geometry=gpd.points_from_xy(frame["lng"], frame["lat"]), crs=4326
    )
    points = points[points.geometry.x < 5].to_crs(UTM)
    assert visits(loaded(points)) == visits(loaded(frame[frame["lng"] < 5]))
    with pytest.raises(InputError, match="no coordinate system"):
        loaded(points.set_crs(None, allow_override=True))
    with pytest.raises(InputError, match="the geometries are neither all points nor all lines"):
        loaded(points.set_geometry(points.buffer(1)))


def test_lines_of_a_geodataframe_are_trips_from_their_first_to_their_last_point():
    frame = pd.DataFrame(
        {"person": ["u", "v"], "started_at": "2024-04-01 08:00", "ended_at": "2024-04-01 08:20"}
    )
    lines = [
        shapely.LineString([(0.5, 0.5), (9, 9), (1.5, 0.5)]),
        shapely.MultiPoint([(0.5, 0.5), (0.5, 0.5)]),
    ]
    found = loaded(gpd.GeoDataFrame(frame, geometry=lines, crs=4326))
    ends = frame.assign(start_lat=0.5, start_lng=0.5, end_lat=0.5, end_lng=[1.5, 0.5])
    assert visits(found) == visits(loaded(ends))
    assert found.has_users


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (records(uid=[1, "a", CANARY, 2.5, None, b"x"]), "column uid"),
        (records(lat=[CANARY, 1, 1.0, 1, 1, 1]), "column lat"),
        (records(uid=[1.5] * 6), "ids are text"),
        (records(lat=[CANARY] * 6), "lat"),
        (records().drop(columns="tid"), "points without trip ids"),
        (records().rename(columns={"lng": "breite"}), "Found: uid, tid, datetime, lat, breite"),
        (pd.concat([records(), records()[["lat"]]], axis=1), "lat"),
    ],
)
def test_a_frame_that_cannot_be_read_is_refused_without_a_cell_of_it(frame, words):
    with pytest.raises(InputError) as refused:
        loaded(frame)
    assert words.lower() in str(refused.value).lower()
    assert CANARY not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


def test_points_of_a_frame_are_cut_by_a_rule():
    points = records().drop(columns="tid")
    trips = loaded(points, trip_gap="7d")
    assert trips.rule.keywords == {"trip_gap": "7d"}
    assert trips.report.trips == points["uid"].nunique()


def test_bad_records_of_a_frame_are_left_out_if_asked_for():
    frame = records(datetime=["2024-04-01 08:00", "2024-04-01 09:00", "never", "2024-04-02 09:00"] + ["2024-04-03 08:00"] * 2)  # fmt: skip
    with pytest.raises(InputError):
        loaded(frame)
    assert loaded(frame, drop_bad=True).report.dropped


def test_what_is_no_data_is_refused():
    with pytest.raises(InputError, match="these are no trips"):
        loaded({"uid": []})
    with pytest.raises(InputError, match="these are no tiles"):
        dpcore.load_tiles(pd.DataFrame({"tile_id": [], "crs": []}))
    with pytest.raises(TessellationError, match="no coordinate system"):
        dpcore.load_tiles(gpd.GeoDataFrame({"tile_id": ["A"]}))
    with pytest.raises(InputError, match="points without trip ids"):
        loaded(records(crs="x", geometry="y").drop(columns="tid"))
    with pytest.raises(InputError, match="cannot be opened"):
        dpcore.load_trips("nowhere.csv", four_tiles(), timezone="Europe/Berlin")


def test_nothing_of_a_frame_stays_behind_but_its_prepared_trips():
    loaded(records())
    assert [*store.folder("scratch").iterdir()] == []


@pytest.mark.parametrize("crs", [4326, UTM])
def test_tiles_of_a_frame_are_those_of_a_file_in_whatever_system(crs, tmp_path):
    frame = tile_frame(crs)
    before = frame.copy()
    tiles = dpcore.load_tiles(frame)
    assert tiles.tile_ids == four_tiles().tile_ids
    off = shapely.symmetric_difference(np.array(tiles.polygons), np.array(four_tiles().polygons))
    assert (shapely.area(off) < 1e-9).all()
    pd.testing.assert_frame_equal(frame, before)
    frame.to_crs(4326).to_file(tmp_path / "tiles.geojson")
    again = dpcore.load_tiles(tmp_path / "tiles.geojson")
    assert again.tile_ids == tiles.tile_ids


def test_the_column_of_ids_can_be_named_and_cells_that_json_cannot_say_do_no_harm():
    frame = tile_frame().rename(columns={"tile_id": "quarter"}).assign(seen=pd.Timestamp(2024, 1, 1))
    assert dpcore.load_tiles(frame, tile_id="quarter").tile_ids == ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (tile_frame().set_crs(None, allow_override=True), "no coordinate system"),
        (tile_frame().assign(tile_id="A"), "several features have one tile id"),
        (tile_frame().assign(tile_id=[None, "B", "C", "D"]), "tile id is missing"),
        (tile_frame().set_geometry(tile_frame().scale(1.2, 1.2)), "overlap"),
        (tile_frame().head(0), "no features"),
    ],
)
def test_tiles_that_cannot_be_counted_on_are_refused(frame, words):
    with pytest.raises(TessellationError, match=words):
        dpcore.load_tiles(frame)


def test_expected_errors_are_told_from_public_facts():
    expected = dpcore.expected_errors(plan(), four_tiles(), trips=1000, users=100).set_index("measure")
    assert [*expected.index] == ["visits_per_tile", "trips_per_weekday", "od_flows"]
    assert expected.loc["od_flows", ["epsilon", "sensitivity", "cells"]].tolist() == [0.25, 2, 25]
    assert expected["readable_share"].notna().tolist() == [True, False, True]
    assert dpcore.expected_errors(plan(), four_tiles())["readable_share"].isna().all()


def test_a_preview_lays_the_truth_beside_the_noise():
    trips = loaded(records())
    look = dpcore.preview(trips, plan())
    finest, coarsest = (dpcore.table(look, "visits_per_tile", e) for e in (None, "0.1"))
    assert finest["truth"].tolist() == [*visits(trips).values()]
    assert coarsest["half_width_95"][0] > finest["half_width_95"][0]
    with pytest.raises(InputError, match="unknown measure in this preview"):
        dpcore.table(look, "travel_time")
    with pytest.raises(PrivacyError, match="this rung was not released"):
        dpcore.table(look, "od_flows", Fraction(9))


def test_what_is_private_shows_nothing_in_a_notebook():
    trips = loaded(records(uid=CANARY))
    assert repr(trips) == "<PrivateTrips>"
    assert repr(dpcore.preview(trips, plan())) == "<Preview>"


def test_a_cell_that_runs_again_gives_the_same_release_and_charges_nothing(tmp_path):
    trips, ledger = loaded(records()), ledger_of()
    asked = {"ledger": ledger, "dataset": "town", "nonce": "first"}
    first = dpcore.publish(trips, four_tiles(), plan(), out=tmp_path / "bundle", **asked)
    again = dpcore.publish(trips, four_tiles(), plan(), **asked)
    assert (first.charged, first.left, first.repeated) == (1, 2, False)
    assert (again.digest, again.left, again.repeated) == (first.digest, 2, True)
    assert first.release.title == "town"
    assert first.release.parameters_chosen == "after_preview"
    with pytest.raises(BudgetExceededError):
        dpcore.publish(trips, four_tiles(), plan("3"), ledger=ledger, dataset="town", nonce="second")
    with pytest.raises(InputError, match="unknown time of choice"):
        dpcore.publish(trips, four_tiles(), plan(), parameters_chosen="never", **asked)


def test_a_bundle_is_read_verified_compared_and_reported(tmp_path):
    made = dpcore.publish(
        loaded(records()),
        four_tiles(),
        plan(),
        ledger=ledger_of(),
        dataset="town",
        nonce="1",
        out=tmp_path / "b",
    )
    release = dpcore.read_bundle(str(tmp_path / "b"))
    assert dpcore.read_bundle(str(tmp_path / "b"), digest=made.digest).id == release.id
    with pytest.raises(BundleError, match="not the bundle that the ledger knows"):
        dpcore.read_bundle(str(tmp_path / "b"), digest="0" * 64)
    table = dpcore.table(release, "trips_per_weekday")
    assert [*table.columns] == ["weekday", "value", "half_width_95"]
    assert {str(kind) for kind in table.dtypes} == {"int64"}
    assert pd.api.types.is_string_dtype(dpcore.table(release, "od_flows")["origin"])
    alike = dpcore.compare(release, Path(tmp_path / "b"), epsilon=Fraction(1, 2)).set_index(
        ["measure", "metric"]
    )
    assert alike["value"]["visits_per_tile", "smape"] == 0
    assert "mark" not in alike.columns
    assert "mark" not in alike.attrs
    exact = dpcore.exact_table(loaded(records()), "visits_per_tile")
    assert [*exact.columns] == ["tile_id", "value", "mark"]
    (tmp_path / "truth").mkdir()
    exact.to_csv(tmp_path / "truth" / "visits_per_tile.csv", index=False)
    assert (tmp_path / "truth" / "visits_per_tile.csv").read_text("utf-8").count(OWNER_MARK) == len(exact)
    beside = dpcore.compare(tmp_path / "truth", release)
    for table in (exact, beside):
        assert set(table["mark"]) == {OWNER_MARK} == {table.attrs["mark"]}
    assert beside.attrs["left_out"] == {}
    coarse, fine = (dpcore.report_html(release, epsilon) for epsilon in (Fraction(1, 10), None))
    assert coarse != fine == dpcore.report_html(release, Fraction(1))
    static = dpcore.report_html(release, static=True)
    assert "This file has no charts." in static
    assert len(static) < len(fine) - 4_000_000
    with pytest.raises(PrivacyError, match="this rung was not released"):
        dpcore.report_html(release, Fraction(9))


def test_dates_are_public_and_come_with_the_plan():
    period = dpcore.Period(date(2024, 4, 1), date(2024, 4, 3))
    chosen = dpcore.KeyChoices(period=period)
    table = dpcore.exact_table(loaded(records()), "trips_over_time", choices=chosen)
    assert table["value"].tolist() == [0, 1, 1, 1, 0]
    bound = dpcore.ContributionBound.per_user(1)
    assert dpcore.exact_table(loaded(records()), "trips_per_weekday", bound=bound)["value"].sum() == 2


@pytest.fixture(scope="module")
def released():
    weights = {"travel_time": 1, "trips_per_weekday": 1, "trips_per_hour": 1}
    return made_release(weights=weights, period=None)


def test_a_table_of_summaries_is_the_one_that_the_command_prints(released, tmp_path, capsys):
    write_bundle(released, tmp_path / "b")
    for epsilon in (None, "0.5"):
        assert (
            main(["table", str(tmp_path / "b"), "five_numbers", *(["--epsilon", epsilon] if epsilon else [])])
            == 0
        )
        printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
        found = dpcore.table(released, "five_numbers", epsilon)
        pd.testing.assert_frame_equal(
            found, printed, check_exact=False, rtol=1e-6, atol=1e-6, check_dtype=False
        )
    assert found["statistic"].tolist() == ["p5", "p25", "p50", "p75", "p95"]


@pytest.mark.parametrize("epsilon", [None, "0.5"])
@pytest.mark.parametrize("whose", ["counted", "all"])
def test_estimates_are_those_of_the_command_and_say_share_and_assumption(whose, epsilon, tmp_path, capsys):
    release = made_release(weights={"visits_per_tile": 2, "trips_per_hour": 1}, unit="trip")
    write_bundle(release, tmp_path / "b")
    for measure in ("visits_per_tile", "trips_per_hour", "od_flows"):
        words = ["table", str(tmp_path / "b"), measure, "--estimate", whose]
        assert main(words + (["--epsilon", epsilon] if epsilon else [])) == 0
        printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
        for source in (release, tmp_path / "b"):
            found = dpcore.table(source, measure, epsilon, estimate=whose)
            assert list(found.columns)[-3:] == ["estimate", "low", "high"]
            assert found.attrs["share"] == {"value": 1.0, "low": 1.0, "high": 1.0}
            assert "All trips count." in found.attrs["note"] or whose == "counted"
            pd.testing.assert_frame_equal(found, printed, check_dtype=False)
    assert found["estimate"].dtype == float


def test_estimates_that_there_are_not_are_refused():
    by_person = made_release(weights={"visits_per_tile": 1})
    for words, more in (
        ("does not say how many trips", {"estimate": "all"}),
        ("unknown estimate|best", {"estimate": "best"}),
    ):
        with pytest.raises(InputError, match=words):
            dpcore.table(by_person, "visits_per_tile", **more)
    with pytest.raises(InputError, match="travel_time"):
        dpcore.table(by_person, "travel_time", estimate="counted")
    with pytest.raises(PrivacyError):
        dpcore.table(by_person, "visits_per_tile", "0.4", estimate="counted")


def test_estimates_of_a_preview_are_marked_and_lie_beside_the_truth():
    look = dpcore.preview(loaded(records()), plan())
    found = dpcore.table(look, "visits_per_tile", estimate="counted")
    assert list(found.columns) == ["tile_id", "estimate", "low", "high", "truth", "mark"]
    assert found["truth"].tolist() == look.truth["visits_per_tile"].tolist()
    assert set(found["mark"]) == {OWNER_MARK} == {found.attrs["mark"]}
    frame = dpcore.geodataframe(look, "visits_per_tile", estimate="counted")
    assert frame.attrs["mark"] == OWNER_MARK
    assert set(frame["mark"]) == {OWNER_MARK}


def test_epsilons_are_read_as_typed_and_never_as_floats(released):
    typed, exact = (dpcore.table(released, "travel_time", e) for e in ("0.5", Fraction(1, 2)))
    pd.testing.assert_frame_equal(typed, exact)
    assert dpcore.report_html(released, "0.5") == dpcore.report_html(released, Fraction(1, 2))
    bound = dpcore.ContributionBound.per_user(2)
    assert dpcore.Plan.up_to(bound, {"od_flows": 1}, "0.3").epsilon == Fraction(3, 10)
    for wrong in (1.0, 0.1 + 0.2, float("inf"), "1e-1", None, Decimal("0.1")):
        with pytest.raises(PrivacyError, match="epsilon"):
            dpcore.Plan.up_to(bound, {"od_flows": 1}, wrong)
    for rungs in ((1.0,), (Fraction(1), 2.0), ("1",)):
        with pytest.raises(PrivacyError, match="an epsilon must be exact"):
            dpcore.Plan(bound, {"od_flows": 1}, rungs)
    for wrong in (5.5, "much"):
        with pytest.raises(PrivacyError, match="total budget"):
            dpcore.register(dpcore.open_ledger(), "other", unit="user", total_budget=wrong)
    with pytest.raises(PrivacyError, match="unknown privacy unit"):
        dpcore.price(plan(), "person")


def test_a_plan_stays_as_it_was_made():
    weights, rungs = {"od_flows": 1}, [Fraction(1), Fraction(2)]
    made = dpcore.Plan(dpcore.ContributionBound.per_user(2), weights, rungs)
    weights["visits_per_tile"] = 9
    rungs.append(Fraction(3))
    assert made.share("od_flows") == 1
    assert made.rungs == (1, 2)
    with pytest.raises(TypeError):
        made.weights["od_flows"] = 2
    with pytest.raises(PrivacyError, match="weights by measure"):
        dpcore.Plan(dpcore.ContributionBound.per_user(2), ["od_flows"], (Fraction(1),))


def test_what_a_notebook_prints_is_one_short_line(released):
    trips, ledger = loaded(records(uid=CANARY)), ledger_of()
    receipt = dpcore.publish(trips, four_tiles(), plan(), ledger=ledger, dataset="town", nonce="r")
    look = dpcore.preview(trips, plan())
    for shown, words in (
        (four_tiles(), "4 tiles"),
        (released, "travel_time"),
        (released.measurements["travel_time"], "travel_time: 13 cells"),
        (receipt, "charged 1, left 2"),
        (look.measurements["od_flows"], "preview"),
        (ledger, f"<Ledger {ledger.identity[:12]}>"),
        (ledger.accounts()[0], "<Account town: total epsilon 3 per user>"),
        (dpcore.deck(receipt, "od_flows"), "<Deck: "),
    ):
        assert words in repr(shown)
        assert len(repr(shown)) < 160
        assert "\n" not in repr(shown)
        assert CANARY not in repr(shown)
        assert "array" not in repr(shown)
