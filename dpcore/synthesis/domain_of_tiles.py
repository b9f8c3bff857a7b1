"""The public domain of synthetic trips, from tiles, dates and lists that anybody may know."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

import numpy as np
import shapely

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures.keys import Period
from dpcore.synthesis.attributes import Attribute
from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.stations import Stations
from dpcore.synthesis.workload import MAX_TABLE_CELLS
from dpcore.tessellation import Tessellation
from dpcore.tessellation.drawn import as_drawn

ZIP: Final = "zip"
"""Where a rider lives; its values are a list that the owner gives."""
OTHER: Final = "other"
"""Category of zips that are not on the list."""
PEOPLE: Final = {
    "user_type": Attribute("user_type", ("Registered", "Casual"), unknown="unknown"),
    "gender": Attribute("gender", ("male", "female"), unknown="unknown"),
}
"""What else may be said of a rider, with its public values."""
EXTRAS: Final = (ZIP, *PEOPLE)
"""Every attribute beyond place and time."""

MAX_ZIPS: Final = 5_000
MAX_ZIP_CHARACTERS: Final = limits.MAX_ZIP_CHARACTERS


def domain_of(
    tessellation: Tessellation,
    period: Period,
    *,
    holidays: Collection[date] = (),
    extras: Sequence[str] = (),
    zips: Sequence[str] = (),
    by_month: bool = False,
) -> TripDomain:
    """Tiles as stations, each at its label point, with the attributes that are named.

    A station's number is that of its tile. The label points are those of the tiles as a bundle draws them, so that
    whoever reads a release comes to the same domain.

    Args:
        tessellation: the public tiles.
        period: the public dates.
        holidays: they count as weekend.
        extras: names of further attributes, among ``EXTRAS``.
        zips: public list for the attribute ``zip``; what is not on it counts as ``other``.
        by_month: whether stations may be busy in different months.

    Raises:
        PrivacyError: too many tiles, an attribute that is not known, or zips without their list.

    """
    unknown = [name for name in extras if name not in EXTRAS]
    if unknown or len(set(extras)) != len(extras):
        raise PrivacyError(
            "this is no attribute of a trip, or it is named twice",
            ", ".join(unknown or extras),
            f"Choose among {', '.join(EXTRAS)}.",
        )
    _check_zips(zips, wanted=ZIP in extras)
    pairs = len(tessellation.tile_ids) ** 2
    if pairs > MAX_TABLE_CELLS:  # before the distances of all pairs are worked out
        raise PrivacyError(
            f"a table would have {pairs:,} cells",
            f"flows between {len(tessellation.tile_ids):,} tiles",
            f"At most {MAX_TABLE_CELLS:,} are drawn: choose coarser tiles.",
        )
    tiles = as_drawn(tessellation)
    points = shapely.point_on_surface(np.array(tiles.polygons))
    stations = Stations(
        tiles.tile_ids, tuple(shapely.get_y(points).tolist()), tuple(shapely.get_x(points).tolist())
    )
    return TripDomain(
        stations,
        period,
        frozenset(holidays),
        Attribute(ZIP, tuple(zips), unknown=OTHER) if ZIP in extras else None,
        tuple(attribute for name, attribute in PEOPLE.items() if name in extras),
        by_month,
    )


def _check_zips(zips: Sequence[str], *, wanted: bool) -> None:
    short = all(0 < len(zip_) <= MAX_ZIP_CHARACTERS and zip_.isprintable() for zip_ in zips)
    if wanted != bool(zips) or len(zips) > MAX_ZIPS or not short:
        raise PrivacyError(
            "the list of zips and the attribute zip belong together",
            "zips",
            f"Give a public list of 1 to {MAX_ZIPS:,} short texts with the attribute, or leave both out: the values are "
            "never read off the data.",
        )
