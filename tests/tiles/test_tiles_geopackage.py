import sqlite3
import struct
import time
from contextlib import closing

import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tiles import blob, cells, geopackage, layer_sql, ring

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import describe_properties, read_tessellation
from dpcore.tiles import geopackage as reader

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


def read(data, **options):
    return read_tessellation(data, "tiles.gpkg", **options)


def refused(data, **options):
    with pytest.raises(TessellationError) as found:
        read(data, **options)
    assert "ENDLESS" not in str(found.value)
    return str(found.value)


@pytest.mark.parametrize("order", [0, 1])
def test_a_layer_is_read(order, tmp_path):
    data = geopackage(cells(3, order))
    tiles = read(data)
    assert tiles.tile_ids == ("T0", "T1", "T2")
    assert tiles.notes == ()
    assert tiles.index.assign([13.005, 13.025, 14], [52.005] * 3).tolist() == [0, 2, -1]
    path = tmp_path / "tiles.gpkg"
    path.write_bytes(data)
    assert read_tessellation(path, path.name).digest == tiles.digest


def test_a_file_of_geopandas_is_read(tmp_path):
    import geopandas

    shapes = [shapely.Polygon(ring(i, 0)) for i in range(3)]
    frame = geopandas.GeoDataFrame(
        {"LocationID": [3, 2, 1], "zone": ["c", "b", "a"]}, geometry=shapes, crs="EPSG:4326"
    )
    path = tmp_path / "zones.gpkg"
    frame.to_file(path, layer="zones", driver="GPKG")
    tiles = read_tessellation(path, path.name)
    assert (tiles.tile_ids, tiles.tile_names) == (("1", "2", "3"), ("a", "b", "c"))
    assert [each.column for each in describe_properties(path, path.name)] == ["fid", "LocationID", "zone"]
    frame.to_crs(25833).to_file(path, layer="zones", driver="GPKG")
    projected = read_tessellation(path, path.name)
    assert projected.notes == ("coordinates were reprojected from EPSG:25833 to WGS84",)
    for one, other in zip(projected.polygons, tiles.polygons, strict=True):
        assert shapely.hausdorff_distance(one, other) < 1e-8


def test_parts_holes_and_heights_are_read():
    outer, hole = ring(0, 0), ring(0, 0, 13.002, 52.002, 0.005)
    shape = shapely.MultiPolygon([shapely.Polygon(outer, [hole]), shapely.Polygon(ring(3, 3))])
    for each in (shape, shapely.force_3d(shape, 7.0)):
        (polygon,) = read(geopackage([("a", blob(each))])).polygons
        assert not polygon.has_z
        assert polygon.equals(shape)


def test_a_known_system_is_reprojected_without_the_network():
    shape = shapely.box(390_000, 5_810_000, 391_000, 5_811_000)
    tiles = read(geopackage([("a", blob(shape, 25833))], reference=25833))
    assert tiles.notes == ("coordinates were reprojected from EPSG:25833 to WGS84",)
    west, south, east, north = tiles.bounds
    assert 13.3 < west < east < 13.5
    assert 52.3 < south < north < 52.6
    assert not pyproj.network.is_network_enabled()


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (-1, "undefined or unknown"),
        (0, "undefined or unknown"),
        (100, "undefined or unknown"),
        (12345, "undefined or unknown"),
        (99, "cannot be turned into WGS84"),
        (5773, "not a system of places"),
    ],
)
def test_other_systems_are_refused(reference, reason):
    rows = [("a", blob(shapely.box(0, 0, 1, 1), reference))]
    assert reason in refused(geopackage(rows, reference=reference))


def test_a_geometry_of_another_system_than_its_layer_is_refused():
    assert "another coordinate system" in refused(geopackage([("a", blob(shapely.box(0, 0, 1, 1), 25833))]))


def test_corners_outside_the_range_of_the_system_are_refused():
    shape = shapely.box(1e30, 1e30, 2e30, 2e30)
    said = refused(geopackage([("a", blob(shape, 25833))], reference=25833))
    assert "outside the range" in said or "finite" in said or "globe" in said


def test_wgs84_coordinates_are_checked_like_those_of_geojson():
    assert "look projected" in refused(geopackage([("a", blob(shapely.box(5e5, 5e6, 6e5, 6e6)))]))


def test_several_layers_need_a_choice():
    data = geopackage(cells(2), extra=layer_sql("blocks", 4326))
    assert 'Choose one of: "blocks", "tiles"' in refused(data)
    assert read(data, layer="tiles").tile_ids == ("T0", "T1")
    assert "no features" in refused(data, layer="blocks")
    assert 'there is no layer "missing"' in refused(data, layer="missing")


def test_odd_names_of_layers_and_columns_are_names_only():
    name = 'ti""les; DROP TABLE gpkg_contents; --'
    data = geopackage(
        cells(1),
        extra=f'ALTER TABLE tiles ADD COLUMN "a""b; --" TEXT DEFAULT "x"; {layer_sql("t", 0)}'.replace(
            '"t"', f'"{name}"'
        ).replace("'t'", f"'{name.replace(chr(34) * 2, chr(34))}'"),
    )
    assert read(data, layer="tiles").tile_ids == ("T0",)
    assert "undefined" in refused(data, layer=name.replace('""', '"'))


