"""What an owner chooses for a histogram of large counts. Public, no data."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Annotated, ClassVar, Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.exact_json import at_most, read_as
from dpcore.kinds.stability.plan import (
    MAX_COMBINATIONS,
    MAX_PARTITIONS,
    UNKNOWN,
    Combination,
    Neighbours,
    StabilityPlan,
    Variant,
)
from dpcore.kinds.stability.totals import DELTA
from dpcore.kinds.stability.zones import Zones, checked, zone_terms, zones_of
from dpcore.measures.attribute import Attribute, Categories, attribute_of, text_of
from dpcore.measures.keys import Period
from dpcore.planning.choice import FILE, Choice, period, whole
from dpcore.planning.python_text import Raw
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text
from dpcore.release import terms as written
from dpcore.tiles.labels import ID_RULE, is_tile_id

COLUMNS: Final = ("on_time", "on_loc", "off_time", "off_loc")
"""Columns of a trip that can be counted: time and tile of its start, time and tile of its end."""
COMBINATIONS: Final = (*((name,) for name in COLUMNS), ("on_time", "on_loc"), ("off_time", "off_loc"))
"""The default combinations, as for the Opal cards."""
USUAL_COMBINATIONS: Final = tuple("+".join(columns) for columns in COMBINATIONS)
UNZONED: Final = ("refuse", "outside")
"""What becomes of tiles that only the table of zones or only the tessellation knows."""
_MOST_NAMED: Final = 50
"""With more tiles in zones, the code that makes a plan names their file."""
MAX_SHARE: Final = 1_000
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


def usual_delta(variant: Variant, combinations: int) -> Fraction:
    """The total delta where none is named: that of the Opal cards for each combination, or the usual one for all of them."""
    return combinations * DELTA if variant is Variant.OPAL else Fraction(limits.DEFAULT_DELTA)


def divisions_of(declared: Sequence[Attribute]) -> tuple[Categories, ...]:
    """Declared attributes that divide trips into parts; raises PrivacyError for numbers, which do not."""
    return tuple(_division(one) for one in declared)


def usual_variant(unit: PrivacyUnit) -> Variant:
    """The variant that promises what accounts count: one unit added or removed."""
    return Variant.USER if unit is PrivacyUnit.USER else Variant.ADD_REMOVE


def listed_texts(column: str, plan: StabilityPlan, tile_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The public list of a column, sorted: zones, tiles or bins of times, and a category for unknown values."""
    if column.endswith("_loc"):
        return tuple(sorted({*(plan.zones.values() or tile_ids), UNKNOWN}))
    length = plan.minutes[column]
    return (*(f"{start // 60:02d}:{start % 60:02d}" for start in range(0, 1_440, length)), UNKNOWN)


