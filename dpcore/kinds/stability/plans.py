"""The plan of large counts, from decimal text and words.

Only public facts are used, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from dpcore.api.offered import offered
from dpcore.api.plans import exact, must_be_period, public_file, word_of
from dpcore.errors import InputError
from dpcore.kinds.stability.choices import (
    UNZONED,
    USUAL_COMBINATIONS,
    StabilityChoices,
    divisions_of,
    exact_delta,
    shares_of,
    usual_delta,
    usual_variant,
)
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.zones import must_be_of, read_zones
from dpcore.measures.attribute import attributes_of
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.tiles import Tessellation


@offered
def stability_plan(
    bound: ContributionBound,
    epsilon: Fraction | str,
    *,
    delta: Fraction | str | None = None,
    combinations: Sequence[str] = USUAL_COMBINATIONS,
    period: Period | None = None,
    minutes: int = 15,
    variant: str | None = None,
    parts: Mapping[str, str | Sequence[str]] | None = None,
    skip: Period | None = None,
    zones: Mapping[str, str] | str | Path | None = None,
    tiles: Tessellation | None = None,
    unzoned: str = "refuse",
    shares: Mapping[str, int] | None = None,
) -> StabilityChoices:
    """The plan of large noisy counts of trip ends, as for the Opal cards: small counts are left out.

    Args:
        bound: privacy unit and contribution bound.
        epsilon: total of all combinations, a fraction or decimal text.
        delta: total of all combinations, a fraction or text such as ``"0.000001"``, ``"1e-6"`` or ``"1/8000000"``. None: 0.000001,
            or with the variant ``opal`` that of the Opal cards, 1/8,000,000 for each combination.
        combinations: columns that are counted together, such as ``"on_time+on_loc"``; of ``on_time``, ``on_loc``, ``off_time``
            and ``off_loc``.
        period: public dates, each counted apart; None: all days together.
        minutes: length of a bin of times; divides a day.
        variant: ``user``, ``add-remove``, ``tight`` or ``opal``; None: ``user``, or ``add-remove`` with the unit trip.
        parts: attributes of trips with their public categories, each counted apart: ``{"mode": ["bus", "train"]}``. The trips must
            be loaded with them. Trips of other categories are left out.
        skip: days within the period that are left out, such as those between two weeks.
        zones: public zones of tiles, such as postcodes of stops: ``{tile id: zone}``, or a CSV file with ``tile_id`` and ``zone``.
            Places are then zones. A tile without a zone counts as an unknown place.
        tiles: the public tiles; a file of zones cannot be read without them.
        unzoned: what the file of zones says of other tiles, and tiles without a zone: ``refuse``, or ``outside``.
        shares: the share of epsilon of columns, 1 to 1,000, such as ``{"on_loc": 3}``; of others it is 1. A combination gets those of its
            columns.

    Raises:
        PrivacyError: an epsilon, a delta, a share, a column or a length that cannot be, or a variant that does not fit the unit.
        InputError: an unknown variant, or zones or categories that cannot be.

    """
    must_be_period(period, may_lack=True)
    must_be_period(skip, may_lack=True)
    noise = usual_variant(bound.unit) if variant is None else word_of(Variant, variant, "variant")
    if delta is None:
        delta = usual_delta(noise, len(combinations))
    made = StabilityChoices(
        bound,
        exact(epsilon),
        delta if isinstance(delta, Fraction) else exact_delta(delta, "delta"),
        noise,
        tuple(tuple(column.strip() for column in one.split("+")) for one in combinations),
        period,
        minutes,
        divisions_of(attributes_of(parts)),
        skip,
        shares=shares_of(shares or {}),
    )
    made.plan()  # refuses what cannot be
    if isinstance(zones, Mapping):
        made = replace(made, zones=tuple(zones.items()))
        if tiles is not None:
            must_be_of(made.zones, tiles)
    elif zones is not None:
        if tiles is None:
            raise InputError(
                "a file of zones names tiles",
                "tiles",
                "Give the tiles too, or the zones as {tile id: zone}.",
            )
        if unzoned not in UNZONED:
            raise InputError.unknown("way with tiles without a zone", unzoned, UNZONED)
        place = Path(zones)
        data = public_file(place, "zones")
        made = replace(made, zones=read_zones(data, tiles, name=place.name, outside=unzoned == "outside"))
    return made
