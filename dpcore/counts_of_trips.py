"""Measures that count trips: each trip that counts adds to cells of its own, see ``dpcore.measure``.

What an incomplete trip, of which one record alone is known, counts as: it has no start, so it counts as an end
(a visit, an hour, a day, a time window) and has no flow, no travel time, no jump length and no gap before it.
"""

from __future__ import annotations

from typing import Final

from dpcore import public_bins
from dpcore.errors import PrivacyError
from dpcore.keys import KeySet, date_axis, plain_axis, tile_axis
from dpcore.measure import Measure, PublicKeys

WEEKDAYS: Final = tuple(str(day) for day in range(7))
DAY_TYPES: Final = ("weekday", "weekend")
HOURS: Final = tuple(str(hour) for hour in range(24))
WINDOW_STARTS: Final = (2, 6, 10, 14, 18, 22)
"""Hours at which the time windows begin; each ends where the next one begins, the last at 2 of the next day."""
STATISTICS: Final = ("users", "trips", "records", "complete_trips", "incomplete_trips")
FIELDS: Final = ("uid", "tid", "datetime", "lat", "lng")

# The wall clock is stored as whole hours since 1970-01-01 00:00, a Thursday: weekday = (day + 3) mod 7.
_WEEKDAY: Final = "(CAST(floor({hour} / 24.0) AS INT) + 3) % 7"
_DAY_TYPE: Final = f"CASE WHEN {_WEEKDAY} >= 5 THEN 1 ELSE 0 END"


def _date_keys(public: PublicKeys) -> KeySet:
    if public.period is None:
        raise PrivacyError(
            "a series over dates needs a public period",
            "trips_over_time",
            "Give its first and last day; they are never read off the data.",
        )
    return KeySet((date_axis("date", public.period),))


def _hours(kind: int, hour: str, where: str) -> str:
    day_type = _DAY_TYPE.format(hour=hour)
    return (
        f"SELECT {kind} AS kind, {day_type} AS day_type, {hour} % 24 AS hour, count(*) AS n "
        f"FROM kept {where} GROUP BY 1, 2, 3"
    )


def _windows() -> tuple[str, ...]:
    ends = (*WINDOW_STARTS[1:], WINDOW_STARTS[0])
    return tuple(f"{start}-{end}" for start, end in zip(WINDOW_STARTS, ends, strict=True))


def _window_number() -> str:
    """SQL for the number of the window of an end; the hours before the first start belong to the last window."""
    starts = [f"WHEN end_hour % 24 < {start} THEN {number}" for number, start in enumerate(WINDOW_STARTS[1:])]
    last = len(WINDOW_STARTS) - 1
    return f"CASE WHEN end_hour % 24 < {WINDOW_STARTS[0]} THEN {last} {' '.join(starts)} ELSE {last} END"


def _histogram(bins: public_bins.Bins, value: str, where: str) -> str:
    return f"SELECT {bins.number(value)} AS bin, count(*) AS n FROM kept WHERE {where} GROUP BY 1"


def _totals(*counts: str) -> str:
    """SQL for a table with one row for each count, none left out where nothing is counted."""
    return " UNION ALL ".join(f"SELECT {number} AS statistic, {count}" for number, count in enumerate(counts))


# A complete trip has two records that count, its start and its end, an incomplete one has one.
#
# One user counts once under ``users``, and each trip once under ``trips``, at most twice under ``records`` and once
# under either ``complete_trips`` or ``incomplete_trips``: 4 M + 1 in all. At trip level one trip may be all there is of
# its user: 5. Under a bound on users one trip more either displaces none (5 at most) or one: then trips and users stay,
# and a complete trip in the place of an incomplete one changes records, complete_trips and incomplete_trips by one: 3.
DS_STATISTICS: Final = Measure(
    name="ds_statistics",
    title="Numbers of people, trips and records",
    counts="people, trips or records",
    cells_per_trip=4,
    cells_once_per_user=1,
    cells_moved_by_trip=5,
    cells_moved_under_bound=5,
    keys=lambda _: KeySet((plain_axis("statistic", STATISTICS),)),
    # where no column names users, none are known and none are counted
    sql=_totals(
        "count(*) AS n FROM (SELECT DISTINCT user_id FROM trips WHERE user_id IS NOT NULL) users",
        "count(*) FROM kept",
        "count(*) + count(CASE WHEN complete THEN 1 END) FROM kept",
        "count(CASE WHEN complete THEN 1 END) FROM kept",
        "count(CASE WHEN complete THEN NULL ELSE 1 END) FROM kept",
    ),
    adds_up=False,
)

# A trip has at most two empty fields of each of three kinds, so 6; in the place of another trip it changes each kind
# by at most two: 6 again. Records without a user or a trip are refused when a file is read, so these rows are 0.
MISSING_VALUES: Final = Measure(
    name="missing_values",
    title="Empty fields",
    counts="fields",
    cells_per_trip=6,
    cells_moved_under_bound=6,
    keys=lambda _: KeySet((plain_axis("column", FIELDS),)),
    sql=" UNION ALL ".join(
        f"SELECT {FIELDS.index(field)} AS field, CAST(coalesce(sum({column}), 0) AS BIGINT) AS n FROM kept"
        for field, column in (("datetime", "missing_time"), ("lat", "missing_lat"), ("lng", "missing_lng"))
    ),
    on_request=True,
    adds_up=False,
)

