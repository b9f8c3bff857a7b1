"""Small tessellation files, good and bad, made for tests."""

import json
import sqlite3
import struct

import shapely

CELL = 0.01


def ring(column, row, west=13.0, south=52.0, size=CELL):
    """The closed ring of one cell of a grid, as lists; neighbours share corners bit for bit."""
    x, y = (
        (round(west + size * (column + i), 9) for i in (0, 1)),
        (round(south + size * (row + i), 9) for i in (0, 1)),
    )
    (x0, x1), (y0, y1) = x, y
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]


def feature(properties, coordinates, kind="Polygon", **members):
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": kind, "coordinates": coordinates},
        **members,
    }


def row_of_tiles(ids):
    """One feature for each id, cells side by side."""
    return [feature({"tile_id": tile}, [ring(i, 0)]) for i, tile in enumerate(ids)]


def collection(features, **members):
    return json.dumps({"type": "FeatureCollection", "features": features, **members}).encode()


def blob(shape, reference=4326, order=1):
    """A geometry as GeoPackage stores it."""
    wkb = shapely.to_wkb(shape, byte_order=order, flavor="iso")
    return b"GP\x00\x01" + struct.pack("<i", reference) + wkb


BASE = """
PRAGMA application_id = 1196444487;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,
    organization_coordsys_id INTEGER, definition TEXT, description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES ('undefined', -1, 'NONE', -1, 'undefined', NULL),
    ('undefined', 0, 'NONE', 0, 'undefined', NULL), ('WGS 84', 4326, 'EPSG', 4326, '', NULL),
    ('UTM 33N', 25833, 'EPSG', 25833, '', NULL), ('nobody', 99, 'EPSG', 999999, '', NULL),
    ('mine', 100, 'ACME', 1, '', NULL), ('heights', 5773, 'epsg', 5773, '', NULL);
CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT, srs_id INTEGER);
CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT, srs_id INTEGER,
    z TINYINT, m TINYINT);
"""


def layer_sql(name, reference):
    return f"""
CREATE TABLE "{name}" (fid INTEGER PRIMARY KEY, geom BLOB, tile_id TEXT, tile_name TEXT);
INSERT INTO gpkg_contents VALUES ('{name}', 'features', '{name}', {reference});
INSERT INTO gpkg_geometry_columns VALUES ('{name}', 'geom', 'POLYGON', {reference}, 0, 0);
"""


def geopackage(rows, *, layer="tiles", reference=4326, extra=""):
    """A GeoPackage with one layer; rows of (tile_id, blob)."""
    database = sqlite3.connect(":memory:")
    database.executescript(BASE + (layer_sql(layer, reference) if layer else ""))
    for tile, geometry in rows:
        database.execute(f'INSERT INTO "{layer}" (geom, tile_id) VALUES (?, ?)', (geometry, tile))
    database.executescript(extra)
    database.commit()
    data = database.serialize()
    database.close()
    return data


def cells(count, order=1):
    return [(f"T{i}", blob(shapely.Polygon(ring(i, 0)), order=order)) for i in range(count)]
