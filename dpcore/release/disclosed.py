"""What everything that shows at one rung costs: its counts, and what was bought once and shows there as well."""

from __future__ import annotations

from fractions import Fraction

from dpcore.release.release import Release


def disclosed_at(release: Release, rung: int) -> Fraction:
    """The exact epsilon of all that a release shows at a rung (0: the coarsest); the rung itself where nothing was bought.

    Bins that were bought show at every rung, however coarse its counts, so their price stays. Bought five-number
    summaries are shown from the rung on at which they were bought. Neither is drawn anew by a raise, so above that rung
    the sum is less than the rung. Which pairs a sparse table lists was decided once, at the highest rung when it was
    drawn: the sum leaves that out.
    """
    counts = sum((one.epsilon(rung) for one in release.measurements.values()), Fraction(0))
    total = release.plan.rungs[rung]
    return (
        counts
        + (Fraction(0) if release.ranges is None else release.ranges.epsilon)
        + (release.five_numbers.epsilon if release.five_numbers and release.five_numbers.at <= total else 0)
    )
