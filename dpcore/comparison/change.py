"""The change from one release to another: of all trips together, and of the cells of one measure.

A side counts y trips of a cell, with noise. Of its ``all`` trips T count. So about ``y * all / T`` trips are in the cell, and with
different periods that is divided by days. Four things make it uncertain (``chance.Law``):

* the noise of y, by its exact law;
* the noise of ``all``, one drawn number, by its exact law, and that of T, a sum over tables, as a normal number;
* the sample: which trips of a person count. Its variance is ``ALIKE * X (1 - p) / p`` for X trips and a share p that counts, as for
  estimates (``estimates.all_trips``). Where no share is known, its bound for small p is taken, ``ALIKE`` times the count;
* what scaling cannot repair. It is the same on both sides where equal shares count, and cancels. Where shares differ, the allowance
  is ``unlike`` times the difference of the roots of what is left out.

**What all cells share.** The noise of both totals scales all cells of a side alike. Where it is one more part of the error of each cell,
few pairs of releases announce anything false, and then up to a third of the cells at once. So it is also bounded for all cells together:
up to a chance of ``_TOGETHER`` it moves none further than ``_moved_together`` says. Only a cell whose own errors explain what is beyond
with a chance of at most ``FALSE`` may be announced. This raises chances and lowers none, so the level still holds. Up to a chance
of ``_TOGETHER``, each unchanged cell is then announced with a chance of at most ``FALSE``, whatever the totals do to the others.

A cell that a side does not list lay below its threshold. It counts as one below the threshold, with the noise of the rung that
decided: the difference can only be larger.

**When sides may be laid beside each other** is said by ``why_apart`` for a measure and by ``must_be_comparable`` for releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from math import hypot, inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.comparison.all_trips import Scaled, counts_all, length_of, says_all
from dpcore.comparison.chance import FALSE, Law, Numbers, level_of
from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.measures.choices import USUAL_MOST_TRIPS
from dpcore.measures.keys import KeySet, Period
from dpcore.measures.measure import Kind
from dpcore.measures.measurement import Measurement
from dpcore.noise.expected_estimates import VISITS, scaling_of
from dpcore.privacy import PrivacyUnit
from dpcore.release import Release

Cells = NDArray[np.int64]

_SATURDAY: Final = 5
_HALVINGS: Final = 50
_TOGETHER: Final = 0.01
"""The chance that the noise of both totals moves all cells by more than is allowed for."""
_MOST: Final = 1e3  # a change beyond a thousandfold has no upper end
_OTHER_DAYS: Final = "The periods do not hold equally many weekdays and days of the weekend, so each cell is of one day of its own kind."
_CELLS_OF_ONE_DRAW: Final = 4
"""Equal values in so many cells are no accident."""
_ELSEWHERE: Final = 0.1
_COVERED: Final = 0.1
"""The share of the smaller map's frame that both maps must cover: of two cities next to each other the corners may meet."""
_OF_CLOCKS: Final = frozenset({"hour", "window", "date", "weekday"})


