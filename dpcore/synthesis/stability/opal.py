"""The plan of the Opal release: Asghar, Tyler and Kaafar 2017 (arXiv 1705.05957), Sydney's public transport cards.

Two weeks, four modes; taps on and off are counted apart, and time and place together for each. Also the numbers that
were published, for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from itertools import product
from typing import Final

from dpcore.privacy import ContributionBound
from dpcore.synthesis.stability.plan import Combination, Neighbours, StabilityPlan, Variant
from dpcore.synthesis.stability.thresholds import published_delta, published_threshold, reported
from dpcore.synthesis.stability.totals import Total

MODES: Final = ("bus", "ferry", "lightrail", "train")
DELTA: Final = Fraction(1, 8_000_000)
ONE_WAY: Final = (("on_time",), ("on_loc",), ("off_time",), ("off_loc",))
TWO_WAY: Final = (("on_time", "on_loc"), ("off_time", "off_loc"))
FIRST_DAYS: Final = (date(2016, 7, 25), date(2016, 8, 8))
"""The two published weeks."""


def opal_plan(
    variant: Variant = Variant.OPAL,
    *,
    bound: ContributionBound | None = None,
    first_days: tuple[date, ...] = FIRST_DAYS,
    postcodes: Mapping[str, str] | None = None,
    minutes: int = 15,
) -> StabilityPlan:
    """4 modes on 14 days with 6 combinations: epsilon 1 for one column and 2 for two, delta 1/8,000,000 each.

    Args:
        variant: noise and threshold.
        bound: needed for the variant ``user``: the most trips of a person over the whole release.
        first_days: first day of each week of seven.
        postcodes: of bus stops, by stop.
        minutes: length of a bin of times.

    """
    days = [f"{first + timedelta(days=i):%Y%m%d}" for first in first_days for i in range(7)]
    listed = postcodes or {}
    return StabilityPlan(
        partition_by=("mode", "date"),
        partitions=tuple(product(MODES, days)),
        combinations=(
            *(Combination(columns, Fraction(1), DELTA) for columns in ONE_WAY),
            *(Combination(columns, Fraction(2), DELTA) for columns in TWO_WAY),
        ),
        variant=variant,
        bound=bound or ContributionBound.per_trip(),
        minutes={"on_time": minutes, "off_time": minutes},
        places={"on_loc": listed, "off_loc": listed},
        dropped=("card_id",),
    )


@dataclass(frozen=True)
class VariantRow:
    """One way to noise the same counts, for a table of ways."""

    name: str
    scale: float
    """Of the noise."""
    threshold: float
    smallest: int
    """Smallest count that can be published."""
    delta: Fraction
    """At least the true delta of one combination."""


def variant_rows(epsilon: Fraction, delta: Fraction = DELTA) -> tuple[VariantRow, ...]:
    """The published mechanism and ours, for one combination at trip level."""
    published = published_threshold(epsilon, delta)
    rows = [
        VariantRow("as published", 2 / float(epsilon), published, round(published), published_delta(delta))
    ]
    for variant in (Variant.OPAL, Variant.TIGHT, Variant.ADD_REMOVE):
        one = Combination(("key",), epsilon, delta)
        plan = StabilityPlan((), ((),), (one,), variant, ContributionBound.per_trip())
        threshold = plan.threshold(one)
        certified = reported(plan.certified_delta(one, threshold))
        rows.append(VariantRow(variant.value, float(1 / plan.rho(one)), threshold, threshold, certified))
    return tuple(rows)


def published_totals() -> tuple[Total, ...]:
    """What the published release cost: as its document says, what that noise really gives, and under add/remove."""
    epsilon, claimed = Fraction(8), (len(ONE_WAY) + len(TWO_WAY)) * DELTA
    real = published_delta(claimed)
    return (
        Total(Neighbours.REPLACE_ONE, "trip", epsilon, claimed),
        Total(Neighbours.REPLACE_ONE, "trip", epsilon, real),
        Total(Neighbours.ADD_REMOVE, "trip", epsilon / 2, real),
    )