def test_an_endless_view_is_not_run():
    view = f"""
    CREATE VIEW trap AS {ENDLESS} i AS fid, x'00' AS geom, 'ENDLESS' AS tile_id FROM n;
    INSERT INTO gpkg_contents VALUES ('trap', 'features', 'trap', 4326);
    INSERT INTO gpkg_geometry_columns VALUES ('trap', 'geom', 'POLYGON', 4326, 0, 0);
    """
    start = time.process_time()
    data = geopackage(cells(1), extra=view)
    assert read(data).tile_ids == ("T0",)
    assert "there is no layer" in refused(data, layer="trap")
    assert "stored as a table" in refused(geopackage([], layer=None, extra=view))
    assert time.process_time() - start < 5


@pytest.mark.parametrize("table", ["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"])
def test_an_endless_view_in_place_of_a_system_table_is_not_run(table):
    trap = f"ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS {ENDLESS} i AS srs_id, 'ENDLESS' AS table_name FROM n;"
    assert "tables of a GeoPackage are missing" in refused(geopackage(cells(1), extra=trap))


def test_a_virtual_table_is_not_read():
    trap = """
    CREATE VIRTUAL TABLE trap USING rtree(fid, a, b);
    INSERT INTO gpkg_contents VALUES ('trap', 'features', 'trap', 4326);
    INSERT INTO gpkg_geometry_columns VALUES ('trap', 'a', 'POLYGON', 4326, 0, 0);
    """
    assert "there is no layer" in refused(geopackage(cells(1), extra=trap), layer="trap")


def test_computed_columns_are_not_computed():
    trap = (
        "ALTER TABLE tiles ADD COLUMN trap TEXT GENERATED ALWAYS AS (printf('%.*c', 200000000, 'x')) VIRTUAL;"
    )
    columns = [each.column for each in describe_properties(geopackage(cells(1), extra=trap), "tiles.gpkg")]
    assert columns == ["fid", "tile_id", "tile_name"]


def test_a_reading_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(limits, "MAX_DATABASE_STEPS", 0)
    monkeypatch.setattr(reader, "_STEPS_AT_ONCE", 100)
    assert "takes too long" in refused(geopackage(cells(200)))


def test_nothing_but_reading_is_allowed():
    database = reader._open(geopackage(cells(1)))
    for statement in (
        "ATTACH '/nowhere/x.db' AS x",
        "DELETE FROM tiles",
        "CREATE TABLE x (a)",
        "PRAGMA writable_schema = ON",
        "SELECT load_extension('x')",
        "SELECT randomblob(100)",
        "VACUUM INTO '/nowhere/x.db'",
    ):
        with pytest.raises(sqlite3.Error):
            database.execute(statement).fetchall()
    database.close()


def test_a_database_with_a_write_ahead_log_is_read(tmp_path):
    path = tmp_path / "tiles.gpkg"
    path.write_bytes(geopackage(cells(2)))
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    database.execute("UPDATE tiles SET tile_name = 'x'")
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert path.read_bytes()[18:20] == b"\x02\x02"
    assert read(path.read_bytes()).tile_names == ("x", "x")


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_TILES", 2)
    assert "there are 3 tiles" in refused(geopackage(cells(5)))