TRIPS_OVER_TIME: Final = Measure(
    name="trips_over_time",
    title="Trips over time",
    counts="trips",
    cells_per_trip=1,
    keys=_date_keys,
    sql="SELECT CAST(floor(end_hour / 24.0) AS INT) AS day, count(*) AS n FROM kept GROUP BY 1",
)

TRIPS_PER_WEEKDAY: Final = Measure(
    name="trips_per_weekday",
    title="Trips by weekday",
    counts="trips",
    cells_per_trip=1,
    keys=lambda _: KeySet((plain_axis("weekday", WEEKDAYS),)),
    sql=f"SELECT {_WEEKDAY.format(hour='end_hour')} AS weekday, count(*) AS n FROM kept GROUP BY 1",
)

TRIPS_PER_HOUR: Final = Measure(
    name="trips_per_hour",
    title="Trips by hour",
    counts="trips",
    cells_per_trip=2,  # a trip counts at its start and at its end
    keys=lambda _: KeySet(
        (plain_axis("kind", ("start", "end")), plain_axis("day_type", DAY_TYPES), plain_axis("hour", HOURS))
    ),
    sql=f"{_hours(0, 'start_hour', 'WHERE complete')} UNION ALL {_hours(1, 'end_hour', '')}",
)

VISITS_PER_TILE: Final = Measure(
    name="visits_per_tile",
    title="Visits per tile",
    counts="visits",
    cells_per_trip=2,  # both ends, maybe in the same tile
    keys=lambda public: KeySet((tile_axis("tile_id", public.tile_ids),)),
    sql=(
        "SELECT tile, CAST(sum(n) AS BIGINT) AS n FROM ("
        "SELECT start_tile AS tile, count(*) AS n FROM kept WHERE complete GROUP BY 1 "
        "UNION ALL SELECT end_tile AS tile, count(*) AS n FROM kept GROUP BY 1) ends GROUP BY 1"
    ),
)

# The day type is that of the hour itself: 00:30 on a Saturday is weekend, in the window that began on Friday.
VISITS_PER_TIME_TILE: Final = Measure(
    name="visits_per_time_tile",
    title="Arrivals per tile and time of day",
    counts="visits",
    cells_per_trip=1,  # a trip counts where and when it ends
    keys=lambda public: KeySet(
        (
            plain_axis("day_type", DAY_TYPES),
            plain_axis("window", _windows()),
            tile_axis("tile_id", public.tile_ids),
        )
    ),
    sql=(
        f"SELECT {_DAY_TYPE.format(hour='end_hour')} AS day_type, {_window_number()} AS time_window, "
        "end_tile AS tile, count(*) AS n FROM kept GROUP BY 1, 2, 3"
    ),
)

OD_FLOWS: Final = Measure(
    name="od_flows",
    title="Flows between tiles",
    counts="trips",
    cells_per_trip=1,
    keys=lambda public: KeySet(
        (tile_axis("origin", public.tile_ids), tile_axis("destination", public.tile_ids))
    ),
    sql="SELECT start_tile, end_tile, count(*) AS n FROM kept WHERE complete GROUP BY 1, 2",
    sparse=True,
)

# From start to end, whole days included: 25 hours are 1500 minutes.
TRAVEL_TIME: Final = Measure(
    name="travel_time",
    title="Travel time (minutes)",
    counts="trips",
    cells_per_trip=1,
    keys=lambda _: KeySet((public_bins.MINUTES.axis,)),
    sql=_histogram(public_bins.MINUTES, "duration_us", "complete"),
    whole=False,
)

JUMP_LENGTH: Final = Measure(
    name="jump_length",
    title="Distance from start to end (km)",
    counts="trips",
    cells_per_trip=1,
    keys=lambda _: KeySet((public_bins.JUMPS.axis,)),
    sql=_histogram(public_bins.JUMPS, "jump_m", "complete"),
    needs_points=True,
    whole=False,
)

# A kept trip carries at most one gap, so a user changes at most M counts. At trip level a trip takes its own gap with
# it, and the next trip of the user gets another one: 1 + 2. Under a bound on users the added trip may also displace a
# kept one with its gap: 4, or 2 if M = 1, where it cannot be kept beside the trip after it.
USER_TIME_DELTA: Final = Measure(
    name="user_time_delta",
    title="Time between trips of a person (hours)",
    counts="trips",
    cells_per_trip=1,
    cells_moved_by_trip=3,
    cells_moved_under_bound=4,
    keys=lambda _: KeySet((public_bins.GAPS.axis,)),
    sql=_histogram(public_bins.GAPS, "gap_us", "gap_us IS NOT NULL"),
    reads_gaps=True,
    whole=False,
)
