"""An invented week of public transport as busy as that of Sydney in the Opal release of 8 to 14 August 2016.

Modes, days, numbers of places and about as many trips are those of the real release
(``dpcore.kinds.stability.published``). Everything else is invented: how unequally places are used (a lognormal law for each
mode), and that the place of the tap off does not depend on that of the tap on. Nobody made these trips, so nothing here
protects anyone.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.stability.published import DAILY_TRIPS, PUBLISHED_WEEK

SEED: Final = 7
INEQUALITY: Final = {"bus": 1.5, "train": 1.7, "ferry": 1.5, "lightrail": 1.0}
"""Standard deviation of the logarithm of how busy a place is, by mode."""


def opal_week(seed: int = SEED) -> dict[str, NDArray[np.int64]]:
    """Taps by mode: shape (7 days, on and off, places). A day has as many taps on as off."""
    rng = np.random.default_rng(seed)
    taps = {}
    for one in PUBLISHED_WEEK:
        levels = [NormalDist().inv_cdf((place + 0.5) / one.places) for place in range(one.places)]
        busy = np.exp(INEQUALITY[one.mode] * np.array(levels))
        trips = np.array(DAILY_TRIPS[one.mode]) * 1_000
        taps[one.mode] = rng.multinomial(np.repeat(trips[:, None], 2, 1), busy / busy.sum())
    return taps
