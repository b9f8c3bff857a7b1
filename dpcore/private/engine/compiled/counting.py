"""Exact answers by the rules of measures: for one shard, then over all shards of a data set, two at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import AtlasError, InternalError
from dpcore.loops import loop
from dpcore.measures import Measure
from dpcore.measures.measure import Cells, Rule, Value
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import BoundedTrips, attributes_read
from dpcore.private.engine import memory
from dpcore.private.engine.compiled.adding import Counting, columns_of, shard_sums
from dpcore.private.engine.compiled.people import Longs, frozen
from dpcore.private.engine.compiled.shard import TIE_COLUMNS, BoundedShard
from dpcore.private.engine.compiled.values import NO_GAP
from dpcore.private.engine.merging import Answer, Sums, merged_answers
from dpcore.private.prepared import LocalRows, Shard
from dpcore.private.progress import Progress

Ints = NDArray[np.int32]

_LONG = 2**32
_FEW = 32  # with at most so many edges, comparing them one after another is faster than a search


@loop
def tally(values: Ints, low: int, counts: Longs) -> None:
    """Count each value at its distance from ``low``."""
    for i in range(len(values)):
        counts[values[i] - low] += 1


@loop
def tally_pairs(rows: Ints, values: Ints, width: int, counts: Longs) -> None:
    """Count each value (from -1) in its row of a table with that width."""
    for i in range(len(values)):
        counts[rows[i] * width + values[i] + 1] += 1


@loop
def tally_bins(values: Longs, edges: Longs, counts: Longs) -> None:
    """Count each value in its half-open bin between rising edges."""
    many = len(edges)
    if many <= _FEW:
        for i in range(len(values)):
            found = 0
            for edge in range(many):
                found += values[i] >= edges[edge]
            counts[found] += 1
        return
    for i in range(len(values)):
        low, high = 0, many
        while low < high:
            middle = (low + high) >> 1
            if values[i] >= edges[middle]:
                low = middle + 1
            else:
                high = middle
        counts[low] += 1


_TIMES: Final = ("start_us", "end_us")
_MISSING: Final = ("missing_time", "missing_lat", "missing_lng")
_TILES: Final = ("start_tile", "end_tile", "complete")
_READ: Final[Mapping[Cells | Value, tuple[str, ...]]] = MappingProxyType(
    {
        Cells.STATISTICS: ("user_id", "complete"),
        Cells.STATISTICS_OF_TRIPS: ("complete",),
        Cells.EMPTY_FIELDS: _MISSING,
        Cells.DAYS: ("end_hour",),
        Cells.WEEKDAYS: ("end_hour",),
        Cells.HOURS: ("start_hour", "end_hour", "complete"),
        Cells.VISITS: _TILES,
        Cells.WINDOWS: ("end_hour", "end_tile"),
        Cells.FLOWS: _TILES,
        Cells.FLOWS_BY_WINDOW: ("end_hour", *_TILES),
        Cells.INCOMPLETE: ("complete",),
        Cells.ALL_TRIPS: ("complete",),
        Cells.CAPPED: ("user_id",),
        Value.DURATION: (*_TIMES, "complete"),
        Value.JUMP: ("jump_m", "complete"),
        Value.GAP: ("user_id", "rnd", *_TIMES, *_MISSING),
        Value.TRIPS: ("user_id",),
        Value.RADIUS: ("user_id", "complete", "start_lat", "start_lng", "end_lat", "end_lng"),
        Value.TILES: ("user_id", *_TILES),
        Value.ENTROPY: ("user_id", *_TILES),
    }
)


def columns_read(measures: Sequence[Measure], bound: ContributionBound) -> tuple[str, ...]:
    """The stored columns that are read to count some measures under a bound."""
    names: dict[str, None] = {}
    for measure in measures:
        rule = _rule(measure)
        names |= dict.fromkeys(_READ[rule.value or rule.cells])
        if rule.adds is not None:
            names |= dict.fromkeys(columns_of(rule.adds))
        names |= dict.fromkeys(one.column for one in measure.attributes)
        if measure.reads_via:
            names["via"] = None
    if bound.max_trips is not None and not all(measure.counts_users for measure in measures):
        names |= dict.fromkeys(("user_id", "rnd", *TIE_COLUMNS))
    return tuple(names)


def count(table: pa.Table, bound: ContributionBound, measures: Sequence[Measure]) -> Mapping[str, Answer]:
    """The exact answer of each measure with a compiled rule: key columns, then counts, for cells that occur, rising.

    ``table`` is one shard of whole people with ``columns_read``. Each column is one chunk.
    """
    gaps = any(measure.reads_gaps for measure in measures)
    shard = BoundedShard(table, bound, gaps=gaps, attributes=attributes_read(measures))
    rules = {measure.name: _rule(measure) for measure in measures}
    answers = {name: _counted_by(shard, rule) for name, rule in rules.items() if not rule.parts}
    for columns in {rule.parts for rule in rules.values() if rule.parts}:
        split = [measure for measure in measures if rules[measure.name].parts == columns]
        answers |= _by_parts(shard, columns, split)
    return answers


def _counted_by(shard: BoundedShard, rule: Rule) -> Answer:
    if rule.adds is None:
        return _COUNTED[rule.cells](shard, rule)
    return shard_sums(shard, rule.adds, _CELLS[rule.cells](shard, rule))


def _by_parts(
    shard: BoundedShard, columns: Sequence[str], measures: Sequence[Measure]
) -> Mapping[str, Answer]:
    """Each part of the trips is counted as trips that are not split; then the numbers of the part come first in its keys."""
    found: dict[str, list[Answer]] = {measure.name: [] for measure in measures}
    # What gaps are made of is not copied: they are known when the trips are divided.
    read = columns_read(
        [measure for measure in measures if not measure.reads_gaps], ContributionBound.per_trip()
    )
    for numbers, part in shard.parts(columns, (*columns, *(name for name in read if name not in columns))):
        for measure in measures:
            rule = _rule(measure)
            answer = _counted_by(part, rule)
            before = np.repeat(np.array(numbers, np.int64)[:, np.newaxis], answer.shape[1], axis=1)
            found[measure.name].append(np.concatenate([before, answer]))
    return {
        measure.name: np.concatenate(found[measure.name], axis=1)
        if found[measure.name]
        else np.empty((len(measure.terms[0].key) + 1, 0), np.int64)
        for measure in measures
    }


def _rule(measure: Measure) -> Rule:
    if measure.compiled_rule is None:
        raise InternalError.at(f"a measure without a compiled rule ({measure.name})")
    return measure.compiled_rule


def _statistics(shard: BoundedShard, _: Rule) -> Answer:
    return _numbered_cells([shard.people.count, *_numbers_of_trips(shard)])


def _statistics_of_trips(shard: BoundedShard, _: Rule) -> Answer:
    return _numbered_cells(_numbers_of_trips(shard))


def _numbers_of_trips(shard: BoundedShard) -> list[int]:
    complete = int(np.count_nonzero(shard.complete))
    return [shard.count, shard.count + complete, complete, shard.count - complete]


def _numbered_cells(counts: Sequence[int]) -> Answer:
    return np.array([range(len(counts)), counts], np.int64)


def _incomplete(shard: BoundedShard, _: Rule) -> Answer:
    return _nonzero_cells([np.zeros(1, np.int64)], np.array([_numbers_of_trips(shard)[-1]], np.int64))


def _capped(shard: BoundedShard, rule: Rule) -> Answer:
    return _numbered_cells([int(np.minimum(shard.people.trips, rule.cap).sum(dtype=np.int64))])


def _empty_fields(shard: BoundedShard, _: Rule) -> Answer:
    sums = [shard.column(name, 0).sum(dtype=np.int64) for name in _MISSING]
    return _nonzero_cells([np.array([2, 3, 4])], np.array(sums, np.int64))


def _by_hour(hours: NDArray[np.int32], unknown: int) -> tuple[Longs, Longs]:
    """The hours that occur, and how often. ``unknown`` is listed as one of them if it occurs."""
    some = hours == unknown
    known = hours[~some] if some.any() else hours
    low = int(known.min(initial=unknown))
    counts = np.zeros(int(known.max(initial=low)) - low + 1, np.int64)
    tally(frozen(known), low, counts)
    found = np.flatnonzero(counts)
    lost = len(hours) - len(known)
    listed = found + low, counts[found]
    return (np.append(listed[0], unknown), np.append(listed[1], lost)) if lost else listed


_NO_HOUR: Final = np.iinfo(np.int32).max


def _end_hours(shard: BoundedShard) -> tuple[Longs, Longs]:
    return _by_hour(shard.column("end_hour", _NO_HOUR), _NO_HOUR)


def _weekday(hours: Longs) -> Longs:
    """As in the SQL: the remainder has the sign of the dividend."""
    return np.fmod(hours // 24 + 3, 7)


def _hour_of_day(hours: Longs) -> Longs:
    return np.fmod(hours, 24)


def _days(shard: BoundedShard, _: Rule) -> Answer:
    hours, counts = _end_hours(shard)
    return _summed([np.where(hours == _NO_HOUR, -1, hours // 24)], counts)


def _weekdays(shard: BoundedShard, _: Rule) -> Answer:
    hours, counts = _end_hours(shard)
    return _summed([np.where(hours == _NO_HOUR, -1, _weekday(hours))], counts)


def _day_type(hours: Longs) -> Longs:
    return np.where(hours == _NO_HOUR, 0, _weekday(hours) >= 5).astype(np.int64)


def _hours(shard: BoundedShard, _: Rule) -> Answer:
    starts = shard.of_complete(shard.column("start_hour", _NO_HOUR))
    kinds = [_by_hour(starts, _NO_HOUR), _end_hours(shard)]
    hours, counts = (np.concatenate(columns) for columns in zip(*kinds, strict=True))
    kind = np.repeat([0, 1], [len(kinds[0][0]), len(kinds[1][0])])
    hour = np.where(hours == _NO_HOUR, -1, _hour_of_day(hours))
    return _summed([kind, _day_type(hours), hour], counts)


def _visits(shard: BoundedShard, rule: Rule) -> Answer:
    visited = [shard.start_tile, shard.end_tile]
    if (passed := _passed(shard, rule)) is not None:
        visited.append(passed[1])
    width = max(int(tiles.max(initial=-1)) for tiles in visited) + 2
    counts = np.zeros(width, np.int64)
    for tiles in visited:
        tally(tiles, -1, counts)
    return _nonzero_cells([np.arange(-1, width - 1)], counts)


def _passed(shard: BoundedShard, rule: Rule) -> tuple[Longs, Ints] | None:
    """The place of a trip among those that count, and a tile that it passes on its way; None where no tile counts."""
    if rule.cap <= 2:
        return None
    ways = shard.columns.arrow("via")
    if shard.kept is not None:
        ways = ways.take(pa.array(shard.kept))
    if ways.null_count == len(ways):
        return None
    first = pc.list_slice(ways, 0, rule.cap - 2)
    of = pc.list_parent_indices(first).to_numpy(zero_copy_only=False).astype(np.int64)
    return of, frozen(first.flatten().fill_null(-1).to_numpy(zero_copy_only=False))


def _window_codes(hours: NDArray[np.int32], rule: Rule) -> Ints:
    """The day type and the window of each hour as one number."""
    unknown = hours == _NO_HOUR
    low = int(hours.min(initial=_NO_HOUR))
    high = int(hours[~unknown].max(initial=low)) if unknown.any() else int(hours.max(initial=low))
    listed = np.append(np.arange(low, high + 1), _NO_HOUR)  # all possible hours; the unknown one is last
    many = len(rule.windows)
    hour = np.where(listed == _NO_HOUR, 24, _hour_of_day(listed))
    # The window of an hour begins at the last start at or before it. Hours before the first start are in the last window.
    window = np.searchsorted(rule.windows, hour, side="right") - 1
    code = (_day_type(listed) * many + np.where(window < 0, many - 1, window)).astype(np.int32)
    return frozen(code[np.minimum(hours - low, len(code) - 1)])


def _windows(shard: BoundedShard, rule: Rule) -> Answer:
    tiles, many = shard.end_tile, len(rule.windows)
    width = int(tiles.max(initial=-1)) + 2
    counts = np.zeros(2 * many * width, np.int64)
    tally_pairs(_window_codes(shard.column("end_hour", _NO_HOUR), rule), tiles, width, counts)
    cells = np.arange(len(counts))
    return _nonzero_cells([cells // width // many, cells // width % many, cells % width - 1], counts)


def _flows(shard: BoundedShard, _: Rule) -> Answer:
    pairs, width = _pairs(shard)
    found, counts = _counted_keys(pairs)
    return np.stack([found // width - 1, found % width - 1, counts])


def _flows_by_window(shard: BoundedShard, rule: Rule) -> Answer:
    keys, width = _pairs(shard)
    keys += (
        _window_codes(shard.of_complete(shard.column("end_hour", _NO_HOUR)), rule).astype(np.int64) * width**2
    )
    found, counts = _counted_keys(keys)
    window, pair = np.divmod(found, width**2)
    many = len(rule.windows)
    return np.stack([window // many, window % many, pair // width - 1, pair % width - 1, counts])


def _pairs(shard: BoundedShard) -> tuple[Longs, int]:
    """The tiles of the start and the end of each complete trip as one number, and how many tiles it tells apart."""
    start, end = shard.start_tile, shard.of_complete(shard.end_tile)
    width = int(max(start.max(initial=-1), end.max(initial=-1))) + 2
    keys = start.astype(np.int64)
    keys += 1
    keys *= width
    keys += end
    keys += 1
    return keys, width


def _counted_keys(keys: Longs) -> tuple[Longs, Longs]:
    """Each distinct key, rising, and how often it occurs. Keys are 0 or more."""
    # half the bytes are sorted in half the time
    short = keys.astype(np.uint32) if keys.max(initial=0) < _LONG else keys
    short.sort()
    found, counts = runs(short)
    return found.astype(np.int64), counts


def _bins_of_trips(shard: BoundedShard, rule: Rule) -> Answer:
    if rule.value is Value.DURATION:
        values = shard.of_complete(shard.column("end_us", 0) - shard.column("start_us", 0))
    elif rule.value is Value.JUMP:
        values = shard.of_complete(shard.column("jump_m", 0)).astype(np.int64)
    else:
        values = shard.of_kept(shard.gaps)
        values = values[values != NO_GAP]
    listed = None if rule.bins is None else rule.bins.compared_edges
    if listed is None:
        return _binned(values, rule)
    edges = np.asarray(listed, np.int64)
    counts = np.zeros(len(edges) + 1, np.int64)
    tally_bins(frozen(values), edges, counts)
    return _nonzero_cells([np.arange(len(counts))], counts)


_OF_PEOPLE: Final[Mapping[Value, Callable[[BoundedShard], NDArray[Any]]]] = MappingProxyType(
    {
        Value.TRIPS: lambda shard: shard.people.trips,
        Value.RADIUS: lambda shard: shard.radii,
        Value.TILES: lambda shard: shard.tiles_and_entropies[0],
        Value.ENTROPY: lambda shard: shard.tiles_and_entropies[1],
    }
)


def _bins_of_users(shard: BoundedShard, rule: Rule) -> Answer:
    if rule.value is None:
        raise InternalError.at("a histogram of people without a value")
    return _binned(_OF_PEOPLE[rule.value](shard), rule)


def _binned(values: NDArray[Any], rule: Rule) -> Answer:
    if rule.bins is None:
        raise InternalError.at("a histogram without bins")
    found, counts = runs(np.sort(rule.bins.numbers(values)))
    return np.stack([found, counts])


def runs(keys: NDArray[Any]) -> tuple[NDArray[Any], Longs]:
    """Each distinct value of rising keys, and how often it occurs."""
    first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    begins = np.flatnonzero(first)
    return keys[begins], np.diff(begins, append=len(keys))


def _nonzero_cells(columns: Sequence[Longs], counts: Longs) -> Answer:
    """The cells that occur, out of all possible ones."""
    some = np.flatnonzero(counts)
    return np.stack([*(column[some] for column in columns), counts[some]])


def _summed(columns: Sequence[Longs], counts: Longs) -> Answer:
    return merged_answers([np.stack([*columns, counts])])


_COUNTED: Final[Mapping[Cells, Callable[[BoundedShard, Rule], Answer]]] = MappingProxyType(
    {
        Cells.STATISTICS: _statistics,
        Cells.STATISTICS_OF_TRIPS: _statistics_of_trips,
        Cells.EMPTY_FIELDS: _empty_fields,
        Cells.DAYS: _days,
        Cells.WEEKDAYS: _weekdays,
        Cells.HOURS: _hours,
        Cells.VISITS: _visits,
        Cells.WINDOWS: _windows,
        Cells.FLOWS: _flows,
        Cells.FLOWS_BY_WINDOW: _flows_by_window,
        Cells.INCOMPLETE: _incomplete,
        Cells.CAPPED: _capped,
        Cells.BINS_OF_TRIPS: _bins_of_trips,
        Cells.BINS_OF_USERS: _bins_of_users,
    }
)


def _visits_of(shard: BoundedShard, rule: Rule) -> list[Counting]:
    found = [Counting((shard.start_tile,), shard.complete), Counting((shard.end_tile,))]
    passed = _passed(shard, rule)
    return found if passed is None else [*found, Counting((passed[1],), passed[0])]


def _hours_of(shard: BoundedShard, _: Rule) -> list[Counting]:
    starts = shard.of_complete(shard.column("start_hour", _NO_HOUR))
    found = []
    for kind, hours in enumerate((starts, shard.column("end_hour", _NO_HOUR))):
        hour = np.where(hours == _NO_HOUR, -1, _hour_of_day(hours))
        of = shard.complete if kind == 0 else None
        found.append(Counting((np.full(len(hours), kind), _day_type(hours), hour), of))
    return found


def _days_of(shard: BoundedShard, _: Rule) -> list[Counting]:
    hours = shard.column("end_hour", _NO_HOUR)
    return [Counting((np.where(hours == _NO_HOUR, -1, hours // 24),))]


_CELLS: Final[Mapping[Cells, Callable[[BoundedShard, Rule], list[Counting]]]] = MappingProxyType(
    {
        Cells.ALL_TRIPS: lambda shard, _: [Counting((np.zeros(shard.count, np.int64),))],
        Cells.VISITS: _visits_of,
        Cells.FLOWS: lambda shard, _: [
            Counting((shard.start_tile, shard.of_complete(shard.end_tile)), shard.complete)
        ],
        Cells.HOURS: _hours_of,
        Cells.DAYS: _days_of,
    }
)
"""The cells in which rows count, row by row, for sums and means."""


THREADS: Final = 2
"""Shards that are counted at the same time, if they fit into memory."""
ROW_BYTES: Final = 300
"""The most memory of a row while it is counted: its columns, copies of those that count, row numbers in several orders.

