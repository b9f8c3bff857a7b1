"""Overall numbers, and when trips are made: measures of the report's overview. Each counts trips (see ``measure``).

Of an incomplete trip only one record is known. It has no start, so it counts as an end: a visit, an hour, a day, a time
window. It has no flow, no travel time, no jump length and no gap before it.
"""

from __future__ import annotations

from typing import Final

from dpcore.errors import PrivacyError
from dpcore.measures.choices import USUAL_MOST_TRIPS, KeyChoices
from dpcore.measures.keys import KeySet, Step, date_axis, plain_axis
from dpcore.measures.measure import NOWHERE, Cells, Kind, Layout, Measure, Section, Typical
from dpcore.measures.term import Term
from dpcore.privacy import PrivacyUnit

BARS: Final = (
    "Each bar is a count. The line on it is its range: that of the noise, or the likely range of an estimate."
)

_STATISTICS: Final = {
    "users": "people",
    "trips": "trips",
    "records": "records",
    "complete_trips": "complete trips",
    "incomplete_trips": "incomplete trips",
}
_COUNTED: Final = {name: name.split()[-1] for name in _STATISTICS.values()}
"""A complete trip is a trip."""
_FIELDS: Final = {
    "uid": "person",
    "tid": "trip",
    "datetime": "time",
    "lat": "latitude",
    "lng": "longitude",
}
_WEEKDAYS: Final = {
    str(number): name for number, name in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
}
DAY_TYPES: Final = ("weekday", "weekend")
_HOURS: Final = tuple(str(hour) for hour in range(24))
_WEEK: Final = 7

# The wall clock is stored as whole hours since 1970-01-01 00:00, which was a Thursday: weekday = (day + 3) mod 7.
_WEEKDAY: Final = "(CAST(floor({hour} / 24.0) AS INT) + 3) % 7"
DAY_TYPE: Final = f"CASE WHEN {_WEEKDAY} >= 5 THEN 1 ELSE 0 END"
"""SQL for the number of the day type of an ``hour``."""

_STATISTICS_SQL: Final = {
    "users": "count(*) AS n FROM (SELECT DISTINCT user_id FROM trips WHERE user_id IS NOT NULL) users",
    "trips": "count(*) AS n FROM kept",
    "records": "count(*) + count(CASE WHEN complete THEN 1 END) AS n FROM kept",
    "complete_trips": "count(CASE WHEN complete THEN 1 END) AS n FROM kept",
    "incomplete_trips": "count(CASE WHEN complete THEN NULL ELSE 1 END) AS n FROM kept",
}


# A complete trip has two records, its start and its end. An incomplete trip has one.
#
# One user counts once in ``users``. Each trip counts once in ``trips``, at most twice in ``records``, and once in either
# ``complete_trips`` or ``incomplete_trips``: 4 M + 1 in all. At trip level, one trip may be the only one of its
# user: 5. Under a bound on users, an added trip displaces none (at most 5) or one. If it displaces one, trips and users
# stay the same, and a complete trip in the place of an incomplete one changes records, complete_trips and
# incomplete_trips by one each: 3. If no column names users, there is no row ``users`` and its count drops out: 4 M, and
# 4 for one trip.
def ds_statistics(choices: KeyChoices) -> Measure:
    """The numbers of trips, records, complete and incomplete trips, and of people where the form of the data names them."""
    people = 1 if choices.users else 0
    listed = tuple(_STATISTICS)[1 - people :]
    return Measure(
        name="ds_statistics",
        title="Overall numbers",
        explanation=(
            "How many trips and records were counted, and how many people if the form of the data names them. A complete trip "
            "has two records: its start and its end. Of an incomplete trip only one record is known. Every number has noise of "
            "the same width, so the noise hardly matters for the large ones."
        ),
        section=Section.OVERVIEW,
        counts="people, trips or records" if people else "trips or records",
        layout=Layout(Kind.NUMBERS, ("statistic",), labels=_STATISTICS, units=_COUNTED),
        cells_per_trip=4,
        cells_once_per_user=people,
        cells_moved_by_trip=4 + people,
        cells_moved_under_bound=4 + people,
        keys=lambda _: KeySet((plain_axis("statistic", listed),)),
        sql=" UNION ALL ".join(
            f"SELECT {number} AS statistic, {_STATISTICS_SQL[name]}" for number, name in enumerate(listed)
        ),
        weight=50,
        usual_at=NOWHERE,
        adds_up=False,
        typical=Typical.PEOPLE,  # the smallest of its counts that matters
        differences=(
            "ds_statistics has one noise scale for all of its numbers. Different places (n_locations) are not counted.",
        ),
    ).counted_by(Cells.STATISTICS if people else Cells.STATISTICS_OF_TRIPS)


