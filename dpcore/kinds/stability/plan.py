"""The plan of a stability histogram (columns, parts of the data, price) and its result. Public, no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.kinds.stability import thresholds
from dpcore.measures.measurement import Origin
from dpcore.privacy import ContributionBound, PrivacyUnit

MAX_PARTITIONS: Final = 10_000
MAX_COMBINATIONS: Final = 50
MIN_MINUTES: Final = 5
"""Shorter bins of times would scatter trip ends over keys that never reach a threshold."""
MAX_MINUTES: Final = 720
"""Bins of a whole day would cost a share of epsilon and say nothing."""
UNKNOWN: Final = "UNKNOWN"
"""Category of missing values: a trip with an unknown end counts too."""


class Neighbours(Enum):
    """Which data sets are neighbours."""

    ADD_REMOVE = "one is added or removed"
    REPLACE_ONE = "one is replaced by another"


class Variant(Enum):
    """How noise and threshold follow from epsilon and delta."""

    OPAL = "opal"
    """As published for the Opal cards, with discrete noise: one trip replaced, and the threshold rounded like that of the files."""
    TIGHT = "tight"
    """The noise and promise of ``OPAL``, with the lowest threshold that keeps the promise."""
    ADD_REMOVE = "add-remove"
    """Half the noise, because the promise is about one trip added or removed."""
    USER = "user"
    """The promise is about everything a person did. At most M trips of a person count."""

    @property
    def neighbours(self) -> Neighbours:
        """The relation under which epsilon and delta of a combination are given."""
        replaces = self in {Variant.OPAL, Variant.TIGHT}
        return Neighbours.REPLACE_ONE if replaces else Neighbours.ADD_REMOVE


@dataclass(frozen=True)
class Combination:
    """Columns that are counted together, and their price."""

    columns: tuple[str, ...]
    epsilon: Fraction
    delta: Fraction
    """Bound on the probability that a key of one single unit is shown."""

    @property
    def name(self) -> str:
        """The names of its columns, such as ``on_time+on_loc``."""
        return "+".join(self.columns)


@dataclass(frozen=True)
class StabilityPlan:
    """Everything about a release of large counts that is known before the data are read."""

    partition_by: tuple[str, ...]
    """Columns that split the data into parts; each part is counted by itself."""
    partitions: tuple[tuple[str, ...], ...]
    """The public list of parts, empty ones included. Rows of other parts are left out."""
    combinations: tuple[Combination, ...]
    variant: Variant
    bound: ContributionBound
    """Over the whole release: all parts and all combinations."""
    minutes: Mapping[str, int] = field(default_factory=dict)
    """Length of a bin for each column of times such as ``07:42``; it divides a day."""
    zones: Mapping[str, str] = field(default_factory=dict)
    """The public zone of each tile, such as the postcode of a stop; a tile without one is an unknown place. Empty: tiles are
    places themselves."""

    def __post_init__(self) -> None:
        self._check_columns()
        self._check_bound()
        self._check_prices()

    def _check_columns(self) -> None:
        names = [one.name for one in self.combinations]
        lists = all(len(set(one.columns)) == len(one.columns) > 0 for one in self.combinations)
        different = {frozenset(one.columns) for one in self.combinations}
        if not lists or not 1 <= len(different) == len(names) <= MAX_COMBINATIONS:
            raise PrivacyError(
                "the combinations of columns cannot be used",
                ", ".join(names) or "combinations",
                f"Name 1 to {MAX_COMBINATIONS} different ones, each with different columns. Their order makes no difference.",
            )
        if not 1 <= len(set(self.partitions)) == len(self.partitions) <= MAX_PARTITIONS or {
            len(part) for part in self.partitions
        } != {len(self.partition_by)}:
            raise PrivacyError(
                "the list of parts cannot be used",
                ", ".join(self.partition_by) or "no columns: one empty part",
                f"List 1 to {MAX_PARTITIONS:,} different parts, each with one value for each column.",
            )
        for column, length in self.minutes.items():
            if not isinstance(length, int) or not MIN_MINUTES <= length <= MAX_MINUTES or 1_440 % length:
                raise PrivacyError(
                    "a bin of times must divide a day",
                    column,
                    f"Choose {MIN_MINUTES} to {MAX_MINUTES} minutes that do, such as 5, 10, 15, 30 or 60.",
                )

    def _check_bound(self) -> None:
        if (self.variant is Variant.USER) != (self.bound.unit is PrivacyUnit.USER):
            raise PrivacyError(
                "variant and privacy unit do not fit together",
                f"variant {self.variant.value}, unit {self.bound.unit.value}",
                "The variant user protects a person. All others protect one trip.",
            )

    def _check_prices(self) -> None:
        for one in self.combinations:
            if not isinstance(one.epsilon, Fraction) or one.epsilon < Fraction(limits.MIN_EPSILON):
                raise PrivacyError(
                    "epsilon must be an exact number within its limits",
                    one.name,
                    f"Give {limits.MIN_EPSILON} or more.",
                )
            if not isinstance(one.delta, Fraction) or not 0 < one.delta < 1:
                raise PrivacyError(
                    "delta must be an exact number between 0 and 1",
                    one.name,
                    "Give a small one such as 1/8000000: with 0 no key could be shown.",
                )
        if self.epsilon > Fraction(limits.MAX_EPSILON) or self.delta > Fraction(limits.MAX_DELTA):
            raise PrivacyError(
                "the combinations together cost too much",
                f"epsilon {float(self.epsilon):g}, delta {float(self.delta):g}",
                f"All together may cost epsilon {limits.MAX_EPSILON} and delta {limits.MAX_DELTA}.",
            )

    @cached_property
    def values(self) -> tuple[tuple[str, ...], ...]:
        """For each column of ``partition_by`` the values that some part has, in the order of the list of parts."""
        return tuple(tuple(dict.fromkeys(column)) for column in zip(*self.partitions, strict=True))

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The number of the part with these positions in ``values``; -1 if there is none."""
        table = np.full([len(column) for column in self.values], -1, np.int64)
        place = [{value: at for at, value in enumerate(column)} for column in self.values]
        for number, part in enumerate(self.partitions):
            table[tuple(places[value] for places, value in zip(place, part, strict=True))] = number
        return table

    def parts_of(self, positions: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """The number of the part of each row; -1 if it is on no list, so that the row is in no part.

        ``positions``: for each column of ``partition_by`` the positions of the rows in ``values``, -1 for a value on no list.
        """
        table = self._numbers
        listed = np.logical_and.reduce([column >= 0 for column in positions])
        return np.where(listed, table[tuple(np.maximum(column, 0) for column in positions)], -1)

    @property
    def epsilon(self) -> Fraction:
        """Epsilon of all combinations together, under the relation of the variant. Parts do not add to it."""
        return sum((one.epsilon for one in self.combinations), Fraction())

    @property
    def delta(self) -> Fraction:
        """Delta of all combinations together."""
        return sum((one.delta for one in self.combinations), Fraction())

    def rho(self, combination: Combination) -> Fraction:
        """Rate of the noise of a key: epsilon over 2 (one replaced), over 1 (one trip) or over M (a person)."""
        if self.variant.neighbours is Neighbours.REPLACE_ONE:
            return combination.epsilon / 2
        return combination.epsilon / self.bound.trips

    def certified_delta(self, combination: Combination, threshold: int) -> Decimal:
        """An upper bound on the delta of a combination at a threshold."""
        rho = self.rho(combination)
        if self.variant is Variant.USER:
            return thresholds.delta_of_user(rho, threshold, self.bound.trips)
        return thresholds.delta_of_trip(rho, threshold)

    def threshold(self, combination: Combination) -> int:
        """The smallest noisy count that is shown."""
        tight = thresholds.lowest(lambda t: self.certified_delta(combination, t), combination.delta)
        if self.variant is not Variant.OPAL:
            return tight
        return max(tight, round(thresholds.published_threshold(combination.epsilon, combination.delta)))


@dataclass(frozen=True, eq=False)
class LargeCounts:
    """The keys of one combination that are shown, ordered by part and then by the text of the key."""

    part: NDArray[np.int64]
    """Part of each row, as a position in ``StabilityPlan.partitions``."""
    keys: tuple[tuple[str, ...], ...]
    """For each column of the combination, the text of each row."""
    counts: NDArray[np.int64]
    """Noisy counts, none below the threshold."""
    threshold: int

    def __post_init__(self) -> None:
        """Refuse rows that are not ordered by key, with a ValueError: any other order could reveal something."""
        columns = [self.part, *(_codes(texts) for texts in self.keys)]
        rows = {len(column) for column in (*columns, self.counts)}
        if len(rows) != 1 or not _ascends(columns) or (self.counts < self.threshold).any():
            raise ValueError("rows of large counts are not in order, or one is too small")


def _codes(texts: tuple[str, ...]) -> NDArray[np.int64]:
    """The position of each text among the distinct ones, sorted. Only the distinct ones are few."""
    place = {text: number for number, text in enumerate(sorted(set(texts)))}
    return np.fromiter((place[text] for text in texts), np.int64, len(texts))


def _ascends(columns: list[NDArray[np.int64]]) -> bool:
    """Whether the rows strictly ascend in lexicographic order of the columns."""
    after = np.zeros(max(len(columns[0]) - 1, 0), np.bool_)
    equal = ~after
    for column in columns:
        step = np.diff(column)
        after |= equal & (step > 0)
        equal &= step == 0
    return bool(after.all())


@dataclass(frozen=True, eq=False)
class StabilityHistogram:
    """A whole release: the large counts of each combination, by its name."""

    plan: StabilityPlan
    large: Mapping[str, LargeCounts]
    origin: Origin
    """A preview for its owner's eyes, or a draw that was paid for. Only the latter may be published."""

    def columns(self, combination: str) -> dict[str, list[str] | list[int]]:
        """The table of one combination: columns of the part, columns of the key, and ``count``."""
        one = self.large[combination]
        names = next(c.columns for c in self.plan.combinations if c.name == combination)
        table: dict[str, list[str] | list[int]] = {
            column: [self.plan.partitions[part][i] for part in one.part.tolist()]
            for i, column in enumerate(self.plan.partition_by)
        }
        table |= {column: list(texts) for column, texts in zip(names, one.keys, strict=True)}
        return table | {"count": one.counts.tolist()}
