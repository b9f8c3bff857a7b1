"""The mechanism of Roy, Kantarcioglu and Sweeney (DBSec 2016) as published. For study only, never a release.

Outliers, duration bins and the number of trips are read off the data without noise. So the whole is not differentially
private, whatever holds for the tables, and there is no way from here to a release. It stays behind the wall, its result is
sealed, and its real price is shown beside it: each of the groups spends epsilon again. The variants show which noise can
have made the printed Figure 1 (c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.kinds.roy.article import Outliers
from dpcore.kinds.roy.declared import values_in
from dpcore.kinds.roy.domain import PLACE_AND_TIME, Group, TripDomain
from dpcore.kinds.roy.figure import figure
from dpcore.kinds.roy.hubway import TRIPS, hubway
from dpcore.kinds.roy.private.preview import Beside, PrivateFigure, beside, trips_within
from dpcore.kinds.roy.private.station_trips import (
    Counts,
    PrivateColumns,
    StationTrips,
    contingency,
    kept_of_each,
)
from dpcore.kinds.roy.sampling import Generator, generator, samples
from dpcore.kinds.roy.workload import sources
from dpcore.privacy import ContributionBound
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthetic.drawing import fresh_seed, noised
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

Floats = NDArray[np.float64]

BINS: Final = 7
"""Bins of durations for each pair of stations."""
MOST_CELLS: Final = 20_000_000
"""Most cells of the tables of the published groups together: some seconds of exact noise."""
_TOP_DAYS: Final = 5
_ONE_TRIP: Final = ContributionBound.per_trip()


class PaperNoise(Enum):
    """Where the noise goes, and how wide it is."""

    FULL = "every cell, scale 2/epsilon: as written"
    FULL_HALF = "every cell, scale 1/epsilon"
    OCCUPIED = "occupied cells only, scale 2/epsilon"
    OCCUPIED_HALF = "occupied cells only, scale 1/epsilon"

    @property
    def occupied_only(self) -> bool:
        """Whether empty cells stay empty, which reveals which cells are empty."""
        return self in {PaperNoise.OCCUPIED, PaperNoise.OCCUPIED_HALF}

    def rho(self, epsilon: Fraction) -> Fraction:
        """Rate of the noise."""
        return epsilon / 2 if self in {PaperNoise.FULL, PaperNoise.OCCUPIED} else epsilon


@dataclass(frozen=True)
class PaperCost:
    """The real joint cost of the noisy tables of all groups. The cleaning is not accounted for and cannot be."""

    groups: int
    """Number of tables that are measured on the same trips. Their epsilons add up."""
    replace_one: Fraction | None
    """Epsilon if one trip is replaced by another, as published. None: not private for any epsilon."""
    add_remove: Fraction | None
    """Epsilon where one trip is added or removed."""


@dataclass(frozen=True, repr=False, eq=False)
class PaperStudy(Sealed):
    """One synthetic data set of the paper's mechanism. It was made from exact facts, so it stays here."""

    trips: PrivateColumns
    cost: PaperCost
    phantoms: int
    """Trips that noise made in empty cells of the table of stations, dates and hours, before normalising."""
    cleaned: int
    """Trips that are left after the outlier fences of the data."""


def paper_cost(groups: int, epsilon: Fraction, noise: PaperNoise) -> PaperCost:
    """The real price. A trip counts in every group, and replacing it changes two cells of each group."""
    if noise.occupied_only:
        return PaperCost(groups, None, None)
    once = groups * noise.rho(epsilon)
    return PaperCost(groups, 2 * once, once)


