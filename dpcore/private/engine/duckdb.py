"""The embedded engine: DuckDB over one shard after another. No extension, no network, and no file but its own spill."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from dpcore.errors import AtlasError, InternalError
from dpcore.measures import Measure
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import (
    ALL_TRIPS,
    BUSY_USERS,
    KEPT_TRIPS,
    TRIPS,
    TRIPS_WITH_GAPS,
    VIA,
    BoundedTrips,
    attribute_sql,
    attributes_read,
)
from dpcore.private.engine import memory
from dpcore.private.engine.merging import Answer, Sums, merged_answers
from dpcore.private.prepare import PREPARED
from dpcore.private.prepared import LocalRows, Shard
from dpcore.private.progress import Progress

if TYPE_CHECKING:
    import duckdb

# Dialects differ in how lists are unnested, so the engine does it. Measures read one row for each tile.
KEPT_VIA: Final = (
    "SELECT {read}duration_us, jump_m, unnest(via) AS tile, generate_subscripts(via, 1) AS place FROM kept"
)
"""``kept_via``: the tiles on the ways of counted trips, with their place on the way, from 1."""


def count_rows(
    bounded: BoundedTrips, rows: LocalRows, measures: Sequence[Measure], progress: Progress | None = None
) -> Mapping[str, Answer]:
    """The exact answer of each measure: one row for each key column, then one of counts.

    Only cells that occur are listed, in rising order. Spilled rows stay inside the private folder. ``rows`` are those of
    all trips or of some parts. ``progress`` is called with the share of them that was counted, 0 to 1.
    """
    sums, shards, done = Sums(), rows.shards(), 0
    for shard in shards:
        sums.add(_shard_answers(bounded, shard, measures))
        done += shard.rows
        if progress is not None:
            progress(done / max(rows.count, 1) if done else 1.0)
    return sums.totals


def _shard_answers(bounded: BoundedTrips, shard: Shard, measures: Sequence[Measure]) -> Mapping[str, Answer]:
    """The answers of one shard, by a connection that can open no file except those that it spills."""
    import duckdb  # noqa: PLC0415 - most counting needs no SQL

    via = any(m.reads_via for m in measures)
    # Lists need memory, so they are loaded only if they are read.
    columns = [name for name in PREPARED.names if via or name != "via"]
    columns += attributes_read(measures)
    with store.scratch() as scratch:
        connection = _connected(scratch)
        try:
            connection.execute("SET enable_external_access = false")
            tables(connection, shard.table(columns), bounded.bound, measures)
            return {measure.name: _answer(connection, measure) for measure in measures}
        except AtlasError:  # an error of the shard: its text is ours
            raise
        except (duckdb.OutOfMemoryException, MemoryError):
            short = True
        except Exception:  # noqa: BLE001 - the engine's own text may quote a value
            short = False
        finally:
            connection.close()
        if short:  # raised here, so that the engine's error, which may quote a value, is not attached
            raise memory.too_little(bounded.trips.name)
        raise InternalError.at("counting with the embedded engine")


def _connected(scratch: Path) -> duckdb.DuckDBPyConnection:
    import duckdb  # noqa: PLC0415 - as above

    # its library complains at the end of a process of what was not looked for as garbage
    atexit.register(gc.unfreeze)
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": str(scratch),
            "preserve_insertion_order": "false",
            "memory_limit": f"{memory.affordable() // 2**20}MB",
        }
    )


def tables(
    connection: duckdb.DuckDBPyConnection,
    prepared: pa.Table,
    bound: ContributionBound,
    measures: Sequence[Measure] = (),
) -> None:
    """The tables that the measures read: ``trips``, ``kept``, ``kept_via`` if one reads it, and those of their own."""
    gaps, via = any(m.reads_gaps for m in measures), any(m.reads_via for m in measures)
    read, more, max_trips = attribute_sql(attributes_read(measures)), VIA if via else "", bound.max_trips
    connection.register("prepared", prepared)
    connection.execute(f"CREATE VIEW trips AS {TRIPS_WITH_GAPS.format(**read) if gaps else TRIPS}")
    if max_trips is None:
        connection.execute(f"CREATE VIEW kept AS {ALL_TRIPS.format(via=more, **read)}")
    else:
        kept = KEPT_TRIPS.format(max_trips=max_trips, via=more, **read)
        connection.execute(f"CREATE TEMP TABLE busy AS {BUSY_USERS.format(max_trips=max_trips)}")
        connection.execute(f"CREATE TEMP TABLE kept AS {kept}")
    if via:
        connection.execute(f"CREATE VIEW kept_via AS {KEPT_VIA.format(**read)}")
    _make_shared_tables(connection, measures)


def _make_shared_tables(connection: duckdb.DuckDBPyConnection, measures: Sequence[Measure]) -> None:
    """Make the tables that several measures read, each once."""
    for table in dict.fromkeys(table for measure in measures for table in measure.tables):
        connection.execute(f"CREATE TEMP TABLE {table.name} AS {table.sql}")


def _answer(connection: duckdb.DuckDBPyConnection, measure: Measure) -> Answer:
    found = connection.execute(measure.sql).fetchnumpy()
    # a missing place counts as outside every tile (-1)
    columns = [np.ma.filled(column, -1).astype(np.int64) for column in found.values()]
    return merged_answers([np.stack(columns)])
