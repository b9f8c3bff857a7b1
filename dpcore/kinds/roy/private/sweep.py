"""How near synthetic trips come to the true ones at each epsilon, over many draws, as Roy, Kantarcioglu and Sweeney (2016) show it.

For the owner only: every number is made from true counts. Nothing is charged, and no draw is kept. Both modes are swept: the sound one,
and the published one, whose real price is named beside its epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from dpcore.errors import InputError
from dpcore.kinds.roy.article import Outliers
from dpcore.kinds.roy.closeness import Closeness, closeness
from dpcore.kinds.roy.domain import TripDomain
from dpcore.kinds.roy.private.drawing import must_be_drawable
from dpcore.kinds.roy.private.paper import PaperNoise, must_fit, paper_cost, paper_groups, paper_study
from dpcore.kinds.roy.private.preview import MOST_RUNS, RUNS, thrown_away, trips_within
from dpcore.kinds.roy.private.station_trips import ExactTables, PrivateColumns, StationTrips, exact_tables
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthetic.drawing import fresh_seed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

SOUND: Final = "sound"
PAPER: Final = "paper"
MODES: Final = (SOUND, PAPER)
EPSILONS: Final = tuple(Fraction(text) for text in ("0.1", "0.25", "0.5", "0.75", "0.9", "1"))
"""From the smallest to the largest of the article; its figure uses 0.9."""
MOST_EPSILONS: Final = 20
ALL_TABLES: Final = "Mean of all tables"
METRICS: Final = ("AvRLE", "EMD", "TP", "UL")


@dataclass(frozen=True)
class SweepRow:
    """One metric of one table, over all draws."""

    mode: str
    """``sound`` or ``paper``."""
    bound: ContributionBound
    epsilon: Fraction
    """What is asked for."""
    price: Fraction
    """What it costs if one unit is added or removed. The cleaning of the paper is not accounted for."""
    table: str
    metric: str
    """Of ``METRICS``; ``dpcore.kinds.roy.closeness`` defines them."""
    unit: str
    """Of the metric: per cent, km, days and so on; empty for a ratio."""
    mean: float
    sigma: float
    """Standard deviation from draw to draw: noise and the drawing of trips together."""


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Sealed):
    """All numbers. They were made from true counts."""

    runs: int
    rows: tuple[SweepRow, ...]


def sweep(
    trips: PrivateTrips,
    tessellation: Tessellation,
    domain: TripDomain,
    bounds: Sequence[ContributionBound],
    *,
    epsilons: Sequence[Fraction] = EPSILONS,
    modes: Sequence[str] = MODES,
    runs: int = RUNS,
    outliers: Outliers = Outliers.ATTRIBUTE,
    progress: Progress | None = None,
) -> Sweep:
    """Draw ``runs`` times for each mode, bound and epsilon. The trips are read once, and counted once for each bound.

    ``bounds`` may ask for users and for single trips. The truth is always all trips within the domain, so a bound on people
    also shows what it leaves out. ``outliers``: which trips the published mode leaves out.

    Raises:
        InputError: runs, epsilons or modes out of range, or no trip within the domain.
        PrivacyError: a bound on people without users, an epsilon that cannot be, or tables too large to draw.

    """
    plans = swept_plans(domain, bounds, epsilons, modes, runs)
    for bound in bounds:
        trips.must_hide(bound.unit)
    own = trips_within(trips, tessellation, domain)
    return Sweep(runs, tuple(swept(own, plans, modes, runs, progress, outliers=outliers)))


def swept_plans(
    domain: TripDomain,
    bounds: Sequence[ContributionBound],
    epsilons: Sequence[Fraction],
    modes: Sequence[str],
    runs: int,
) -> list[SynthesisPlan]:
    """The plans of a sweep. Raises as ``sweep`` does for what cannot be on any trips."""
    fits = 2 <= runs <= MOST_RUNS and 1 <= len(epsilons) <= MOST_EPSILONS
    if not fits or not {*modes} <= {*MODES} or not modes:
        raise InputError(
            "the sweep is out of range",
            f"{runs} runs, {len(epsilons)} epsilons, {len(modes)} modes",
            f"Choose 2 to {MOST_RUNS} runs, 1 to {MOST_EPSILONS} epsilons, and the modes {' and '.join(MODES)}.",
        )
    plans = [SynthesisPlan(domain, bound, epsilon) for bound in bounds for epsilon in epsilons]
    if SOUND in modes:
        for plan in plans:
            must_be_drawable(plan)
    if PAPER in modes:
        must_fit(domain)
    return plans


def swept(
    own: StationTrips,
    plans: Sequence[SynthesisPlan],
    modes: Sequence[str],
    runs: int,
    progress: Progress | None = None,
    *,
    outliers: Outliers = Outliers.ATTRIBUTE,
) -> Iterator[SweepRow]:
    """The rows of plans on one domain, of which those with one bound stand together."""
    tell, done, steps = progress or (lambda _: None), 0, len(modes) * len(plans) * runs
    for mode in modes:
        exact: ExactTables | None = None
        for plan in plans:
            if mode == SOUND and (exact is None or exact.plan.bound != plan.bound):
                exact = exact_tables(own, plan)
            found = []
            for _ in range(runs):
                tell(done / steps)
                made = _one_draw(own, plan, None if exact is None else replace(exact, plan=plan), outliers)
                found.append(closeness(own.columns, made, plan.domain))
                done += 1
            yield from _rows(mode, plan, found)
    tell(1.0)


def _one_draw(
    own: StationTrips, plan: SynthesisPlan, exact: ExactTables | None, outliers: Outliers
) -> PrivateColumns:
    """One draw: sound from exact tables, or as published without them."""
    if exact is not None:
        return thrown_away(exact)
    noise, seed = PaperNoise.FULL, fresh_seed()
    return paper_study(own, plan.epsilon, noise, seed, plan.bound, outliers=outliers).trips


def _rows(mode: str, plan: SynthesisPlan, found: Sequence[tuple[Closeness, ...]]) -> Iterator[SweepRow]:
    """Each metric of each table over the draws, and each as one mean over the tables."""
    price = plan.epsilon
    if mode == PAPER:
        cost = paper_cost(paper_groups(plan.domain), plan.epsilon, PaperNoise.FULL).add_remove
        price = plan.epsilon if cost is None else cost
    numbers: dict[tuple[str, str, str], list[float]] = {}
    for draw in found:
        of_all: dict[str, list[float]] = {metric: [] for metric in METRICS}
        units: list[str] = []
        for one in draw:
            values = (one.relative_error, one.shift, one.top_kept, one.utility_loss)
            for metric, value, unit in zip(METRICS, values, ("", one.unit, "%", "%"), strict=True):
                if value is not None:
                    numbers.setdefault((one.table, metric, unit), []).append(value)
                    of_all[metric].append(value)
            units += [one.unit] if one.shift is not None and one.unit not in units else []
        for metric, values_ in of_all.items():
            unit = {"AvRLE": "", "EMD": ", ".join(units)}.get(metric, "%")
            if values_:
                numbers.setdefault((ALL_TABLES, metric, unit), []).append(float(np.mean(values_)))
    for (table, metric, unit), values_ in numbers.items():
        yield SweepRow(
            mode,
            plan.bound,
            plan.epsilon,
            price,
            table,
            metric,
            unit,
            float(np.mean(values_)),
            float(np.std(values_, ddof=1)),
        )


def bounds_of(max_trips: int | None) -> tuple[ContributionBound, ...]:
    """One trip, and a person with at most M trips where M is given."""
    one = ContributionBound.per_trip()
    return (one,) if max_trips is None else (one, ContributionBound(PrivacyUnit.USER, max_trips))
