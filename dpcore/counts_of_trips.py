"""Measures that count trips: each trip that counts adds to cells of its own, see ``dpcore.measure``.

What an incomplete trip, of which one record alone is known, counts as: it has no start, so it counts as an end
(a visit, an hour, a day, a time window) and has no flow, no travel time, no jump length and no gap before it.
"""

from __future__ import annotations

from typing import Final

from dpcore.counting_rule import Cells, Value
from dpcore.errors import PrivacyError
from dpcore.key_choices import KeyChoices
from dpcore.keys import KeySet, date_axis, plain_axis, tile_axis
from dpcore.measure import Measure
from dpcore.public_bins import Bins

WEEKDAYS: Final = tuple(str(day) for day in range(7))
DAY_TYPES: Final = ("weekday", "weekend")
HOURS: Final = tuple(str(hour) for hour in range(24))
STATISTICS: Final = ("users", "trips", "records", "complete_trips", "incomplete_trips")
FIELDS: Final = ("uid", "tid", "datetime", "lat", "lng")

# The wall clock is stored as whole hours since 1970-01-01 00:00, a Thursday: weekday = (day + 3) mod 7.
_WEEKDAY: Final = "(CAST(floor({hour} / 24.0) AS INT) + 3) % 7"
_DAY_TYPE: Final = f"CASE WHEN {_WEEKDAY} >= 5 THEN 1 ELSE 0 END"


_STATISTICS_SQL: Final = {
    "users": "count(*) AS n FROM (SELECT DISTINCT user_id FROM trips WHERE user_id IS NOT NULL) users",
    "trips": "count(*) AS n FROM kept",
    "records": "count(*) + count(CASE WHEN complete THEN 1 END) AS n FROM kept",
    "complete_trips": "count(CASE WHEN complete THEN 1 END) AS n FROM kept",
    "incomplete_trips": "count(CASE WHEN complete THEN NULL ELSE 1 END) AS n FROM kept",
}


def _date_keys(choices: KeyChoices) -> KeySet:
    if choices.period is None:
        raise PrivacyError(
            "a series over dates needs a public period",
            "trips_over_time",
            "Give its first and last day; they are never read off the data.",
        )
    return KeySet((date_axis("date", choices.period, choices.step),))


def _hours(kind: int, hour: str, where: str) -> str:
    day_type = _DAY_TYPE.format(hour=hour)
    return (
        f"SELECT {kind} AS kind, {day_type} AS day_type, {hour} % 24 AS hour, count(*) AS n "
        f"FROM kept {where} GROUP BY 1, 2, 3"
    )


