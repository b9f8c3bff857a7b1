"""Estimates: what the tables of a release tell together about the trips that count, and about all trips.

Everything here is post-processing of public values: it reads no trips, draws no noise and costs no privacy. The drawn values
with their exact half widths stay what was released.

===============  ====================================================================================
``result``       what an estimate is: values with likely ranges, the share of trips that counts
``estimate``     the whole estimate of a plan's measurements at one rung, step by step
``parts``        the same of tables that are split: each part by itself
``known``        how much of a map of tiles is known: one definition for every page, file and receipt
``draws``        joint draws of estimates from a public seed, so that sums get ranges of their own
``regions``      tiles merged for display until they are readable at the error that the reader chooses
===============  ====================================================================================
"""

from __future__ import annotations

from dpcore.estimates.by_part import estimate, estimated_measures, why_as_drawn
from dpcore.estimates.known import Known, known_tiles, known_words, of_tiles, reach
from dpcore.estimates.regions import Regions, regions
from dpcore.estimates.result import Estimated, Estimates, Ranged, Share

__all__ = [
    "Estimated",
    "Estimates",
    "Known",
    "Ranged",
    "Regions",
    "Share",
    "estimate",
    "estimated_measures",
    "known_tiles",
    "known_words",
    "of_tiles",
    "reach",
    "regions",
    "why_as_drawn",
]
