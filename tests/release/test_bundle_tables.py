from __future__ import annotations

import csv
import json
from fractions import Fraction

import geopandas
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import shapely

from dpcore.errors import InputError, PrivacyError
from dpcore.release import read_bundle, release_table, write_bundle
from dpcore.release.table_files import csv_bytes
from tests.release.made_releases import made_release

WEIGHTS = {
    "visits_per_tile": 2,
    "od_flows": 1,
    "trips_per_user": 1,
    "trips_over_time": 1,
    "trips_per_hour": 1,
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "b"
    release = made_release(weights=WEIGHTS, epsilon="0.5")
    write_bundle(release, folder)
    return folder, release


def test_columns_are_keys_then_the_finest_value_then_coarser_ones(written):
    folder, release = written
    with (folder / "tables" / "visits_per_tile.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    totals = ("0.3", "0.2", "0.1")
    lower = [f"{name}_at_{total}" for total in totals for name in ("value", "half_width_95")]
    assert rows[0] == ["tile_id", "value", "half_width_95", *lower]
    visits = release.measurements["visits_per_tile"]
    for row, values in zip(rows[1:], visits.values.T.tolist(), strict=True):
        assert [int(cell) for cell in row[1::2]] == values[::-1]
        assert [int(cell) for cell in row[2::2]] == list(visits.half_widths[::-1])
    assert [row[0] for row in rows[1:]] == ["A", "B", "C", "D", "outside"]


def test_lines_end_with_a_line_feed(written):
    for place in (written[0] / "tables").glob("*.csv"):
        data = place.read_bytes()
        assert data.endswith(b"\n")
        assert b"\r" not in data
        data.decode("utf-8")


def test_a_dense_table_lists_every_key_and_a_sparse_one_what_passed(written, tmp_path):
    assert len(pd.read_csv(written[0] / "tables" / "od_flows.csv")) == 25
    release = made_release(sparse=True, weights={"od_flows": 1})
    write_bundle(release, tmp_path / "b")
    table = pd.read_parquet(tmp_path / "b" / "tables" / "od_flows.parquet")
    assert len(table) == len(release.measurements["od_flows"].cells)
    assert (table["value"] >= release.measurements["od_flows"].threshold).all()


def test_pandas_reads_the_same_numbers_from_csv_and_parquet(written):
    for measure in WEIGHTS:
        from_csv = pd.read_csv(written[0] / "tables" / f"{measure}.csv")
        from_parquet = pd.read_parquet(written[0] / "tables" / f"{measure}.parquet")
        pd.testing.assert_frame_equal(from_csv, from_parquet, check_dtype=False)
        assert from_parquet["value"].dtype == np.int64


def test_edges_of_bins_and_hours_are_numbers_in_both_files(written):
    bins = pd.read_csv(written[0] / "tables" / "trips_per_user.csv")
    assert bins["bin_start"].iloc[0] == -np.inf
    assert bins["bin_end"].iloc[-1] == np.inf
    assert (written[0] / "tables" / "trips_per_user.csv").read_text().splitlines()[1].startswith("-inf,2,")
    assert pd.read_parquet(written[0] / "tables" / "trips_per_hour.parquet")["hour"].dtype == np.int64


def test_flows_carry_a_point_inside_each_tile_and_none_outside(written):
    release = written[1]
    shapes = dict(zip(release.tessellation.tile_ids, release.tessellation.polygons, strict=True))
    flows = pd.read_csv(written[0] / "tables" / "od_flows.csv")
    assert list(flows.columns[-4:]) == ["origin_lng", "origin_lat", "destination_lng", "destination_lat"]
    for row in flows.itertuples():
        for tile, lng, lat in (
            (row.origin, row.origin_lng, row.origin_lat),
            (row.destination, row.destination_lng, row.destination_lat),
        ):
            if tile == "outside":
                assert np.isnan(lng)
                assert np.isnan(lat)
            else:
                assert shapes[tile].contains(shapely.Point(lng, lat))
                assert round(lng, 6) == lng


def test_texts_that_a_spreadsheet_would_run_are_guarded_and_numbers_are_not():
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\0x", "A=1", "", "'x", 'a"b,c']
    table = pa.table({"tile_id": texts, "value": [-3] * len(texts), "bin_start": [-np.inf] * len(texts)})
    rows = list(csv.reader(csv_bytes(table).decode().splitlines(keepends=True)[1:]))
    said = csv_bytes(table).decode()
    for text in texts[:4]:
        assert f'"\'{text}",-3,-inf' in said
    for text in ("\tx", "\rx", "\0x"):
        assert f'"\'{text}"' in said
    assert rows[0][1:] == ["-3", "-inf"]
    assert '"A=1",-3' in said
    assert '"a""b,c"' in said


def test_qgis_finds_the_map_with_its_values(written):
    folder, release = written
    # GDAL is what QGIS reads with; the app itself never does
    drawn = geopandas.read_file(folder / "maps" / "visits_per_tile.geojson")
    visits = release.measurements["visits_per_tile"]
    assert drawn.crs == "EPSG:4326"
    assert drawn["tile_id"].tolist() == list(release.tessellation.tile_ids)
    assert drawn["value"].tolist() == visits.values[-1][:4].tolist()
    assert set(drawn["half_width_95"]) == {visits.half_widths[-1]}
    assert len(geopandas.read_file(folder / "tiles.geojson")) == 4


def test_geojson_holds_released_properties_only(written):
    for name, extra in (
        ("tiles.geojson", set()),
        ("maps/visits_per_tile.geojson", {"value", "half_width_95", "estimate_counted", "low", "high"}),
    ):
        document = json.loads((written[0] / name).read_text(), parse_constant=pytest.fail)
        for feature in document["features"]:
            assert set(feature["properties"]) == {"tile_id", "tile_name", *extra}


@pytest.mark.parametrize("measure", WEIGHTS)
def test_any_measure_can_be_had_at_any_released_rung(written, measure):
    release = read_bundle(written[0])
    for number, rung in enumerate(release.plan.rungs):
        table = release_table(release, measure, rung)
        measurement = written[1].measurements[measure]
        assert table["value"] == measurement.values[number].tolist()
        assert set(table["half_width_95"]) == {measurement.half_widths[number]}
        assert list(table)[:-2] == list(measurement.keys.columns)
    assert release_table(release, measure, None) == release_table(release, measure, Fraction(1, 2))


def test_a_rung_that_was_not_released_is_refused_with_those_that_were(written):
    for epsilon in (Fraction(1), Fraction(1, 4), Fraction(1, 3)):
        with pytest.raises(PrivacyError, match=r"0\.1, 0\.2, 0\.3, 0\.5"):
            release_table(written[1], "od_flows", epsilon)


def test_a_measure_that_was_not_released_is_refused_with_those_that_were(written):
    with pytest.raises(InputError, match="visits_per_tile, od_flows"):
        release_table(written[1], "trips_per_weekday", None)
