"""What an owner chooses for a histogram of large counts. Public, no data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text
from dpcore.synthesis import written
from dpcore.synthesis.stability.plan import (
    MAX_COMBINATIONS,
    UNKNOWN,
    Combination,
    Neighbours,
    StabilityPlan,
    Variant,
)

COLUMNS: Final = ("on_time", "on_loc", "off_time", "off_loc")
"""Columns of a trip that can be counted: time and tile of its start, time and tile of its end."""
COMBINATIONS: Final = (*((name,) for name in COLUMNS), ("on_time", "on_loc"), ("off_time", "off_loc"))
"""The default combinations, as for the Opal cards."""
DATE: Final = "date"
"""The column that splits the data into parts if dates are given: the day on which a trip starts."""


_DELTA: Final = re.compile(r"[0-9]{1,4}(\.[0-9]{1,20})?(e-[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}")


def exact_delta(text: str, where: str) -> Fraction:
    """The exact number that a text such as ``0.000001``, ``1e-6`` or ``1/8000000`` names; its limits are checked later.

    Raises PrivacyError, naming ``where`` it was given.
    """
    if isinstance(text, (int, float)):
        raise PrivacyError(
            "delta must be text, not a number: a float is not exact",
            where,
            'Write it in quotes, such as "1e-6".',
        )
    if not isinstance(text, str) or not _DELTA.fullmatch(text) or text.endswith("/0"):
        raise PrivacyError(
            "delta must be a small positive number",
            where,
            f"Write it such as 0.000001, 1e-6 or 1/8000000, from {limits.MIN_DELTA} to {limits.MAX_DELTA}.",
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise PrivacyError("delta must be a number", where, "Nothing can be divided by 0.") from None


def usual_variant(unit: PrivacyUnit) -> Variant:
    """The variant that promises what accounts count: one unit added or removed."""
    return Variant.USER if unit is PrivacyUnit.USER else Variant.ADD_REMOVE


def listed_texts(column: str, plan: StabilityPlan, tile_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The public list of a column, sorted: tiles or bins of times, and a category for unknown values."""
    if column.endswith("_loc"):
        return tuple(sorted({*tile_ids, UNKNOWN}))
    length = plan.minutes[column]
    return (*(f"{start // 60:02d}:{start % 60:02d}" for start in range(0, 1_440, length)), UNKNOWN)


@dataclass(frozen=True)
class StabilityChoices:
    """All choices for a histogram of large counts. They make a plan without tiles, which only name the places."""

    kind: ClassVar[str] = "stability"

    bound: ContributionBound
    epsilon: Fraction
    """Total, under the relation of the variant. Each column of each combination gets an equal share."""
    delta: Fraction
    """Total. Each combination gets an equal share."""
    variant: Variant
    combinations: tuple[tuple[str, ...], ...] = COMBINATIONS
    period: Period | None = None
    """Public dates, each counted by itself; None: all days together."""
    minutes: int = 15
    """Length of a bin of times."""

    def __post_init__(self) -> None:
        unknown = sorted({name for one in self.combinations for name in one} - set(COLUMNS))
        if unknown or not all(self.combinations) or not 0 < len(self.combinations) <= MAX_COMBINATIONS:
            raise PrivacyError(
                "this is not a column of a trip, or nothing is counted",
                ", ".join(name[:40] for name in unknown[:5]) or "combinations",
                f"Combine {', '.join(COLUMNS)}, such as on_time+on_loc.",
            )
        least, most = Fraction(limits.MIN_DELTA), Fraction(limits.MAX_DELTA)
        if not isinstance(self.delta, Fraction) or not least <= self.delta <= most:
            raise PrivacyError(
                "delta is out of range",
                "delta",
                f"Give {limits.MIN_DELTA} to {limits.MAX_DELTA}: with 0 no key could be shown.",
            )

    def __repr__(self) -> str:
        """One line: what is counted, epsilon, delta, and whom it hides."""
        counted = ", ".join("+".join(one) for one in self.combinations)
        loss = f"epsilon {decimal_text(self.epsilon)}, delta {float(self.delta):g}"
        return f"<Plan of large counts ({counted}): {loss} per {self.bound}>"

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta for one privacy unit added or removed: half the epsilon of a promise about replacing one."""
        replaces = self.variant.neighbours is Neighbours.REPLACE_ONE
        return self.epsilon / 2 if replaces else self.epsilon, self.delta

    def plan(self) -> StabilityPlan:
        """The plan; raises PrivacyError if a price is beyond its limits, or if variant and privacy unit do not fit."""
        columns = sum(len(one) for one in self.combinations)
        share = self.delta / len(self.combinations)
        days = () if self.period is None else tuple((day.isoformat(),) for day in self.period.days)
        return StabilityPlan(
            partition_by=() if self.period is None else (DATE,),
            partitions=days or ((),),
            combinations=tuple(
                Combination(one, self.epsilon * len(one) / columns, share) for one in self.combinations
            ),
            variant=self.variant,
            bound=self.bound,
            minutes=dict.fromkeys(("on_time", "off_time"), self.minutes),
        )

    def terms(self) -> dict[str, object]:
        """The choices as the ledger and the manifest store them."""
        return {"kind": self.kind, **written.bound_terms(self.bound), **written.terms_of(self, _TERMS)}

    @classmethod
    def of_terms(cls, terms: Mapping[str, object]) -> StabilityChoices:
        """The choices from what ``terms`` gave; KeyError, TypeError or ValueError for anything else, PrivacyError beyond the limits."""
        return cls(written.bound_of(terms), **written.read_terms(terms, _TERMS))


def _combinations_of(listed: object) -> tuple[tuple[str, ...], ...]:
    if not isinstance(listed, list | tuple):
        raise TypeError("combinations")
    return tuple(written.texts_of(one) for one in listed)


_TERMS: Final[Mapping[str, written.Term]] = {
    "epsilon": written.FRACTION,
    "delta": written.FRACTION,
    "variant": written.member(Variant),
    "combinations": (lambda combinations: [list(one) for one in combinations], _combinations_of),
    "period": written.optional(written.PERIOD),
    "minutes": written.WHOLE,
}