def window_names(starts: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the time windows that begin at some hours, such as ``2-6``; the last one runs past midnight."""
    return tuple(f"{start}-{end}" for start, end in zip(starts, (*starts[1:], starts[0]), strict=True))


def _window_number(starts: tuple[int, ...]) -> str:
    """SQL for the number of the window of an end; the hours before the first start belong to the last window."""
    last = len(starts) - 1
    later = " ".join(f"WHEN end_hour % 24 < {start} THEN {number}" for number, start in enumerate(starts[1:]))
    return f"CASE WHEN end_hour % 24 < {starts[0]} THEN {last} {later} ELSE {last} END"


def _histogram(bins: Bins, value: str, where: str) -> str:
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
# Where no column names users there is no row ``users``. The one count of a user goes: 4 M, and 4 for one trip.
def ds_statistics(choices: KeyChoices) -> Measure:
    """How many trips, records, complete and incomplete trips there are; and people, where the form names them."""
    people = 1 if choices.users else 0
    listed = STATISTICS[1 - people :]
    return Measure(
        name="ds_statistics",
        title="Overall numbers",
        counts="people, trips or records" if people else "trips or records",
        cells_per_trip=4,
        cells_once_per_user=people,
        cells_moved_by_trip=4 + people,
        cells_moved_under_bound=4 + people,
        keys=lambda _: KeySet((plain_axis("statistic", listed),)),
        sql=_totals(*(_STATISTICS_SQL[name] for name in listed)),
        adds_up=False,
    ).counted_by(Cells.STATISTICS if people else Cells.STATISTICS_OF_TRIPS)


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
).counted_by(Cells.EMPTY_FIELDS)


def trips_over_time(choices: KeyChoices) -> Measure:
    """Trips by the date of their end. They are counted by day, so that days, weeks and months share one count."""
    return Measure(
        name="trips_over_time",
        title="Trips over time",
        counts="trips",
        cells_per_trip=1,
        keys=lambda _: _date_keys(choices),
        sql="SELECT CAST(floor(end_hour / 24.0) AS INT) AS day, count(*) AS n FROM kept GROUP BY 1",
        needs_period=True,
    ).counted_by(Cells.DAYS)


TRIPS_PER_WEEKDAY: Final = Measure(
    name="trips_per_weekday",
    title="Trips by weekday",
    counts="trips",
    cells_per_trip=1,
    keys=lambda _: KeySet((plain_axis("weekday", WEEKDAYS),)),
    sql=f"SELECT {_WEEKDAY.format(hour='end_hour')} AS weekday, count(*) AS n FROM kept GROUP BY 1",
).counted_by(Cells.WEEKDAYS)

TRIPS_PER_HOUR: Final = Measure(
    name="trips_per_hour",
    title="Trips by hour",
    counts="trips",
    cells_per_trip=2,  # a trip counts at its start and at its end
    keys=lambda _: KeySet(
        (plain_axis("kind", ("start", "end")), plain_axis("day_type", DAY_TYPES), plain_axis("hour", HOURS))
    ),
    sql=f"{_hours(0, 'start_hour', 'WHERE complete')} UNION ALL {_hours(1, 'end_hour', '')}",
).counted_by(Cells.HOURS)


# A trip counts once for its start and its end each, and once for each of the first k - 2 tiles on its way: at most k
# counts, maybe of one cell. An incomplete trip has nothing on its way. With k = 2 both ends are left: the usual rule.
def visits_per_tile(choices: KeyChoices) -> Measure:
    """Visits by tile: both ends of a trip, and with a cap the tiles that it passes between them."""
    cap = choices.visits_cap or 2
    ends = (
        "SELECT start_tile AS tile, count(*) AS n FROM kept WHERE complete GROUP BY 1 "
        "UNION ALL SELECT end_tile AS tile, count(*) AS n FROM kept GROUP BY 1"
    )
    between = f" UNION ALL SELECT tile, count(*) AS n FROM kept_via WHERE place <= {cap - 2} GROUP BY 1"
    return Measure(
        name="visits_per_tile",
        title="Visits per tile",
        counts="visits",
        cells_per_trip=cap,
        keys=lambda tile_ids: KeySet((tile_axis("tile_id", tile_ids),)),
        sql=(
            "SELECT tile, CAST(sum(n) AS BIGINT) AS n "
            f"FROM ({ends}{between if cap > 2 else ''}) ends GROUP BY 1"
        ),
        reads_via=cap > 2,
    ).counted_by(Cells.VISITS, cap=cap)


def visits_per_time_tile(choices: KeyChoices) -> Measure:
    """Arrivals by day type, time window and tile.

    The day type is that of the hour itself: 00:30 on a Saturday is weekend, in the window that began on Friday.
    """
    return Measure(
        name="visits_per_time_tile",
        title="Arrivals per tile and time of day",
        counts="visits",
        cells_per_trip=1,  # a trip counts where and when it ends
        keys=lambda tile_ids: KeySet(
            (
                plain_axis("day_type", DAY_TYPES),
                plain_axis("window", window_names(choices.windows)),
                tile_axis("tile_id", tile_ids),
            )
        ),
        sql=(
            f"SELECT {_DAY_TYPE.format(hour='end_hour')} AS day_type, "
            f"{_window_number(choices.windows)} AS time_window, "
            "end_tile AS tile, count(*) AS n FROM kept GROUP BY 1, 2, 3"
        ),
    ).counted_by(Cells.WINDOWS, windows=choices.windows)


OD_FLOWS: Final = Measure(
    name="od_flows",
    title="Flows between tiles",
    counts="trips",
    cells_per_trip=1,
    keys=lambda tile_ids: KeySet((tile_axis("origin", tile_ids), tile_axis("destination", tile_ids))),
    sql="SELECT start_tile, end_tile, count(*) AS n FROM kept WHERE complete GROUP BY 1, 2",
    sparse=True,
).counted_by(Cells.FLOWS)


def travel_time(choices: KeyChoices) -> Measure:
    """Minutes from start to end, whole days included: 25 hours are 1500 minutes."""
    bins = choices.bins("travel_time")
    return Measure(
        name="travel_time",
        title="Travel time (minutes)",
        counts="trips",
        cells_per_trip=1,
        keys=lambda _: KeySet((bins.axis,)),
        sql=_histogram(bins, "duration_us", "complete"),
        whole=False,
    ).counted_by(Cells.BINS_OF_TRIPS, Value.DURATION, bins)


def jump_length(choices: KeyChoices) -> Measure:
    """Great-circle kilometres from start to end."""
    bins = choices.bins("jump_length")
    return Measure(
        name="jump_length",
        title="Distance from start to end (km)",
        counts="trips",
        cells_per_trip=1,
        keys=lambda _: KeySet((bins.axis,)),
        sql=_histogram(bins, "jump_m", "complete"),
        needs_points=True,
        whole=False,
    ).counted_by(Cells.BINS_OF_TRIPS, Value.JUMP, bins)


def user_time_delta(choices: KeyChoices) -> Measure:
    """Hours from the end of a person's trip to the start of the next, counted with the trip that follows.

    A kept trip carries at most one gap, so a user changes at most M counts. At trip level a trip takes its own gap with
    it, and the next trip of the user gets another one: 1 + 2. Under a bound on users the added trip may also displace a
    kept one with its gap: 4, or 2 if M = 1, where it cannot be kept beside the trip after it.
    """
    bins = choices.bins("user_time_delta")
    return Measure(
        name="user_time_delta",
        title="Time between trips of a person (hours)",
        counts="trips",
        cells_per_trip=1,
        cells_moved_by_trip=3,
        cells_moved_under_bound=4,
        keys=lambda _: KeySet((bins.axis,)),
        sql=_histogram(bins, "gap_us", "gap_us IS NOT NULL"),
        reads_gaps=True,
        whole=False,
    ).counted_by(Cells.BINS_OF_TRIPS, Value.GAP, bins)
