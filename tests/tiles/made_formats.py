"""One small tessellation in every format that a child process reads."""

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyproj
import shapely

IDS, NAMES = ["N3", "N2", "N1"], ["Zürich", "Oslo", "Rio"]
WEST, SOUTH, SIDE = 390_000, 5_810_000, 1_000
"""Metres of EPSG:25833."""
METRES = [shapely.box(WEST + SIDE * i, SOUTH, WEST + SIDE * (i + 1), SOUTH + SIDE) for i in range(len(IDS))]
_TURN = pyproj.Transformer.from_crs(25833, 4326, always_xy=True).transform
DEGREES = [
    shapely.transform(shape, lambda x: np.column_stack(_TURN(x[:, 0], x[:, 1])).round(9)) for shape in METRES
]


def with_gdal(folder, name, driver, shapes, crs, columns=None):
    """Write a file with GDAL and return it."""
    from pyogrio.raw import write

    columns = columns or {"zone_id": IDS, "name": NAMES}
    write(
        folder / name,
        np.array([shapely.to_wkb(shape) for shape in shapes], dtype=object),
        [np.array(values, dtype=object) for values in columns.values()],
        list(columns),
        driver=driver,
        geometry_type="Polygon",
        crs=crs,
        encoding="UTF-8",
    )
    return folder / name


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def geoparquet(system, *, long=False, **about):
    """GeoParquet 1.1 with a column of boxes, as exports hold it; ``about`` replaces what is said of the shapes.

    ``long``: with a dictionary that holds one long text for all rows.
    """
    told = {"encoding": "WKB", "geometry_types": ["Polygon"], **({"crs": system} if system else {}), **about}
    geo = {"version": "1.1.0", "primary_column": "shape", "columns": {"shape": told}}
    boxes = [dict(zip(("xmin", "ymin", "xmax", "ymax"), shape.bounds, strict=True)) for shape in METRES]
    table = pa.table(
        {
            "zone_id": pa.array(IDS).dictionary_encode(),
            "name": pa.DictionaryArray.from_arrays([0, 0, 0], ["x" * 23_000_000]) if long else NAMES,
            "bbox": boxes,
            "edited": pa.array([0, 1, None], pa.timestamp("us", "Europe/Berlin")),
            "area": pa.array([1, 2, None], pa.decimal128(9, 2)),
            "share": [0.5, float("nan"), None],
            "shape": [shapely.to_wkb(shape) for shape in METRES],
        }
    )
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), buffer)
    return buffer.getvalue()


def topojson(objects=("zones",)):
    """Cells side by side that share arcs: quantised, with a reversed arc and ids of features."""
    arcs = [[[1, 0], [0, 1]], [[1, 1], [-1, 0], [0, -1], [1, 0]], [[1, 0], [1, 0], [0, 1], [-1, 0]]]
    zones = [
        {"type": "Polygon", "arcs": [[0, 1]], "id": "N1", "properties": {"name": "West"}},
        {"type": "MultiPolygon", "arcs": [[[2, -1]]], "id": "N2", "properties": {"name": "East"}},
    ]
    return json.dumps(
        {
            "type": "Topology",
            "transform": {"scale": [0.01, 0.01], "translate": [13, 52]},
            "arcs": arcs,
            "objects": {name: {"type": "GeometryCollection", "geometries": zones} for name in objects},
        }
    ).encode()


def table(shapes, column="the_geom", separator=","):
    rows = [
        separator.join((tile, name, f'"{shape}"'))
        for tile, name, shape in zip(IDS, NAMES, shapes, strict=True)
    ]
    return "\n".join([separator.join(("zone_id", "name", column)), *rows]).encode() + b"\n"
