"""Trips in a data frame: written as Parquet into the private folder, then read like any file.

So a frame passes every check that a file passes, its ids stay text, and the caller's frame is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray

from dpcore.errors import InputError, TessellationError
from dpcore.measures.attribute import Attribute
from dpcore.measures.trip_rule import TripRule
from dpcore.private import looks, store
from dpcore.private.bounding import bounding_key
from dpcore.private.loading import load
from dpcore.private.source import BadRecords, TripsFile, inspect, keeping
from dpcore.private.source.attribute_columns import columns_apart, with_attributes
from dpcore.private.source.forms import Times
from dpcore.private.source.inspection import inspected
from dpcore.private.source.vocabulary import CLOCK, normal_name
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation
from dpcore.tiles.projection import UNKNOWN, Projection, System, system_of_crs

NAME: Final = "data frame"
"""Its name in messages and captions."""

_WAYS: Final = frozenset({"LineString", "MultiLineString", "MultiPoint"})
_NO_WORD: Final = "\ufffd"
_EXACT: Final = 2.0**53  # smaller whole numbers are exact in float64


def load_frame(
    frame: pd.DataFrame,
    tessellation: Tessellation,
    *,
    timezone: str | None,
    mapping: Mapping[str, str] | None = None,
    times: Times | None = None,
    bad_records: BadRecords = BadRecords.REFUSE,
    progress: Callable[[float], None] | None = None,
    rule: TripRule | None = None,
    attributes: Sequence[Attribute] = (),
    match: tuple[str, ...] = (),
) -> PrivateTrips:
    """Trips that are ready to be counted, from a data frame with the columns of any form of file.

    Args:
        frame: one row for each trip or each record. The levels of its index that have names are columns too. A GeoDataFrame of
            points needs no ``lat`` and ``lng``, and one of the lines of trips no place of their ends. Not changed.
        tessellation: tiles that the points are assigned to.
        timezone: IANA name of the city's clock.
        mapping: role -> column name, as in ``inspect``.
        times: the order in which times may be written as text, as in ``inspect``.
        bad_records: whether one bad record refuses everything, or is dropped and reported.
        progress: called with the share that was read, 0 to 1.
        rule: cuts points into trips, as for ``load``.
        attributes: attributes of the trips that are kept. Their columns are named in ``mapping`` where the names do not tell.
        match: rules for ids that no tile has, as in ``Inspection.match``.

    Raises:
        InputError: something in it cannot be used. The text names columns, never cells.

    """
    roles, own = columns_apart(mapping or {}, attributes)
    frame = _with_index(frame)
    with store.scratch() as folder:
        place = folder / "trips.parquet"
        known = (_write(frame, roles, attributes, own, place),)
        file = replace(TripsFile.on_disk(place), name=NAME)
        with looks.of_refusals(lambda: known):
            loaded = load(
                file,
                replace(keeping(file, inspect(file, roles, times=times), attributes, own), match=match),
                tessellation,
                timezone=timezone,
                bad_records=bad_records,
                progress=progress,
                rule=rule,
            )
        return replace(loaded, file_fingerprints=known)


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the levels of its index that have names as columns, unless it has columns of these names."""
    if frame.columns.nlevels > 1:
        return frame
    levels = [frame.index.get_level_values(number) for number in range(frame.index.nlevels)]
    rows = len(levels) == 1 and pd.api.types.is_integer_dtype(levels[0])
    if not rows and any(not isinstance(level.name, str) for level in levels):
        raise InputError(
            "the index of the frame has a level without a name, which may hold people",
            NAME,
            'Name its levels, such as df.rename_axis("uid"), or leave it out: df.reset_index(drop=True).',
        )
    there = {normal_name(str(label)) for label in frame.columns}
    names = [name for name in frame.index.names if isinstance(name, str) and normal_name(name) not in there]
    return frame.reset_index(level=names) if names else frame


def _write(
    frame: pd.DataFrame,
    mapping: Mapping[str, str],
    attributes: Sequence[Attribute],
    own: Mapping[str, str],
    place: Path,
) -> str:
    """Write what is read of a frame, and return its fingerprint."""
    names = [
        label if isinstance(label, str) else str(label) if label == number else f"column {label}"
        for number, label in enumerate(frame.columns)
    ]
    # groupby(...).size() calls its counts 0
    if any(isinstance(label, int) and label == 0 for label in frame.columns[1:]):
        raise InputError(
            "a column of the frame has 0 in place of a name",
            NAME,
            "Name it, or leave it out. After groupby(...).size() it holds numbers of trips, and a row must be one trip.",
        )
    degrees_of = _ends_of_shapes(frame)
    seen = with_attributes(NAME, inspected(NAME, (*names, *degrees_of), mapping), attributes, own)
    kept = {one.column for one in seen.kept}
    needed = {*seen.mapping.values(), *seen.clocks.values()}
    columns = []
    for position, name in enumerate(names):
        values = frame.iloc[:, position]
        # Columns without a role are named in messages but not read: they may hold anything.
        if name in needed:
            columns.append(_column(values, name))
        elif name in kept:
            columns.append(_attribute_column(values))
        elif name in seen.extras.values():
            columns.append(_attribute(values))
        else:
            columns.append(pa.nulls(len(frame)))
    table = pa.table([*columns, *degrees_of.values()], names=[*names, *degrees_of])
    pq.write_table(table, place)
    return _fingerprint(
        table, {**seen.mapping, **{f"{CLOCK}{role}": one for role, one in seen.clocks.items()}}
    )


