"""Small measurements with known noise, for tests of views."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import numpy as np

from dpcore.measures import MEASURES as ALL_MEASURES
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, Period
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import EXPLORED_WEIGHTS, Plan
from dpcore.privacy import ContributionBound

TILE_IDS = ("A", "B", "C")
CHOICES = KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 3)), districts=Districts(("1", "2"), (0, 0, 1)))
MEASURES = {name: measure_named(name, CHOICES) for name in ALL_MEASURES}
RUNGS = (Fraction(1, 10), Fraction(1), Fraction(10))


def measurement(name: str, finest, noise: int = 0, bound: ContributionBound | None = None) -> Measurement:
    """The finest row as given; coarser rows are `noise` and twice `noise` higher."""
    measure = MEASURES[name]
    bound = bound or ContributionBound.per_user(5)
    finest = np.asarray(finest, np.int64)
    return Measurement(
        origin="preview",
        measure=name,
        counts=measure.counts,
        keys=measure.keys(TILE_IDS),
        bound=bound,
        sensitivity=measure.sensitivity(bound),
        rungs=RUNGS,
        share=Plan(bound, EXPLORED_WEIGHTS, RUNGS).share(name),
        half_widths=(300, 30, 3),
        values=np.stack([finest + 2 * noise, finest + noise, finest]),
    )
