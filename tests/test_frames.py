"""Measures as frames of tiles: what geopandas gets of a release, and how a preview is marked."""

from __future__ import annotations

import json
import subprocess
import sys

import geopandas
import pandas as pd
import pytest
import shapely

import dpcore
from dpcore.api.frames import COLUMNS
from dpcore.errors import InputError, PrivacyError
from dpcore.views.ground.reading import trusted
from dpcore.views.numbers.sentences import OWNER_MARK
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.synthetic_release.test_tree_bundle import made_tree, tree_choices
from tests.test_library import loaded, plan, records

WEIGHTS = {"visits_per_tile": 2, "visits_per_time_tile": 1, "od_flows": 1, "trips_per_weekday": 1}


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS)


@pytest.fixture
def preview():
    return dpcore.preview(loaded(records()), plan())


def test_a_measure_over_tiles_has_one_row_a_tile_with_its_shape(release):
    frame = dpcore.geodataframe(release, "visits_per_tile")
    table = dpcore.table(release, "visits_per_tile")
    assert isinstance(frame, geopandas.GeoDataFrame)
    assert frame.crs == "EPSG:4326"
    assert list(frame.columns) == [
        *("tile_id", "tile_name", "value", "half_width_95", "low_95", "high_95", "stands_out", "geometry")
    ]
    assert frame["tile_id"].tolist() == list(release.tessellation.tile_ids)
    assert (frame["value"] == table["value"][:4]).all()
    assert (frame["high_95"] - frame["low_95"] == 2 * frame["half_width_95"]).all()
    assert frame["stands_out"].tolist() == trusted(release.measurements["visits_per_tile"], -1)[:4].tolist()
    assert all(
        shapely.equals(one, other)
        for one, other in zip(frame.geometry, release.tessellation.polygons, strict=True)
    )


def test_windows_have_a_row_for_each_tile_in_each_of_them(release):
    frame = dpcore.geodataframe(release, "visits_per_time_tile")
    table = dpcore.table(release, "visits_per_time_tile")
    inside = table[table["tile_id"] != "outside"].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.DataFrame(frame[list(table.columns)]), inside)
    shapes = dict(zip(release.tessellation.tile_ids, release.tessellation.polygons, strict=True))
    assert all(
        shapes[tile].equals(shape) for tile, shape in zip(frame["tile_id"], frame.geometry, strict=True)
    )


def test_flows_are_lines_from_origin_to_destination_and_a_point_within_a_tile(release):
    frame = dpcore.geodataframe(release, "od_flows")
    shapes = dict(zip(release.tessellation.tile_ids, release.tessellation.polygons, strict=True))
    assert len(frame) == 16
    for origin, destination, line in zip(frame["origin"], frame["destination"], frame.geometry, strict=True):
        points = shapely.get_coordinates(line)
        assert shapes[origin].contains(shapely.Point(points[0]))
        assert shapes[destination].contains(shapely.Point(points[-1]))
        assert line.is_valid
        assert line.geom_type == ("Point" if origin == destination else "LineString")


@pytest.mark.parametrize("whose", ["counted", "all"])
def test_estimates_have_shapes_too_and_flows_where_visits_were_released(whose):
    release = made_release(weights={"visits_per_tile": 1}, unit="trip", sparse=True)
    visits = dpcore.geodataframe(release, "visits_per_tile", estimate=whose)
    table = dpcore.table(release, "visits_per_tile", estimate=whose)
    assert list(visits.columns) == ["tile_id", "tile_name", "estimate", "low", "high", "geometry"]
    assert (visits["estimate"] == table["estimate"][:-1]).all()
    flows = dpcore.geodataframe(release, "od_flows", estimate=whose)
    assert list(flows.columns) == ["origin", "destination", "estimate", "low", "high", "geometry"]
    shapes = dict(zip(release.tessellation.tile_ids, release.tessellation.polygons, strict=True))
    for origin, destination, line in zip(
        *(flows[name][:50] for name in ("origin", "destination", "geometry")), strict=True
    ):
        points = shapely.get_coordinates(line)
        assert shapes[origin].contains(shapely.Point(points[0]))
        assert shapes[destination].contains(shapely.Point(points[-1]))
    for frame in (visits, flows):
        assert frame.attrs["columns"].keys() == {*frame.columns}
        assert frame.attrs["share"]["value"] == 1
        assert "estimates" in frame.attrs["note"]
    with pytest.raises(InputError):
        dpcore.geodataframe(release, "trips_per_weekday", estimate=whose)


