"""The published mechanism beside the truth: what its pictures look like, and which noise can have made its Figure 1 (c).

For study only. Nothing of it is differentially private at the price that is printed, so there is no way from here to a
release.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np

from dpcore.demo.hubway import TRIPS, hubway
from dpcore.errors import PrivacyError
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.beside import Beside, beside, busiest, trips_within
from dpcore.private.synthesis.kept import PrivateColumns, PrivateFigure
from dpcore.private.synthesis.paper import BINS, PaperCost, PaperNoise, PaperStudy, paper_study
from dpcore.private.synthesis.records import StationTrips
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.figure import figure
from dpcore.synthesis.sampling import fresh_seed
from dpcore.tessellation import Tessellation

MOST_CELLS: Final = 20_000_000
"""Of the tables of the published groups together: some seconds of exact noise."""
_TOP_DAYS: Final = 5


@dataclass(frozen=True, repr=False, eq=False)
class PaperPreview(Sealed):
    """One draw of the published mechanism with the truth and its real price."""

    study: PaperStudy
    beside: Beside


@dataclass(frozen=True)
class PaperVariant:
    """What one way to add the noise makes of the busiest days."""

    noise: PaperNoise
    top_days: float
    """Mean share of the five busiest days of the original among the synthetic trips, per cent."""
    phantoms: int
    """Trips that noise made in empty cells of stations, dates and hours."""
    cost: PaperCost


@dataclass(frozen=True, repr=False, eq=False)
class PaperVariants(Sealed):
    """All four ways on the same trips."""

    trips: int
    cells: int
    """Of the table of stations, dates and hours."""
    occupied: int
    """Cells of it with a trip."""
    top_days: float
    """Mean share of the five busiest days of the original, per cent."""
    rows: tuple[PaperVariant, ...]


def paper_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    domain: TripDomain,
    epsilon: Fraction,
    noise: PaperNoise = PaperNoise.FULL,
    *,
    progress: Progress | None = None,
) -> PaperPreview:
    """A fresh draw of the published mechanism at ``epsilon`` for each group of attributes.

    Raises PrivacyError for tables too large to draw, and InputError where no trip lies in the domain.
    """
    tell = progress or (lambda _: None)
    _must_fit(domain)
    own = trips_within(trips, tessellation, domain)
    tell(0.3)
    study = paper_study(own, epsilon, noise, fresh_seed())
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
    progress: Progress | None = None,
) -> PaperVariants:
    """The four ways on the trips of an owner; raises as ``paper_preview``."""
    _must_fit(domain)
    return _variants(trips_within(trips, tessellation, domain), epsilon, progress)


def paper_variants_of_invented(
    epsilon: Fraction, trips: int = TRIPS, *, progress: Progress | None = None
) -> PaperVariants:
    """The four ways on invented trips that look like those of the paper (``dpcore.demo.hubway``): public."""
    invented = hubway(trips)
    return _variants(StationTrips(invented.domain, PrivateColumns.of(invented.trips)), epsilon, progress)


def _variants(own: StationTrips, epsilon: Fraction, progress: Progress | None) -> PaperVariants:
    tell, seed, rows = progress or (lambda _: None), fresh_seed(), []
    original = PrivateFigure.of(figure(own.columns, own.domain))
    top = busiest(original.days, _TOP_DAYS)
    for number, noise in enumerate(PaperNoise):
        tell(number / len(PaperNoise))
        study = paper_study(own, epsilon, noise, seed)
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


def _must_fit(domain: TripDomain) -> None:
    """Refuse, before anything is counted, tables that would take minutes to draw."""
    sizes = domain.sizes
    stations = sizes["start"]
    cells = stations**2 * (1 + BINS) + stations * sizes["date"] * 24
    cells += stations * (sizes[domain.area.name] if domain.area else 0)
    cells += stations * prod(sizes[one.name] for one in domain.person)
    if cells > MOST_CELLS:
        raise PrivacyError(
            f"the published tables would have {cells:,} cells",
            f"{stations:,} tiles, {sizes['date']:,} dates",
            f"At most {MOST_CELLS:,} are drawn: choose coarser tiles or fewer dates, or stay with the sound mode.",
        )
