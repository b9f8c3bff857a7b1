"""The compiled engine over all shards of a data set, two at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Final

from dpcore.errors import AtlasError, InternalError
from dpcore.measures import Measure
from dpcore.private.bounding import BoundedTrips
from dpcore.private.engine import memory
from dpcore.private.engine.compiled.counting import columns_read, count
from dpcore.private.engine.merging import Answer, Sums
from dpcore.private.prepared import LocalRows, Shard
from dpcore.private.progress import Progress

THREADS: Final = 2
"""Shards that are counted at once, where they fit into memory."""
ROW_BYTES: Final = 300
"""What a row takes at most while it is counted: its columns, copies of those that count, row numbers in several orders.

All measures of ten million trips took 194. Tiles on the way come on top, see ``TILES_A_ROW``: with 200 a
trip took 3,320 and is reckoned at 4,050, with 998 it took 16,014 and is reckoned at 19,012."""


def count_rows(
    bounded: BoundedTrips, rows: LocalRows, measures: Sequence[Measure], progress: Progress | None = None
) -> Mapping[str, Answer]:
    """The exact answers of measures that have a compiled rule.

    Args:
        bounded: the trips and their bound.
        rows: the rows of all of them, or of some of their parts.
        measures: what to count.
        progress: called in this thread with the share of rows that are counted, 0 to 1; what it raises ends the
            counting, and no thread is left running.

    Raises:
        InputError: a shard does not fit into the memory that counting may take.

    """
    shards, columns = list(rows.shards()), columns_read(measures, bounded.bound)
    total, done, sums = sum(shard.rows for shard in shards), 0, Sums()
    sizes = [shard.size if "via" in columns else shard.rows for shard in shards]
    at_once = _at_once(sizes, bounded.trips.name)
    running: dict[Future[Mapping[str, Answer]], int] = {}
    with ThreadPoolExecutor(at_once) as pool:
        while shards or running:
            while shards and len(running) < at_once:  # never more: whoever waits could not be called off
                shard = shards.pop(0)
                running[pool.submit(_counted, bounded, shard, columns, measures)] = shard.rows
            for finished in wait(running, return_when=FIRST_COMPLETED).done:
                done += running.pop(finished)
                sums.add(finished.result())
                if progress is not None:
                    progress(done / total if total else 1.0)
    return sums.totals


def _at_once(sizes: Sequence[int], trips: str) -> int:
    """How many shards are counted at the same time, told by the room that each takes, in rows."""
    largest = ROW_BYTES * max(sizes, default=0)
    fitting = memory.affordable() // max(largest, 1)
    if not fitting:
        raise memory.too_little(trips)
    return max(1, min(THREADS, fitting, len(sizes)))


def _counted(
    bounded: BoundedTrips, shard: Shard, columns: Sequence[str], measures: Sequence[Measure]
) -> Mapping[str, Answer]:
    try:
        return count(shard.table(columns), bounded.bound, measures)
    except AtlasError:
        raise
    except MemoryError:
        short = True
    except Exception:  # noqa: BLE001 - an array's own text may quote a value
        short = False
    if short:  # raised out here, so that what failed does not hang on it
        raise memory.too_little(bounded.trips.name)
    raise InternalError.at("counting with the compiled engine")