# A user adds min(t, C) with t the number of that user's trips: C at most, whatever the trips, and nobody else's part changes.
# One trip more adds min(t + 1, C) - min(t, C) to the part of its user: 1, or 0 from the cap on. No contribution bound is
# needed, so none applies: that is what makes the share of counted trips known.
def total_trips(choices: KeyChoices) -> Measure:
    """Trips of all people, of each at most C, whatever the contribution bound. It says what share of the trips counts."""
    most = choices.most_trips or USUAL_MOST_TRIPS
    return Measure(
        name="total_trips",
        title="Trips of all people",
        explanation=(
            f"How many trips there are in all, of each person at most {most:,}. The other tables count fewer, because the "
            "contribution bound leaves trips out. Their share of this number says how many it leaves out. The noise of this "
            "number is wider than theirs, because one person adds more to it."
        ),
        section=Section.OVERVIEW,
        counts="trips",
        layout=Layout(Kind.NUMBERS, ("statistic",), labels={"trips": "trips of all people"}),
        cells_per_trip=1,
        cells_per_user=most,
        keys=lambda _: KeySet((plain_axis("statistic", ("trips",)),)),
        sql=(
            f"SELECT 0 AS statistic, CAST(coalesce(sum(CASE WHEN trips < {most} THEN trips ELSE {most} END), 0) AS BIGINT) "
            "AS n FROM (SELECT count(*) AS trips FROM trips WHERE user_id IS NOT NULL GROUP BY user_id) users"
        ),
        weight=40,
        usual_at=frozenset({PrivacyUnit.USER}),
        adds_up=False,
        typical=Typical.UNKNOWN,
    ).counted_by(Cells.CAPPED, cap=most)


# A trip counts once, or not at all. A trip in the place of another one changes the number by one at most: under a bound on
# users it may displace a complete one.
def incomplete_trips(_: KeyChoices) -> Measure:
    """Trips of which only one record is known: what ``ds_statistics`` tells beyond the totals of other tables."""
    return Measure(
        name="incomplete_trips",
        title="Incomplete trips",
        explanation=(
            "Of how many trips only one record is known. Such a trip counts where and when it ended, and has no flow. A small "
            "number, or one below zero, is mostly noise. Read it as 'few or none'."
        ),
        section=Section.OVERVIEW,
        counts="trips",
        layout=Layout(Kind.NUMBERS, ("statistic",), labels={"incomplete_trips": "incomplete trips"}),
        cells_per_trip=1,
        cells_moved_under_bound=1,
        keys=lambda _: KeySet((plain_axis("statistic", ("incomplete_trips",)),)),
        terms=(Term("kept", (("statistic", "0"),), "NOT complete"),),
        weight=4,
        adds_up=False,
        typical=Typical.UNKNOWN,
    ).counted_by(Cells.INCOMPLETE)


# A trip has at most two empty fields of each of three kinds: 6. In the place of another trip it changes each kind by at
# most two: 6 again. A file with records without a user or a trip is refused when it is read, so these two rows are 0.
def missing_values(_: KeyChoices) -> Measure:
    """Empty fields of the counted records, by column."""
    fields = tuple(_FIELDS)
    return Measure(
        name="missing_values",
        title="Empty fields",
        explanation=(
            "How many fields were empty in the records that were counted. It shows the quality of the data. A small number, or "
            "one below zero, is mostly noise. Read it as 'few or none'."
        ),
        section=Section.OVERVIEW,
        counts="fields",
        layout=Layout(Kind.NUMBERS, ("column",), labels=_FIELDS),
        needs_times=True,
        cells_per_trip=6,
        cells_moved_under_bound=6,
        keys=lambda _: KeySet((plain_axis("column", fields),)),
        terms=tuple(
            Term("kept", (("field", str(fields.index(field))),), f"{column} > 0", column)
            for field, column in (
                ("datetime", "missing_time"),
                ("lat", "missing_lat"),
                ("lng", "missing_lng"),
            )
        ),
        weight=25,
        usual_at=NOWHERE,
        adds_up=False,
        typical=Typical.UNKNOWN,
        differences=(
            (
                "missing_values are counted before any record is left out; DpMobilityReport counts them after. Records "
                "without uid or tid are refused, or left out with drop_bad."
            ),
        ),
    ).counted_by(Cells.EMPTY_FIELDS)