All measures of ten million trips took 194. Tiles on the way need more, see ``TILES_A_ROW``: with 200 tiles a trip took
3,320 and is estimated at 4,050, with 998 tiles it took 16,014 and is estimated at 19,012."""


def count_rows(
    bounded: BoundedTrips, rows: LocalRows, measures: Sequence[Measure], progress: Progress | None = None
) -> Mapping[str, Answer]:
    """The exact answers of measures with a compiled rule, for all rows of the trips or for some of their parts.

    ``progress`` is called in this thread with the share of rows that were counted, 0 to 1. An exception of it ends the
    counting, and no thread is left running. Raises InputError if a shard does not fit into the memory for counting.
    """
    shards, columns = list(rows.shards()), columns_read(measures, bounded.bound)
    total, done, sums = sum(shard.rows for shard in shards), 0, Sums()
    sizes = [shard.size if "via" in columns else shard.rows for shard in shards]
    at_once = _at_once(sizes, bounded.trips.name)
    running: dict[Future[Mapping[str, Answer]], int] = {}
    with ThreadPoolExecutor(at_once) as pool:
        while shards or running:
            while shards and len(running) < at_once:  # no more: waiting work could not be called off
                shard = shards.pop(0)
                running[pool.submit(_shard_answers, bounded, shard, columns, measures)] = shard.rows
            for finished in wait(running, return_when=FIRST_COMPLETED).done:
                done += running.pop(finished)
                sums.add(finished.result())
                if progress is not None:
                    progress(done / total if total else 1.0)
    return sums.totals


def _at_once(sizes: Sequence[int], trips: str) -> int:
    """How many shards are counted at the same time. It follows from the room that each takes, in rows."""
    largest = ROW_BYTES * max(sizes, default=0)
    fitting = memory.affordable() // max(largest, 1)
    if not fitting:
        raise memory.too_little(trips)
    return max(1, min(THREADS, fitting, len(sizes)))


def _shard_answers(
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
    if short:  # raised outside the handler, so that the original error is not attached to it
        raise memory.too_little(bounded.trips.name)
    raise InternalError.at("counting with the compiled engine")