@dataclass(frozen=True)
class TotalChange:
    """The change of all trips together, as a share of those of A."""

    one: float
    """Trips of A, of each day where ``Changes.per_day``."""
    other: float
    share: float
    """-0.12 for 12 % fewer."""
    low: float
    """Ends of the 95 % range; ``high`` is infinite where A may have had none."""
    high: float

    @property
    def told(self) -> bool:
        """Whether the range excludes that nothing changed."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, eq=False)
class CellChanges:
    """The changes of the cells of one measure. Arrays have one entry for each listed cell."""

    measure: str
    counts: str
    keys: KeySet
    cells: Cells
    """Numbers of the cells that a side lists, ascending."""
    one: Numbers
    """Counts of A; the value below the threshold where A does not list the cell."""
    other: Numbers
    low: Numbers
    """Ends of the range of B less A: 0 lies outside exactly where a change is announced."""
    high: Numbers
    per_day: bool
    """Whether counts are of one day: of one weekday or day of the weekend, where cells are of these."""
    together: float
    """By which share of its count the noise of both totals may move every equal cell, all alike; 0 where cells have no noise in common."""

    @cached_property
    def direction(self) -> NDArray[np.int64]:
        """1 where a rise is announced, -1 where a fall is, and 0 where no change can be told."""
        return (self.low > 0).astype(np.int64) - (self.high < 0)

    @property
    def tested(self) -> int:
        """How many cells were tested, listed or not."""
        return self.keys.size


@dataclass(frozen=True, eq=False)
class Changes:
    """What changed from release A to release B."""

    total: TotalChange | None
    """None where no table tells how many trips there are."""
    cells: CellChanges | None
    why_no_cells: str
    """Why the cells cannot be laid beside each other, as a sentence; empty if they can."""
    per_day: bool
    """Whether numbers are of one day, because the periods differ."""
    of_all: bool
    """Whether numbers are of all trips. Otherwise they are of the trips that count."""
    notes: tuple[str, ...] = ()
    """What must be said beside it, a sentence each."""


def changes(one: Release, other: Release, measure: str = VISITS) -> Changes:
    """What changed from A to B, at the highest epsilon of each.

    Raises InputError where the releases cannot be laid beside each other at all. If only the cells of the measure cannot be,
    ``why_no_cells`` says why.
    """
    must_be_comparable(one, other)
    of_all = _all_on_both(one, other)
    sides = Scaled(one, of_all=of_all), Scaled(other, of_all=of_all)
    why = why_apart(one, other, measure)
    per_day = sides[0].days != sides[1].days
    cells = None if why else _cells(sides, measure)
    notes = [*_notes(one, other, of_all=of_all)]
    if cells is not None and cells.per_day and not per_day:
        notes.append(_OTHER_DAYS)
    return Changes(_total(*sides, per_day=per_day), cells, why, per_day, of_all, tuple(notes))


def must_be_comparable(one: Release, other: Release) -> None:
    """Refuse, with an InputError, releases whose numbers of trips do not mean the same."""
    for what, mend in _faults(one, other):
        raise InputError(what, f"{one.id}, {other.id}", mend)


def _faults(one: Release, other: Release) -> Iterator[tuple[str, str]]:
    """What forbids to lay two releases beside each other, and how to mend it."""
    a, b = one.plan, other.plan
    if a.choices.splits or b.choices.splits:
        yield (
            "tables are split by category, so nothing is told of all parts together",
            "Compare one category of each: choose it on the page Compare, or with change --category or dpcore.part_release.",
        )
    if _one_draw(one, other):
        yield (
            "both releases are made from one draw, so all that differs is noise",
            "Choose releases that were published one after the other and not raised from one another.",
        )
    yield from _other_trips(one, other)
    if (a.choices.period is None) != (b.choices.period is None):
        yield (
            "one release says which days it covers and the other does not",
            "Compare releases that both say their period, or publish with --dates.",
        )
    if a.choices.period != b.choices.period and (_elsewhere(one) or _elsewhere(other)):
        yield (
            "many of their trips lie on other days than those that the release names, and count all the same",
            "Publish trips of the named days alone, or name with --dates all days that the trips cover.",
        )
    if a.bound.unit is PrivacyUnit.USER and not _all_on_both(one, other):
        if a.bound.max_trips != b.bound.max_trips:
            yield (
                f"at most {a.bound.max_trips} trips of each person count in one release and {b.bound.max_trips} in the other",
                "Compare releases with the same M, or such that both pay for total_trips with the same cap.",
            )
        if length_of(a.choices.period) != length_of(b.choices.period):
            yield (
                "their periods differ in length, and not both releases say with one cap how many trips there are in all",
                "Compare equal periods, or releases that both pay for total_trips with the same cap.",
            )


def _other_trips(one: Release, other: Release) -> Iterator[tuple[str, str]]:
    """What shows that the two releases count other trips altogether, and how to mend it."""
    if not _one_place(one, other):
        yield (
            "their tiles lie in different places",
            "Compare releases of one city.",
        )
    if one.publisher and other.publisher and one.publisher.casefold() != other.publisher.casefold():
        yield (
            "they name two publishers, so they count different trips",
            "Compare releases of one publisher.",
        )
    if one.plan.bound.unit is not other.plan.bound.unit:
        yield (
            "one release hides people and the other hides single trips, so they count different trips",
            "Compare releases with the same privacy unit.",
        )
    if one.trip_rule != other.trip_rule:
        yield (
            "their trips were cut from points by different rules",
            "Compare releases whose trips mean the same.",
        )


def _one_place(one: Release, other: Release) -> bool:
    """Whether the frames of both maps share a part worth the name. A district lies in its city: trips beyond the tiles count on both sides."""
    if one.tessellation.digest == other.tessellation.digest:
        return True
    a, b = one.tessellation.bounds, other.tessellation.bounds
    wide, high = min(a.east, b.east) - max(a.west, b.west), min(a.north, b.north) - max(a.south, b.south)
    smaller = min((frame.east - frame.west) * (frame.north - frame.south) for frame in (a, b))
    return min(wide, high) > 0 and wide * high >= _COVERED * smaller


def _one_draw(one: Release, other: Release) -> bool:
    """Whether one ladder continues the other: then values agree at the rungs that both have."""
    if other.id in {one.id, one.raised_from} or one.id == other.raised_from:
        return True
    both = [
        (drawn_.values[0], other.measurements[name].values[0])
        for name, drawn_ in one.measurements.items()
        if name in other.measurements
        and drawn_.rungs[0] == other.measurements[name].rungs[0]
        and drawn_.share == other.measurements[name].share
    ]
    return sum(a.size for a, _ in both) >= _CELLS_OF_ONE_DRAW and all(np.array_equal(a, b) for a, b in both)


def _all_on_both(one: Release, other: Release) -> bool:
    """Whether both say how many trips there are in all, and mean the same by it."""
    if one.plan.bound.unit is PrivacyUnit.TRIP:
        return True
    caps = [release.plan.choices.most_trips or USUAL_MOST_TRIPS for release in (one, other)]
    return caps[0] == caps[1] and all(says_all(release) for release in (one, other))


def _elsewhere(release: Release) -> bool:
    """Whether surely more than a tenth of the trips lie on days that a release does not name, as far as it tells dates."""
    dates = release.measurements.get("trips_over_time")
    if dates is None or dates.cells is not None:
        return False
    values = dates.values[-1]
    beyond = np.isin(dates.keys.labels(dates.cell_numbers)["date"], ["before", "after"])
    noise = int(beyond.sum()) * dates.half_widths[-1]
    return bool(values[beyond].sum() - noise > _ELSEWHERE * (values.sum() + noise))


def why_apart(one: Release, other: Release, measure: str) -> str:
    """Why the cells of a measure cannot be laid beside each other, as a sentence; empty if they can."""
    return next(_reasons(one, other, measure), "")


def _reasons(one: Release, other: Release, measure: str) -> Iterator[str]:
    sides = {"A": one, "B": other}
    lacking = [name for name, release in sides.items() if measure not in release.measurements]
    if lacking:
        yield f"{' and '.join(lacking)} did not release {measure}."
        return
    a, b = one.plan, other.plan
    asked, drawn_, there = a.measure(measure), one.measurements[measure], other.measurements[measure]
    if asked.layout.kind is Kind.NUMBERS:
        yield f"The numbers of {measure} are not parts of one total."
    if asked.reads_gaps:
        yield "The times between trips depend on which trips of a person count."
    if a.bound.max_trips != b.bound.max_trips and not asked.counts_users:
        yield (
            f"A counts at most {a.bound.max_trips} trips of each person and B at most {b.bound.max_trips}, so other people "
            "weigh more in each place."
        )
    if (asked.layout.tile_columns or asked.needs_districts) and (
        one.tessellation.digest != other.tessellation.digest
    ):
        yield "The tiles are not the same."
    if drawn_.keys != there.keys:
        yield f"{_KEYS[asked.layout.kind]} are not the same."
    if measure == VISITS and (a.choices.visits_cap or 2) != (b.choices.visits_cap or 2):
        yield "A trip may count in more tiles on one side than on the other."
    if asked.counts_users and length_of(a.choices.period) != length_of(b.choices.period):
        yield "People are counted over periods of different lengths."
    if _OF_CLOCKS & {*drawn_.keys.columns} and one.timezone != other.timezone:
        yield "Their hours and dates are local to different clocks."
    yield from _unscaled(one, other, people=asked.counts_users)


def _unscaled(one: Release, other: Release, *, people: bool) -> Iterator[str]:
    """Numbers of all trips are meant, and a side does not tell which share of them counts; ``people``: whether people are counted."""
    if not people and _all_on_both(one, other):
        unknown = [name for name, release in (("A", one), ("B", other)) if not counts_all(release)]
        if unknown:
            yield f"No table of {' and '.join(unknown)} tells which share of all trips counts."


_KEYS: Final = {
    Kind.DATES: "The dates",
    Kind.LINE: "The hours or days",
    Kind.BINS: "The bins",
    Kind.TILES: "The tiles or time windows",
    Kind.FLOWS: "The tiles",
    Kind.PAIRS: "The districts",
}


def _notes(one: Release, other: Release, *, of_all: bool) -> Iterator[str]:
    a, b = one.plan, other.plan
    if whose := _other_data(one, other):
        yield whose
    lengths = [length_of(release.plan.choices.period) for release in (one, other)]
    if lengths[0] != lengths[1]:
        yield f"A covers {lengths[0]:,} days and B {lengths[1]:,}, so numbers are of one day. Trips of other days count too."
    if a.choices.period is None and b.choices.period is None:
        yield "Neither release says which days it covers: their periods are taken as equally long."
    if a.bound.unit is PrivacyUnit.TRIP:
        return
    if not of_all:
        yield (
            f"Numbers are of the trips that count, at most {a.bound.max_trips} of each person: "
            + (
                "no table tells how many of this part there are in all."
                if one.part or other.part
                else "not both releases say with one cap how many there are in all."
            )
        )
        return
    yield f"All trips means at most {a.choices.most_trips or USUAL_MOST_TRIPS:,} trips of each person."
    if lengths[0] != lengths[1]:
        yield "Over a longer period this cap leaves out more trips."
    if a.bound.max_trips != b.bound.max_trips:
        yield f"M is {a.bound.max_trips} in A and {b.bound.max_trips} in B, so only the number of all trips is compared."


def _other_data(one: Release, other: Release) -> str:
    """That the two may count other people, where they say so themselves; empty where they do not."""
    said = []
    if one.dataset != other.dataset:
        said.append(f"They are of two data sets: A of {one.dataset}, B of {other.dataset}.")
    if one.population and other.population and one.population != other.population:
        said.append("The people in them are described in different words.")
    return " ".join([*said, "Whatever differs between the two counts as change."]) if said else ""


def _total(one: Scaled, other: Scaled, *, per_day: bool) -> TotalChange | None:
    if not (one.has_total and other.has_total):
        return None
    (a, wa, ra, sa), (b, wb, rb, sb) = (side.total(side.days if per_day else 1) for side in (one, other))

    def chance(share: float) -> float:
        """That chance alone makes the difference, if B is ``1 + share`` times A."""
        off = b - (1 + share) * a
        weights, rates = np.array([[wa * (1 + share)], [wb]]), np.array([[ra], [rb]])
        return float(Law(weights, rates, np.array([hypot(sa * (1 + share), sb)])).tail(np.abs([off]))[0])

    def end(far: float) -> float:
        if chance(far) > FALSE:
            return far
        near = b / a - 1
        for _ in range(_HALVINGS):
            between = (near + far) / 2
            near, far = (between, far) if chance(between) > FALSE else (near, between)
        return far

    most = max(_MOST, 2 * b / a)
    high = end(most)
    return TotalChange(a, b, b / a - 1, end(-1.0), inf if high == most else high)


def _cells(sides: tuple[Scaled, Scaled], measure: str) -> CellChanges:
    """The changes of all cells that a side lists."""
    tables = [side.release.measurements[measure] for side in sides]
    keys, asked = tables[0].keys, measure_named(measure, sides[0].release.plan.choices)
    cells = np.unique(np.concatenate([table.cell_numbers for table in tables]))
    days = [_days(side.release.plan.choices.period, keys, cells) for side in sides]
    per_day = not np.array_equal(days[0], days[1])
    if not per_day:
        days = [np.ones(len(cells))] * 2
    there = [np.isin(cells, table.cell_numbers) for table in tables]
    found, laws = [], []
    for side, table, listed, own in zip(sides, tables, there, days, strict=True):
        values, rate = _counts(table, cells, listed)
        shown, alone, every = side.laws(values, rate, np.maximum(own, 1.0), people=asked.counts_users)
        found.append(shown)
        laws.append((alone, every))
    apart = abs(sqrt(1 - sides[0].share) - sqrt(1 - sides[1].share)) * np.maximum(found[0], found[1])
    of_people = 0.0 if asked.counts_users else scaling_of(keys.columns).unlike * np.maximum(apart, 0.0)
    alone, every = (
        Law(
            np.concatenate([a.weights, b.weights]),
            np.concatenate([a.rates, b.rates]),
            np.sqrt(a.sigma**2 + b.sigma**2 + of_people**2),
        )
        for a, b in zip(*laws, strict=True)
    )
    together, moved = (0.0, np.zeros(len(cells))) if asked.counts_users else _moved_together(sides, found)
    change = found[1] - found[0]
    # what a side does not list may only be smaller: a change towards it may be told, no other
    open_ = (~there[0] & (change <= 0)) | (~there[1] & (change >= 0)) | (days[0] * days[1] == 0)
    least = moved + alone.half_width(FALSE)
    chances = np.where(open_ | (np.abs(change) <= least), 1.0, every.tail(np.abs(change)))
    wide = np.maximum(least, every.half_width(level_of(chances, keys.size)))
    low = np.where(open_ | ~there[1], -np.inf, change - wide)
    high = np.where(open_ | ~there[0], np.inf, change + wide)
    return CellChanges(
        measure, tables[0].counts, keys, cells, found[0], found[1], low, high, per_day, together
    )


def _moved_together(sides: tuple[Scaled, Scaled], found: list[Numbers]) -> tuple[float, Numbers]:
    """By how much the noise of both totals may move the changes of all cells, with a chance of at most ``_TOGETHER`` that it is more.

    Side A is off by a share e of each count, side B by f. So a cell that counts a and b is off by ``b f - a e``, which is at most
    ``min(a, b) |f - e| + |b - a| max(|e|, |f|)``. Each of the three sizes is bounded once, for all cells. The first number is the
    bound of ``|f - e|``.
    """
    parts = [side.shared for side in sides]
    if parts == [None, None]:
        return 0.0, np.zeros(len(found[0]))
    weights, rates, sigma = np.array([part or (0.0, 1.0, 0.0) for part in parts]).T
    both = Law(weights[:, None], rates[:, None], np.array([hypot(*sigma)]))
    apart = float(both.half_width(_TOGETHER * 0.8)[0])
    alone = float(Law(weights[None], rates[None], sigma).half_width(_TOGETHER * 0.1).max())
    a, b = np.abs(found)
    return apart, np.minimum(a, b) * apart + np.abs(b - a) * alone


def _counts(table: Measurement, cells: Cells, listed: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """The finest count of each cell and the rate of its noise; for cells that are not listed, the largest that they can have."""
    values, rate = np.zeros(len(cells)), np.full(len(cells), float(table.rho(len(table.rungs) - 1)))
    values[listed] = table.values[-1]
    if table.threshold is not None and table.listed_at is not None:
        values[~listed] = table.threshold - 1
        rate[~listed] = float(table.rho(table.rungs.index(table.listed_at)))
    return values, rate


def _days(period: Period | None, keys: KeySet, cells: Cells) -> Numbers:
    """How many days of a period each cell is about: of its weekday or day type, where it has one; 1 if no period is known."""
    if period is None:
        return np.ones(len(cells))
    weekdays = [(period.first + timedelta(days=at)).weekday() for at in range(length_of(period))]
    if "weekday" in keys.columns:
        return np.array([float(weekdays.count(int(label))) for label in keys.labels(cells)["weekday"]])
    if "day_type" in keys.columns:
        weekend = float(sum(day >= _SATURDAY for day in weekdays))
        types = np.array(keys.labels(cells)["day_type"])
        return np.where(types == "weekend", weekend, len(weekdays) - weekend)
    return np.full(len(cells), float(len(weekdays)))