def test_an_earlier_rung_is_had_by_its_epsilon(release):
    coarse = dpcore.geodataframe(release, "visits_per_tile", "0.5")
    assert (coarse["value"] == dpcore.table(release, "visits_per_tile", "0.5")["value"][:4]).all()
    assert coarse.attrs["epsilon"] == "0.5"
    assert "ε = 2" in coarse.attrs["promise"]  # that of the whole release
    with pytest.raises(PrivacyError, match="rung"):
        dpcore.geodataframe(release, "visits_per_tile", "7")


@pytest.mark.parametrize("measure", ["visits_per_tile", "visits_per_time_tile", "od_flows"])
def test_every_column_is_explained_in_words(release, measure):
    frame = dpcore.geodataframe(release, measure)
    assert list(frame.attrs["columns"]) == list(frame.columns)
    assert frame.attrs["unit"] == release.measurements[measure].counts
    json.dumps(frame.attrs)  # as files keep them
    assert "mark" not in frame.attrs


def test_every_explained_column_is_one_that_a_frame_has(release, preview):
    frames = [dpcore.geodataframe(release, measure) for measure in list(WEIGHTS)[:3]]
    frames.append(dpcore.geodataframe(preview, "visits_per_tile"))
    frames.append(dpcore.geodataframe(release, "visits_per_tile", estimate="counted"))
    assert {name for frame in frames for name in frame.columns} == set(COLUMNS)


def test_a_frame_is_written_and_loads_as_tiles(release, tmp_path):
    frame = dpcore.geodataframe(release, "visits_per_tile")
    frame.to_file(tmp_path / "tiles.gpkg", layer="tiles")
    dpcore.geodataframe(release, "od_flows").to_parquet(tmp_path / "flows.parquet")
    assert dpcore.load_tiles(tmp_path / "tiles.gpkg").digest == release.tessellation.digest
    assert dpcore.load_tiles(frame).digest == release.tessellation.digest


def test_a_preview_says_in_every_row_and_in_its_attrs_that_it_is_private(preview, tmp_path):
    for measure in ("visits_per_tile", "od_flows"):
        frame = dpcore.geodataframe(preview, measure)
        assert set(frame["mark"]) == {OWNER_MARK} == {frame.attrs["mark"]}
        assert frame.attrs["columns"]["truth"].startswith("for the owner only")
        assert frame.attrs["promise"].startswith("None")
    table = dpcore.table(preview, "visits_per_tile")
    assert set(table["mark"]) == {OWNER_MARK}
    assert table.attrs["mark"] == OWNER_MARK
    frame = dpcore.geodataframe(preview, "visits_per_tile")
    assert frame["truth"].tolist() == table["truth"][:4].tolist()
    frame.to_file(tmp_path / "shared.geojson")
    assert (tmp_path / "shared.geojson").read_text(encoding="utf-8").count(OWNER_MARK) == 4


def test_geopandas_pydeck_and_the_classes_of_plotly_are_imported_by_nobody_who_did_not_ask():
    code = """
import sys, dpcore
dpcore.table, dpcore.publish, dpcore.deck
import dpcore.release
from dpcore.command_line import bundle, compare, exact, ledger, release, synth
print({"geopandas", "pyogrio", "pydeck", "plotly.graph_objs"} & sys.modules.keys())
"""
    shown = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert shown.stdout.strip() == "set()"


def test_what_has_no_place_is_refused_with_what_has_one(release, preview):
    for source in (release, preview):
        with pytest.raises(InputError, match="no places") as found:
            dpcore.geodataframe(source, "trips_per_weekday")
        assert "visits_per_tile" in str(found.value)
        assert "od_flows" in str(found.value)
    for name in ("five_numbers", "visits"):
        with pytest.raises(InputError, match="unknown measure"):
            dpcore.geodataframe(release, name)


def test_a_release_of_another_kind_has_no_measures():
    with pytest.raises(InputError, match=r"trajectory tree has no such picture.*Use table, ask"):
        dpcore.geodataframe(made_tree(tree_choices()), "visits_per_tile")