def _fingerprint(table: pa.Table, roles: Mapping[str, str]) -> str:
    """Keyed digest of the columns that say which trips there are: the same in any order of rows, under any names, with any others.

    The bytes that are written are none of that: a frame that was sorted would be another one, which nobody had looked at.
    """
    at = table.column_names.index
    cells = pa.table({role: table.column(at(name)) for role, name in sorted(roles.items())}).to_pandas()
    rows = np.sort(pd.util.hash_pandas_object(cells, index=False, categorize=False).to_numpy())
    return blake2b(rows.tobytes(), key=bounding_key(), digest_size=32).hexdigest()


def _attribute(values: pd.Series[Any]) -> pa.Array:
    """A column that only some forms read, as text or null, so that its type does not hinder the others."""
    cells = zip(values.astype(object), values.notna(), strict=True)
    texts = (str(cell) if known and isinstance(cell, (str, int, float)) else "" for cell, known in cells)
    return pa.array([text if text.isprintable() else None for text in texts], pa.string())


def _attribute_column(values: pd.Series[Any]) -> pa.Array:
    """The column of a declared attribute: numbers as they are, and of others the text of each cell by itself, so that none is refused."""
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values):
        return pa.array(values, from_pandas=True)
    cells = zip(values.astype(object), values.notna(), strict=True)
    return pa.array([_word(cell) if known else None for cell, known in cells], pa.string())


def _word(cell: object) -> str:
    """A cell as a file would write it; what no line of a file holds becomes a word of no list."""
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell)).lower()
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    text = str(cell).strip()
    return text if text.isprintable() else _NO_WORD


def _column(values: pd.Series[Any], name: str) -> pa.Array | pa.ChunkedArray:
    """One column as Arrow holds it. Raises InputError for cells of several kinds."""
    try:
        column = pa.array(values, from_pandas=True)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_timestamp(column.type) and _zoned_and_not(values):
            column = None  # Arrow would read all of them in the format of the first one
        elif pa.types.is_floating(column.type) and column.null_count:
            column = _whole_again(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        column = None  # refused below, outside the handler: the original error may quote a cell
    if column is None:
        raise InputError(
            "the cells of a column are of several kinds",
            f"{NAME}, column {name}",
            "Give it one type, for example with astype(str).",
        )
    if pa.types.is_nested(column.type):
        raise InputError(
            "the cells of a column are lists",
            f"{NAME}, column {name}",
            "Give each number a column of its own.",
        )
    return column


def _zoned_and_not(values: pd.Series[Any]) -> bool:
    """Whether some times have a zone and others do not. A column of one type has one for all."""
    if pd.api.types.is_datetime64_any_dtype(values):
        return False
    return len({getattr(cell, "tzinfo", None) is None for cell in values.dropna()}) > 1


def _whole_again(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Whole numbers that pandas made floats because some are missing. Other floats stay as they are."""
    known = column.drop_null()
    if pc.all(pc.less(pc.abs(known), _EXACT)).as_py() and pc.all(pc.equal(pc.trunc(known), known)).as_py():
        return column.cast(pa.int64())
    return column


def _ends_of_shapes(frame: pd.DataFrame) -> Mapping[str, pa.Array]:
    """Degrees of the points or the lines of a GeoDataFrame. Empty for other frames, or if it has both columns of points."""
    if not hasattr(frame, "to_crs") or {"lat", "lng"} & {normal_name(str(label)) for label in frame.columns}:
        return {}
    shapes: Any = frame
    system = system_of_crs(getattr(shapes, "crs", None))
    if system is None:
        raise InputError(
            "the points have no coordinate system", NAME, "Set it, for example with set_crs(4326)."
        )
    if system == UNKNOWN:
        raise InputError(
            "the coordinate system of the points is undefined or unknown",
            NAME,
            "If you know it, set it, for example with set_crs(25833, allow_override=True).",
        )
    shapes = _in_wgs84(shapes.geometry, system)
    kinds = {*shapes.geom_type.dropna()}
    if kinds <= {"Point"}:
        return {"lat": _degrees(shapes.y), "lng": _degrees(shapes.x)}
    if not kinds <= _WAYS:
        raise InputError(
            "the geometries are neither all points nor all lines",
            NAME,
            "Give each record one point, or each trip one line.",
        )
    pairs, of = shapely.get_coordinates(shapes.to_numpy(), return_index=True)
    _, starts = np.unique(of, return_index=True)
    ends = np.append(starts[1:], len(of)) - 1
    known = np.full((len(frame), 4), np.nan)
    known[of[starts]] = np.hstack([pairs[starts][:, ::-1], pairs[ends][:, ::-1]])
    return {
        name: _degrees(known[:, at])
        for at, name in enumerate(("start_lat", "start_lng", "end_lat", "end_lng"))
    }


def _in_wgs84(shapes: Any, system: System) -> Any:  # noqa: ANN401 - shapes of geopandas
    """The shapes in degrees, turned as tiles of a file are. What lies beyond the range of the system has no finite degrees."""
    try:
        turn = Projection.of(system, NAME).transformer
    except TessellationError as error:
        raise InputError(error.what, NAME, "Reproject the points to EPSG:4326 (WGS84).") from None
    if turn is None:
        return shapes
    return shapes.transform(lambda at: np.column_stack(turn.transform(at[:, 0], at[:, 1])))


def _degrees(values: Sequence[float] | NDArray[np.float64]) -> pa.Array:
    return pa.array(values, pa.float64(), from_pandas=True)
