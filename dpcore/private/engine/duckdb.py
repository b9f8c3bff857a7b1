"""The embedded engine: DuckDB over the prepared Parquet file, no extension, no network, no other file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError, InternalError
from dpcore.measures import Measure
from dpcore.private import store
from dpcore.private.bounding import (
    ALL_TRIPS,
    BUSY_USERS,
    KEPT_TRIPS,
    TRIPS,
    TRIPS_WITH_GAPS,
    VIA,
    BoundedTrips,
)

Answer = NDArray[np.int64]
Found = TypeVar("Found")

# Taking lists apart is where dialects differ, so it is the engine's: measures read one row a tile.
KEPT_VIA: Final = "SELECT unnest(via) AS tile, generate_subscripts(via, 1) AS place FROM kept"
"""``kept_via``: the tiles on the ways of kept trips, with their place on the way, from 1."""

_SEQUENCES: Final = (
    "SELECT CASE WHEN complete THEN list_concat([start_tile], coalesce(via, []), [end_tile]) ELSE [end_tile] END "
    "AS tiles FROM kept"
)


def count(bounded: BoundedTrips, measures: Sequence[Measure]) -> Mapping[str, Answer]:
    """The exact answer of each measure: one row for each key column, then one of counts.

    Only cells that occur are listed, in no order. Spilled rows stay inside the private folder.
    """

    def ask(connection: duckdb.DuckDBPyConnection) -> Mapping[str, Answer]:
        gaps, via = any(m.reads_gaps for m in measures), any(m.reads_via for m in measures)
        _tables(connection, bounded, gaps=gaps, via=via)
        _shared(connection, measures)
        return {measure.name: _answer(connection, measure) for measure in measures}

    return _asked(bounded, ask)


def tile_sequences(bounded: BoundedTrips) -> pa.ListArray:
    """Start, tiles on the way and end of each kept trip in no order, lists of int32; the end alone of an incomplete one."""

    def ask(connection: duckdb.DuckDBPyConnection) -> pa.ListArray:
        _tables(connection, bounded, via=True)
        return connection.sql(_SEQUENCES).to_arrow_table()["tiles"].combine_chunks()

    return _asked(bounded, ask)


def _asked(bounded: BoundedTrips, ask: Callable[[duckdb.DuckDBPyConnection], Found]) -> Found:
    """What is asked of a connection that can open the folder of these trips and nothing else."""
    with store.scratch() as scratch:
        connection = _connected(scratch)
        try:
            connection.execute("SET enable_external_access = false")
            return ask(connection)
        except InputError:
            raise
        except duckdb.OutOfMemoryException:
            short = True
        except Exception:  # noqa: BLE001 - the engine's own text may quote a value
            short = False
        finally:
            connection.close()
        if short:  # raised out here: the engine's own error may quote a value and must not hang on ours
            raise InputError(
                "counting needs more memory or more space for its spill files than there is",
                bounded.trips.name,
                "Free some space in the private folder, or allow more with EPSILON_ATLAS_MEMORY, such as 12GB.",
            )
        raise InternalError.at("counting with the embedded engine")


def _connected(scratch: Path) -> duckdb.DuckDBPyConnection:
    memory = os.environ.get("EPSILON_ATLAS_MEMORY") or f"{_affordable() // 2**20}MB"
    if not re.fullmatch(r"\d{1,6}(MB|GB)", memory):
        raise InputError("not an amount of memory", "EPSILON_ATLAS_MEMORY", "Give an amount such as 12GB.")
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": str(scratch),
            "preserve_insertion_order": "false",
            "memory_limit": memory,
        }
    )


def _affordable() -> int:
    """Bytes that the engine may hold: the limit, and on a small machine six tenths of its memory."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(limits.ENGINE_MEMORY_BYTES, physical * 6 // 10)


def _tables(
    connection: duckdb.DuckDBPyConnection, bounded: BoundedTrips, *, gaps: bool = False, via: bool = False
) -> None:
    """The tables that measures may read: ``trips`` and ``kept``, and ``kept_via`` where one reads it."""
    tables = [shard.table() for shard in bounded.trips.local_rows().shards()]
    connection.register("prepared", pa.concat_tables(tables))
    connection.execute(f"CREATE VIEW trips AS {TRIPS_WITH_GAPS if gaps else TRIPS}")
    max_trips = bounded.bound.max_trips
    more = VIA if via else ""
    if max_trips is None:
        connection.execute(f"CREATE VIEW kept AS {ALL_TRIPS.format(via=more)}")
    else:
        connection.execute(f"CREATE TEMP TABLE busy AS {BUSY_USERS.format(max_trips=max_trips)}")
        connection.execute(f"CREATE TEMP TABLE kept AS {KEPT_TRIPS.format(max_trips=max_trips, via=more)}")
    if via:
        connection.execute(f"CREATE VIEW kept_via AS {KEPT_VIA}")


def _shared(connection: duckdb.DuckDBPyConnection, measures: Sequence[Measure]) -> None:
    """Tables that several measures read, each made once."""
    for table in dict.fromkeys(table for measure in measures for table in measure.tables):
        connection.execute(f"CREATE TEMP TABLE {table.name} AS {table.sql}")


def _answer(connection: duckdb.DuckDBPyConnection, measure: Measure) -> Answer:
    found = connection.execute(measure.sql).fetchnumpy()
    # a missing place counts as outside every tile (-1)
    columns = [np.ma.filled(column, -1).astype(np.int64) for column in found.values()]
    return np.stack(columns)
