"""What the owner looks at before large counts are published: a throw-away draw, what it leaves out, and a way without delta.

The noise is drawn for looking only, see ``dpcore.private.preview``. Choosing combinations or bins by what is shown here
looks at the data, and no accounting sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.density import MINUTES, Density, share_above, shown_shares
from dpcore.private.synthesis.large_counts import histogram_of_domain, stability_histogram
from dpcore.private.synthesis.taps import Taps, key_shape, occupied
from dpcore.private.synthesis.taps_of_trips import taps_of
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthesis.stability.large_counts import StabilityHistogram
from dpcore.synthesis.stability.plan import Combination, StabilityPlan
from dpcore.tessellation import Tessellation


@dataclass(frozen=True, repr=False)
class KeptCounts(Sealed):
    """What one way of counting a combination shows."""

    threshold: int
    """Smallest count that can be shown."""
    rows: int
    """Keys shown in this draw."""
    smallest: int | None
    """Smallest count shown in this draw; None without one."""
    share: float
    """Expected share of the trips that lie in shown keys, 0 to 1."""


@dataclass(frozen=True, repr=False)
class CombinationPreview(Sealed):
    """One combination both ways."""

    name: str
    keys: int
    """Possible keys: parts times listed times and places."""
    occupied: int
    """Keys that occur."""
    stability: KeptCounts
    """Noise on keys that occur, with the delta of the plan."""
    listed: KeptCounts
    """Noise on all possible keys, empty ones too: the same epsilon and no delta."""


@dataclass(frozen=True, repr=False, eq=False)
class StabilityPreview(Sealed):
    """A throw-away draw of a plan beside the truth."""

    plan: StabilityPlan
    trips: int
    """Trips that count."""
    histogram: StabilityHistogram
    listed: StabilityHistogram
    """The same without delta, over all possible keys."""
    combinations: tuple[CombinationPreview, ...]
    density: Density
    """Expected shares for other lengths of bins, at the same price."""


def stability_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    choices: StabilityChoices,
    *,
    progress: Progress | None = None,
) -> StabilityPreview:
    """A fresh throw-away draw both ways, with what other bins would show; never a release.

    Args:
        trips: prepared trips.
        tessellation: the tiles that they were assigned to.
        choices: combinations, dates, bins, bound, epsilon and delta.
        progress: called with the share that is done, 0 to 1.

    Raises:
        PrivacyError: choices that contradict each other, or people where there are none.

    """
    tell = progress or (lambda _: None)
    plan = choices.plan()
    found = taps_of(trips, tessellation, plan)
    tell(0.3)
    drawn = stability_histogram(found, origin="preview")
    public: Mapping[str, tuple[str, ...]] = {name: column.texts for name, column in found.columns.items()}
    listed = histogram_of_domain(found, public, origin="preview")
    tell(0.5)
    combinations = tuple(_both(found, one, drawn, listed) for one in plan.combinations)
    shares: dict[int, Mapping[str, float]] = {}
    for number, length in enumerate(MINUTES):
        tell(0.5 + 0.5 * number / len(MINUTES))
        other = replace(choices, minutes=length)
        known = found if length == choices.minutes else taps_of(trips, tessellation, other.plan())
        shares[length] = shown_shares(known)
    tell(1.0)
    return StabilityPreview(plan, len(found.part), drawn, listed, combinations, Density(shares))


def _both(
    found: Taps, one: Combination, drawn: StabilityHistogram, listed: StabilityHistogram
) -> CombinationPreview:
    keys, _ = occupied(found, one)
    return CombinationPreview(
        one.name,
        prod(key_shape(found, one)),
        len(keys),
        _kept(found, one, drawn),
        _kept(found, one, listed),
    )


def _kept(found: Taps, one: Combination, histogram: StabilityHistogram) -> KeptCounts:
    large = histogram.large[one.name]
    return KeptCounts(
        large.threshold,
        len(large.counts),
        int(large.counts.min()) if len(large.counts) else None,
        share_above(found, one, large.threshold),
    )