def many_objects(count):
    """A database whose schema has many entries that share one page: 65 bytes each, and nothing else in the file."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize(geopackage(cells(1)))
        database.execute("PRAGMA writable_schema = ON")
        entries = ((f"a{i}", f"a{i}", f"CREATE TABLE a{i}(x)") for i in range(count))
        database.execute("BEGIN")
        database.executemany("INSERT INTO sqlite_master VALUES ('table', ?, ?, 2, ?)", entries)
        database.execute("COMMIT")
        return database.serialize()


def test_a_schema_of_very_many_entries_is_refused_before_sqlite_reads_it():
    data = many_objects(100_000)
    start = time.process_time()
    assert "damaged" in refused(data)
    assert time.process_time() - start < 0.5


def test_a_schema_of_many_layers_is_read():
    extra = "".join(f"CREATE TABLE a{i} (x);" for i in range(1900))
    assert read(geopackage(cells(2), extra=extra)).tile_ids == ("T0", "T1")


def test_a_schema_whose_pages_name_each_other_is_refused():
    data = bytearray(many_objects(3000))
    size = int.from_bytes(data[16:18], "big")
    data[108:112] = (1).to_bytes(4, "big")
    assert data[100] == 5
    assert len(data) > size
    assert "damaged" in refused(bytes(data))


def test_long_values_that_describe_a_layer_are_not_read():
    extra = f"UPDATE gpkg_geometry_columns SET column_name = '{'y' * 200_000}';"
    assert "damaged" in refused(geopackage(cells(1), extra=extra))


def test_rows_that_hold_more_than_the_file_are_refused():
    """A default of a column is read for every row, but stored once; so are pages that rows of a forged file share."""
    added = f"ALTER TABLE tiles ADD COLUMN note TEXT DEFAULT '{'y' * 90_000}';"
    assert "damaged" in refused(geopackage(cells(30), extra=added))


def test_a_file_that_is_too_large_is_refused_before_it_is_copied(monkeypatch):
    data = geopackage(cells(1))
    monkeypatch.setattr(limits, "MAX_TESSELLATION_BYTES", len(data) - 1)
    with pytest.raises(TessellationError, match="damaged"):
        reader.features(data, "tiles.gpkg")


def test_a_layer_without_its_geometry_column_is_refused():
    broken = "UPDATE gpkg_geometry_columns SET column_name = 'nothing';"
    assert "no geometry column" in refused(geopackage(cells(1), extra=broken))


def test_ids_of_other_types_follow_the_same_rule():
    data = geopackage([], extra="")
    rows = [(7, "7"), (7.0, "7.0"), ("007", "007")]
    for value, text in rows:
        data = geopackage([(value, blob(shapely.box(0, 0, 1, 1)))])
        assert read(data).tile_ids == (text,)  # the column is TEXT: SQLite makes text of numbers
    for value in (None, b"T1", "", "=1"):
        assert "feature 1" in refused(geopackage([(value, blob(shapely.box(0, 0, 1, 1)))]))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_files_are_refused_or_read_but_never_crash(data):
    good = bytearray(geopackage(cells(3)))
    for _ in range(data.draw(st.integers(1, 20))):
        good[data.draw(st.integers(100, len(good) - 1))] = data.draw(st.integers(0, 255))
    said = "read"
    try:
        read(bytes(good[: data.draw(st.integers(100, len(good)))]))
    except TessellationError as error:
        said = str(error)
    assert said.isprintable()


def test_text_that_is_not_utf8_is_refused():
    assert "damaged" in refused(
        geopackage(cells(1), extra="UPDATE tiles SET tile_id = CAST(x'ff41' AS TEXT);")
    )


SQUARE = shapely.to_wkb(shapely.box(0, 0, 1, 1), byte_order=1)
HEAD = b"GP\x00\x01" + struct.pack("<i", 4326)
NESTED = struct.pack("<BII", 1, 6, 1) * 200_000


@pytest.mark.parametrize(
    "bad",
    [
        None,
        5,
        "text",
        b"",
        b"GP",
        b"XX\x00\x01" + HEAD[4:] + SQUARE,
        b"GP\x01\x01" + HEAD[4:] + SQUARE,
        b"GP\x00\x0b" + HEAD[4:] + SQUARE,
        b"GP\x00\x11" + HEAD[4:] + SQUARE,
        b"GP\x00\x21" + HEAD[4:] + SQUARE,
        HEAD,
        HEAD + SQUARE[:-1],
        HEAD + SQUARE + b"\x00",
        HEAD + b"\x02" + SQUARE[1:],
        HEAD + struct.pack("<BII", 1, 3, 0),
        HEAD + struct.pack("<BII", 1, 3, 2**32 - 1),
        HEAD + struct.pack("<BIII", 1, 3, 1, 2**32 - 1),
        HEAD + struct.pack("<BIII", 1, 3, 1, 0),
        HEAD + struct.pack("<BII", 1, 6, 0),
        HEAD + struct.pack("<BII", 1, 6, 2**32 - 1),
        HEAD + struct.pack("<BII", 1, 7, 1) + SQUARE,
        HEAD + struct.pack("<BII", 1, 4003, 1),
        HEAD + struct.pack("<BII", 1, 0x20000003, 4326) + SQUARE[5:],
        HEAD + NESTED + SQUARE,
        HEAD + shapely.to_wkb(shapely.LineString([(1, 1), (2, 2)])),
    ],
    ids=range(25),
)
def test_a_geometry_that_is_no_whole_polygon_is_refused(bad):
    with pytest.raises(ValueError):
        reader.polygons(bad)
    assert "not a polygon" in refused(geopackage([("a", bad)]))


def test_every_kind_of_envelope_is_skipped():
    for envelope, size in enumerate((0, 32, 48, 48, 64)):
        head = b"GP\x00" + bytes([1 | envelope << 1]) + struct.pack("<i", 4326) + bytes(size)
        reference, ((outer,),) = reader.polygons(head + SQUARE)
        assert reference == 4326
        assert np.array_equal(outer, shapely.get_coordinates(shapely.box(0, 0, 1, 1)))
    assert reader.polygons(b"GP\x00\x00" + struct.pack(">i", 4326) + SQUARE)[0] == 4326


def test_all_dimensions_are_read():
    flat = [(0, 0), (1, 0), (1, 1), (0, 0)]
    for thousands, extra in ((0, ()), (1, (5,)), (2, (6,)), (3, (5, 6))):
        numbers = [n for corner in flat for n in (*corner, *extra)]
        body = struct.pack(f"<BIII{len(numbers)}d", 1, 1000 * thousands + 3, 1, len(flat), *numbers)
        _, ((outer,),) = reader.polygons(HEAD + body)
        assert outer.tolist() == [list(map(float, corner)) for corner in flat]