def paper_study(
    trips: StationTrips,
    epsilon: Fraction,
    noise: PaperNoise,
    seed: int,
    bound: ContributionBound = _ONE_TRIP,
    *,
    outliers: Outliers = Outliers.ATTRIBUTE,
) -> PaperStudy:
    """A new draw of the published mechanism at ``epsilon`` for each group.

    The article hides one trip and bounds nothing. A bound on people, which is ours, keeps M trips of each and makes the noise M
    times as wide. ``seed`` is that of the random choices after the noise. Raises PrivacyError for such a bound without users.
    """
    domain = trips.domain
    columns = _cleaned(kept_of_each(trips, bound).columns, domain.sizes["start"], outliers)
    n, stations, rho = len(columns), domain.sizes["start"], noise.rho(epsilon) / bound.trips
    edges = _edges(columns.seconds)
    pair = columns.codes(domain, "start") * stations + columns.end
    when = columns.codes(domain, "date") * 24 + columns.codes(domain, "hour")
    bins = np.clip(np.searchsorted(edges, columns.seconds, side="right") - 1, 0, BINS - 1)
    tables = [
        _table([pair], (stations**2,)),
        _table([columns.codes(domain, "start"), when], (stations, domain.sizes["date"] * 24)),
        _table([pair, bins], (stations**2, BINS)),
    ]
    chain = _chain(domain)
    for given, new in chain:
        axes = [_joint(columns, domain, names) for names in (given, new)]
        tables.append(_table(axes, (_size(domain, given), _size(domain, new))))
    noisy = [_positive(table, rho, occupied_only=noise.occupied_only) for table in tables]
    phantoms = int(noisy[1][tables[1] == 0].sum())
    laws = [_laws(table) for table in noisy]

    rng = generator(seed)
    place = np.sort(samples(laws[0], np.zeros(n, np.int64), rng))
    start, end = np.divmod(place, stations)
    date, hour = np.divmod(samples(laws[1], start, rng), 24)
    seconds = _uniform(edges, samples(laws[2], place, rng), rng)
    second = hour * 3_600 + rng.integers(0, 3_600, n)
    made = PrivateColumns(
        start.astype(np.int32), end.astype(np.int32), date.astype(np.int32), second.astype(np.int32), seconds
    )
    declared = {one.name: one for one in domain.declared}
    for law, (given, new) in zip(laws[3:], chain, strict=True):
        codes = np.unravel_index(
            samples(law, _joint(made, domain, given), rng), [domain.sizes[name] for name in new]
        )
        extras = dict(made.extras)
        for name, code in zip(new, codes, strict=True):
            extras[name] = (
                values_in(declared[name], code, rng.random(n)) if name in declared else code.astype(np.int32)
            )
        made = replace(made, extras=extras)
    return PaperStudy(made, paper_cost(len(tables), epsilon, noise), phantoms, n)


def paper_groups(domain: TripDomain) -> int:
    """Number of tables that the published mechanism counts: flows, times, durations, and those of other attributes."""
    return 3 + len(_chain(domain))


def _chain(domain: TripDomain) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The groups of attributes besides place and time: what is given, and what is drawn."""
    found: dict[str, tuple[str, ...]] = {}
    tables: dict[str, Group] = {}
    for name, group in sources(domain).items():
        if name not in PLACE_AND_TIME:
            found[group.name] = (*found.get(group.name, ()), name)
            tables[group.name] = group
    return [
        (tuple(axis for axis in tables[name].axes if axis not in new), new) for name, new in found.items()
    ]


def _size(domain: TripDomain, names: tuple[str, ...]) -> int:
    return prod(domain.sizes[name] for name in names)


def _joint(columns: PrivateColumns, domain: TripDomain, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Several attributes as one code, the last fastest."""
    code = np.zeros(len(columns), np.int64)
    for name in names:
        code = code * domain.sizes[name] + columns.codes(domain, name)
    return code


def _table(codes: Sequence[NDArray[np.int64]], shape: tuple[int, ...]) -> Counts:
    table = contingency(codes, shape)
    return table.reshape(1, -1) if table.ndim == 1 else table


def _positive(table: Counts, rho: Fraction, *, occupied_only: bool) -> Counts:
    """Noise on every cell, or on the occupied ones. Values below 0 become 0, as published."""
    if not occupied_only:
        return np.maximum(noised(table, rho), 0)
    noisy, there = np.zeros_like(table), table > 0
    noisy[there] = np.maximum(noised(table[there], rho), 0)
    return noisy


def _laws(table: Counts) -> Floats:
    """Each row divided by its sum. A row of zeros becomes even, as published."""
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.where(sums > 0, table / np.maximum(sums, 1), 1 / table.shape[1]))


def _cleaned(columns: PrivateColumns, stations: int, outliers: Outliers) -> PrivateColumns:
    """The trips that are no outliers by the quartiles of the data itself: of all trips, or of those with the same start and end."""
    pair = columns.start.astype(np.int64) * stations + columns.end
    if outliers is Outliers.ATTRIBUTE:  # one group of all trips
        pair = np.zeros_like(pair)
    order = np.lexsort((columns.seconds, pair))
    sizes = np.bincount(pair, minlength=stations**2)
    firsts = np.cumsum(sizes) - sizes
    sorted_ = columns.seconds[order].astype(np.float64)

    def quartile(level: float) -> Floats:
        where = firsts + level * np.maximum(sizes - 1, 0)
        low = np.minimum(where.astype(np.int64), len(sorted_) - 1)
        high = np.minimum(low + 1, len(sorted_) - 1)
        part = where - low
        return np.where(part > 0, sorted_[low] * (1 - part) + sorted_[high] * part, sorted_[low])

    if len(sorted_) == 0:
        return columns
    first, third = quartile(0.25), quartile(0.75)
    reach = outliers.fence * (third - first)
    inside = (columns.seconds >= (first - reach)[pair]) & (columns.seconds <= (third + reach)[pair])
    return columns.at(inside)


def _edges(seconds: NDArray[np.int32]) -> Floats:
    """Bins with equally many trips each, read off the data. The article has seven bins and does not say which; these are ours."""
    if len(seconds) == 0:
        return np.linspace(60, 7_200, BINS + 1)
    edges: Floats = np.quantile(seconds, np.linspace(0, 1, BINS + 1))
    edges[-1] += 1
    return edges


