"""What the owner sees before synthetic trips are released: throw-away draws of a plan beside the truth.

The noise is drawn for looking only and is never stored, see ``dpcore.private.preview``. A release draws anew. Objects with
true trips, or with draws that nobody paid for, are sealed: each public type has a sealed twin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.comparison import compared
from dpcore.comparison.on_the_map import Geography
from dpcore.comparison.scoring import Score
from dpcore.comparison.tables import Side, side_of_tables
from dpcore.errors import InputError
from dpcore.kinds.roy.closeness import Closeness, closeness
from dpcore.kinds.roy.domain import TripDomain
from dpcore.kinds.roy.figure import Figure, figure, top_rows, trip_tables
from dpcore.kinds.roy.private.drawing import must_be_drawable, noisy_tables
from dpcore.kinds.roy.private.station_trips import (
    ExactTables,
    PrivateColumns,
    SealedTwin,
    StationTrips,
    exact_tables,
    station_trips_of,
)
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import fitted
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthetic.drawing import fresh_seed
from dpcore.private.trips import PrivateTrips, local_rows
from dpcore.tiles import Tessellation

Key = tuple[str, str]

RUNS: Final = 20
"""As many as Roy et al. make."""
MOST_RUNS: Final = 200


class PrivateFigure(SealedTwin, Figure):
    """The tables of trips that must not leave."""


class PrivateSide(SealedTwin, Side):
    """One side of a comparison that must not leave."""


@dataclass(frozen=True, repr=False, eq=False)
class Beside(Sealed):
    """Two sets of trips in one domain: all true ones within it, and synthetic ones.

    The synthetic ones are a throw-away draw, so they stay here too.
    """

    domain: TripDomain
    original: PrivateFigure
    synthetic: PrivateFigure
    sides: tuple[PrivateSide, PrivateSide]
    """Tables of both, the original first."""
    closeness: tuple[Closeness, ...]
    """The numbers that Roy et al. print, by table."""
    scores: tuple[Score, ...]
    """Every metric of ``dpcore.comparison`` that suits a table of both."""


def trips_within(trips: PrivateTrips, tessellation: Tessellation, domain: TripDomain) -> StationTrips:
    """The trips that lie in a public domain. Raises InputError if there are none."""
    found = station_trips_of(trips, tessellation, domain)
    if len(found.columns) == 0:
        raise InputError(
            "no trip lies within the tiles and the dates",
            f"{trips.name}, {domain.period.first} to {domain.period.last}",
            "Choose the dates of the trips, and tiles that cover them.",
        )
    return found


def beside(
    original: PrivateColumns, synthetic: PrivateColumns, domain: TripDomain, tessellation: Tessellation | None
) -> Beside:
    """Both sides with all numbers. Without a tessellation the metrics on the map have no value."""
    sides = (
        PrivateSide.of(side_of_tables("Original", trip_tables(original, domain), tessellation)),
        PrivateSide.of(side_of_tables("Synthetic", trip_tables(synthetic, domain), tessellation)),
    )
    return Beside(
        domain,
        PrivateFigure.of(figure(original, domain)),
        PrivateFigure.of(figure(synthetic, domain)),
        sides,
        closeness(original, synthetic, domain),
        compared(*sides, None if tessellation is None else Geography(tessellation)),
    )


@dataclass(frozen=True, repr=False, eq=False)
class SynthesisPreview(Sealed):
    """One throw-away synthetic data set beside the truth."""

    plan: SynthesisPlan
    trips: PrivateColumns
    """The synthetic trips."""
    beside: Beside
    within: float
    """Share of all trips that lie in the public domain, 0 to 1."""
    counted: float
    """Share of those that count under the bound, 0 to 1."""


def synthesis_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    plan: SynthesisPlan,
    *,
    progress: Progress | None = None,
) -> SynthesisPreview:
    """A new throw-away draw of a plan, and the truth beside it. It is never a release.

    Raises PrivacyError for a plan that cannot be drawn, or a bound on users if there are none; InputError if no trip lies
    in the domain.
    """
    tell = progress or (lambda _: None)
    must_be_drawable(plan)
    trips.must_hide(plan.bound.unit)
    own = trips_within(trips, tessellation, plan.domain)
    tell(0.3)
    exact = exact_tables(own, plan)
    tell(0.5)
    made = thrown_away(exact)
    tell(0.7)
    found = beside(own.columns, made, plan.domain, tessellation)
    tell(1.0)
    return SynthesisPreview(
        plan=plan,
        trips=made,
        beside=found,
        within=len(own.columns) / max(local_rows(trips).count, 1),
        counted=int(exact.counts[plan.groups[0].name].sum()) / len(own.columns),
    )


@dataclass(frozen=True)
class Spread:
    """One number over all draws."""

    table: str
    label: str
    original: float | None
    """The true value, if the number is a share; None if it is a distance to the truth."""
    mean: float
    sigma: float
    """Standard deviation from draw to draw: noise and the drawing of trips together."""


@dataclass(frozen=True, repr=False, eq=False)
class SynthesisRuns(Sealed):
    """How much the draws of one plan vary. It was made from true counts."""

    plan: SynthesisPlan
    runs: int
    rows: tuple[Spread, ...]
    """Shares in % of the tables of the paper's Figure 1, the largest of the original."""
    distances: tuple[Spread, ...]
    """The numbers of ``closeness``."""


