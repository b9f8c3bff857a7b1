"""The metrics by name: what each says, in which unit, and which direction is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

TOPS: Final = (10, 50, 100)
"""Lengths of the rankings that are compared."""
RANKED: Final = 100
"""Kendall's tau of pairs of tiles looks at those in either top so many."""


@dataclass(frozen=True)
class Metric:
    """One way to say how alike two tables are."""

    name: str
    title: str
    better: Literal["lower", "higher"]
    best: float
    """The value of equal tables."""
    reach: str
    """From best to worst, in words."""
    explanation: str
    """In plain words."""


_ALL: Final = (
    Metric(
        "smape",
        "Relative difference (SMAPE)",
        "lower",
        0.0,
        "0 to 2",
        "The typical relative difference of a cell: the difference of both values over their average, on average over "
        "all cells. 0 means equal, 2 means that in every cell one side has something and the other nothing. Of shares, "
        "so that a table of half as many trips can still be alike; of plain numbers for totals.",
    ),
    Metric(
        "jsd",
        "Jensen-Shannon divergence",
        "lower",
        0.0,
        "0 to 1",
        "How well one could tell, from one trip, which of the two tables it was taken from. 0: not at all, the shares "
        "are equal. 1: for certain, they have no cell in common. Base 2, not rooted. Large cells matter most.",
    ),
    Metric(
        "kld",
        "Kullback-Leibler divergence",
        "lower",
        0.0,
        "0 upwards, in bits",
        "Bits lost for each trip by whoever takes B's shares for A's. It has a direction (A is the reference) and no "
        "upper end. Half a count is added to every cell of both sides, or one empty cell would make it infinite.",
    ),
    Metric(
        "emd",
        "Earth mover's distance",
        "lower",
        0.0,
        "0 upwards, in the unit named",
        "How far a trip must be moved, on average, to turn one table into the other: metres between the middles of "
        "tiles, hours, days, or the unit of a histogram. Neighbouring cells that swap a little cost little. Days and "
        "hours are a line: from 23 to 0 is 23 hours. An open end of a histogram stands half a bin beyond its edge.",
    ),
    Metric(
        "kendall_tau",
        "Rank correlation (Kendall's tau)",
        "higher",
        1.0,
        "1 to -1",
        "Whether the two agree on which of two places (or flows) is the busier one. 1: always, -1: never, 0: as often "
        "as not. Tau-b, on counts of the same tiles; of flows, those in either top 100.",
    ),
    *(
        Metric(
            f"top_{n}_overlap",
            f"Top {n} in common",
            "higher",
            1.0,
            "1 to 0",
            f"Share of A's {n} largest that are among B's {n} largest. Exactly {n} are taken (fewer if there are "
            "fewer); among equal counts the order of the ids decides.",
        )
        for n in TOPS
    ),
    Metric(
        "ssim",
        "Structural similarity of the map",
        "higher",
        1.0,
        "1 to -1",
        "Whether both maps show the same picture: bright and dark in the same places, window by window of a few tiles. "
        "1: the same picture, 0: unrelated, below 0: one is dark where the other is bright.",
    ),
)

METRICS: Final[Mapping[str, Metric]] = MappingProxyType({metric.name: metric for metric in _ALL})
"""Every metric by name, in the order in which they are shown."""
