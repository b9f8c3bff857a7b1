"""What a stability histogram releases: the large noisy counts of each combination, in the order of their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Origin
from dpcore.synthesis.stability.plan import StabilityPlan


@dataclass(frozen=True, eq=False)
class LargeCounts:
    """The keys of one combination that are shown, ordered by part and then by the text of the key."""

    part: NDArray[np.int64]
    """Number of the part of each row, see ``StabilityPlan.partitions``."""
    keys: tuple[tuple[str, ...], ...]
    """For each column of the combination the text of each row."""
    counts: NDArray[np.int64]
    """Noisy counts, none below the threshold."""
    threshold: int

    def __post_init__(self) -> None:
        """Order tells nothing because it is the order of the keys; a fault here is ours."""
        columns = [self.part, *(_codes(texts) for texts in self.keys)]
        rows = {len(column) for column in (*columns, self.counts)}
        if len(rows) != 1 or not _ascends(columns) or (self.counts < self.threshold).any():
            raise ValueError("rows of large counts are not in order, or one is too small")


def _codes(texts: tuple[str, ...]) -> NDArray[np.int64]:
    """The position of each text among the different ones, sorted: it is these that are few, not the rows."""
    place = {text: number for number, text in enumerate(sorted(set(texts)))}
    return np.fromiter((place[text] for text in texts), np.int64, len(texts))


def _ascends(columns: list[NDArray[np.int64]]) -> bool:
    """Whether each row comes after the one before it; where the first columns are equal the next one decides."""
    after = np.zeros(max(len(columns[0]) - 1, 0), np.bool_)
    equal = ~after
    for column in columns:
        step = np.diff(column)
        after |= equal & (step > 0)
        equal &= step == 0
    return bool(after.all())


@dataclass(frozen=True, eq=False)
class StabilityHistogram:
    """A whole release: for each combination, by name, its large counts."""

    plan: StabilityPlan
    large: Mapping[str, LargeCounts]
    origin: Origin
    """A throw-away draw for its owner's eyes, or one that was paid for. Only the latter may be published."""

    def columns(self, combination: str) -> dict[str, list[str] | list[int]]:
        """A table of one combination: columns of the parts, of the key, and ``count``."""
        one = self.large[combination]
        names = next(c.columns for c in self.plan.combinations if c.name == combination)
        table: dict[str, list[str] | list[int]] = {
            column: [self.plan.partitions[part][i] for part in one.part.tolist()]
            for i, column in enumerate(self.plan.partition_by)
        }
        table |= {column: list(texts) for column, texts in zip(names, one.keys, strict=True)}
        return table | {"count": one.counts.tolist()}
