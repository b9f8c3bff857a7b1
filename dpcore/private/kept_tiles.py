"""Tiles that were read and checked before: kept in the private folder under all that they depend on.

A tessellation is public, but which city's files an owner reads need not be told: names are keyed digests, as everywhere
in the private folder. They follow from the bytes of the file, from how it was asked to be read, and from the code that
reads and checks, so with any other byte, option or version the file is read and checked again. So it is where what was
kept is damaged or gone, and nothing is lost but the time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.bounding import bounding_key
from dpcore.private.package_code import code_digest
from dpcore.tessellation import STATION_RADIUS_M, PropertySummary, Tessellation
from dpcore.tessellation import describe_properties as describe_afresh
from dpcore.tessellation import read_tessellation as read_afresh
from dpcore.tessellation.index import TileIndex
from dpcore.tessellation.reading import load

_MOST_KEPT: Final = 24
"""Files of one kind; the oldest go."""
_DIGEST_BYTES: Final = 32


def read_tessellation(
    source: Path | bytes,
    name: str,
    *,
    id_column: str | None = None,
    merge_duplicates: bool = False,
    layer: str | None = None,
    station_radius: float = STATION_RADIUS_M,
) -> Tessellation:
    """``dpcore.tessellation.read_tessellation``, from the private folder if these very bytes were read before."""
    data = load(source, name)
    options = {
        "id_column": id_column,
        "merge_duplicates": merge_duplicates,
        "layer": layer,
        "station_radius": station_radius,
    }
    place = _place("tiles", name, json.dumps(options), data)
    found = _tessellation(_kept(place))
    if found is None:
        found = read_afresh(data, name, **options)  # type: ignore[arg-type] # the options above, each of its type
        _keep(place, _table_of(found))
    return _with_index(found)


def describe_properties(
    source: Path | bytes, name: str, *, layer: str | None = None
) -> tuple[PropertySummary, ...]:
    """``dpcore.tessellation.describe_properties``, from the private folder if these very bytes were read before."""
    data = load(source, name)
    place = _place("properties", name, json.dumps(layer), data)
    kept = _kept(place)
    with suppress(ValueError, KeyError, TypeError):
        if kept is not None:
            rows = json.loads(bytes(kept))
            return tuple(PropertySummary(**row | {"examples": tuple(row["examples"])}) for row in rows)
    found = describe_afresh(data, name, layer=layer)
    _keep(place, json.dumps([vars(row) for row in found]).encode())
    return found


def kept_bytes(tessellation: Tessellation, make: Callable[[Tessellation], bytes]) -> bytes:
    """What one function of the package makes of a tessellation, from the private folder if it was made before.

    ``make`` is known by its name and, with all code, by what the package's files say: it must depend on nothing but
    ids, names and shapes of the tiles.
    """
    parts = [f"{make.__module__}.{make.__qualname__}", tessellation.digest, *tessellation.tile_names]
    place = _place("made", *parts)
    kept = _kept(place)
    if kept is not None:
        return bytes(kept)
    made = make(tessellation)
    _keep(place, made)
    return made


def tile_index(tessellation: Tessellation) -> TileIndex:
    """The index of the tiles, from the private folder if it was built before."""
    place = _place("indexes", tessellation.digest)
    arrays = _arrays(_kept(place))
    if arrays is not None:
        with suppress(KeyError, ValueError):
            return TileIndex.of_arrays(arrays)
    index = TileIndex(tessellation.polygons)
    _keep(place, _arrow_of(index.arrays()))
    return index


def _with_index(tessellation: Tessellation) -> Tessellation:
    return Tessellation(
        tessellation.tile_ids,
        tessellation.tile_names,
        tessellation.polygons,
        tessellation.notes,
        tile_index,
    )


# What is kept -------------------------------------------------------------------------------------------


def _table_of(tessellation: Tessellation) -> pa.Buffer:
    """Tiles as an Arrow file: shapes as well-known binary, bit by bit."""
    shapes = shapely.to_wkb(np.array(tessellation.polygons), output_dimension=2, byte_order=1)
    table = pa.table(
        {
            "id": pa.array(tessellation.tile_ids, pa.string()),
            "name": pa.array(tessellation.tile_names, pa.string()),
            "shape": pa.array(shapes.tolist(), pa.large_binary()),
        },
        metadata={"notes": json.dumps(tessellation.notes)},
    )
    return _file_of(table, None)


def _tessellation(kept: memoryview | None) -> Tessellation | None:
    table = _table(kept)
    if table is None or table.column_names != ["id", "name", "shape"]:
        return None
    shapes = shapely.from_wkb(np.array(table["shape"].to_pylist(), dtype=object))
    notes = json.loads(table.schema.metadata[b"notes"])
    ids, names = (tuple(table[column].to_pylist()) for column in ("id", "name"))
    return Tessellation(ids, names, tuple(shapes), tuple(notes))


def _arrow_of(arrays: Mapping[str, NDArray[Any]]) -> pa.Buffer:
    """Arrays of any length as one row of lists; runs of equal numbers cost next to nothing."""
    columns = {
        name: pa.LargeListArray.from_arrays([0, array.size], array.ravel()) for name, array in arrays.items()
    }
    return _file_of(pa.table(columns), "lz4")


def _arrays(kept: memoryview | None) -> dict[str, NDArray[Any]] | None:
    table = _table(kept)
    if table is None:
        return None
    # Copies: a compiled loop would be compiled anew for arrays that cannot be written.
    return {name: np.array(table[name].chunk(0).values) for name in table.column_names}


def _file_of(table: pa.Table, compression: str | None) -> pa.Buffer:
    out = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(out, table.schema, options=options) as writer:
        writer.write_table(table)
    return out.getvalue()


def _table(kept: memoryview | None) -> pa.Table | None:
    if kept is None:
        return None
    try:
        return pa.ipc.open_file(pa.py_buffer(kept)).read_all()
    except pa.ArrowInvalid:
        return None


# Where it is kept ---------------------------------------------------------------------------------------


def _place(kind: str, *parts: str | bytes) -> Path | None:
    """The file of what follows from the parts and from the code; None where nothing can be kept."""
    name = blake2b(key=_key(), digest_size=16)
    for part in (code_digest(), *parts):
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        name.update(len(content).to_bytes(8, "little"))
        name.update(content)
    try:
        return store.folder("cache", "tessellations", kind) / name.hexdigest()
    except InputError:  # a private folder that cannot be written: whoever needs it says so
        return None


def _key() -> bytes:
    """The bounding key, for names alone; no key where there can be none."""
    try:
        return bounding_key()
    except InputError:
        return b""


def _kept(place: Path | None) -> memoryview | None:
    """What was kept at a place, or None where there is nothing or something else than was written."""
    if place is None:
        return None
    try:
        content = memoryview(place.read_bytes())
    except OSError:
        return None
    body = content[_DIGEST_BYTES:]
    whole = blake2b(body, digest_size=_DIGEST_BYTES).digest() == content[:_DIGEST_BYTES]
    return body if whole else None


def _keep(place: Path | None, body: bytes | pa.Buffer) -> None:
    """Write what was made; a full disk costs the next start some time and this one nothing."""
    if place is None:
        return
    with suppress(InputError):
        with store.written(place) as part, part.open("wb") as out:
            out.write(blake2b(body, digest_size=_DIGEST_BYTES).digest())
            out.write(body)
        for old in _oldest(place.parent):
            old.unlink(missing_ok=True)


def _oldest(folder: Path) -> list[Path]:
    """What goes, so that the newest few stay."""
    with suppress(OSError):  # another process was quicker
        return sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]
    return []
