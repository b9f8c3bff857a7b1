"""The metrics by name: what each says, its unit, and which direction is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

TOPS: Final = (10, 50, 100)
"""Lengths of the rankings that are compared."""
RANKED: Final = 100
"""Kendall's tau of pairs of tiles covers the pairs in either top of this length."""


@dataclass(frozen=True)
class Metric:
    """One way to measure how alike two tables are."""

    name: str
    title: str
    better: Literal["lower", "higher"]
    best: float
    """The value of equal tables."""
    reach: str
    """From best to worst, in words."""
    explanation: str
    """In words."""


_ALL: Final = (
    Metric(
        "smape",
        "Relative difference (SMAPE)",
        "lower",
        0.0,
        "0 to 2",
        "The typical relative difference of a cell: the difference of both values divided by their average, averaged over "
        "all cells. 0: equal. 2: in every cell one side has something and the other has nothing. It compares shares, so a "
        "table of half as many trips can still be alike; for totals it compares the numbers themselves.",
    ),
    Metric(
        "jsd",
        "Jensen-Shannon divergence",
        "lower",
        0.0,
        "0 to 1",
        "How well one could guess, from one trip, which of the two tables it came from. 0: not at all, the shares are "
        "equal. 1: with certainty, they have no cell in common. Base 2, without a square root. Large cells matter most.",
    ),
    Metric(
        "kld",
        "Kullback-Leibler divergence",
        "lower",
        0.0,
        "0 upwards, in bits",
        "Bits lost for each trip if B's shares are used in place of A's. It has a direction (A is the reference) and no "
        "upper end. Half a count is added to every cell of both sides, because one empty cell would make it infinite.",
    ),
    Metric(
        "emd",
        "Earth mover's distance",
        "lower",
        0.0,
        "0 upwards, in the unit named",
        "How far a trip must be moved, on average, to turn one table into the other: in metres between the middles of "
        "tiles, in hours, in days, or in the unit of a histogram. A swap between neighbouring cells costs little. Days and "
        "hours are a line: from 23 to 0 is 23 hours. An open end of a histogram is placed half a bin beyond its edge.",
    ),
    Metric(
        "kendall_tau",
        "Rank correlation (Kendall's tau)",
        "higher",
        1.0,
        "1 to \u22121",
        "Whether the two sides agree on which of two places (or flows) is busier. \u22121: never. 0: as often as not. 1: always, and equal on one "
        "side wherever equal on the other. So where many counts are equal 1 cannot be reached: with 300 of 500 true counts at zero, noisy counts in "
        "perfect order give 0.80. What these counts can reach stands beside the value. Equal noisy counts are no agreement, so cutting "
        "them off at 0 gains nothing. Tau-b, on counts of the same tiles; for flows, of those in either top 100.",
    ),
    *(
        Metric(
            f"top_{n}_overlap",
            f"Top {n} in common",
            "higher",
            1.0,
            "1 to 0",
            f"Share of A's {n} largest that are among B's {n} largest. Exactly {n} are taken, or all if there are fewer. "
            "Equal counts are ordered by their ids.",
        )
        for n in TOPS
    ),
    Metric(
        "ssim",
        "Structural similarity of the map",
        "higher",
        1.0,
        "1 to \u22121",
        "Whether both maps show the same picture: bright and dark in the same places, window by window of a few tiles. "
        "1: the same picture. 0: unrelated. Below 0: one is dark where the other is bright.",
    ),
)

METRICS: Final[Mapping[str, Metric]] = MappingProxyType({metric.name: metric for metric in _ALL})
"""Every metric by name, in the order in which they are shown."""
