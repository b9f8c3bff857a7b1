"""One row for each point of a person: checked points of one or more files -> trips, cut by the rule of their owner.

A point has a time and a place. A record without one of them is not bad and is in no trip: nobody knows where it would be
cut. It is counted apart. Like a bad record, it changes nothing about any other record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from dpcore import limits
from dpcore.measures.trip_rule import TripRule
from dpcore.private.source.batch import MISSING, RawBatch
from dpcore.private.source.cutting import Cuts, Positions, cuts_of
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.report import Sieve, Tally
from dpcore.private.source.runs import RUNS, Points
from dpcore.private.source.spilling import Spill, hashes_of
from dpcore.private.source.trip_rows import checked_ends, record_roles, whose

POINTS: Final = pa.schema(
    [
        pa.field("uid", pa.string()),
        pa.field("us", pa.int64()),
        pa.field("lat", pa.float64()),
        pa.field("lng", pa.float64()),
    ]
)
"""Points of people: whose, when (microseconds since 1970-01-01 00:00 UTC) and where (degrees, WGS84). Nothing is null."""

_TRIPS: Final = 200_000
_WAYS: Final = 4_000_000  # approximate number of points of trips that are returned together


def points_of(raw: RawBatch, inspection: Inspection, timezone: str, tally: Tally) -> pa.RecordBatch:
    """The points of a batch, with schema POINTS.

    A time without an offset in the hour that occurs twice is its first occurrence, and a gap over a change of clocks is an
    hour longer or shorter than it was. Write offsets if that matters.
    """
    sieve = Sieve(tally.faults, raw.places)
    uid = whose(raw, inspection, sieve)
    ends = checked_ends(raw, record_roles(inspection), inspection, tally, sieve, timezone=timezone)
    known = ends.timed & ends.placed
    tally.nowhere += int(np.count_nonzero(~known & ~sieve.bad))
    found = pa.RecordBatch.from_arrays([uid, pa.array(ends.us), *ends.place], schema=POINTS)
    good = known & ~sieve.bad
    return found if good.all() else found.filter(pa.array(good))


def runs_of_points(
    batches: Iterable[pa.RecordBatch], rule: TripRule, work_folder: Path | None, tally: Tally
) -> Iterator[pa.RecordBatch]:
    """The trips of all points together, columns as in RUNS: each row is a whole trip.

    The points of one person are taken together and put in order of time, whatever their order and their file. Nothing is
    yielded before all points were read. ``tally.uncut`` then counts those that are in no trip. Raises InputError: the work folder
    is full.
    """
    with Spill(POINTS, lambda points: hashes_of(points["uid"]), work_folder) as spill:
        held = 0
        for batch in batches:
            spill.held.append(batch)
            held += batch.num_rows
            if held > limits.MAX_POINTS_IN_MEMORY:
                spill.write()
                held = 0
        for part in spill.parts():
            yield from _cut_trips(part, rule, tally)


def _cut_trips(part: pa.Table, rule: TripRule, tally: Tally) -> Iterator[pa.RecordBatch]:
    people = part["uid"].combine_chunks().dictionary_encode()
    person = people.indices.to_numpy().astype(np.int64)
    us, lat, lng = (part[name].to_numpy() for name in POINTS.names[1:])
    # -0.0 is the same place as 0.0, so equal points stay equal
    points = Positions(person, us, lat + 0.0, lng + 0.0).ordered()
    del part, person, us, lat, lng
    cuts = cuts_of(points, rule)
    inside = np.zeros(len(points) + 1, np.int64)
    np.add.at(inside, cuts.first, 1)
    np.add.at(inside, cuts.last + 1, -1)
    tally.uncut += int(np.count_nonzero(np.cumsum(inside)[:-1] == 0))
    sizes = np.cumsum(cuts.last - cuts.first + 1)
    begin = 0
    while begin < len(sizes):
        before = sizes[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(sizes, before + _WAYS)))
        end = min(end, begin + _TRIPS)
        yield _runs(points, Cuts(cuts.first[begin:end], cuts.last[begin:end]), people.dictionary)
        begin = end


def _runs(points: Positions, cuts: Cuts, people: pa.Array) -> pa.RecordBatch:
    first, last = cuts.first, cuts.last
    count = np.maximum(last - first - 1, 0)
    trip = np.repeat(np.arange(len(first)), count)
    inner = np.arange(len(trip)) - np.repeat(np.cumsum(count) - count, count) + first[trip] + 1
    between = Points(trip, points.us[inner], points.lat[inner], points.lng[inner]).lists(len(first))
    nothing = pa.array(np.zeros(len(first), np.int64))
    return pa.RecordBatch.from_arrays(
        [
            people.take(pa.array(points.person[first])),
            pa.nulls(len(first), pa.string()),
            nothing,
            pa.array(last - first + 1),
            *(pa.array(values[at]) for at in (first, last) for values in (points.us, points.lat, points.lng)),
            *[nothing] * len(MISSING),
            between,
        ],
        schema=RUNS,
    )
