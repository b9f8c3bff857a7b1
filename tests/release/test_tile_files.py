"""The tiles of a bundle as GeoParquet and as a GeoPackage: what other programs see, and what nobody can slip in."""

from __future__ import annotations

import io
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import geopandas
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import pytest
import shapely

import dpcore
from dpcore.errors import BundleError
from dpcore.release import estimates_of, read_bundle, verify_bundle, write_bundle, zipped
from dpcore.release.layout import FOR_MAPS
from dpcore.release.tile_files import geopackage_bytes, geoparquet_bytes
from dpcore.tiles import Tessellation
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.release.tampering import as_of, manifest, rewrite


@pytest.fixture(scope="module")
def release():
    return made_release(weights={"visits_per_tile": 2, "trips_per_weekday": 1})


def refused(bundle) -> str:
    with pytest.raises(BundleError) as found:
        verify_bundle(bundle)
    with pytest.raises(BundleError):
        read_bundle(bundle)
    return str(found.value)


# ---- what other programs see


@pytest.mark.parametrize("read", [geopandas.read_parquet, geopandas.read_file], ids=["parquet", "gpkg"])
def test_a_program_of_maps_sees_the_tiles_with_their_visits(written, release, read):
    frame = read(written / ("tiles.parquet" if read is geopandas.read_parquet else "tiles.gpkg"))
    visits, tiles = release.measurements["visits_per_tile"], release.tessellation
    assert frame.crs == "EPSG:4326"
    assert frame["tile_id"].tolist() == list(tiles.tile_ids)
    assert frame["tile_name"].tolist() == list(tiles.tile_names)
    assert frame["visits_per_tile"].tolist() == visits.values[-1][:4].tolist()
    assert set(frame["half_width_95"]) == {visits.half_widths[-1]}
    assert all(shapely.equals(one, other) for one, other in zip(frame.geometry, tiles.polygons, strict=True))
    counted = estimates_of(release).tables["visits_per_tile"].counted
    assert frame["estimate_counted"].tolist() == pytest.approx(counted.values[:4], abs=0.01)
    assert frame["low"].tolist() == pytest.approx(counted.low[:4], abs=0.01)
    assert frame["high"].tolist() == pytest.approx(counted.high[:4], abs=0.01)
    assert len(frame.columns) == 8


def test_a_release_without_visits_has_the_tiles_alone(tmp_path):
    write_bundle(made_release(weights={"trips_per_weekday": 1}), tmp_path / "b")
    for frame in (
        geopandas.read_parquet(tmp_path / "b" / "tiles.parquet"),
        geopandas.read_file(tmp_path / "b" / "tiles.gpkg"),
    ):
        assert list(frame.columns) == ["tile_id", "tile_name", "geometry"]


def test_the_geopackage_has_one_layer_which_loads_as_tiles_again(written, release):
    assert pyogrio.list_layers(written / "tiles.gpkg").tolist() == [["tiles", "MultiPolygon"]]
    assert dpcore.load_tiles(written / "tiles.gpkg").digest == release.tessellation.digest


def test_tiles_of_several_parts_with_holes_and_odd_names_are_written_and_verified(tmp_path):
    holed = shapely.box(0, 0, 3, 3) - shapely.box(1, 1, 2, 2)
    parts = shapely.MultiPolygon([shapely.box(5, 0, 6, 1), shapely.box(7, 0, 8, 1)])
    tiles = Tessellation.of(["a", "b"], ["<b>x</b> ' \" ;", "=1+1 日本"], [holed, parts], "test")
    write_bundle(made_release(tessellation=tiles), tmp_path / "b")
    for frame in (
        geopandas.read_parquet(tmp_path / "b" / "tiles.parquet"),
        geopandas.read_file(tmp_path / "b" / "tiles.gpkg"),
    ):
        assert frame["tile_name"].tolist() == ["<b>x</b> ' \" ;", "=1+1 日本"]
        assert shapely.area(frame.geometry.to_numpy()).tolist() == [8, 2]


def test_the_moment_in_the_geopackage_is_that_of_the_release(written, release):
    with closing(sqlite3.connect(written / "tiles.gpkg")) as database:
        (said,) = database.execute("SELECT last_change FROM gpkg_contents").fetchone()
    assert said == release.created.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def test_the_same_tiles_give_the_same_bytes_however_often(release):
    told = {"visits_per_tile": pa.array([1, None, -3, 4]), "low": pa.array([0.5, None, 0.0, 4.0])}
    made = {
        (
            geoparquet_bytes(release.tessellation, told),
            geopackage_bytes(release.tessellation, told, release.created),
        )
        for _ in range(40)
    }
    assert len(made) == 1


