"""Frames and folders at the door: an index that may hold people, columns without names, a file beside what it was unpacked from."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from reading_of import CANONICAL, GOOD, ZONE

import dpcore
from dpcore.errors import InputError, TessellationError
from dpcore.tiles.id_rules import read_rules

COLUMNS = ["started_at", "ended_at", "start_tile", "end_tile"]
ROW = ["2024-03-01 10:00", "2024-03-01 10:20", "A", "B"]


@pytest.fixture
def tiles():
    shapes = [shapely.box(13.0, 52.5, 13.1, 52.6), shapely.box(13.1, 52.5, 13.2, 52.6)]
    own = gpd.GeoDataFrame({"tile_id": ["A", "B"]}, geometry=shapes, crs=4326)
    return dpcore.load_tiles(own.set_index("tile_id"))  # the name of an index is that of a column


def trips(index=None):
    return pd.DataFrame([ROW] * (1 if index is None else len(index)), columns=COLUMNS, index=index)


@pytest.mark.parametrize(
    "frame",
    [
        trips(["u1", "u2"]),
        pd.concat({"u1": trips(), "u2": trips()}),
        pd.concat({"u1": trips(), "u2": trips()}).rename_axis([None, "row"]),
        trips(pd.Categorical(["u1"])),
        pd.concat({1: trips(), 2: trips()}),
        trips(pd.to_datetime(["2024-03-01"])),
    ],
)
def test_an_index_without_a_name_that_may_hold_people_is_refused(tiles, frame):
    with pytest.raises(InputError, match="level without a name, which may hold people") as refused:
        dpcore.load_trips(frame, tiles, timezone=ZONE)
    assert "u1" not in str(refused.value)
    alone = dpcore.load_trips(frame.reset_index(drop=True), tiles, timezone=ZONE)
    assert (alone.has_users, alone.report.trips) == (False, len(frame))
    first = frame.index.get_level_values(0)
    named = frame.set_axis(first.astype(str)).rename_axis("uid")
    assert dpcore.exact_table(dpcore.load_trips(named, tiles, timezone=ZONE), "ds_statistics")["value"][
        0
    ] == len(set(first))


@pytest.mark.parametrize("index", [None, [7, 3], pd.RangeIndex(5, 7)])
def test_an_index_of_numbers_of_rows_is_none(tiles, index):
    assert not dpcore.load_trips(trips(index), tiles, timezone=ZONE).has_users


def test_a_column_without_a_name_is_refused_as_it_may_be_a_number_of_trips(tiles):
    sizes = pd.concat([trips()] * 25).groupby(COLUMNS).size().reset_index()
    with pytest.raises(InputError, match=r"0 in place of a name.*a row must be one trip"):
        dpcore.load_trips(sizes, tiles, timezone=ZONE)
    with pytest.raises(InputError, match="a row is a number of trips"):
        dpcore.load_trips(sizes.rename(columns={0: "size"}), tiles, timezone=ZONE)


def test_a_column_of_lists_is_refused_by_its_name(tiles):
    own = pd.DataFrame(
        {"user_id": [["u"]], **{name: [cell] for name, cell in zip(COLUMNS, ROW, strict=True)}}
    )
    with pytest.raises(InputError, match="cells of a column are lists: data frame, column user_id"):
        dpcore.load_trips(own, tiles, timezone=ZONE)


def test_the_library_warns_of_trips_that_lie_outside_as_commands_do(tiles):
    own = pd.DataFrame(
        {
            "started_at": ROW[:1],
            "ended_at": ROW[1:2],
            "start_lat": [13.05],
            "start_lng": [52.55],
            "end_lat": [13.15],
            "end_lng": [52.55],
        }
    )
    with pytest.warns(UserWarning, match="inside if latitude and longitude are swapped"):
        dpcore.exact_table(dpcore.load_trips(own, tiles, timezone=ZONE), "visits_per_tile")


def test_rules_for_ids_may_be_a_list():
    assert read_rules(["decimals", "letters"]) == read_rules("letters,decimals") == ("letters", "decimals")
    with pytest.raises(InputError, match="unknown rule for ids"):
        read_rules(["zeros"])


@pytest.mark.parametrize("other", ["a.zip", "a.csv.gz", "a.txt", "A.parquet"])
def test_a_file_beside_what_it_was_unpacked_from_is_refused(tmp_path, tiles, other):
    place = tmp_path / "set"
    place.mkdir()
    (place / "a.csv").write_text(CANONICAL + GOOD)
    (place / "b.csv").write_text(CANONICAL + GOOD.replace("u1", "u2"))
    assert dpcore.load_trips(place, tiles, timezone=ZONE).report.trips == 2
    (place / other.lower()).write_bytes(b"whatever")
    with pytest.raises(InputError, match=r"the same trips twice, by the names of the files: a\.csv and a\."):
        dpcore.load_trips(place, tiles, timezone=ZONE)


@pytest.mark.parametrize(("asked", "loads"), [(None, True), ("EPSG:25833", True), ("EPSG:25832", False)])
def test_the_number_of_a_system_inside_shapes_is_read_and_never_overruled(tmp_path, asked, loads):
    shapes = [
        shapely.set_srid(shapely.box(x, 5_800_000, x + 1_000, 5_801_000), 25833) for x in (390_000, 391_000)
    ]
    table = pd.DataFrame(
        {"tile_id": ["A", "B"], "geometry": [shapely.to_wkb(one, include_srid=True) for one in shapes]}
    )
    table.to_parquet(tmp_path / "tiles.parquet")
    if loads:
        assert dpcore.load_tiles(tmp_path / "tiles.parquet", tiles_crs=asked).tile_ids == ("A", "B")
    else:
        with pytest.raises(TessellationError):
            dpcore.load_tiles(tmp_path / "tiles.parquet", tiles_crs=asked)
