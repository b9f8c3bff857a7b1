"""How well a point of a public grid answers for a quantile, and how much of that one person or one trip can change.

**Score.** Of ``n`` values let ``B`` lie below a point, ``E`` at it and ``A`` above it, ``B + E + A = n``. The quantile of
level ``p`` is at the point if the rank ``p n`` lies between ``B`` and ``B + E``; else the point misses it by so many ranks:

    miss = max(0, f, g),   f = B - p n = (1 - p) B - p (E + A),   g = p n - (B + E) = p A - (1 - p) (B + E)

With ``p = k / 20`` the score ``-20 miss`` is a whole number.

**Sensitivity.** A value more or less changes ``f`` by ``1 - p`` (a value below the point) or by ``-p`` (at it or above it),
and ``g`` by ``p`` (above) or by ``-(1 - p)`` (at it or below): whatever the point, each by at most ``max(p, 1 - p)``. The
largest of 0, f and g changes by no more than the larger of the two changes. If ``r`` values go and ``a`` come, then ``f``
changes by at most ``max(r (1 - p) + a p, r p + a (1 - p))``: at worst all that go lie on one side of the point and all that
come on the other. The same holds for ``g``. Which values go and come:

==================  ========================  =====================================  =================================
measure             a user, at most M trips   a trip, all trips counted              a trip under a bound on users
==================  ========================  =====================================  =================================
travel_time,        M go                      1 goes                                 1 goes, 1 comes (displaced)
jump_length
user_time_delta     M go                      2 go, 1 comes (see below)              2 go, 2 come; M = 1: 1 and 1
one value a user    1 goes                    1 goes, 1 comes                        1 goes, 1 comes
==================  ========================  =====================================  =================================

*Gaps at trip level.* With a trip goes its own gap, and the gap of the user's next trip becomes another one, which runs from
the trip before. The next trip starts no earlier than the one that went, so the new gap is no shorter than the gap that went
with it. Where both that go lie above the point (or at it), so does the one that comes, and ``f`` changes by ``p``; the worst
is that both lie below and the new one above: ``2 (1 - p) + p = 2 - p``. The same cases give ``g`` no more.

``tests/test_rank_scores.py`` reaches every bound by brute force and passes none.

**Error.** The mechanism adds exponential noise of mean ``2 D / epsilon`` (``D`` the sensitivity) to every score and takes
the largest. A point whose score is less than the best by ``s`` wins only if its noise exceeds that of the best by ``s``,
which has probability ``exp(-s / scale)`` at most; so over a grid of N points ``P(miss > s) <= N exp(-s / scale)``. One
point at least misses by 0, so ``s`` counts from there.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

from dpcore.measure import Measure
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.quantiles.grids import PARTS


def score_change(go: int, come: int, level: int) -> int:
    """The most that a score changes when so many values go and come; ``level`` in twentieths, the result too.

    >>> score_change(3, 0, 10), score_change(1, 0, 1), score_change(1, 1, 1)
    (30, 19, 20)
    """
    above, below = level, PARTS - level
    return max(go * below + come * above, go * above + come * below)


def sensitivity(measure: Measure, bound: ContributionBound, level: int) -> int:
    """The most that one privacy unit changes any score, in twentieths of a rank."""
    if bound.unit is PrivacyUnit.TRIP:
        return change_of_one_trip(measure, bound, level)
    return score_change(1 if measure.counts_users else bound.trips, 0, level)


def change_of_one_trip(measure: Measure, bound: ContributionBound, level: int) -> int:
    """The most that one trip changes any score, in twentieths, whatever unit the bound protects."""
    if measure.counts_users:
        change = score_change(1, 1, level)
    elif bound.unit is PrivacyUnit.TRIP:
        change = 2 * PARTS - level if measure.reads_gaps else score_change(1, 0, level)
    elif measure.reads_gaps and bound.trips > 1:
        change = score_change(2, 2, level)
    else:
        change = score_change(1, 1, level)
    # under a bound on users: take the user away, and bring it back with the trip
    return change if bound.unit is PrivacyUnit.TRIP else min(change, 2 * sensitivity(measure, bound, level))


def noise_scale(change: int, epsilon: Fraction) -> Fraction:
    """The mean of the noise that hides a change of scores, in twentieths of a rank."""
    return 2 * change / epsilon


def most_missed(change: int, epsilon: Fraction, points: int, confidence: float) -> int:
    """Ranks, rounded up, by which a bought quantile misses at most so often; see above for why."""
    return ceil(float(noise_scale(change, epsilon)) * log(points / (1 - confidence)) / PARTS)