def _uniform(edges: Floats, bins: NDArray[np.int64], rng: Generator) -> NDArray[np.int32]:
    """A duration within each bin, with all values equally likely."""
    found = edges[bins] + rng.random(len(bins)) * (edges[bins + 1] - edges[bins])
    return np.maximum(found, 1).astype(np.int32)


@dataclass(frozen=True, repr=False, eq=False)
class PaperPreview(Sealed):
    """One draw of the published mechanism, with the truth and its real price."""

    study: PaperStudy
    beside: Beside


@dataclass(frozen=True)
class PaperVariant:
    """How one way of adding the noise changes the busiest days."""

    noise: PaperNoise
    top_days: float
    """Mean share of the five busiest days of the original among the synthetic trips, in %."""
    phantoms: int
    """Trips that noise made in empty cells of stations, dates and hours."""
    cost: PaperCost


@dataclass(frozen=True, repr=False, eq=False)
class PaperVariants(Sealed):
    """All four ways on the same trips."""

    trips: int
    cells: int
    """Number of cells of the table of stations, dates and hours."""
    occupied: int
    """Cells of it with a trip."""
    top_days: float
    """Mean share of the five busiest days of the original, in %."""
    rows: tuple[PaperVariant, ...]


def paper_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    domain: TripDomain,
    epsilon: Fraction,
    noise: PaperNoise = PaperNoise.FULL,
    *,
    outliers: Outliers = Outliers.ATTRIBUTE,
    progress: Progress | None = None,
) -> PaperPreview:
    """A new draw of the published mechanism at ``epsilon`` for each group of attributes.

    Raises PrivacyError for tables too large to draw, and InputError if no trip lies in the domain.
    """
    tell = progress or (lambda _: None)
    must_fit(domain)
    own = trips_within(trips, tessellation, domain)
    tell(0.3)
    study = paper_study(own, epsilon, noise, fresh_seed(), outliers=outliers)
    tell(0.7)
    found = beside(own.columns, study.trips, domain, tessellation)
    tell(1.0)
    return PaperPreview(study, found)


def paper_variants(
    trips: PrivateTrips,
    tessellation: Tessellation,
    domain: TripDomain,
    epsilon: Fraction,
    *,
    outliers: Outliers = Outliers.ATTRIBUTE,
    progress: Progress | None = None,
) -> PaperVariants:
    """All four variants on the trips of an owner. Raises as ``paper_preview``."""
    must_fit(domain)
    return _variants(trips_within(trips, tessellation, domain), epsilon, outliers, progress)


def paper_variants_of_invented(
    epsilon: Fraction,
    trips: int = TRIPS,
    *,
    outliers: Outliers = Outliers.ATTRIBUTE,
    progress: Progress | None = None,
) -> PaperVariants:
    """All four variants on invented trips that look like those of the paper (``dpcore.kinds.roy.hubway``): public."""
    invented = hubway(trips)
    own = StationTrips(invented.domain, PrivateColumns.of(invented.trips))
    return _variants(own, epsilon, outliers, progress)


def _variants(
    own: StationTrips, epsilon: Fraction, outliers: Outliers, progress: Progress | None
) -> PaperVariants:
    tell, seed, rows = progress or (lambda _: None), fresh_seed(), []
    original = PrivateFigure.of(figure(own.columns, own.domain))
    top = np.argsort(-original.days, kind="stable")[:_TOP_DAYS]
    for number, noise in enumerate(PaperNoise):
        tell(number / len(PaperNoise))
        study = paper_study(own, epsilon, noise, seed, outliers=outliers)
        days = figure(study.trips, own.domain).days[top]
        rows.append(PaperVariant(noise, float(days.mean()), study.phantoms, study.cost))
    tell(1.0)
    sizes, codes = own.domain.sizes, own.columns
    when = (codes.start.astype(np.int64) * sizes["date"] + codes.date) * 24 + codes.second // 3_600
    return PaperVariants(
        trips=len(own.columns),
        cells=sizes["start"] * sizes["date"] * 24,
        occupied=len(np.unique(when)),
        top_days=float(original.days[top].mean()),
        rows=tuple(rows),
    )


def must_fit(domain: TripDomain) -> None:
    """Refuse, before anything is counted, tables that would take minutes to draw."""
    sizes = domain.sizes
    stations = sizes["start"]
    cells = stations**2 * (1 + BINS) + stations * sizes["date"] * 24
    cells += sum(_size(domain, given + new) for given, new in _chain(domain))
    if cells > MOST_CELLS:
        raise PrivacyError(
            f"the published tables would have {cells:,} cells",
            f"{stations:,} tiles, {sizes['date']:,} dates",
            f"At most {MOST_CELLS:,} are drawn. Choose coarser tiles or fewer dates, or stay with the sound mode.",
        )
