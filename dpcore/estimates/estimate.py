"""The whole estimate of a plan's measurements at one rung, step by step.

**What cannot be computed.** Epsilon is charged before a release is estimated, so no estimate may stop a release. Odd drawn
values can break a step: a matrix that has no factor, an empty group, a number without end. Then the table keeps its drawn
values, moved up to 0, with the range of the noise, and ``Estimates.as_drawn`` names it. That too follows from the input
alone, so whoever verifies a bundle finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore.estimates.all_trips import EVERYTHING, only, scaled_up, scaling_of_table, share_of
from dpcore.estimates.districts import TREND, to_margins, two_way
from dpcore.estimates.ends import Ends, ends
from dpcore.estimates.flows_by_window import KnownFlows, flows_by_window
from dpcore.estimates.law import Law, gravity
from dpcore.estimates.listed import drawn_flows, listed_flows
from dpcore.estimates.noisy import Integers, Noise, Noisy, Numbers, drawn
from dpcore.estimates.places import Geography, geography
from dpcore.estimates.posterior import Posterior
from dpcore.estimates.raking import summed
from dpcore.estimates.result import Estimated, Estimates, Ranged, Share, must_be_sound
from dpcore.estimates.series import Sums, alone, hours_by_window, smoothed, whole
from dpcore.estimates.totals import Totals, people, totals
from dpcore.estimates.windows import arrivals, city_windows
from dpcore.estimates.words import NO_SHARE, NO_TOTAL
from dpcore.measures.choices import measure_named, names_of_sums
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import Scaling
from dpcore.privacy import PrivacyUnit
from dpcore.tiles import Tessellation

_FLOWS: Final = "od_flows"
_BY_WINDOW: Final = "od_flows_per_window"
GAPS: Final = "user_time_delta"
"""The measure whose estimate for all trips has no range."""
_PLACES: Final = ("visits_per_tile", "visits_per_time_tile", "od_districts")
_NUMBERS: Final = ("ds_statistics", "total_trips", "incomplete_trips")
_NORMAL: Final = 1.96
_TRIPS: Final = frozenset({"trips_over_time", "trips_per_weekday"})
_COMPLETE: Final = frozenset({"travel_time", "jump_length"})
_FAILURES: Final = (ArithmeticError, ValueError, IndexError)
"""What arithmetic and odd shapes raise. ``LinAlgError`` is a ValueError. A lack of memory is no fault of the values."""


def estimate(
    plan: Plan,
    measurements: Mapping[str, Measurement],
    tiles: Tessellation,
    rung: int = -1,
    *,
    of: Collection[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Estimates:
    """What the measurements of a plan tell together at a rung. Equal input gives equal output.

    Args:
        plan: the plan of the measurements.
        measurements: noisy counts by measure.
        tiles: the public tessellation of their keys.
        rung: number of the rung; negative numbers count from the finest.
        of: the tables that are wanted; None for all. Fewer tables take less time.
        progress: called with the share that is done, 0 to 1.

    """
    at = rung % len(plan.rungs)
    sums = {*names_of_sums(plan.choices)}  # they tell nothing of other tables
    needed = {name: one for name, one in measurements.items() if name not in sums or of is None or name in of}
    known = _Known(plan, drawn(needed, at), tiles)
    names = [*measurements]
    if "visits_per_tile" in measurements and _FLOWS not in measurements:
        names.append(_FLOWS)
    wanted = [name for name in names if of is None or name in of]
    tables, as_drawn = {}, []
    for number, name in enumerate(wanted):
        try:
            tables[name] = known.table(name)
        except _FAILURES:
            tables[name] = known.table(name, as_drawn=True)
            as_drawn.append(name)
        if progress is not None:
            progress((number + 1) / len(wanted))
    why = "" if known.share else NO_SHARE if "total_trips" in measurements else NO_TOTAL
    return Estimates(at, known.share, why, MappingProxyType(tables), tuple(sorted(as_drawn)))


class _Known:
    """What is known so far. Each step is taken when a table first needs it."""

    def __init__(self, plan: Plan, tables: Mapping[str, Noisy], tiles: Tessellation) -> None:
        self.plan, self.tables, self.tiles = plan, tables, tiles
        self.ends_only = (plan.choices.visits_cap or 2) == 2

    @cached_property
    def geography(self) -> Geography:
        return geography(self.tiles, self.plan.choices.districts)

    @cached_property
    def totals(self) -> Totals:
        found = totals(self.tables, ends_only=self.ends_only)
        return found or Totals(1.0, 1.0, 1.0, known=False)

    @cached_property
    def share(self) -> Share | None:
        if self.plan.bound.unit is PrivacyUnit.TRIP:
            return EVERYTHING
        if "total_trips" not in self.tables or not self.totals.known:
            return None
        try:
            found = share_of(self.totals, self.tables["total_trips"])
        except _FAILURES:
            return None
        return found if np.isfinite([found.value, found.low, found.high]).all() and found.value > 0 else None

    @cached_property
    def ends(self) -> Ends | None:
        by_trip = self.plan.bound.unit is PrivacyUnit.TRIP
        return ends(self.tables, self.totals, self.geography, ends_only=self.ends_only, all_count=by_trip)

    @cached_property
    def city_windows(self) -> Numbers:
        """Arrivals in the whole city by day type and window, flat. They add up to the trips."""
        return city_windows(self.tables, self.plan.choices.windows, self.totals.trips)

    @cached_property
    def lengths(self) -> tuple[Numbers, Numbers] | None:
        """Edges in kilometres, and trips in each band."""
        if "jump_length" not in self.tables:
            return None
        measure = self.plan.measure("jump_length")
        if measure.bins is None:
            return None
        edges = np.array([float(edge) for edge in measure.bins.edges])
        return edges, smoothed(measure, self.tables["jump_length"], self._sums("jump_length")).values

    @cached_property
    def district(self) -> Integers:
        """The district of each place; outside is the last one."""
        own = self.geography.district
        return np.append(own, own.max() + 1)

    @cached_property
    def law(self) -> Law | None:
        """Flows by the places, the distances and the districts."""
        found = self.ends
        if found is None:
            return None
        edges, lengths = self.lengths or (np.zeros(0), None)
        return gravity(found.out, found.into, self.geography, edges, lengths)

    @cached_property
    def between_districts(self) -> Posterior | None:
        """Flows between districts, flat. Afterwards the law agrees with them."""
        table, law = self.tables.get("od_districts"), self.law
        if table is None:
            return None
        if law is None:
            total = max(self.totals.complete, 1.0)
            sides = [
                np.maximum(table.values.sum(axis=axis), total / len(table.values) / 10) for axis in (1, 0)
            ]
            mean = np.outer(sides[0], sides[1])
            found = two_way(table.values, table.noise, mean * (total / mean.sum()), 1)
            values = found.values * (total / max(float(found.values.sum()), 1e-9))
        else:
            found = two_way(table.values, table.noise, law.between(self.district), 3, TREND)
            out, into = (summed(side, self.district) for side in (law.out, law.into))
            values = to_margins(found, out, into)
            law.to_districts(values, self.district)
        return Posterior(values, found.low, found.high, found.variance).flat

    def table(self, name: str, *, as_drawn: bool = False) -> Estimated:
        """One table, estimated; or as it was drawn. ValueError if what is found is no estimate."""
        measure = measure_named(name, self.plan.choices)
        keys = measure.keys(self.tiles.tile_ids)
        if name == _FLOWS:
            cells, counted = drawn_flows(self.tables.get(name)) if as_drawn else self._flows()
        elif name == _BY_WINDOW and not as_drawn:
            cells, counted = self._flows_by_window(self.tables[name])
        elif name == _BY_WINDOW and self.tables[name].cells is not None:
            cells, counted = drawn_flows(self.tables[name])
        else:
            cells, counted = None, self._as_drawn(name) if as_drawn else self._counted(name)
        found = Estimated(
            name, measure.counts, keys, cells, counted, self._all(name, counted, scaling_of_table(keys))
        )
        must_be_sound(found, without_ranges=name == _FLOWS)
        return found

    def _all(self, name: str, counted: Ranged, scaling: Scaling) -> Ranged | None:
        """The same for all trips. People are counted by all of their trips already."""
        if measure_named(name, self.plan.choices).counts_users or name == "total_trips":
            return counted
        if self.share is None:
            return None
        found = scaled_up(counted, self.share, scaling)
        if name == "ds_statistics" and self.plan.choices.users:
            for scaled, as_counted in zip(found.columns, counted.columns, strict=True):
                scaled[0] = as_counted[0]  # people
        if name == GAPS and found is not counted:
            # Frequent travellers have short gaps, and most trips that do not count are theirs. So short gaps are scaled too
            # little and long ones too much: by factors of 0.2 to 2 in the built-in city. No range would hold.
            return Ranged.without_range(found.values)
        return found

    def _as_drawn(self, name: str) -> Ranged:
        table = self.tables[name]
        return only(alone(table.values.ravel(), table.noise))

    def _counted(self, name: str) -> Ranged:
        ways = dict.fromkeys(_PLACES, self._of_places) | dict.fromkeys(_NUMBERS, self._of_numbers)
        return only(ways.get(name, self._of_series)(name))

    def _of_places(self, name: str) -> Posterior:
        places = self.ends
        if name == "od_districts":
            between = self.between_districts
            if between is not None:
                return between
        elif name == "visits_per_tile" and places is not None and places.visits is not None:
            return places.visits
        elif places is not None:
            return arrivals(self.tables[name], places.arrivals, self.city_windows, self.geography)
        raise AssertionError(name)

    def _of_numbers(self, name: str) -> Posterior:
        """Totals, which are not parts of one whole."""
        table, totals = self.tables[name], self.totals
        own = np.full(table.values.size, table.variance)
        if name == "total_trips":
            return _around(np.maximum(table.values, totals.trips), own, table.noise)
        sizes = [totals.trips, totals.ends, totals.complete, totals.incomplete]
        errors = [totals.variance, 4 * totals.variance, totals.variance, totals.apart]
        if name == "incomplete_trips":
            sizes, errors = sizes[-1:], errors[-1:]
        if table.values.size > len(sizes):
            sizes, errors = [people(self.tables) or 1.0, *sizes], [table.variance, *errors]
        return _around(np.array(sizes), np.minimum(np.array(errors), own), table.noise)

    def _of_series(self, name: str) -> Posterior:
        return smoothed(self.plan.measure(name), self.tables[name], self._sums(name))

    def _sums(self, name: str) -> Sums | None:
        """What the cells of a table without places add up to, where other tables tell it."""
        if name == "trips_per_hour":
            return hours_by_window(self.plan.choices.windows, self.totals.complete, self.city_windows)
        if name in _TRIPS:
            return whole(self.tables[name], self.totals.trips)
        if name in _COMPLETE:
            return whole(self.tables[name], self.totals.complete)
        total = people(self.tables) if self.plan.measure(name).adds_to == "users" else None
        return None if total is None else whole(self.tables[name], total)

    def _flows_by_window(self, table: Noisy) -> tuple[Integers | None, Ranged]:
        places = self.ends
        known = None
        if _FLOWS in self.tables or self.law is not None:
            cells, flows = self._flows() if _FLOWS in self.tables else (np.zeros(0, np.int64), None)
            values = np.zeros(0) if flows is None else flows.values
            known = KnownFlows(
                table.keys.shape[-1], np.zeros(0, np.int64) if cells is None else cells, values, self.law
            )
        shares = None
        if "visits_per_time_tile" in self.tables and places is not None:
            shares = self._of_places("visits_per_time_tile").values.reshape(-1, len(places.arrivals))
        elif {"trips_per_hour", "visits_per_time_tile"} & {*self.tables}:
            shares = self.city_windows[:, np.newaxis]
        return flows_by_window(table, known, shares)

    def _flows(self) -> tuple[Integers | None, Ranged]:
        found = self.between_districts  # after it, the law agrees with it
        between = None if found is None else found.values.reshape(self.district.max() + 1, -1)
        return listed_flows(self.law, self.tables.get(_FLOWS), self.district, between)


def _around(values: Numbers, variance: Numbers, noise: Noise) -> Posterior:
    """Ranges of numbers. Where no other table tells more than the drawn number, its exact half width counts."""
    width = np.where(variance < noise.variance, _NORMAL * np.sqrt(variance), noise.half_width)
    return Posterior(values, values - width, values + width, variance)
