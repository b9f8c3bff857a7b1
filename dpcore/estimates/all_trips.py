"""From the trips that count to all trips: the share that counts, and the ranges of what is scaled by it.

Under a bound of M, a person's counted trips are a random sample of that person's trips. So the counts of all trips are
about the counted ones divided by the share that counts. Four things make the result uncertain, on top of each other:

* the noise, as for the counted trips;
* the share, whose two numbers are noisy;
* the sample: of X trips in all, each counts with probability p. Given the x counted ones, X varies by ``x (1 - p) / p**2``
  (the negative binomial law of trials until x successes), and ``ALIKE`` times that, because trips of a person are alike;
* what scaling cannot repair: people who travel a lot lose more trips, and go elsewhere at other hours. This allowance is
  ``unlike * sqrt(1 - p)`` of the value: more where cells tell the time of day. Measured as the root mean square error of exact
  counts that were scaled, it is between 0.09 and 0.1 for tiles of the built-in city at bounds of 2 to 20, and 0.14 to 0.17 for
  hours. Flows hang on few people who make them often: their variance is ``repeated * (1 - p)`` of the value more (``scaling_of``).
  On other data it may be more: hence the assumption that is printed beside every estimate.

The parts are independent, so the squares of their half widths add up.
"""

from __future__ import annotations

from math import hypot, sqrt
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Noisy
from dpcore.estimates.result import Ranged, Share
from dpcore.estimates.totals import Totals
from dpcore.measures.keys import KeySet
from dpcore.noise.expected_estimates import ALIKE, Scaling, scaling_of

_NORMAL: Final = 1.96
EVERYTHING: Final = Share(1.0, 1.0, 1.0)
"""At trip level all trips count."""


def share_of(totals: Totals, everything: Noisy) -> Share:
    """The share of all trips that counts, from the paid total of all trips. At most 1.

    That total is one drawn number. Its noise has longer tails than a normal one, so its exact half width counts.
    """
    trips = max(float(everything.values[0]), totals.trips)
    value = totals.trips / trips
    counted, total = _NORMAL * sqrt(totals.variance) / totals.trips, everything.noise.half_width / trips
    error = value * hypot(counted, total)
    return Share(value, max(value - error, value / 10), min(value + error, 1.0))


def scaled_up(counted: Ranged, share: Share, scaling: Scaling) -> Ranged:
    """Counts of all trips with likely ranges, from those of the counted trips; ``scaling``: that of their table."""
    if share.low == 1:
        return counted
    value = counted.values / share.value
    left_out = 1 - share.value
    of_share = value * max(share.high - share.value, share.value - share.low) / share.value
    of_sample = _NORMAL * np.sqrt((ALIKE / share.value + scaling.repeated) * value * left_out)
    of_people = value * (_NORMAL * scaling.unlike * sqrt(left_out))
    more = of_share**2 + of_sample**2 + of_people**2
    return Ranged(
        value,
        np.maximum(value - np.sqrt(((counted.values - counted.low) / share.value) ** 2 + more), 0.0),
        value + np.sqrt(((counted.high - counted.values) / share.value) ** 2 + more),
    )


def scaling_of_table(keys: KeySet) -> Scaling:
    """What scaling to all trips leaves in a table with these keys."""
    return scaling_of(keys.columns, districts=any(axis.of_tiles for axis in keys.axes))


def only(found: Ranged) -> Ranged:
    """Estimates with ranges that hold them. Never negative; NaN ends stay."""
    positive = np.maximum(found.values, 0.0)
    low, high = np.minimum(np.maximum(found.low, 0.0), positive), np.maximum(found.high, positive)
    return Ranged(positive, low, high)