def test_reading_a_bundle_needs_neither_geopandas_nor_gdal(written):
    code = f"""
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("geopandas", "pyogrio", "osgeo", "fiona"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
import dpcore
print(dpcore.read_bundle({str(written)!r}).id)
"""
    shown = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert shown.stdout.strip() == "four-tiles-3-0a1b2c"


# ---- bundles of before


def test_a_bundle_of_schema_version_1_has_no_such_files_and_verifies(bundle):
    as_of(bundle, 1)
    assert verify_bundle(bundle).other_version
    assert read_bundle(zipped(bundle)).id == "four-tiles-3-0a1b2c"


def test_the_version_says_which_files_there_are(bundle):
    rewrite(bundle, lambda document: document.update(schema_version=1))
    assert "list of files" in refused(bundle)
    rewrite(bundle, lambda document: document.update(schema_version=5))
    as_of(bundle, 1)
    rewrite(bundle, lambda document: document.update(schema_version=2))
    assert "list of files" in refused(bundle)


# ---- what somebody changed, with sums that fit


def changed_by(bundle, *statements: str) -> bytes:
    """The GeoPackage of a bundle after some statements."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize((bundle / "tiles.gpkg").read_bytes())
        for statement in statements:
            database.execute(statement)
        return database.serialize()


STATEMENTS = {
    "a value": "UPDATE tiles SET visits_per_tile = visits_per_tile + 1 WHERE fid = 2",
    "no value": "UPDATE tiles SET visits_per_tile = NULL WHERE fid = 2",
    "a value as text": "UPDATE tiles SET visits_per_tile = 'many' WHERE fid = 2",
    "a half width": "UPDATE tiles SET half_width_95 = 1",
    "an id": "UPDATE tiles SET tile_id = 'E' WHERE fid = 1",
    "a name": "UPDATE tiles SET tile_name = 'elsewhere' WHERE fid = 1",
    "a shape": "UPDATE tiles SET geometry = (SELECT geometry FROM tiles WHERE fid = 2) WHERE fid = 1",
    "no shape": "UPDATE tiles SET geometry = NULL WHERE fid = 1",
    "a shape of no kind": "UPDATE tiles SET geometry = x'4750000300000000' WHERE fid = 1",
    "a row less": "DELETE FROM tiles WHERE fid = 4",
    "a row more": "INSERT INTO tiles SELECT geometry, 9, tile_id, tile_name, 1, 1 FROM tiles WHERE fid = 1",
    "a column more": "ALTER TABLE tiles ADD COLUMN true_count INTEGER",
    "a computed column": "ALTER TABLE tiles ADD COLUMN truth INTEGER AS (visits_per_tile + 1) VIRTUAL",
    "a view": "CREATE VIEW truth AS SELECT * FROM tiles",
    "a table": "CREATE TABLE truth (visits INTEGER)",
    "a trigger": "CREATE TRIGGER t AFTER UPDATE ON tiles BEGIN DELETE FROM tiles; END",
    "an index": "CREATE INDEX i ON tiles (tile_id)",
    "a description": "UPDATE gpkg_contents SET description = 'exact counts'",
    "a title": "UPDATE gpkg_contents SET identifier = 'exact counts'",
    "another system": "UPDATE gpkg_geometry_columns SET srs_id = 0",
    "no layer": "DELETE FROM gpkg_contents",
    "a missing table": "DROP TABLE gpkg_geometry_columns",
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_geopackage_that_says_anything_else_is_refused(bundle, statement):
    if "INSERT" in statement:
        names = "geometry, fid, tile_id, tile_name, visits_per_tile, half_width_95"
        statement = statement.replace("INTO tiles", f"INTO tiles ({names})")
    rewrite(bundle, tiles__gpkg=changed_by(bundle, statement))
    assert "tiles.gpkg" in refused(bundle)


HIDDEN = {
    "what programs of maps run": "CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, styleQML TEXT)",
    "an organisation with a space": "UPDATE gpkg_spatial_ref_sys SET organization = ' epsg'",
    "a definition": "UPDATE gpkg_spatial_ref_sys SET definition = replace(definition, 'Greenwich\",0', 'Here\",90')",
    "a description of a system": "UPDATE gpkg_spatial_ref_sys SET description = 'exact: 1234'",
    "a system more": "INSERT INTO gpkg_spatial_ref_sys VALUES ('x', 77, 'y', 78, 'z', 'exact: 1234')",
    "a moment": "UPDATE gpkg_contents SET last_change = '1999-01-01T00:00:00.000Z'",
    "an extent": "UPDATE gpkg_contents SET min_x = -180",
    "a type of shapes": "UPDATE gpkg_geometry_columns SET geometry_type_name = 'POINT'",
    "heights": "UPDATE gpkg_geometry_columns SET z = 2",
    "a version": "PRAGMA user_version = 12345",
    **{
        f"a column of {kind}": f"UPDATE sqlite_master SET sql = replace(sql, '\"visits_per_tile\" INTEGER', '\"visits_per_tile\" {kind}')"
        for kind in ("BOOLEAN", "TINYINT", "SMALLINT", "DATE")
    },
    "a comment": "UPDATE sqlite_master SET sql = sql || ' /* exact: 1234 */' WHERE name = 'tiles'",
}


@pytest.mark.parametrize("statement", HIDDEN.values(), ids=HIDDEN)
def test_nothing_can_be_hidden_in_the_tables_of_the_standard(bundle, statement):
    good = (bundle / "tiles.gpkg").read_bytes()
    changed = changed_by(bundle, "PRAGMA writable_schema = ON", statement)
    # as if SQLite had not counted the change
    changed = (
        changed[:24]
        + good[24:28]
        + changed[28:40]
        + good[40:44]
        + changed[44:92]
        + good[92:100]
        + changed[100:]
    )
    assert changed != good
    rewrite(bundle, tiles__gpkg=changed)
    assert "tiles.gpkg" in refused(bundle)


def test_what_was_deleted_and_what_follows_the_end_is_refused(bundle):
    good = (bundle / "tiles.gpkg").read_bytes()
    deleted = changed_by(
        bundle, "PRAGMA secure_delete = OFF", "CREATE TABLE z AS SELECT 'exact: 1234' AS a", "DROP TABLE z"
    )
    assert b"exact: 1234" in deleted
    at = good.index(b"\0" * 100)  # between the rows of a page
    slack = good[:at] + b"exact: 1234" + good[at + 11 :]
    for data in (deleted, good + b"exact: 1234", slack, good[:92] + b"\0\0\0\7" + good[96:]):
        rewrite(bundle, tiles__gpkg=data)
        assert "tiles.gpkg" in refused(bundle)


def test_sqlite_and_gdal_find_the_geopackage_whole(written, release):
    with closing(sqlite3.connect(written / "tiles.gpkg")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.execute("PRAGMA application_id").fetchone() == (0x47504B47,)
        kinds = {kind for (kind,) in database.execute("SELECT type FROM sqlite_master")}
    assert kinds == {"table", "index"}
    told = pyogrio.read_info(written / "tiles.gpkg")
    assert (told["crs"], told["geometry_type"], told["features"]) == ("EPSG:4326", "MultiPolygon", 4)
    assert told["geometry_name"] == "geometry"
    assert told["fid_column"] == "fid"
    assert dict(zip(told["fields"], told["dtypes"], strict=True)) == {
        "tile_id": "object",
        "tile_name": "object",
        "visits_per_tile": "int64",
        "half_width_95": "int64",
        "estimate_counted": "float64",
        "low": "float64",
        "high": "float64",
    }
    assert tuple(told["total_bounds"]) == (*release.tessellation.bounds,)


def test_a_program_of_maps_can_edit_a_copy_of_the_geopackage(written, tmp_path):
    copy = shutil.copy(written / "tiles.gpkg", tmp_path / "copy.gpkg")
    frame = geopandas.read_file(copy)
    frame.to_file(copy, layer="tiles", driver="GPKG", mode="a", engine="pyogrio")
    assert len(geopandas.read_file(copy)) == 8


def test_a_view_that_never_ends_is_not_run(bundle):
    endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS tile_id FROM r"
    rewrite(
        bundle,
        tiles__gpkg=changed_by(
            bundle, "ALTER TABLE tiles RENAME TO other", f"CREATE VIEW tiles AS {endless}"
        ),
    )
    assert "tiles.gpkg" in refused(bundle)


@pytest.mark.parametrize(
    "data", [b"", b"SQLite format 3\x00", b"PAR1", b"\x80\x04K\x01.", b"GP\x00\x03" * 99]
)
@pytest.mark.parametrize("name", ["tiles__gpkg", "tiles__parquet"])
def test_what_is_no_such_file_is_refused(bundle, name, data):
    rewrite(bundle, **{name: data})
    assert name.replace("__", ".") in refused(bundle)


def repacked(bundle, change=lambda table: table, geo=lambda said: said, **options) -> bytes:
    """The GeoParquet file of a bundle with another table or another note."""
    table = pq.read_table(bundle / "tiles.parquet")
    said = json.loads(pq.read_metadata(bundle / "tiles.parquet").metadata[b"geo"])
    table, said, packed = change(table), geo(said), io.BytesIO()
    with pq.ParquetWriter(packed, table.schema, **{"store_schema": False, **options}) as writer:
        writer.write_table(table)
        if said is not None:
            writer.add_key_value_metadata({"geo": said if isinstance(said, str) else json.dumps(said)})
    return packed.getvalue()


def column(name: str, values: list):
    def change(table):
        at = table.column_names.index(name)
        field = table.schema.field(name)
        return table.set_column(at, field, pa.array(values, field.type))

    return change


def shape(**members):
    def change(said):
        said["columns"]["geometry"].update(members)
        return said

    return change


def test_a_geoparquet_file_that_says_the_same_is_read(bundle):
    rewrite(bundle, tiles__parquet=repacked(bundle))
    verify_bundle(bundle)


def peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@pytest.mark.parametrize("rows", [4, 4000])
def test_a_shape_that_a_small_file_repeats_does_not_fill_the_memory(bundle, rows):
    large = {4: 200_000_000, 4000: 1_000_000}[rows]

    def change(table):
        one = pa.DictionaryArray.from_arrays(
            pa.array([0] * rows, pa.int32()), pa.array([bytes(large)], pa.binary())
        )
        columns = {
            field.name: pa.array(["a" if field.type == pa.string() else 1] * rows, field.type)
            for field in table.schema
            if field.name != "geometry"
        }
        return pa.table({**columns, "geometry": one})

    data = repacked(bundle, change, compression="zstd", dictionary_pagesize_limit=2**30)
    assert len(data) < 100_000
    rewrite(bundle, tiles__parquet=data)
    before = peak_megabytes()
    assert "tiles.parquet" in refused(bundle)
    assert peak_megabytes() - before < 700


def test_shapes_that_are_derived_from_the_one_before_are_refused(bundle):
    base = bytes(1_000_000)

    def change(table):
        return column("geometry", [base + bytes([n]) for n in range(4)])(table)

    delta = {"use_dictionary": False, "column_encoding": {"geometry": "DELTA_BYTE_ARRAY"}}
    rewrite(bundle, tiles__parquet=repacked(bundle, change, **delta))
    assert "tiles.parquet" in refused(bundle)
    same = repacked(bundle, **delta)  # also where the values are those of the bundle
    rewrite(bundle, tiles__parquet=same)
    assert "tiles.parquet" in refused(bundle)


TABLES = {
    "a value": column("visits_per_tile", [1, 2, 3, 4]),
    "no value": column("visits_per_tile", [None] * 4),
    "a half width": column("half_width_95", [1] * 4),
    "an id": column("tile_id", ["A", "B", "C", "E"]),
    "a name": column("tile_name", ["A", "B", "C", "E"]),
    "a shape": column("geometry", [shapely.box(0, 0, 1, 1).wkb] * 4),
    "no shape": column("geometry", [None] * 4),
    "a row less": lambda table: table.slice(1),
    "a column more": lambda table: table.append_column("truth", [[1, 2, 3, 4]]),
    "a column less": lambda table: table.drop_columns(["half_width_95"]),
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_a_geoparquet_file_of_another_table_is_refused(bundle, change):
    rewrite(bundle, tiles__parquet=repacked(bundle, change))
    assert "tiles.parquet" in refused(bundle)


NOTES = {
    "none": lambda _: None,
    "no JSON": lambda _: "{",
    "a list": lambda _: [],
    "deep": lambda _: "[" * 90_000,
    "large": lambda _: json.dumps("x" * 200_000),
    "another system": shape(crs={"type": "GeographicCRS", "id": {"authority": "EPSG", "code": 4258}}),
    "no system": shape(crs=None),
    "a box elsewhere": shape(bbox=[0, 0, 1, 1]),
    "another prime meridian": lambda said: shape(
        crs=said["columns"]["geometry"]["crs"]
        | {"datum": {"prime_meridian": {"name": "Here", "longitude": 90}}}
    )(said),
    "a remark": lambda said: shape(crs=said["columns"]["geometry"]["crs"] | {"remarks": "exact: 1234"})(said),
    "a member more": lambda said: {**said, "exact": 1234},
    "another version": lambda said: {**said, "version": "1.x"},
    "another encoding": shape(encoding="point"),
    "round edges": shape(edges="spherical"),
    "another column": lambda said: {**said, "primary_column": "home"},
    "a column more": lambda said: {**said, "columns": {**said["columns"], "home": {}}},
}


@pytest.mark.parametrize("geo", NOTES.values(), ids=NOTES)
def test_a_geoparquet_file_with_another_note_is_refused(bundle, geo):
    rewrite(bundle, tiles__parquet=repacked(bundle, geo=geo))
    assert "tiles.parquet" in refused(bundle)


def test_a_geoparquet_file_with_a_schema_in_its_notes_is_refused(bundle):
    rewrite(bundle, tiles__parquet=repacked(bundle, store_schema=True))
    assert "tiles.parquet" in refused(bundle)


def test_the_manifest_lists_both_files(written):
    assert set(FOR_MAPS) < set(manifest(written)["files"])