@dataclass(frozen=True)
class StabilityChoices:
    """All choices for a histogram of large counts. They make a plan without tiles, which only name the places.

    ``CHOICES`` says what each is.
    """

    kind: ClassVar[str] = "stability"

    bound: ContributionBound
    epsilon: Fraction
    """Total, under the relation of the variant. Each combination gets the shares of its columns."""
    delta: Fraction
    """Total. Each combination gets an equal share."""
    variant: Variant
    combinations: tuple[tuple[str, ...], ...] = COMBINATIONS
    period: Period | None = None
    """Public dates, each counted by itself; None: all days together."""
    minutes: int = 15
    divisions: tuple[Categories, ...] = ()
    skipped: Period | None = None
    zones: Zones = ()
    """Empty: tiles are places themselves."""
    shares: tuple[tuple[str, int], ...] = ()
    """Columns whose share of epsilon is not 1, with that share."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "zones", checked(self.zones))
        self._check_parts()
        unknown = sorted({name for one in self.combinations for name in one} - set(COLUMNS))
        if unknown or not all(self.combinations) or not 0 < len(self.combinations) <= MAX_COMBINATIONS:
            raise PrivacyError(
                "this is not a column of a trip, or nothing is counted",
                ", ".join(name[:40] for name in unknown[:5]) or "combinations",
                f"Combine {', '.join(COLUMNS)}, such as on_time+on_loc.",
            )
        counted, named = (
            {name for one in self.combinations for name in one},
            [name for name, _ in self.shares],
        )
        whole = all(type(share) is int and 1 <= share <= MAX_SHARE for _, share in self.shares)
        if not whole or len({*named}) < len(named) or not counted.issuperset(named):
            raise PrivacyError(
                "the shares of epsilon are no shares of what is counted",
                "shares",
                f"Give whole numbers from 1 to {MAX_SHARE:,}, one for a column that is counted, such as on_time=1,on_loc=3.",
            )
        least, most = Fraction(limits.MIN_DELTA), Fraction(limits.MAX_DELTA)
        if not isinstance(self.delta, Fraction) or not least <= self.delta <= most:
            raise PrivacyError(
                "delta is out of range",
                "delta",
                f"Give {limits.MIN_DELTA} to {limits.MAX_DELTA}: with 0 no key could be shown.",
            )

    def _check_parts(self) -> None:
        names = [one.name for one in self.divisions]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise PrivacyError("two parts have one name", ", ".join(twice), "Name each attribute once.")
        for one in self.divisions:
            if not all(map(is_tile_id, one.words)):
                raise PrivacyError(
                    "a category has a name that no key of a table can have",
                    f"part {one.name}",
                    f"The rule is that of tile ids. {ID_RULE}",
                )
        if self.skipped is None:
            return
        within = self.period is not None and self.period.first < self.skipped.first
        if not within or self.period is None or self.skipped.last >= self.period.last:
            raise PrivacyError(
                "days can be left out only between the first and the last date that count",
                "skipped dates",
                "Give dates that begin before them and end after them.",
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
        of_column = dict.fromkeys(COLUMNS, 1) | dict(self.shares)
        shares = [sum(of_column[name] for name in one) for one in self.combinations]
        share = self.delta / len(self.combinations)
        names, lists = [one.name for one in self.divisions], [one.words for one in self.divisions]
        if self.period is not None:
            left_out = () if self.skipped is None else self.skipped.days
            names.append(DATE)
            lists.append(tuple(day.isoformat() for day in self.period.days if day not in left_out))
        return StabilityPlan(
            partition_by=tuple(names),
            partitions=tuple(islice(product(*lists), MAX_PARTITIONS + 1)),  # the plan refuses one too many
            combinations=tuple(
                Combination(one, self.epsilon * part / sum(shares), share)
                for one, part in zip(self.combinations, shares, strict=True)
            ),
            variant=self.variant,
            bound=self.bound,
            minutes=dict.fromkeys(("on_time", "off_time"), self.minutes),
            zones=dict(self.zones),
        )

    def terms(self) -> dict[str, object]:
        """The choices as the ledger and the manifest store them."""
        own = written.terms_of(self, _TERMS, _LATER)
        return {"kind": self.kind, **written.bound_terms(self.bound), **own}

    @classmethod
    def of_terms(cls, terms: Mapping[str, object]) -> StabilityChoices:
        """The choices from what ``terms`` gave; KeyError, TypeError or ValueError for anything else, PrivacyError beyond the limits."""
        return cls(written.bound_of(terms), **written.read_terms(terms, _TERMS, _LATER))


def _division(found: Attribute) -> Categories:
    if isinstance(found, Categories):
        return found
    raise PrivacyError(
        "numbers do not divide trips into parts",
        found.name,
        "Give a public list of categories, such as mode=bus,train.",
    )


def _divisions_of(written: object) -> tuple[Categories, ...]:
    found = read_as(Annotated[_LISTS, at_most(limits.MAX_ATTRIBUTES)], written)
    return tuple(Categories(name, tuple(words)) for name, *words in found)


def shares_of(listed: object) -> tuple[tuple[str, int], ...]:
    """Shares of columns from a mapping; TypeError for anything else. Their values are checked with the choices."""
    if not isinstance(listed, Mapping) or len(listed) > len(COLUMNS):
        raise TypeError("shares")
    return tuple(sorted(listed.items()))


_LISTS: Final = tuple[tuple[str, ...], ...]
_LATER: Final = ("divisions", "skipped", "zones", "shares")
"""Choices that are written only where they are made: releases of earlier versions do not have them."""
_TERMS: Final[Mapping[str, written.Term]] = {
    "epsilon": written.FRACTION,
    "delta": written.FRACTION,
    "variant": written.member(Variant),
    "combinations": (lambda combinations: [list(one) for one in combinations], partial(read_as, _LISTS)),
    "period": written.optional(written.PERIOD),
    "minutes": written.WHOLE,
    "divisions": (lambda divisions: [[one.name, *one.words] for one in divisions], _divisions_of),
    "skipped": written.optional(written.PERIOD),
    "zones": (zone_terms, zones_of),
    "shares": (dict, shares_of),
}


def _shares(text: str) -> dict[str, int]:
    """Shares by column."""
    pairs = [one.partition("=") for one in text.split(",")]
    found = {name.strip(): whole(share) for name, _, share in pairs}
    if len(found) < len(pairs):
        raise argparse.ArgumentTypeError("a column has two shares")
    return found


def _names_file(plan: StabilityChoices) -> bool:
    return len(plan.zones) > _MOST_NAMED


CHOICES: Final = (
    Choice(
        "delta",
        f"total delta of all combinations; default: {limits.DEFAULT_DELTA}, with --variant opal 1/8000000 for each",
        "D",
        partial(exact_delta, where="--delta"),
        of=lambda plan: str(plan.delta),
    ),
    Choice(
        "combinations",
        "combinations of on_time, on_loc, off_time, off_loc; default: each alone, and time and place together",
        "a,b,a+b",
        lambda text: text.split(","),
        of=lambda plan: ["+".join(one) for one in plan.combinations],
    ),
    Choice("period", flag="--dates"),
    Choice("minutes", "length of a bin of times; default: 15", "N", whole),
    Choice("variant", "default: user, or add-remove with the unit trip", among=Variant),
    Choice(
        "parts",
        "count each category of an attribute apart, such as mode=bus,train; others are left out; may be given several times",
        "NAME=a,b,c",
        attribute_of,
        many=True,
        of=lambda plan: {one.name: list(one.words) for one in plan.divisions},
        texts=lambda plan: map(text_of, plan.divisions),
    ),
    Choice(
        "skip",
        "days within --dates that are left out, such as those between two weeks",
        "FIRST/LAST",
        period,
        flag="--skip-dates",
        of=lambda plan: plan.skipped,
    ),
    Choice(
        "shares",
        "shares of epsilon of columns, such as on_time=1,on_loc=3; default: 1 each; a combination gets those of its columns",
        "a=N,b=N",
        _shares,
        of=lambda plan: dict(plan.shares),
    ),
    Choice(
        "zones",
        "public table tile_id,zone (CSV) that merges tiles, such as stops into postcodes",
        FILE,
        Path,
        of=lambda plan: "ZONES.csv" if _names_file(plan) else dict(plan.zones),
    ),
    Choice("tiles", of=lambda plan: Raw("tiles") if _names_file(plan) else None),
    Choice(
        "unzoned",
        f"tiles that only the zones or only the tiles name: refused, or counted as outside; default: {UNZONED[0]}",
        among=UNZONED,
        of=lambda _: None,
    ),
)
