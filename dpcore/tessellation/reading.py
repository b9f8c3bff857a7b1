"""From a file or an upload to a checked tessellation."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

from dpcore.errors import TessellationError
from dpcore.tessellation import columns, content, geojson, geopackage, labels, station_table
from dpcore.tessellation.columns import PropertySummary
from dpcore.tessellation.features import Features
from dpcore.tessellation.tessellation import Tessellation


def read_tessellation(
    source: Path | bytes,
    name: str,
    *,
    id_column: str | None = None,
    merge_duplicates: bool = False,
    layer: str | None = None,
    station_radius: float = station_table.RADIUS_M,
) -> Tessellation:
    """The tessellation of a file, checked and repaired where that changes nothing visible.

    The file is GeoJSON, a GeoPackage, or a CSV table of stations, of which each becomes the tile of the places nearest
    to it, up to ``station_radius`` metres away.

    ``source``: a file or its bytes. ``name``: its name with suffix, which must agree with the content.
    ``id_column``: the property that holds the tile ids; None: the first known one (``columns.ID_COLUMNS``).
    ``merge_duplicates``: join features with one id into one tile; else they are refused. ``layer``: the table
    of a GeoPackage with several. Coordinates: WGS84, longitude first; GeoPackages in another EPSG system
    are reprojected. Raises TessellationError; ``notes`` of the result tell what was repaired.
    """
    features = _features(source, name, layer, station_radius)
    column = columns.id_column(features, id_column)
    names = columns.name_column(features)
    ids = [
        labels.tile_id(
            row.get(column), f"{features.source_name}, feature {number:,}, property {labels.quoted(column)}"
        )
        for number, row in enumerate(features.properties, 1)
    ]
    if not merge_duplicates and len(set(ids)) < len(ids):
        raise _repeated(features, column, ids)
    _features_of.cache_clear()  # what asked for the columns first has read it for this; nobody needs it now
    return Tessellation.of(
        ids,
        [row.get(names) if names else None for row in features.properties],
        features.polygons,
        features.source_name,
        merge_duplicates=merge_duplicates,
        notes=features.notes,
    )


def describe_properties(
    source: Path | bytes, name: str, *, layer: str | None = None
) -> tuple[PropertySummary, ...]:
    """What a page shows to choose the tile id by: each property, whether it is complete and whether it repeats.

    Arguments and errors as ``read_tessellation``; tiles are not checked for overlaps here.
    """
    return columns.describe(_features(source, name, layer, station_table.RADIUS_M))


def _features(source: Path | bytes, name: str, layer: str | None, station_radius: float) -> Features:
    return _features_of(content.load(source, name), name, layer, station_radius)


@lru_cache(1)
def _features_of(data: bytes, name: str, layer: str | None, station_radius: float) -> Features:
    """The features of a file; those of the last one are held, because a page asks for its columns before its tiles."""
    shown = content.file_name(name)
    form = content.format_of(data, name)
    if form is content.Format.GEOPACKAGE:
        return geopackage.read(data, shown, layer)
    if layer is not None:
        what = "GeoJSON has" if form is content.Format.GEOJSON else "a table has"
        raise TessellationError(f"{what} no layers", shown, "Leave the layer out.")
    if form is content.Format.STATIONS:
        return station_table.read(data, shown, station_radius)
    return geojson.read(data, shown)


def _repeated(features: Features, column: str, ids: list[str]) -> TessellationError:
    repeated = [tile for tile, features_with_it in Counter(ids).items() if features_with_it > 1]
    shown = ", ".join(labels.quoted(tile) for tile in repeated[:5])
    more = f" and {len(repeated) - 5:,} more" if len(repeated) > 5 else ""
    return TessellationError(
        f"several features have one tile id: {shown}{more}",
        f"{features.source_name}, property {labels.quoted(column)}",
        f"Merge them if they are parts of one tile. {columns.instead(features, column)}",
    )
