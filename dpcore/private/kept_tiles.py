"""Tiles that were read and checked before, stored in the private folder under all that they depend on.

A tessellation is public, but nobody needs to know which city's files an owner reads. So names are keyed digests here too.
They follow from the bytes of the file, from how it was to be read, and from the code that reads and checks
(``private.kept``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.exact_json import plain, read_as
from dpcore.private import kept, store
from dpcore.private.bounding import bounding_key
from dpcore.tiles import STATION_RADIUS_M, PropertySummary, Tessellation
from dpcore.tiles import describe_properties as describe_afresh
from dpcore.tiles import read_tessellation as read_afresh
from dpcore.tiles.index import TileIndex
from dpcore.tiles.reading import load


def read_tessellation(
    source: Path | bytes,
    name: str,
    *,
    tile_id: str | None = None,
    merge_ids: bool = False,
    overlaps: str = "refuse",
    tiles_crs: str | None = None,
    layer: str | None = None,
    station_radius: float = STATION_RADIUS_M,
) -> Tessellation:
    """``dpcore.tiles.read_tessellation``, from the private folder if the same bytes were read before."""
    data = load(source, name)
    options = {
        "tile_id": tile_id,
        "merge_ids": merge_ids,
        "overlaps": overlaps,
        "tiles_crs": tiles_crs,
        "layer": layer,
        "station_radius": station_radius,
    }

    def read() -> Tessellation:
        return read_afresh(data, name, **options)  # type: ignore[arg-type] # the options above, each of its type

    place = _place("tiles", name, json.dumps(options), data)
    found = kept.remembered(place, read, _table_of, _tessellation)
    return replace(found, find_index=tile_index)


def describe_properties(
    source: Path | bytes, name: str, *, layer: str | None = None, tiles_crs: str | None = None
) -> tuple[PropertySummary, ...]:
    """``dpcore.tiles.describe_properties``, from the private folder if the same bytes were read before."""
    data = load(source, name)
    place = _place("properties", name, json.dumps([layer, tiles_crs]), data)
    return kept.remembered(
        place,
        lambda: describe_afresh(data, name, layer=layer, tiles_crs=tiles_crs),
        lambda rows: json.dumps(plain(rows)).encode(),
        _properties,
    )


def kept_bytes(tessellation: Tessellation, make: Callable[[Tessellation], bytes]) -> bytes:
    """What a function of the package makes of a tessellation, from the private folder if it was made before.

    ``make`` is identified by its name and by the package's code. It must depend only on ids, names and shapes of the
    tiles.
    """
    parts = [f"{make.__module__}.{make.__qualname__}", tessellation.digest, *tessellation.called]
    return kept.remembered(_place("made", *parts), lambda: make(tessellation), bytes, bytes)


def tile_index(tessellation: Tessellation) -> TileIndex:
    """The index of the tiles, from the private folder if it was built before."""
    place = _place("indexes", tessellation.digest)
    return kept.remembered(place, lambda: TileIndex(tessellation.polygons), _arrow_of, _index)


def keep_tiles(place: Path, tessellation: Tessellation) -> None:
    """Keep tiles for good at a place of their own. Raises InputError if the disk is full."""
    kept.keep(place, lambda out: out.write(_table_of(tessellation)))


def tiles_of(place: Path) -> Tessellation | None:
    """The tiles that ``keep_tiles`` stored. None if there are none, or they were changed."""
    found = kept.kept_content(place, _tessellation)
    return None if found is None else replace(found, find_index=tile_index)


def _place(kind: str, *parts: str | bytes) -> Path | None:
    """The file of what follows from the parts and from the code; None where nothing can be stored."""
    try:
        key = bounding_key()
    except InputError:
        key = b""  # it serves only for names
    try:
        return store.folder("cache", "tessellations", kind) / kept.name_of(key, kept.code_digest(), *parts)
    except InputError:  # the private folder cannot be written; code that needs it will report that
        return None


def _properties(content: memoryview) -> tuple[PropertySummary, ...]:
    return cast(
        "tuple[PropertySummary, ...]", read_as(tuple[PropertySummary, ...], json.loads(bytes(content)))
    )


def _table_of(tessellation: Tessellation) -> pa.Buffer:
    """Tiles as an Arrow file. Shapes are well-known binary, exact to the bit."""
    shapes = shapely.to_wkb(np.array(tessellation.polygons), output_dimension=2, byte_order=1)
    table = pa.table(
        {
            "id": pa.array(tessellation.tile_ids, pa.string()),
            "name": pa.array(tessellation.tile_names, pa.string()),
            "shape": pa.array(shapes.tolist(), pa.large_binary()),
            **({"district": pa.array(tessellation.districts, pa.string())} if tessellation.districts else {}),
        },
        metadata={"notes": json.dumps(tessellation.notes)},
    )
    return _file_of(table, None)


def _tessellation(content: memoryview) -> Tessellation:
    table = _table(content)
    shapes = shapely.from_wkb(np.array(table["shape"].to_pylist(), dtype=object))
    notes = json.loads(table.schema.metadata[b"notes"])
    texts = {column: tuple(table[column].to_pylist()) for column in table.column_names if column != "shape"}
    districts = texts.get("district", ())
    return Tessellation(texts["id"], texts["name"], tuple(shapes), tuple(notes), districts=districts)


def _arrow_of(index: TileIndex) -> pa.Buffer:
    """Arrays of any length as one row of lists. Runs of equal numbers take almost no space."""
    arrays: Mapping[str, NDArray[Any]] = index.arrays()
    columns = {
        name: pa.LargeListArray.from_arrays([0, array.size], array.ravel()) for name, array in arrays.items()
    }
    return _file_of(pa.table(columns), "lz4")


def _index(content: memoryview) -> TileIndex:
    table = _table(content)
    # Copies, because a compiled loop would be compiled anew for read-only arrays.
    return TileIndex.of_arrays({name: np.array(table[name].chunk(0).values) for name in table.column_names})


def _file_of(table: pa.Table, compression: str | None) -> pa.Buffer:
    out = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(out, table.schema, options=options) as writer:
        writer.write_table(table)
    return out.getvalue()


def _table(content: memoryview) -> pa.Table:
    return pa.ipc.open_file(pa.py_buffer(content)).read_all()