def trips_over_time(choices: KeyChoices) -> Measure:
    """Trips by the date of their end. They are counted by day; weeks and months are sums of these counts."""
    return Measure(
        name="trips_over_time",
        title="Trips over time",
        explanation=(
            "Trips by the date on which they ended. The line is the noisy count. The band holds 95 % of the noise, so a rise "
            "or fall within the band may be noise alone."
        ),
        section=Section.OVERVIEW,
        counts="trips",
        layout=Layout(Kind.DATES, ("date",), "days"),
        needs_times=True,
        cells_per_trip=1,
        keys=lambda _: _date_keys(choices),
        terms=(Term("kept", (("day", "CAST(floor(end_hour / 24.0) AS INT)"),)),),
        weight=60,
        weight_of_trips=56,
        needs_period=True,
        adds_to="trips",
        differences=(
            (
                "trips_over_time covers the dates that you name and counts other days as before and after. DpMobilityReport "
                "covers a noisy first to a noisy last date of the data."
            ),
        ),
    ).counted_by(Cells.DAYS)


def _date_keys(choices: KeyChoices) -> KeySet:
    if choices.period is None:
        raise PrivacyError(
            "a series over dates needs a public period",
            "trips_over_time",
            "Give its first and last day. They are never read off the data.",
        )
    return KeySet((date_axis("date", choices.period, choices.step),))


def weekdays_follow(choices: KeyChoices) -> bool:
    """Whether trips by weekday are read off trips by date. A weekday then has the noise of at least one date and at most ten."""
    days = 0 if choices.period is None else len(choices.period.days)
    return choices.step is Step.DAY and _WEEK <= days <= 10 * _WEEK


def trips_per_weekday(_: KeyChoices) -> Measure:
    """Trips by the weekday of their end."""
    return Measure(
        name="trips_per_weekday",
        title="Trips by weekday",
        explanation=(
            "Trips by the weekday on which they ended. "
            f"{BARS} The seven counts are large, so the noise matters little. Two bars whose ranges overlap may be equal."
        ),
        section=Section.OVERVIEW,
        counts="trips",
        layout=Layout(Kind.LINE, ("weekday",), "days", labels=_WEEKDAYS),
        needs_times=True,
        cells_per_trip=1,
        keys=lambda _: KeySet((plain_axis("weekday", tuple(_WEEKDAYS)),)),
        terms=(Term("kept", (("weekday", _WEEKDAY.format(hour="end_hour")),)),),
        weight=25,
        usual_at=NOWHERE,
        differences=(),
    ).counted_by(Cells.WEEKDAYS)


def trips_per_hour(_: KeyChoices) -> Measure:
    """Starts and ends of trips by day type and hour."""
    return Measure(
        name="trips_per_hour",
        title="Trips by hour",
        explanation=(
            "Starts and ends of trips by hour of the day in local time, with weekdays and weekends apart. The band holds 95 % "
            "of the noise. The quiet hours of the night are the first in which noise hides the counts."
        ),
        section=Section.OVERVIEW,
        counts="trips",
        layout=Layout(
            Kind.LINE,
            ("kind", "day_type", "hour"),
            "hours",
            ("kind", "day_type"),
            labels={hour: f"{hour} h" for hour in _HOURS},
            group_title="{0}s of trips by hour on {1}s",
        ),
        needs_times=True,
        cells_per_trip=2,  # a trip counts at its start and at its end
        keys=lambda _: KeySet(
            (
                plain_axis("kind", ("start", "end")),
                plain_axis("day_type", DAY_TYPES),
                plain_axis("hour", _HOURS),
            )
        ),
        terms=(_hours(0, "start_hour", "complete"), _hours(1, "end_hour", "")),
        weight=100,
        weight_of_trips=93,
        spread=0.95,
        unevenness=2.3,
        differences=(
            "trips_per_hour counts starts and ends, so it gets noise for two points of a trip; DpMobilityReport adds half of that.",
        ),
    ).counted_by(Cells.HOURS)


def _hours(kind: int, hour: str, where: str) -> Term:
    key = (("kind", str(kind)), ("day_type", DAY_TYPE.format(hour=hour)), ("hour", f"{hour} % 24"))
    return Term("kept", key, where)


ALL: Final = (
    ds_statistics,
    total_trips,
    incomplete_trips,
    missing_values,
    trips_over_time,
    trips_per_weekday,
    trips_per_hour,
)
"""In the order of the report."""
