"""How many trips count, and how many of them are complete: all that the tables say of it, together.

Every counted trip has an end. A complete one also has a start. So each table tells ``a * trips + b * complete`` with known
a and b (the proofs are in ``docs/explanation/equal-sums.md``), with noise of a known variance. The two numbers are
fitted by weighted least squares, which is the best unbiased linear estimate (Gauss and Markov).

*Incomplete trips.* ``trips - complete`` is taken for 0 unless it lies three standard deviations above 0. Most data have no
incomplete trips, and a share of them that is noise alone would take flows from every tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dpcore.estimates.noisy import Noisy

_BELIEVED = 3.0  # standard deviations


@dataclass(frozen=True)
class Totals:
    """Trips that count."""

    trips: float
    """Counted trips, which are the arrivals too."""
    complete: float
    """Counted trips with a start: at most ``trips``. They are the flows too."""
    variance: float
    """Variance of ``trips``."""
    apart: float = 0.0
    """Variance of ``trips - complete`` as the tables tell it, before it was taken for 0."""
    known: bool = True
    """Whether a table adds up to the trips. Otherwise the tables tell only how many are incomplete."""

    @property
    def incomplete(self) -> float:
        """Trips of which only one record is known."""
        return self.trips - self.complete

    @property
    def ends(self) -> float:
        """Starts and ends together."""
        return self.trips + self.complete


def totals(tables: Mapping[str, Noisy], *, ends_only: bool) -> Totals | None:
    """The totals; None if no table tells them.

    ``ends_only``: whether visits are both ends of a trip. Otherwise they tell no total.
    """
    told = [*_told(tables, ends_only=ends_only)]
    if not told:
        return None
    rows = np.array([[a, b] for a, b, _, _ in told])
    y = np.array([value for _, _, value, _ in told])
    weight = 1 / np.array([max(variance, 1e-9) for _, _, _, variance in told])
    apart = 0.0
    if np.linalg.matrix_rank(rows) > 1:
        inverse = np.linalg.inv((rows * weight[:, None]).T @ rows)
        trips, complete = inverse @ ((rows * weight[:, None]).T @ y)
        apart = max(float(inverse[0, 0] + inverse[1, 1] - 2 * inverse[0, 1]), 0.0)
        if trips - complete > _BELIEVED * apart**0.5:
            return Totals(
                max(float(trips), 1.0), float(np.clip(complete, 0.5, max(trips, 1.0))), float(inverse[0, 0])
            )
    one = rows.sum(axis=1)
    information = float((one * one * weight).sum())
    if information == 0:  # nothing but incomplete trips is told
        return Totals(1.0 + max(float(y.mean()), 0.0), 1.0, 1.0, float(1 / weight.sum()), known=False)
    trips = max(float((one * weight * y).sum()) / information, 1.0)
    return Totals(trips, trips, 1 / information, apart)


def _told(tables: Mapping[str, Noisy], *, ends_only: bool) -> Iterator[tuple[float, float, float, float]]:
    """What each table tells: a, b, the noisy value of ``a * trips + b * complete``, and its variance."""
    sums = {"trips_over_time": (1, 0), "trips_per_weekday": (1, 0), "visits_per_time_tile": (1, 0)}
    sums |= dict.fromkeys(
        ("od_flows", "od_flows_per_window", "od_districts", "travel_time", "jump_length"), (0, 1)
    )
    sums |= {"visits_per_tile": (1, 1)} if ends_only else {}
    for name, (trips, complete) in sums.items():
        if name in tables and tables[name].cells is None:
            yield trips, complete, tables[name].total, tables[name].variance_of_total
    if "trips_per_hour" in tables:
        starts, ends = tables["trips_per_hour"].values
        variance = tables["trips_per_hour"].variance_of_total / 2
        yield 0, 1, float(starts.sum()), variance
        yield 1, 0, float(ends.sum()), variance
    if "incomplete_trips" in tables:
        yield 1, -1, tables["incomplete_trips"].total, tables["incomplete_trips"].variance
    if "ds_statistics" in tables:
        *_, trips, records, complete, incomplete = tables["ds_statistics"].values
        each = tables["ds_statistics"].variance
        yield from (
            (1, 0, trips, each),
            (1, 1, records, each),
            (0, 1, complete, each),
            (1, -1, incomplete, each),
        )


def people(tables: Mapping[str, Noisy]) -> float | None:
    """How many people there are: the mean of the totals that tell it, by inverse variance; None if no table does."""
    told = [
        (tables[name].total, tables[name].variance_of_total)
        for name in ("trips_per_user", "user_tile_count", "mobility_entropy")
        if name in tables
    ]
    if "ds_statistics" in tables and tables["ds_statistics"].values.size == 5:
        told.append((float(tables["ds_statistics"].values[0]), tables["ds_statistics"].variance))
    if not told:
        return None
    weight = sum(1 / max(variance, 1e-9) for _, variance in told)
    return max(sum(value / max(variance, 1e-9) for value, variance in told) / weight, 1.0)