def synthesis_runs(
    trips: PrivateTrips,
    tessellation: Tessellation,
    plan: SynthesisPlan,
    *,
    runs: int = RUNS,
    progress: Progress | None = None,
) -> SynthesisRuns:
    """Several new draws, counted once. Raises as ``synthesis_preview``, and InputError for fewer than 2 runs."""
    if not 2 <= runs <= MOST_RUNS:
        raise InputError("the number of runs is out of range", f"{runs} runs", f"Choose 2 to {MOST_RUNS}.")
    tell = progress or (lambda _: None)
    must_be_drawable(plan)
    own = trips_within(trips, tessellation, plan.domain)
    exact = exact_tables(own, plan)
    original = PrivateFigure.of(figure(own.columns, plan.domain))
    lines: dict[Key, list[float]] = {}
    distances: dict[Key, list[float]] = {}
    truth: dict[Key, float] = {}
    for run in range(runs):
        tell(run / runs)
        made = thrown_away(exact)
        for key, true, value in _lines(original, figure(made, plan.domain), plan.domain):
            truth[key] = true
            lines.setdefault(key, []).append(value)
        for key, value in _distances(closeness(own.columns, made, plan.domain)):
            distances.setdefault(key, []).append(value)
    tell(1.0)
    return SynthesisRuns(
        plan,
        runs,
        tuple(_spread(key, truth[key], values) for key, values in lines.items()),
        tuple(_spread(key, None, values) for key, values in distances.items()),
    )


def thrown_away(exact: ExactTables) -> PrivateColumns:
    """Synthetic trips of a new draw of a plan."""
    noisy = noisy_tables(exact.counts, exact.plan, origin="preview")
    return PrivateColumns.of(synthetic_trips(fitted(noisy), fresh_seed()))


def _lines(original: Figure, made: Figure, domain: TripDomain) -> list[tuple[Key, float, float]]:
    """Every number of the figure as table and label, true value, synthetic value."""
    found = [(("trips", "number of trips"), float(original.trips), float(made.trips))]
    for table, rows in top_rows(original, made, domain).items():
        found += [((table, row.label), row.original, row.synthetic) for row in rows]
    for name, share in original.times_of_day.items():
        found.append((("times of day", name), share, made.times_of_day[name]))
    for name, true, value in zip(
        ("shortest", "mean", "longest"), original.durations, made.durations, strict=True
    ):
        found.append((("durations, seconds", name), true, value))
    return found


def _distances(found: tuple[Closeness, ...]) -> list[tuple[Key, float]]:
    rows: list[tuple[Key, float]] = []
    for one in found:
        rows.append(((one.table, "relative error"), one.relative_error))
        if one.shift is not None:
            rows.append(((one.table, f"earth mover's distance, {one.unit}"), one.shift))
        rows.append(((one.table, f"top {one.top} kept, %"), one.top_kept))
        rows.append(((one.table, f"loss in the top {one.top}, %"), one.utility_loss))
    return rows


def _spread(key: Key, original: float | None, values: list[float]) -> Spread:
    return Spread(key[0], key[1], original, float(np.mean(values)), float(np.std(values, ddof=1)))
